#!/usr/bin/env bash
# cli_graph500.sh - scree graph500 from outside: the output block, on several ranks, and what it refuses.
#
# Checked are names, order and plausibility of the fields. The command itself validates its answers.
. "$(dirname "$0")/../support/shell.sh"

# The fields of the specification, in its order.
fields() {
  local kind kernel
  printf '%s\n' SCALE edgefactor NBFS graph_generation num_mpi_processes construction_time
  for kind in time nedge TEPS validate; do
    for kernel in bfs sssp; do
      printf "$kernel %s_$kind\n" min firstquartile median thirdquartile max
      if [ $kind = TEPS ]; then
        printf "$kernel %s_TEPS\n" harmonic_mean harmonic_stddev
      else
        printf "$kernel %s_$kind\n" mean stddev
      fi
    done
  done
}

names() { sed -E 's/:.*//; s/ +/ /' "$1"; }
value() { sed -nE "s/^$2 *: *(! )?//p" "$1"; }

# sensible FILE: quantiles ascend, the mean lies between them, and rates are edges over times
sensible() {
  awk -F': *!? *' '
    { gsub(/ +/, " ", $1); v[$1] = $2 }
    function bad(why) { print "not sensible: " why; wrong = 1 }
    END {
      for (i = 1; i <= 2; i++) {
        k = i == 1 ? "bfs" : "sssp"
        for (j = 1; j <= 4; j++) {
          t = j == 1 ? "time" : j == 2 ? "nedge" : j == 3 ? "TEPS" : "validate"
          if (v[k " min_" t] > v[k " firstquartile_" t] + 0 || v[k " firstquartile_" t] > v[k " median_" t] + 0 ||
              v[k " median_" t] > v[k " thirdquartile_" t] + 0 || v[k " thirdquartile_" t] > v[k " max_" t] + 0) bad(k " " t)
          m = t == "TEPS" ? v[k " harmonic_mean_TEPS"] : v[k " mean_" t]
          if (m < v[k " min_" t] * 0.999999 || m > v[k " max_" t] * 1.000001 || m <= 0) bad(k " mean " t)
        }
        if (v[k " max_TEPS"] > 1.000001 * v[k " max_nedge"] / v[k " min_time"]) bad(k " rates")
      }
      exit wrong
    }' "$1"
}

for ranks in 1 2 3; do
  run() { test/launch.sh "$BUILD" $ranks "$scree" graph500 --scale 8 --edgefactor 8 --sources 5 >"$tmp/block"; }
  check "graph500 on $ranks ranks" run
  check "graph500 on $ranks ranks: fields" diff <(fields) <(names "$tmp/block")
  check "graph500 on $ranks ranks: sense" sensible "$tmp/block"
  check "graph500 on $ranks ranks: ranks" [ "$(value "$tmp/block" num_mpi_processes)" = $ranks ]
  check "graph500 on $ranks ranks: searches" [ "$(value "$tmp/block" NBFS)" = 5 ]
  value "$tmp/block" "bfs  max_nedge" >"$tmp/edges.$ranks"
done
check "the same edges on any number of ranks" diff "$tmp/edges.1" "$tmp/edges.3"

bad "unexpected argument 'kron:8'" graph500 kron:8
bad "option '--queue' is unknown to graph500" graph500 --queue dary
bad "distinct vertices with an arc were requested" graph500 --scale 2 --sources 64

# ---- JSON, algorithms, no validation
check "without validation" eval '"$scree" graph500 --scale 6 --sources 2 --skip-validation --algorithm delta >"$tmp/quick"'
check "it is marked as not official" grep -q '^NOT_OFFICIAL: *the results were not validated' "$tmp/quick"
check "no times of validation" eval '! grep validate_ "$tmp/quick"'
check "JSON" "$scree" graph500 --scale 6 --sources 2 --algorithm dc --json "$tmp/graph500.json"
check "JSON: the algorithm of both" [ "$(grep -c '"algorithm":	"dc"' "$tmp/graph500.json")" = 4 ]
check "JSON: every search" [ "$(grep -c '"validation_seconds"' "$tmp/graph500.json")" = 4 ]
delta_alone() { "$scree" graph500 --scale 6 --sources 1 --algorithm delta --skip-validation --json - | grep -o '"algorithm":	"[a-z]*"' | tr -d '\t\n'; }
check "JSON: an algorithm of one" [ "$(delta_alone)" = '"algorithm":"direction""algorithm":"delta"' ]
check "no such algorithm" bash -c '! "$0" graph500 --scale 4 --algorithm zebra 2>&1 | grep -v "is not legal; legal: NAME: algorithm of the kernels that have it, bfs or sssp or both"' "$scree"

# ---- as a kernel of sweeps
check "a sweep" "$scree" sweep --quiet --kernel graph500 --scale 4,5 --sources 1 --ranks 1 --algorithm dc --repeat 2 --results "$tmp/graph500.jsonl"
check "its runs have times" eval '! sed 1d "$tmp/graph500.jsonl" | grep -v "\"status\":\"ok\",\"seconds\":"'
check "the first repetition is validated, others are not" [ "$(sed 1d "$tmp/graph500.jsonl" | grep -c '"repetition":2.*--skip-validation\|--skip-validation.*"repetition":2')" = \
  "$(sed 1d "$tmp/graph500.jsonl" | grep -c -- --skip-validation)" ]
check "no other graph" refuses 2 "graph500 makes its own graph" "$scree" sweep --kernel graph500 --graph kron:4 --dry-run
finish

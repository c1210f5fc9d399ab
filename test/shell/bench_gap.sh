#!/usr/bin/env bash
# bench_gap.sh - tests the choices and the arithmetic of bench/gap.sh with programs that print the times of a table. The last
# run of a job takes 64 times as long as the others, so the mean of 63 runs is twice their median.
. "$(dirname "$0")/../support/shell.sh"
mkdir "$tmp/build" "$tmp/gap" "$tmp/data"
export TIMES=$tmp/times GAPBS=$tmp/gap WASP=$tmp/gap/wasp THRIFTY=$tmp/gap/thrifty GBBS=$tmp/gap NETWORKIT=$tmp/gap/networkit GAP_DATA=$tmp/data

# PROGRAM GRAPH THREADS VARIANT or SETTING: ms of each job, the last one of all after it; a job without a row fails. The
# first job of scree only sets the time limit of the sweep.
cat >"$TIMES" <<'END'
scree-bfs kron18 2 auto: 10 10 20 30 40
scree-bfs kron18 2 direction: 16
scree-bfs kron18 2 level: 32
scree-bfs kron18 1 auto: 60
scree-bfs kron18 8 auto: 80
scree-bfs kron18 16 auto: 100
bfs kron18 2: 50
bfs kron18 2 huge: 40
bfs kron18 1 huge: 70
scree-bfs uni20 2 auto: 20 20 10 40
scree-bfs uni20 2 direction: 50
scree-bfs uni20 2 level: 80
scree-bfs uni20 1 auto: 30
bfs uni20 2: 10
bfs uni20 2 huge: 10
bfs uni20 1: 15
scree-sssp uni20 2 auto: 8
scree-sssp uni20 2 opt: 8
scree-sssp uni20 2 horizon: 16
scree-sssp uni20 2 dc: 16
scree-sssp uni20 1 auto: 8
sssp uni20 2 -d 1: 30
sssp uni20 2 -d 2: 12
sssp uni20 2 -d 4: 10 11
sssp uni20 2 -d 8: 14 10
sssp uni20 2 -d 16: 13
sssp uni20 2 -d 32: 13
sssp uni20 1 -d 8: 10
wasp uni20 2 -d 1: 9
wasp uni20 2 -d 2: 10
wasp uni20 2 -d 4: 10
wasp uni20 2 -d 8: 10
wasp uni20 1 -d 1: 18
scree-cc kron18 2 auto: 5 5 6 7 7
scree-cc kron18 2 afforest: 7
scree-cc kron18 1 auto: 7
scree-cc kron18 8 auto: 7
scree-cc kron18 16 auto: 7
scree-bc uni18 2 auto: 100
scree-bc uni18 2 rows: 100
scree-bc uni18 2 single: 200
scree-bc uni18 1 auto: 190
bc uni18 2: 350
bc uni18 1: 700
SSBetweennessCentrality uni18 2: 20
SSBetweennessCentrality uni18 2 -ligra: 25
SSBetweennessCentrality uni18 1: 30
scree-kcore uni20 2 auto: 4
scree-kcore uni20 2 peel: 8
scree-kcore uni20 1 auto: 8
KCore uni20 2 -nb 16: 8
KCore uni20 2 -nb 32: 12
KCore uni20 2 -nb 8: 12
KCore uni20 1 -nb 16: 16
networkit uni20 2 CoreDecomposition: 10
networkit uni20 2 CoreDecomposition-queue: 9
networkit uni20 2 CoreDecomposition-queue huge: 8.5
scree-mis uni20 2 auto: 4
scree-mis uni20 2 greedy: 8
scree-mis uni20 2 luby: 8
scree-mis uni20 1 auto: 8
END
cat >"$tmp/build/scree" <<'END'
#!/usr/bin/env bash
# scree, or a peer: prints sources, or the times of its next job
set -eu
program=${0##*/} threads=${OMP_NUM_THREADS-} runs=1 variant= record= graph=
case $1 in generate | convert) : >"$3" && exit ;; esac
[ "$threads" = "$PARLAY_NUM_THREADS" ]
if [ "$program" = scree ]; then program=scree-$1 variant=' auto' && shift; fi
if [ "$program" = thrifty ]; then set -- -f "$1" -n "$2"; fi
if [ "$program" = networkit ]; then variant=" $1" && set -- -f "$2" -n "$3"; fi
while [ $# -gt 0 ]; do
  case $1 in
    *.sg | *.wsg | *.adj) graph=${1##*/} && graph=${graph%.*} ;;
    --ranks) threads=$2 ;;
    --algorithm) variant=" $2" ;;
    -d | -nb) variant=" $1 $2" ;;
    -ligra | -lf | -specfor) variant=" $1" ;;
    --json) record=$2 ;;
    --sources-file) runs=$(wc -w <"$2") ;;
    -n | -S | --repeat | -rounds) runs=$(($2 > runs ? $2 : runs)) ;;
    -l) seq "$runs" | sed 's/^/Source: /' && exit ;;
  esac
  shift
done
case $program in *bc) runs=1 ;; esac
key="$program $graph $threads$variant${GLIBC_TUNABLES:+ huge}" && job=$TIMES.${key// /_}
echo >>"$job"
awk -v key="$key:" -v job="$(wc -l <"$job")" -v runs="$runs" -v json="$record" 'index($0, key) == 1 {
  times = split(substr($0, length(key) + 1), ms, " ")
  for (i = 1; i <= runs; i++) {
    s = ms[job < times ? job : times] / 1000 * (i < runs || runs == 1 ? 1 : 64)
    if (i == 1 && runs > 1) s = 0.9
    if (json) list = list (i > 1 ? "," : "") "{\"seconds\":" s ",\"preparation_seconds\":" (i > 1 ? 0 : 0.001 * runs) "}"
    else print "Trial Time: " s
  }
  if (json) print "{\"runs\":[" list "],\"peak_memory_bytes\":{\"sum\":1048576}}" >json
  found = 1
} END { if (!found) { print "no time of " key; exit 1 } }' "$TIMES"
END
chmod +x "$tmp/build/scree"
for peer in bfs sssp bc wasp networkit SSBetweennessCentrality KCore MaximalIndependentSet; do ln "$tmp/build/scree" "$tmp/gap/$peer"; done

# table KERNELS GRAPHS: prints its rows, with M for the memory, which is the memory of these scripts
table() {
  rm -f "$TIMES".*
  bench/gap.sh "$tmp/build" "$1" "$2" >"$tmp/all" 2>"$tmp/err" || return
  awk -F'|' -v OFS='|' '/^\|[a-z]+\|[a-z]+[0-9]/ { if ($13 > 0) $13 = "M"; print } /^gap.sh: of/' "$tmp/all"
}
equal "means of 63 runs, the median of rounds, the share of the preparation; a row without its peer comes first, and names it" "$(
  cat <<'END'
|cc|kron18|no peer|11-15 ms|1.1|13;901|||no GAP-cc, no GAP-cc_sv, no Thrifty, NetworKit failed|1.00|1.0,1.0||1.00|
|bfs|kron18|1.95|1.31-3.81|2.0|41;901|GAP-bfs huge: 80;900|||1.49,1.75|2.0,2.5|M|2.45|
gap.sh: of 1 rows 1 are ahead in all rounds, 0 behind in all rounds, 0 level
END
)\n" table bfs,cc kron18
equal "losses are first; medians of runs; 2 rounds of a large graph; one run of bc, and 16 runs of GBBS's" "$(
  cat <<'END'
|bfs|uni20|0.69|0.48-0.91|1.1|16;901|GAP-bfs: 10;900|||0.76,1.50||M|0.80|
|bc|uni18|3.17|3.17-3.17|3.5|101;101|GBBS: 320;320||GAP-bc: 350, NetworKit failed|1.89,1.50||M|1.00|
gap.sh: of 2 rows 1 are ahead in all rounds, 1 behind in all rounds, 0 level
END
)\n" table bfs,bc uni18,uni20
equal "the widths of each peer are swept, and the rounds go on until the best one has both neighbours" "$(
  cat <<'END'
|sssp|uni20|1.00|1.00-1.00|1.1|9;901|Wasp -d 1: 9;900|-d 2: 10|GAP-sssp -d 8: 10|1.00,2.00||M|1.00|
gap.sh: of 1 rows 0 are ahead in all rounds, 0 behind in all rounds, 1 level
END
)\n" table sssp uni20
equal "without Wasp the row names it; the other settings are the neighbours and what led there" "$(
  cat <<'END'
|sssp|uni20|1.11|1.11-1.11|1.1|9;901|GAP-sssp -d 8: 10;900|-d 2: 12, -d 4: 11, -d 16: 13|no Wasp|1.00,1.00||M|1.00|
gap.sh: of 1 rows 1 are ahead in all rounds, 0 behind in all rounds, 0 level
END
)\n" eval 'WASP= table sssp uni20'
equal "settings that fail are passed over; a peer whose settings all fail is named" "$(
  cat <<'END'
|mis|uni20|no peer|5-5 ms|1.0|5;901|||GBBS failed|1.80|||0.56|
|kcore|uni20|1.60|1.60-1.60|1.0|5;901|GBBS -nb 16: 8;900|-nb 8: 12, -nb 32: 12|NetworKit CoreDecomposition-queue huge: 8.5|1.80,2.00||M|0.56|
gap.sh: of 1 rows 1 are ahead in all rounds, 0 behind in all rounds, 0 level
END
)\n" table kcore,mis uni20
check "the reason is printed" grep -q 'gap.sh: .*KCore .*-nb 1 .*no time of KCore uni20 2 -nb 1:' "$tmp/err"
printf '#!/bin/sh\necho something else\n' >"$tmp/gap/none"
chmod +x "$tmp/gap/none"
ln -f "$tmp/gap/none" "$tmp/gap/MaximalIndependentSet"
check "a peer that prints no times is named" eval 'table mis uni20 | grep -q "GBBS failed" && grep -q "no line has a Trial Time" "$tmp/err"'
equal "a job of scree that fails ends the table" "" eval '! table cc uni20'
check "it is named" grep -q 'gap.sh: .*/scree cc .*/uni20.sg .*no time of scree-cc uni20 2 auto' "$tmp/err"
finish

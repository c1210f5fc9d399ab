#!/usr/bin/env bash
# bench_gap.sh - the arithmetic of bench/gap.sh, whose programs are one that says the times of a table: the last run of a job
# takes 64 times as long as others, so that the mean of 63 is twice the median.
. "$(dirname "$0")/../support/shell.sh"
mkdir "$tmp/build" "$tmp/gap" "$tmp/data"
export TIMES=$tmp/times GAPBS=$tmp/gap WASP=$tmp/gap/wasp THRIFTY=$tmp/gap/thrifty GAP_DATA=$tmp/data

# PROGRAM GRAPH THREADS VARIANT: ms of each job, the last one of all after it
cat >"$TIMES" <<'END'
scree-bfs kron18 2 auto: 10 20 30 40
scree-bfs kron18 2 direction: 16
scree-bfs kron18 2 level: 32
scree-bfs kron18 1 auto: 60
scree-bfs kron18 8 auto: 80
scree-bfs kron18 16 auto: 100
bfs kron18 2: 40
bfs kron18 1: 70
scree-bfs uni20 2 auto: 20 10 40
scree-bfs uni20 2 direction: 50
scree-bfs uni20 2 level: 80
scree-bfs uni20 1 auto: 30
bfs uni20 2: 10
bfs uni20 1: 15
scree-sssp uni20 2 auto: 8
scree-sssp uni20 2 opt: 8
scree-sssp uni20 2 horizon: 16
scree-sssp uni20 2 dc: 16
scree-sssp uni20 1 auto: 8
sssp uni20 2: 10
sssp uni20 1: 10
wasp uni20 2: 9
wasp uni20 1: 18
scree-cc kron18 2 auto: 5 6 7 7
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
END
cat >"$tmp/build/scree" <<'END'
#!/usr/bin/env bash
# scree, or a peer: sources, or the times of its next job
set -eu
program=${0##*/} threads=${OMP_NUM_THREADS-} runs=1 variant= record=
case $1 in generate | convert) : >"$3" && exit ;; esac
if [ "$program" = scree ]; then program=scree-$1 variant=' auto' && shift; fi
if [ "$program" = thrifty ]; then set -- -f "$1" -n "$2"; fi
case $1 in -f) shift ;; esac
graph=${1##*/} && graph=${graph%.*}
while shift && [ $# -gt 0 ]; do
  case $1 in
    --ranks) threads=$2 ;;
    --algorithm) variant=" $2" ;;
    --json) record=$2 ;;
    --sources-file) runs=$(wc -w <"$2") ;;
    -n | -S | --repeat) runs=$(($2 > runs ? $2 : runs)) ;;
    -l) seq "$runs" | sed 's/^/Source: /' && exit ;;
  esac
done
case $program in *bc) runs=1 ;; esac
key="$program $graph $threads$variant" && job=$TIMES.${key// /-}
echo >>"$job"
awk -v key="$key:" -v job="$(wc -l <"$job")" -v runs="$runs" -v json="$record" 'index($0, key) == 1 {
  times = split(substr($0, length(key) + 1), ms, " ")
  for (i = 1; i <= runs; i++) {
    s = ms[job < times ? job : times] / 1000 * (i < runs || runs == 1 ? 1 : 64)
    if (i == 1 && runs > 1) s = 0.9
    if (json) list = list (i > 1 ? "," : "") "{\"seconds\":" s "}"; else print "Trial Time: " s
  }
  if (json) print "{\"runs\":[" list "],\"peak_memory_bytes\":{\"sum\":1048576}}" >json
  found = 1
} END { if (!found) { print "no time of " key; exit 1 } }' "$TIMES"
END
chmod +x "$tmp/build/scree"
for peer in bfs sssp bc wasp; do ln "$tmp/build/scree" "$tmp/gap/$peer"; done

# table KERNELS GRAPHS: its rows, with the memory, which is that of the fakes, as M
table() {
  bench/gap.sh "$tmp/build" "$1" "$2" >"$tmp/all" || return
  awk -F'|' -v OFS='|' '/^\|[a-z]+\|[a-z]+[0-9]/ { if ($11 > 0) $11 = "M"; print }' "$tmp/all"
}
equal "means of 63 runs, the median of rounds; a row without its peer comes first, and names it" "$(
  cat <<'END'
|cc|kron18|no peer|10-14 ms|1.1|12;900|no GAP-cc,no GAP-cc_sv,no Thrifty|1.00|1.0,1.0||1.00|
|bfs|kron18|2.00|1.33-4.00|2.0|40;900|GAP-bfs:80;900|1.50,1.75|2.0,2.5|M|2.50|
END
)\n" table bfs,cc kron18
equal "losses are first; medians of runs; 2 rounds of a large graph; one run of bc; the best of two peers" "$(
  cat <<'END'
|bfs|uni20|0.75|0.50-1.00|1.1|15;900|GAP-bfs:10;900|0.75,1.50||M|0.80|
|bc|uni18|3.50|3.50-3.50|3.5|100;100|GAP-bc:350;350|1.90,2.00||M|1.00|
|sssp|uni20|1.12|1.12-1.12|1.1|8;900|Wasp:9,GAP-sssp:10;900|1.00,2.00||M|1.00|
END
)\n" table bfs,sssp,bc uni18,uni20
equal "without Wasp the row names it" "|sssp|uni20|1.25|1.25-1.25|1.1|8;900|GAP-sssp:10,no Wasp;900|1.00,1.00||M|1.00|\n" \
  eval 'WASP= table sssp uni20'
equal "a job that fails ends the table" "" eval '! table cc uni20 2>"$tmp/err"'
check "it is named" grep -q 'gap.sh: .*/scree cc .*/uni20.sg .*no time of scree-cc uni20 2 auto' "$tmp/err"
finish

#!/usr/bin/env bash
# bench_histogram.sh - bench/histogram with few words: with and without --zipf, whose number is checked. The program checks by
# itself that all words were counted.
. "$(dirname "$0")/../support/shell.sh"

histogram() { timeout 300 test/launch.sh "$BUILD" "$1" "$BUILD/bench/histogram" --scale 10 --rounds 1 "${@:2}"; }
uniform() {
  histogram 2 --json "$tmp/record" >"$tmp/rows" && cat "$tmp/rows" &&
    [ "$(grep -cE '^ +1000 4k +(plain loop|(shm|mpi) +scree) ' "$tmp/rows")" = 3 ] && ! grep -q '"zipf"' "$tmp/record"
}
# skewed RANKS S: a row of 8 columns and a record for each mode by both transports, and for the plain loop. Of so few words a busy machine may print the
# rate 0.0.
skewed() {
  histogram "$1" --zipf "$2" --json "$tmp/record" >"$tmp/rows" && cat "$tmp/rows" &&
    awk '$3 ~ /^(shm|mpi)$/ && $4 ~ /^(auto|on|off)$/ { rows++; bad += NF != 8 || $5 $6 $7 !~ /^[0-9.]+$/ }
         END { exit bad || rows != 6 || NR != 8 }' "$tmp/rows" &&
    [ "$(grep -cE "\"zipf\":\s*$2," "$tmp/record")" = 7 ]
}

check "uniform words, 2 ranks" uniform
check "--zipf 0, 2 ranks" skewed 2 0
check "--zipf 1.25, 3 ranks" skewed 3 1.25
check "--zipf 10, 1 rank" skewed 1 10
for wrong in -1 +1 1x 1-2 nan inf 0x1 10.1 1e99 ''; do
  check "--zipf '$wrong' is refused" refuses 2 "option 'zipf': '$wrong' is " histogram 1 --zipf "$wrong"
done
check "--zipf without a number is refused" refuses 2 "cannot use '--zipf'" histogram 1 --zipf
finish

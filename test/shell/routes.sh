#!/usr/bin/env bash
# routes.sh - the programs that compare routes: ./dev simulate with 16 virtual ranks, and bench/route with few items. Both check
# by themselves that every item has come to its destination.
#
# Alone: it starts several ranks.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

simulated() { timeout 300 "$BUILD/bench/simulate" 16 >"$tmp/simulated"; }
# Three workloads by five routes below one heading; of each row 16 columns.
is_whole() {
  awk 'NF != 16 - (NR == 1) { print; bad = 1 } END { print NR, "lines"; exit bad || NR != 16 }' "$tmp/simulated"
}
# row WORKLOAD ROUTE HOPS LANES: a grid of 4 by 4 and a cube of 4 dimensions have known ones; one lane is of own items
row() {
  awk -v work="$1" -v route="$2" -v hops="$3" -v lanes="$4" '
    $1 == work && $3 == route { print; good = $7 == hops && $8 == lanes && $9 == sprintf("%.3f", lanes / 16) }
    END { exit !good }' "$tmp/simulated"
}
compared() {
  timeout 300 test/launch.sh "$BUILD" 3 "$BUILD/bench/route" --scale 8 --rounds 1 --json "$tmp/record" >"$tmp/compared" &&
    [ "$(grep -cE '^(shm|mpi) +8 B  (plain|routed)' "$tmp/compared")" = 14 ] && grep -q '"forward_ratio"' "$tmp/record"
}

check "16 virtual ranks, every route and workload" simulated
check "a row of each" is_whole
check "all, direct: a lane for each rank" row all direct 0.94 16
check "all, rook: lanes of a row and a column" row all rook 1.50 7
check "all, hypercube: a lane for each dimension" row all hypercube 2.00 5
check "all, dissemination: a lane for each power of two" row all dissemination 2.00 5
check "all, ring: a lane to the next rank, for each class" row all ring 7.50 3
check "a number of ranks that is none" refuses 2 "simulate [RANKS...]" "$BUILD/bench/simulate" 16 none
check "bench/route, 3 ranks" compared
finish

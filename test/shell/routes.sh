#!/usr/bin/env bash
# routes.sh - the programs that compare routes: ./dev simulate with 16 virtual ranks, and bench/message_rate route with few items. Both check
# by themselves that every item has come to its destination.
. "$(dirname "$0")/../support/shell.sh"

simulated() { timeout 300 "$BUILD/bench/simulate" 16 >"$tmp/simulated"; }
# Three workloads by six routes, three rows of messages to workers, and the memory by 0, 1, 2, 4, 8 and 15 destinations, with 2 and 4
# workers by 0 and 15; below one heading; of each row 16 columns.
is_whole() {
  awk 'NF != 16 - (NR == 1) { print; bad = 1 } END { print NR, "lines"; exit bad || NR != 32 }' "$tmp/simulated"
}
# row WORKLOAD ROUTE HOPS LANES [DIRECT]: a grid of 4 by 4 and a cube of 4 dimensions have known ones; one lane is of own items.
# DIRECT, default 16: lanes of the first row of that workload
row() {
  awk -v work="$1" -v route="$2" -v hops="$3" -v lanes="$4" -v direct="${5-16}" '
    $1 == work && $3 == route { print; good = $7 == hops && $8 == lanes && $9 == sprintf("%.3f", direct ? lanes / direct : 0) }
    END { exit !good }' "$tmp/simulated"
}
compared() {
  timeout 300 test/launch.sh "$BUILD" 3 "$BUILD/bench/message_rate" route --scale 8 --rounds 1 --json "$tmp/record" >"$tmp/compared" &&
    [ "$(grep -cE '^(shm|mpi) +8 B  (plain|routed)' "$tmp/compared")" = 16 ] && [ "$(grep -c '"blocks"' "$tmp/record")" = 20 ]
}
# Both values of aggregate on both transports. A rate can be so low on a busy machine that it is printed as 0.00; its ratio to the
# first is not.
spread_evenly() {
  awk '$1 ~ /^(shm|mpi)$/ && $4 == "to" { print; rows++; bad += NF != 11 || $6 !~ /^(worker|rank)$/ || $7 !~ /^[0-9.]+$/ || $8 <= 0 }
       END { exit bad || rows != 4 }' "$tmp/compared"
}

check "16 virtual ranks, every route and workload" simulated
check "a row of each" is_whole
check "all, direct: a lane for each rank" row all direct 0.94 16
check "all, rook: lanes of a row and a column" row all rook 1.50 7
check "all, hypercube: a lane for each dimension" row all hypercube 2.00 5
check "all, dissemination: a lane for each power of two" row all dissemination 2.00 5
check "all, ring: a lane to the next rank, for each class" row all ring 7.50 3
# 4 workers, each with lanes to 64; to 15 ranks and to 4 workers of its own; to 6 ranks and those.
check "workers, direct: a lane for each worker of all ranks" row workers direct 0.94 256 256
check "workers, direct/rank: one for each rank and each own worker" row workers direct/rank 0.94 76 256
check "memory: a lane for each destination in use, and a block" row memory 15 1.00 15 0
check "workers, rook/rank: of a row and a column, and own workers" row workers rook/rank 1.50 40 256
check "a number of ranks that is none" refuses 2 "simulate [RANKS...]" "$BUILD/bench/simulate" 16 none
check "bench/message_rate route, 3 ranks" compared
check "its messages to workers, by lanes for workers and for ranks" spread_evenly
check "no workers" refuses 2 "option 'workers': '0' is out of range; legal: 1 to 64" test/launch.sh "$BUILD" 1 "$BUILD/bench/message_rate" route --workers 0
finish

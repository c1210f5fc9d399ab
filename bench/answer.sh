#!/usr/bin/env bash
# answer.sh - from command to answer: the time that a user waits, of scree and of the GAP Benchmark Suite on the same files.
#   answer.sh [BUILD] [SCALE...]
# GAP's programs are in the folder $GAPBS; without it their columns are empty, and a note says so. Graphs are written to
# $ANSWER_DATA (a temporary folder): serialized graphs of `kron:SCALE` and a uniform graph of as many edges, and a grid of
# 1000 x 1000. Each row is the median of $ROUNDS (5) rounds, in which all programs take turns; seconds of the whole command,
# default options, one source (20 iterations of PageRank), no validation, as many threads and ranks as there are cores. `huge` is GAP with
# GLIBC_TUNABLES=glibc.malloc.hugetlb=1. The parts are scree's phases in seconds, and its peak memory is that of all ranks over
# GAP's (with pages that ranks share counted in each).
set -eu
build=${1:-build}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- 20
scree=$build/scree rounds=${ROUNDS:-5} gap=${GAPBS-} cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${ANSWER_DATA:-$work}
mkdir -p "$data"
[ -n "$gap" ] || echo "answer.sh: GAPBS names no folder: columns of GAP are empty"

# made NAME GENERATOR: its .sg and .wsg
made() {
  [ -e "$data/$1.sg" ] || "$scree" generate "$2" "$data/$1.sg" --no-weights --quiet
  [ -e "$data/$1.wsg" ] || "$scree" generate "$2" "$data/$1.wsg" --random-weights 1..255 --quiet
}
# timed COMMAND...: seconds
timed() {
  local began=$EPOCHREALTIME ended
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2 && exit 1; }
  ended=$EPOCHREALTIME
  awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.4f\n", b - a }'
}
median() { sort -n | awk '{ x[NR] = $1 } END { if (NR) print x[int((NR + 1) / 2)] }'; }
# peer PROGRAM COMMAND...: of GAP, on the file, started by COMMAND
peer() {
  local more=
  case $1 in sssp) more="-d 32" ;; pr) more="-i 20 -t 0" ;; esac # as many iterations
  OMP_NUM_THREADS=$cores "${@:2}" "$gap/$1" -f "$file" -n 1 $more
}

printf '%-8s %-9s %7s %7s %7s %6s %6s  %s\n' graph command GAP huge scree /GAP memory 'start read parse prepare solve'
# row GRAPH KERNEL PROGRAM FILE
row() {
  local i name=$1 kernel=$2 program=$3 more=()
  file=$4
  [ $kernel != pagerank ] || more=(--iterations 20)
  rm -f "$work"/*.s
  for i in $(seq "$rounds"); do
    if [ -n "$gap" ]; then
      timed peer "$program" env >>"$work/gap.s"
      timed peer "$program" env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 >>"$work/huge.s"
    fi
    timed "$scree" "$kernel" "$file" "${more[@]}" --json "$work/run.json" >>"$work/scree.s"
  done
  touch "$work/gap.s" "$work/huge.s"
  kib=$([ -z "$gap" ] || { peer "$program" /usr/bin/time -f %M >/dev/null; } 2>&1 | tail -n 1)
  /usr/bin/python3 - "$work/run.json" "$name" "$kernel" "$(median <"$work/gap.s")" "$(median <"$work/huge.s")" \
    "$(median <"$work/scree.s")" "$kib" <<'PY'
import json, sys

record, name, kernel, gap, huge, scree, kib = sys.argv[1:]
with open(record) as file:
    run = json.load(file)
parts = " ".join("%.3f" % run["phases"][p]["seconds"] for p in ("start", "read", "parse", "prepare", "solve"))
ratio = "%.2f" % (float(scree) / float(gap)) if gap else "-"
memory = "%.2f" % (run["peak_memory_bytes"]["sum"] / 1024 / float(kib)) if kib else "-"
print("%-8s %-9s %7s %7s %7.3f %6s %6s  %s" % (name, kernel, gap[:6] or "-", huge[:6] or "-", float(scree), ratio, memory, parts))
PY
}
all() { # GRAPH: the four kernels
  row "$1" bfs bfs "$data/$1.sg"
  row "$1" sssp sssp "$data/$1.wsg"
  row "$1" cc cc "$data/$1.sg"
  row "$1" pagerank pr "$data/$1.sg"
}
for scale in "$@"; do
  made "kron$scale" "kron:$scale"
  all "kron$scale"
done
made uniform "uniform:$((1 << $1)),$((16 << $1))"
all uniform
made grid grid:1000,1000
row grid bfs bfs "$data/grid.sg"
grep -m 1 'model name' /proc/cpuinfo | sed "s/.*: /answer.sh: /; s/$/, $cores cores/"

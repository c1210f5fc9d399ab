#!/usr/bin/env bash
# gap.sh - compares kernels with the programs of other projects, on the same files and sources. Losses come first.
#   gap.sh [BUILD [KERNELS [GRAPHS]]]      separate names with commas; "-" means all, which takes an hour and a half
# KERNELS: bfs, sssp, cc, pagerank, tolerance (PageRank to 1e-4), bc, tc, kcore, mis, colour. GRAPHS: the table below.
#
# Peers are programs that you build. A row names the ones that are missing.
#   GAPBS      folder of the GAP Benchmark Suite's programs, built without -march=native, which slows its pr
#   WASP       Wasp's sssp-int32
#   THRIFTY    a program that is started as PROGRAM FILE.sg RUNS and prints "Trial Time: SECONDS" for each run
#   GBBS       folder of GBBS's SSBetweennessCentrality, KCore, MaximalIndependentSet and GraphColoring
#   NETWORKIT  a program that is started as PROGRAM ALGORITHM FILE.sg RUNS, runs the algorithm that gap.py names, and prints
#              the same line. PageRank makes 20 iterations, PageRank-1e-4 stops at that sum of changes, and
#              CoreDecomposition-queue is the serial form
# GAP_DATA keeps the graphs (4 GB). GAP_JSON names a file to which each row is appended as one line of JSON.
#
# gap.py runs the comparison; its first comment describes the table.
set -eu
build=${1:-build}
scree=$build/scree
data=${GAP_DATA:-$(mktemp -d)}
[ -n "${GAP_DATA-}" ] || trap 'rm -rf "$data"' EXIT
mkdir -p "$data"
real=${SCREE_TEST_DATA:-../shared/data} graphs=${3:--}
# made NAME COMMAND...: its .sg and .wsg
made() {
  case ",$graphs," in ,-, | *,"$1",*) ;; *) return 0 ;; esac
  [ -e "$data/$1.sg" ] || "$scree" "$2" "$3" "$data/$1.sg" "${@:4}" --no-weights --quiet
  [ -e "$data/$1.wsg" ] || "$scree" "$2" "$3" "$data/$1.wsg" "${@:4}" --random-weights 1..255 --quiet
}
made kron18 generate kron:18
made kron20 generate kron:20
made uni18 generate uniform:262144,4194304
made uni20 generate uniform:1048576,16777216
made uni19x32 generate uniform:524288,16777216
made uni18x64 generate uniform:262144,16777216
made grid300 generate grid:300,300
made grid1000 generate grid:1000,1000
made grid2000 generate grid:2000,2000
made thin generate grid:100,10000
made lux convert "$real/luxembourg_osm.edges.gz" --undirected
made cal convert "$real/cal.cedge" --undirected --columns 2,3
edges() { awk '$1 == "a" { print $2 < $3 ? $2 " " $3 : $3 " " $2 }' "$real/rome99.gr" | sort -u; }
case ",$graphs," in ,-, | *,rome,*) [ -e "$data/rome.sg" ] || edges >"$data/rome.el" ;; esac
made rome convert "$data/rome.el" --undirected
/usr/bin/python3 "$(dirname "$0")/gap.py" "$scree" "$data" "${2:--}" "$graphs" "${ROUNDS:-3}"
grep -m 1 'model name' /proc/cpuinfo | sed "s/.*: /gap.sh: /; s/$/, $(nproc) cores, $(date +%F)/"

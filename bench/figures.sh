#!/usr/bin/env bash
# figures.sh - the runs that give the figures of docs/performance.md.
#   bench/figures.sh [BUILD]      BUILD: build directory, default build; tables go to standard output
#
# This file states which benchmark runs on how many ranks; it does not read the tables. It needs an otherwise idle
# machine, two cores or more, and about ten minutes. The launcher is that of the MPI that BUILD was built with. The flag
# between two ranks (the first lines of `latency`) shows how far apart their cores are: shared machines move them.
set -eu
build=${1:-build}
case $(ldd "$build/bench/epoch") in
*libmpich*) # its blocking calls never yield: see test/mpi/mpich_shim.c
  bound=(mpiexec.hydra -bind-to core -n 2)
  free=(mpiexec.hydra -genv LD_PRELOAD "$(readlink -f "$build")/test/mpich_shim.so" -n)
  ;;
*)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  bound=(mpirun.openmpi --bind-to core -n 2) free=(mpirun.openmpi --oversubscribe --bind-to none -n)
  ;;
esac

run() {
  echo "## $*"
  timeout 900 "$@" 2>&1 || echo "## ended with $?"
  echo
}

two() { run "${bound[@]}" "$build/bench/$1" "${@:2}"; }
local2() { run "$build/bench/$1" --ranks 2 "${@:2}"; } # without a launcher
command9() { run bash -c 'for i in 1 2 3 4 5 6 7 8 9; do t=$EPOCHREALTIME; "$@" >/dev/null; echo "$((${EPOCHREALTIME/./} - ${t/./})) us"; done' - "$@"; }
many() { run "${free[@]}" "$1" "$build/bench/$2" "${@:3}"; }

two latency
two message_rate --rounds 15
two message_rate --rounds 15
two epoch
many 16 epoch
two epoch --full
many 8 message_rate --scale 20
many 16 alltoall
two alltoall
two construction --full
two load_rate
two graph
two graph --scale 20
data=${SCREE_TEST_DATA:-../shared/data} # what is missing there ends with an error
two graph -- --undirected --columns=1,2,3 "$data/p2p-31/p2p-31.e.gz"
two graph -- --directed --random-weights=1..100 "$data/soc-Slashdot0902.txt.gz"
two graph -- --undirected --columns=2,3,4 "$data/cal.cedge"
two graph -- --undirected --random-weights=1..100 "$data/luxembourg_osm.edges.gz"
two graph -- "$data/rome99.gr"
two histogram
for s in 0 1 1.5; do two histogram --zipf $s; done
two histogram indexgather
two histogram prefetch
two bandwidth
two message_rate route --rounds 15
many 4 message_rate route --scale 18
many 16 message_rate route --scale 16
run "$build/bench/lanes" --full
run "${free[@]}" 1 "$build/bench/tasks"
run "${free[@]}" 1 "$build/bench/loops"
many 16 loops tree
many 1 mpi_threads lock
many 2 mpi_threads
many 2 progress
for ranks in 2 4 8 16 32 64; do many $ranks memory; done
run "$build/bench/simulate" 64 1024 # 5 GiB
for _ in 1 2; do # one state of the machine may end between the two
  for words in "message_rate --rounds 15" latency epoch graph; do two $words && local2 $words; done
done
command9 "$build/scree" bfs kron:10 --ranks 2 --quiet
command9 "${bound[@]}" "$build/scree" bfs kron:10 --quiet
run bench/between_hosts.sh "$build" message_rate --scale 20
for s in 0 1 1.5; do run bench/between_hosts.sh "$build" histogram --zipf $s; done
for s in 0 1 1.5; do MBIT=1000 run bench/between_hosts.sh "$build" histogram --zipf $s; done
two latency
two message_rate --rounds 15

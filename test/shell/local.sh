#!/usr/bin/env bash
# local.sh - tests of worlds over real ranks, and benchmarks, on ranks that start without a launcher and MPI.
. "$(dirname "$0")/../support/shell.sh"
for name in $(compgen -e | grep -E '^(OMPI_COMM|PMI_|PMIX_|MV2_|SLURM_|FLUX_|SCREE_RANKS)'); do unset "$name"; done

# over RANKS NAME [TEST]: the tests of a program pass
over() {
  SCREE_TEST_LAUNCHER=local test/launch.sh "$BUILD" "$1" "$BUILD/test/$2" "${@:3}" >"$tmp/out" 2>&1
  grep -qE "^harness: $2 done, $1 ranks, [1-9][0-9]* passed, 0 failed, " "$tmp/out" || { tail -n 50 "$tmp/out" && return 1; }
}
for ranks in 2 3; do SCREE_TEST_SEEDS=10 check "random programs, $ranks ranks" over $ranks mpi_traffic; done
check "kernels on drawn graphs" over 2 mpi_kernels 'drawn_graphs*'
check "kernels on a Kronecker graph" over 2 mpi_kernels kronecker
check "with progress threads" over 2 mpi_kernels kronecker_progress_thread
check "statistics are not torn" over 3 mpi_stats
check "threads that join" over 2 mpi_join
check "several workers" over 2 mpi_workers
check "progress threads" over 2 mpi_progress
no_mpi() { grep -q 'skipped mpi: ranks without a launcher have no MPI' "$tmp/out"; }
check "what needs MPI is skipped" no_mpi

# rows LINES NAME ARGUMENT...: a benchmark on two ranks has that many rows or more, none of MPI
rows() {
  "$BUILD/bench/$2" --ranks 2 --rounds 1 "${@:3}" --json "$tmp/json" >"$tmp/out" 2>&1 || { cat "$tmp/out" && return 1; }
  cat "$tmp/out"
  grep -q '"mpi":	"none"' "$tmp/json" && [ "$(grep -cE '^(shm|empty|epoch,| *[0-9]+  (scree shm|flag)|kron:6) ' "$tmp/out")" -ge "$1" ] &&
    ! grep -qE '^(mpi|MPI)|scree mpi|nan' "$tmp/json"
}
check "benchmark of epochs" rows 3 epoch
check "benchmark of latency" rows 2 latency --bytes 64
check "benchmark of message rates" rows 1 message_rate --scale 8 --bytes 8
check "benchmark of kernels" rows 20 graph --scale 6
check "locks, on one of the ranks" eval '"$BUILD/bench/mpi_threads" lock --ranks 2 --rounds 1 --scale 1 >/dev/null 2>&1'
check "MPI itself is refused" refuses 2 "mpi_threads: needs MPI: start it with mpirun" "$BUILD/bench/mpi_threads" --ranks 2
some() { SCREE_RANKS=3 "$BUILD/bench/alltoall" --rounds 1 --scale 4 2>/dev/null | tee "$tmp/out" | grep -q '^2 of 3 ranks: left out: without MPI a world has all ranks$'; }
check "some of the ranks are left out" some
finish

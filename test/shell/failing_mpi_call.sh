#!/usr/bin/env bash
# failing_mpi_call.sh - each call of MPI that the library makes fails once, on one rank of three (prog_failing_mpi_call.c): all ranks
# end, well or with the reason, which names the rank and the call.
#
# With --full it is the first three calls of each kind, the middle one and the last. Else some are drawn: FAILING_MPI_CALL_SEED
# repeats them. One case alone: BUILD=build test/shell/failing_mpi_call.sh TRANSPORT NODES CALL OF NTH
. "$(dirname "$0")/../support/shell.sh"
. test/support/signals.sh
export OMPI_MCA_mpi_yield_when_idle=1 SCREE_HANG_TIMEOUT=2s
export OMPI_MCA_odls_base_sigkill_timeout=1 # a rank that knows the reason has the time to say it
drawn=10 && [ "${SCREE_TEST_FULL-}" != 1 ] || drawn=0
seed=${FAILING_MPI_CALL_SEED-$(($(date +%s) % 100000))}

# run TRANSPORT NODES...: sets $rc. A launcher that is ended by force may leave ranks, which keep the cores busy.
run() {
  rc=0
  SCREE_TRANSPORT=$1 timeout -k 2 20 env "$mark=1" test/launch.sh "$BUILD" 3 "$BUILD/test/prog_failing_mpi_call" "${@:2}" >"$tmp/out" 2>"$tmp/err" || rc=$?
  [ $rc != 124 ] && [ $rc != 137 ] || end_started
}

# one TRANSPORT NODES CALL OF NTH
one() {
  local rc
  # The launcher is to notice a rank that ends without MPI_Finalize, for which the others may wait there (mpi.sh).
  [ "$3" != MPI_Finalize ] || local -x OMPI_MCA_orte_allowed_exit_without_sync=0 PRTE_MCA_prte_allowed_exit_without_sync=0
  run "$@"
  cat "$tmp/err"
  echo "code $rc, $(grep -o done "$tmp/out" | wc -l) ranks done; again: BUILD=$BUILD test/shell/failing_mpi_call.sh $*"
  # MPICH's launcher does not end ranks that wait inside MPI_Init for one that has ended before it
  { [ $rc != 124 ] && [ $rc != 137 ]; } || [ "$3 $(cat "$BUILD/mpi")" = "MPI_Init_thread mpich" ] || return 1
  ! grep -qE 'Signal:|Segmentation|assert' "$tmp/err" || return 1
  [ $rc != 0 ] || { [ "$(grep -o done "$tmp/out" | wc -l)" = 3 ] && return; }
  # and it ends those that finalise beside one that has not, at times with code 0
  { [ $rc != 0 ] || [ "$3 $(cat "$BUILD/mpi")" = "MPI_Finalize mpich" ]; } && grep -qE "^scree: (rank 2 of 3|process [0-9]+): .*$3" "$tmp/err"
}

# rows TRANSPORT NODES: of each kind of calls TRANSPORT NODES CALL OF NTH
rows() {
  run "$@"
  awk -v head="$*" '$1 == "count" {
    delete shown
    split("1 2 3 " int(($4 + 1) / 2) " " $4, nth, " ")
    for (i = 1; i <= 5; i++) if (nth[i] <= $4 && !shown[nth[i]]++) print head, $2, $3, nth[i]
  }' "$tmp/out"
}

RANDOM=$seed
if [ $# = 5 ]; then
  check "$*" one "$@"
  cat "$tmp/check.log"
  finish
fi
echo "FAILING_MPI_CALL_SEED=$seed"
{ rows mpi 1 && rows auto 2; } >"$tmp/rows"
check "the program makes calls that may fail" [ "$(wc -l <"$tmp/rows")" -gt 80 ]
mapfile -t all <"$tmp/rows"
if [ $drawn = 0 ]; then
  for row in "${all[@]}"; do check "$row" one $row; done
else
  for _ in $(seq $drawn); do
    row=${all[RANDOM % ${#all[@]}]}
    check "$row" one $row
  done
fi
finish

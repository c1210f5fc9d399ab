#!/usr/bin/env bash
# singletons.sh - one rank without a launcher works; N ranks started by the launcher of another MPI, so that each sees
# one rank, end with a message that says what to do. It runs on the MPI's default settings.
SCREE_TEST_MPI=defaults
. "$(dirname "$0")/../support/shell.sh"
program=$BUILD/test/prog_world

alone() { env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE "$program" work 2>&1 | tee "$tmp/out" && grep -q '^done 1 ' "$tmp/out"; }

named() {
  ! grep -q '^done' "$tmp/out" && grep -q "the launcher announces 2 ranks ($1), the MPI library sees 1" "$tmp/out" &&
    grep -q 'use the launcher of the MPI that scree was built with' "$tmp/out"
}

# by COMMAND...: the wrong launcher starts two
by() {
  local rc=0
  timeout 60 "$@" -n 2 "$program" work >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc != 0 ]
}

announced() {
  local rc=0
  env "$1=2" "$program" work >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc != 0 ] && named "$1"
}

check "one rank without a launcher" alone
if [ "$(cat "$BUILD/mpi")" = openmpi ]; then
  if command -v mpiexec.hydra >/dev/null; then
    check "started by MPICH's launcher" by mpiexec.hydra
    check "and told so" named PMI_SIZE
  else
    skipped "started by MPICH's launcher" "the other MPI is not installed; ./dev packages installs all tools"
  fi
elif command -v mpirun.openmpi >/dev/null; then
  check "started by Open MPI's launcher" by mpirun.openmpi
  check "and told so" named OMPI_COMM_WORLD_SIZE
else
  skipped "started by Open MPI's launcher" "the other MPI is not installed; ./dev packages installs all tools"
fi
check "announced by slurm" announced SLURM_STEP_NUM_TASKS
finish

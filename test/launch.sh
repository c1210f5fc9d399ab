#!/usr/bin/env bash
# launch.sh - starts RANKS ranks of a program on this machine, as root too, without a terminal, under either MPI.
#   launch.sh BUILD RANKS PROGRAM [ARGUMENT...]
# BUILD is the build directory; the file BUILD/mpi names its MPI. There may be more ranks than cores. With
# SCREE_TEST_LAUNCHER=local programs that know SCREE_RANKS start their ranks themselves.
set -eu
build=$1 ranks=$2
shift 2
[ "${SCREE_TEST_LAUNCHER-}" != local ] || exec env SCREE_RANKS="$ranks" "$@" </dev/null
mpi=$(cat "$build/mpi")

# Where a system has both MPIs, each launcher has a name of its own.
find_launcher() {
  for name in "$@"; do
    if command -v "$name" >/dev/null; then echo "$name" && return; fi
  done
  echo "launch.sh: none of $* was found" >&2 && return 1
}

if [ "$mpi" = openmpi ]; then
  launcher=$(find_launcher mpirun.openmpi mpirun)
  . "$(dirname "$0")/support/mpi.sh"
  exec "$launcher" -n "$ranks" "$@" </dev/null
fi
launcher=$(find_launcher mpiexec.hydra mpiexec)
shim=$(cd "$build" && pwd)/test/mpich_shim.so
# Over TCP alone, MPI_Finalize of MPICH sometimes hangs without it.
if { [ "$ranks" -gt "$(nproc)" ] || [ "${UCX_TLS-}" = self,tcp ]; } && [ -e "$shim" ]; then
  exec "$launcher" -genv LD_PRELOAD "$shim" -n "$ranks" "$@" </dev/null
fi
exec "$launcher" -n "$ranks" "$@" </dev/null

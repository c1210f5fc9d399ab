#!/usr/bin/env bash
# launch.sh - starts RANKS ranks of a program on this machine, under either MPI.
#   launch.sh BUILD RANKS PROGRAM [ARGUMENT...]
# BUILD is the build directory: which MPI it was made for stands in BUILD/mpi.
#
# Room: what a launcher must be told so that it starts more ranks than cores, as root too, without a terminal.
set -eu
build=$1 ranks=$2
shift 2
mpi=$(cat "$build/mpi")

# The launcher by its own name where a system has both MPIs, else the one that there is.
find_launcher() {
  for name in "$@"; do
    if command -v "$name" >/dev/null; then echo "$name" && return; fi
  done
  echo "launch.sh: none of $* was found" >&2 && return 1
}

if [ "$mpi" = openmpi ]; then
  launcher=$(find_launcher mpirun.openmpi mpirun)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1      # ranks may outnumber the cores
  export OMPI_MCA_hwloc_base_binding_policy=none  # and then must not be tied to one
  export OMPI_MCA_btl_vader_single_copy_mechanism=none # not permitted in many containers
  exec "$launcher" -n "$ranks" "$@" </dev/null
fi
launcher=$(find_launcher mpiexec.hydra mpiexec)
shim=$(cd "$build" && pwd)/test/mpich_shim.so
if [ "$ranks" -gt "$(nproc)" ] && [ -e "$shim" ]; then
  exec "$launcher" -genv LD_PRELOAD "$shim" -n "$ranks" "$@" </dev/null
fi
exec "$launcher" -n "$ranks" "$@" </dev/null

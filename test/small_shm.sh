#!/usr/bin/env bash
# small_shm.sh - a /dev/shm that is too small: all goes by MPI, with a note; or as far as it reaches.
#
# Room: shared memory that runs out, in a mount namespace of its own.
cd "$(dirname "$0")/.."
. test/shell.sh
# The MPI itself is told to keep out of /dev/shm.
export OMPI_MCA_btl_vader_backing_directory=/tmp UCX_TLS=self,tcp

# within SIZE COMMAND...: with a /dev/shm of that size
within() {
  local size=$1
  shift
  unshare -m bash -c 'mount -t tmpfs -o "size=$0" tmpfs /dev/shm && exec "$@"' "$size" "$@"
}
works() { within "$1" timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" work 2>&1 | tee "$tmp/out"; }

by_mpi() { works 64K && grep -q '^done 2 mpi shared memory cannot be had on some node: all blocks go by MPI' "$tmp/out"; }
by_shm() { works "$1" && grep -q '^done 2 shm' "$tmp/out"; }
refused() {
  ! SCREE_TRANSPORT=shm works 64K || grep -q '^done' "$tmp/out" && return 1
  grep -q 'shared memory' "$tmp/out"
}

if ! within 64K true 2>/dev/null; then
  skipped "a small /dev/shm" "no mount namespace of one's own (needs root)"
  finish
fi
check "64K: falls back to MPI, and says so" by_mpi
check "64K: transport = shm is refused" refused
check "1M: pools as far as it reaches" by_shm 1M
check "100M: as usual" by_shm 100M
finish

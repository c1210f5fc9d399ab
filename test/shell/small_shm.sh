#!/usr/bin/env bash
# small_shm.sh - where shared memory is unavailable, all blocks travel by MPI and the statistics say so; where there is
# little, scree uses what there is. Each case has a /dev/shm of its own, or limits of the process.
. "$(dirname "$0")/../support/shell.sh"
# The MPI itself is set not to use /dev/shm.
export OMPI_MCA_btl_vader_backing_directory=/tmp UCX_TLS=self,tcp
note='shared memory is unavailable on some node: all blocks travel by MPI'

# within OPTIONS COMMAND...: with a /dev/shm mounted so; root itself may not pass over permissions there
within() {
  local options=$1
  shift
  unshare -m bash -c 'mount -t tmpfs -o "$0" tmpfs /dev/shm &&
    exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"' "$options" "$@"
}
# limited RANKS COMMAND...: COMMAND is eval'ed in each rank before it works, with its rank in $rank
limited() {
  timeout 60 test/launch.sh "$BUILD" "$1" bash -c 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; eval "$1"; exec "$0" work' \
    "$BUILD/test/prog_world" "$2" 2>&1 | tee "$tmp/out"
}
works() { within "$1" timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" work 2>&1 | tee "$tmp/out"; }

went_by_mpi() { grep -q "^done $1 mpi $note\$" "$tmp/out" && [ "$(grep -c "scree: warning: scree_open: $note; mount" "$tmp/out")" = 1 ]; }
by_mpi() { works "$1" && went_by_mpi 2; }
by_shm() { works "$1" && grep -q '^done 2 shm' "$tmp/out"; }
refused() {
  ! SCREE_TRANSPORT=shm works "$1" || grep -q '^done' "$tmp/out" && return 1
  grep -q 'shared memory' "$tmp/out"
}
node_is_counted() {
  within "$1" timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" node 2>&1 | tee "$tmp/out"
  grep -q "^node 2 mpi\$" "$tmp/out"
}
one_line() { SCREE_STATS=table works size=64K && [ "$(grep -cx "  note: $note" "$tmp/out")" = 2 ]; }

files_are_named() { ! SCREE_TRANSPORT=shm limited 2 'ulimit -f 20000' || grep -q '^done' "$tmp/out" && return 1; grep -q 'raise the limit of file sizes (ulimit -f)' "$tmp/out"; }
limit_of_files() { limited 2 'ulimit -f 20000' && went_by_mpi 2; }
# Three ranks map 24 GB together, or 16 GB each for its own blocks; 8 GB are mapped for messages to itself in any case.
no_addresses() { SCREE_MEMORY=8G limited 3 "$1" && went_by_mpi 3; }

if within size=64K true 2>/dev/null; then
  check "64K: falls back to MPI, and says so" by_mpi size=64K
  check "64K: the ranks of the node share its memory all the same" node_is_counted size=64K
  check "64K: one line in the statistics of each rank" one_line
  check "64K: transport = shm is refused" refused size=64K
  check "1M: pools as far as it reaches" by_shm size=1M
  check "100M: as usual" by_shm size=100M
  check "no permission: falls back to MPI" by_mpi size=100M,mode=0755,uid=1
  check "no permission: transport = shm is refused" refused size=100M,mode=0755,uid=1
  check "read-only: falls back to MPI" by_mpi size=100M,ro
  arrays() { within "$1" timeout 60 "$BUILD/scree" "${@:2}" kron:16 --ranks 2 --validate --quiet --stats table 2>&1 | tee "$tmp/out"; }
  alone() { arrays "$@" && [ "$(grep -c '  arrays of the node: .*bytes for each node are .* are left: lower the size' "$tmp/out")" = 2 ]; }
  shares() { arrays "$@" && [ "$(grep -cE '  arrays of the node: reserved [1-9][0-9]*; shared$' "$tmp/out")" = 2 ]; }
  array_refused() { ! SCREE_NODE_ARRAYS=on arrays "$@" || grep -q 'valid' "$tmp/out" && return 1; grep -q 'scree_node_array_open: .*mount a larger /dev/shm' "$tmp/out"; }
  check "16K: an array of the node that is too large: auto does without, and says so" alone size=16K bfs
  check "16K: node_arrays = on is refused" array_refused size=16K bfs
  check "100M: the ranks share arrays" shares size=100M bfs
  # The ranks share the rows, and then have no room for the distances.
  partly() {
    local size
    for size in 2304K 2560K 2816K 3072K 3328K; do
      within size=$size timeout 60 "$BUILD/scree" sssp grid:200,200 --random-weights 1..9 --algorithm opt --ranks 2 --validate --quiet || return 1
    done
  }
  check "2M to 3M: SSSP shares its rows, but not its distances" partly
  export SCREE_TEST_LAUNCHER=local
  job="there is no space in /dev/shm: blocks are in the job's own memory"
  own() { works "$1" && grep -q "^done 2 shm $job\$" "$tmp/out"; }
  check "64K, ranks without a launcher: the job's own memory" own size=64K
  check "read-only, ranks without a launcher" own size=100M,ro
  check "100M, ranks without a launcher: as usual" by_shm size=100M
  too_large() {
    SCREE_MEMORY=64G works size=64K
    grep -q 'no shared memory (.* of this job): Cannot allocate memory' "$tmp/out" && ! grep -q '^done' "$tmp/out"
  }
  check "more than the memory that is left: refused" too_large
  unset SCREE_TEST_LAUNCHER
else
  skipped "a small /dev/shm" "no mount namespace of one's own (needs root)"
fi
by_mpi_alone() {
  SCREE_STATS=table timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/scree" bfs kron:12 --transport mpi --quiet 2>&1 | tee "$tmp/out"
  [ "$(grep -c '  arrays of the node: .*; each rank is a node$' "$tmp/out")" = 2 ]
}
check "transport = mpi: ranks share no arrays" by_mpi_alone
check "a limit of file sizes: falls back to MPI" limit_of_files
check "a limit of file sizes: transport = shm is refused, by its name" files_are_named
check "a limit of address space: falls back to MPI" no_addresses 'ulimit -v 22000000'
check "a limit of address space, on one rank alone: all fall back" no_addresses '[ $rank != 1 ] || ulimit -v 22000000'
finish

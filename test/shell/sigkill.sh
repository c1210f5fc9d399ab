#!/usr/bin/env bash
# sigkill.sh - however a job ends, by killed ranks above all, it ends within seconds and leaves nothing in /dev/shm.
. "$(dirname "$0")/../support/shell.sh"
export UCX_DEBUG_SIGNO=SIGUSR2 # which UCX, loaded with MPICH, handles in each process: SIGHUP, unless it is set otherwise
export OMPI_MCA_btl_vader_backing_directory=$tmp # Open MPI leaves files of its own

left() { find /dev/shm -maxdepth 1 -name 'scree*' 2>/dev/null | sort; }

# start RANKS: ranks that stay in an epoch; sets launcher, and pids by rank once all are there
start() {
  local n=$1 r
  rm -rf "$tmp/pids" && mkdir "$tmp/pids"
  timeout 60 test/launch.sh "$BUILD" "$n" "$BUILD/test/prog_world" stay "$tmp/pids" >"$tmp/out" 2>&1 &
  launcher=$!
  pids=()
  for r in $(seq 0 $((n - 1))); do
    wait_for test -e "$tmp/pids/$r" || { cat "$tmp/out" && return 1; }
    pids+=("$(cat "$tmp/pids/$r")")
  done
}

gone() {
  local pid
  for pid in "$@"; do if kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status"; then return 1; fi; done
}

# Runs to its end: the code is as EXPECTED, 0 or not.
ends() {
  local what=$1 expected=$2 rc=0 before
  before=$(left)
  timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" "$what" 2>&1 || rc=$?
  echo "code $rc"
  [ $rc != 124 ] && [ $((rc != 0)) = "$expected" ] && [ "$(left)" = "$before" ]
}

# open_by FILE COMMAND...: two ranks, started by COMMAND, map a segment that is a nameless FILE, a pattern, by then
open_by() {
  local file=$1 before rc=0
  shift
  before=$(left)
  timeout 60 test/launch.sh "$BUILD" 2 "$@" "$BUILD/test/prog_opening" >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc = 0 ] && [ "$(grep -c "^maps /dev/shm/$file (deleted)$" "$tmp/out")" = 2 ] && [ "$(left)" = "$before" ]
}

# The leader is killed while it opens its world, before any one of its collective calls, until it gets through.
opening() {
  local before call
  before=$(left)
  for call in $(seq 50); do
    timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_opening" "$call" >"$tmp/out" 2>&1
    [ "$(grep -c '^opened 2' "$tmp/out")" != 2 ] || break # codes of launchers prove nothing
    if grep '^opened' "$tmp/out"; then cat "$tmp/out" && return 1; fi
    [ "$(left)" = "$before" ] || { echo "killed before call $call: $(left)" && return 1; }
  done
  echo "calls: $((call - 1))"
  [ "$call" -gt 5 ] && [ "$call" -lt 50 ]
}

one_rank() {
  local rc=0 began=$SECONDS before
  before=$(left)
  start "$1" || return 1
  kill -9 "${pids[$2]}"
  wait $launcher || rc=$?
  cat "$tmp/out"
  echo "code $rc after $((SECONDS - began)) s"
  [ $rc != 124 ] && [ $((SECONDS - began)) -lt 30 ] && wait_for gone "${pids[@]}" && [ "$(left)" = "$before" ]
}

# The launcher has no chance to clean up.
everybody() {
  local before child
  before=$(left)
  start 2 || return 1
  child=$(cat "/proc/$launcher/task/$launcher/children") # `timeout` has the launcher for a child
  kill -9 $child "${pids[@]}"
  wait $launcher
  wait_for gone "${pids[@]}" && [ "$(left)" = "$before" ]
}

# Ranks that the program started end with it.
parent() {
  start 2 || return 1
  kill -9 $(cat "/proc/$launcher/task/$launcher/children")
  wait $launcher
  wait_for gone "${pids[@]}"
}

# signalled SIGNAL CODE: the job ends by it, as a process would
signalled() {
  local rc=0
  start 3 || return 1
  kill -"$1" $(cat "/proc/$launcher/task/$launcher/children")
  wait $launcher || rc=$?
  cat "$tmp/out"
  echo "code $rc"
  [ $rc = "$2" ] && wait_for gone "${pids[@]}"
}

names_rank() { grep -qE "^scree: rank $1 of $2 \\(process [0-9]+\\) was ended by signal 9 \\(Killed\\) before" "$tmp/out"; }

for SCREE_TEST_LAUNCHER in mpi local; do
  export SCREE_TEST_LAUNCHER
  by="$SCREE_TEST_LAUNCHER: "
  check "${by}a normal end" ends work 0
  check "${by}an end by error" ends fail 1
  check "${by}a rank ends its process in an epoch" ends quit 1
  check "${by}one of three ranks is killed" one_rank 3 1
  [ $SCREE_TEST_LAUNCHER = mpi ] || check "which is named" names_rank 1 3
  check "${by}the node's leader is killed" one_rank 2 0
  check "${by}all ranks and the launcher are killed" everybody
done
check "ranks end with the process that started them" parent
check "SIGTERM ends them" signalled TERM 143
check "SIGHUP ends them" signalled HUP 129
unset SCREE_TEST_LAUNCHER
check "the segment has no name" open_by '#[0-9]*'
if unshare -pf --mount-proc true 2>/dev/null; then
  # Each rank is process 1 of a pid namespace of its own: none finds another's descriptors.
  check "where ranks do not see each other it had one, gone before first use" open_by 'scree-1-[0-9]*' \
    env UCX_TLS=self,tcp OMPI_MCA_btl=self,tcp unshare -pf --mount-proc
else
  skipped "ranks that do not see each other" "no pid namespaces (needs root)"
fi
check "the leader is killed while it opens its world, at every step" opening
finish

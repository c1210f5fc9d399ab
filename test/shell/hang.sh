#!/usr/bin/env bash
# hang.sh - the hang report names a worker that never ends its epoch: after a silence, and on SIGUSR1.
. "$(dirname "$0")/../support/shell.sh"

# silent MODE: rank 1 does not end its epoch; the others' report and their hang hook end the job
silent() {
  local rc=0
  rm -f "$tmp/err"
  SCREE_HANG_TIMEOUT=300ms timeout -k 2 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" "$1" "$tmp/err" \
    >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out" "$tmp/err"
  [ $rc != 0 ] && [ $rc != 124 ] && grep -q 'report of rank 0 of 2 (node 0 of 1, shm): epoch 0 open, idle' "$tmp/err" &&
    grep -q 'not idle yet in this epoch: rank 1$' "$tmp/err" && grep -q 'the hang hook was called' "$tmp/err"
}

# on_request: SIGUSR1 to rank 1 alone; it answers, and no other rank
on_request() {
  local pid launcher rc=1
  rm -rf "$tmp/pids" && mkdir "$tmp/pids"
  SCREE_HANG_TIMEOUT=0 timeout -k 2 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" stay "$tmp/pids" >"$tmp/out" 2>&1 &
  launcher=$!
  wait_for test -e "$tmp/pids/0" -a -e "$tmp/pids/1" && pid=$(cat "$tmp/pids/1") && kill -USR1 "$pid" &&
    wait_for grep -q 'report of rank 1 of 2 (node 0 of 1, shm): epoch 0 open, not idle' "$tmp/out" && rc=0
  [ -z "${pid-}" ] || kill -9 "$pid"
  wait $launcher
  cat "$tmp/out"
  ! grep -q 'report of rank 0' "$tmp/out" && [ $rc = 0 ]
}

# says RANKS MODE LINE...: it hangs, and reports have all these lines after $silence; on a busy machine, where ranks may not
# answer each other in that time, after a longer one
has_all() { for line in "${lines[@]}"; do grep -qE "^$line" "$tmp/out" || return 1; done; }
silence=300ms
says() { says_after $silence "$@" || says_after 8s "$@"; }
says_after() {
  local silence=$1 launcher rc=0 lines=("${@:4}")
  shift
  SCREE_HANG_TIMEOUT=$silence timeout -k 2 60 test/launch.sh "$BUILD" "$1" "$BUILD/test/prog_world" "$2" >"$tmp/out" 2>&1 &
  launcher=$!
  wait_for has_all || rc=1
  kill $launcher
  wait $launcher
  cat "$tmp/out"
  return $rc
}

# ends TRANSPORT MODE: rank 1 fails where the others wait for it; all end long before a hang would be reported, with the reason
ends() {
  local rc=0
  SCREE_HANG_TIMEOUT=60s SCREE_TRANSPORT=$1 timeout 30 test/launch.sh "$BUILD" 3 "$BUILD/test/prog_world" "$2" >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc = 1 ] && grep -q '^scree: rank 1 of 3: scree_fail: as asked$' "$tmp/out"
}
# on_a_node: what reports say where ranks share memory, by the launcher of SCREE_TEST_LAUNCHER
on_a_node() {
  check "$SCREE_TEST_LAUNCHER: a rank that only progresses is named" silent never
  check "$SCREE_TEST_LAUNCHER: a rank that is away is named" silent busy
  check "$SCREE_TEST_LAUNCHER: SIGUSR1 gets the report" on_request
  for ranks in 1 2; do
    check "$SCREE_TEST_LAUNCHER, $ranks: a handler that waits" says $ranks inside \
      '  failed: scree: rank 0 of [12]: scree_progress: called inside the handler of type .count.' "  inside the handler of type 'count'"
    check "$SCREE_TEST_LAUNCHER, $ranks: work that never ends" says $ranks postpone 'scree: report of rank 0 .* epoch 0 open, not idle' \
      '  rank 0: idle in 0 epochs so far, now in scree_test'
  done
  check "$SCREE_TEST_LAUNCHER: a rank that registers fewer types" says 2 fewer '  rank 0: .* now in scree_register' \
    '  rank 1: .* now or last in scree_close' '  rank 1: .* now in scree_close' '  rank 0: .* now or last in scree_register'
}
by_mpirun() {
  export SCREE_TEST_LAUNCHER=mpi
  on_a_node
  # of local ranks, one that has ended is missed
  check "a rank that skips an epoch" says 2 skip '  rank 0: idle in 2 epochs so far, now in scree_close' \
    '  rank 1: idle in 1 epochs so far, now or last in scree_close, which has closed the world'
}
by_itself() {
  export SCREE_TEST_LAUNCHER=local
  on_a_node
}
# Each rank a node: what a report says of others has come by messages.
by_messages() {
  export SCREE_TRANSPORT=mpi
  silence=2s # half of which messages have to arrive
  check "by MPI: a rank that skips an epoch" says 2 skip \
    '  rank 0: idle in 2 epochs so far, now in scree_close' \
    '  rank 1: idle in 1 epochs so far, now or last in scree_close, which has closed the world'
  for SCREE_PROGRESS in none comm; do
    export SCREE_PROGRESS
    check "by MPI, progress=$SCREE_PROGRESS: a rank that registers fewer types" says 2 fewer \
      '  rank 0: .* now in scree_register' '  rank 1: .* now or last in scree_close' \
      '  rank 1: .* now in scree_close' '  rank 0: .* now or last in scree_register'
  done
  unset SCREE_PROGRESS
  check "by MPI: work that never ends" says 2 postpone '  rank 0: idle in 0 epochs so far, now in scree_test' \
    '  rank 0: idle in 0 epochs so far, now or last in scree_test'
}
together by_mpirun by_itself by_messages
for transport in shm mpi; do
  check "$transport: a rank that fails while the others register" ends $transport gone
  check "$transport: one that does so in an epoch of its own" ends $transport astray
done
finish

#!/usr/bin/env bash
# sigkill.sh - ranks that are killed: the job ends within seconds, and nothing of scree's stays in /dev/shm.
#
# Room: what the death of processes leaves behind, by the launcher of BUILD.
cd "$(dirname "$0")/.."
. test/shell.sh

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

check "one of three ranks is killed" one_rank 3 1
check "the node's leader is killed" one_rank 2 0
check "all ranks and the launcher are killed" everybody
finish

#!/usr/bin/env bash
# between_hosts.sh - ranks on two hosts, made by hosts.sh: shared memory inside, MPI between, and the same answers.
. "$(dirname "$0")/../support/shell.sh"

at_hosts() { timeout -k 10 600 test/hosts.sh run "$BUILD" "$@"; }

by_both() { at_hosts 4 2 "$BUILD/test/prog_world" work 2>&1 | tee "$tmp/out" && grep -q '^done 4 shm+mpi' "$tmp/out"; }

# passes RANKS PER TEST: by rank 0's last line; exit codes of launchers prove nothing
passes() {
  rm -f "$tmp/result"
  SCREE_TEST_RESULT=$tmp/result at_hosts "$1" "$2" "$BUILD/test/$3"
  grep -Eq "^harness: $3 done, $1 ranks, [1-9][0-9]* passed, 0 failed" "$tmp/result"
}

if ! test/hosts.sh can; then
  skipped "ranks on two hosts" "no network namespaces (needs root and iproute2)"
  finish
fi
export SCREE_TEST_HOSTS=$$
[ "${SCREE_TEST_FULL-0}" = 1 ] || export SCREE_TEST_FULL=brief # the drawn cases are those of a single host
trap 'test/hosts.sh down; rm -rf "$tmp"' EXIT
test/hosts.sh up 2
check "the transport is hybrid" by_both
check "random programs, 2 + 2 ranks" passes 4 2 mpi_traffic
check "random programs, 2 + 1 ranks" passes 3 2 mpi_traffic
check "flow control, 2 + 2 ranks" passes 4 2 mpi_credit
check "faults, 2 + 2 ranks" passes 4 2 mpi_faults
check "global memory, 2 + 2 ranks" passes 4 2 mpi_global
check "global memory, 2 + 1 ranks" passes 3 2 mpi_global
kernels() {
  local kernel
  for kernel in kcore mis colour; do at_hosts 4 2 "$BUILD/scree" $kernel kron:5 --validate 2>&1 | tee -a "$tmp/out" | grep -q ' valid$' || return 1; done
}
check "cores, independent sets, colours, 2 + 2 ranks" kernels
# says MODE LINE...: prog_world hangs, and reports have all these lines
says() {
  local launcher rc=0 line
  SCREE_HANG_TIMEOUT=4s at_hosts 4 2 "$BUILD/test/prog_world" "$1" >"$tmp/out" 2>&1 &
  launcher=$!
  for line in "${@:2}"; do wait_for grep -qE "$line" "$tmp/out" || rc=1; done
  kill $launcher
  wait $launcher
  cat "$tmp/out"
  return $rc
}
skips() {
  check "a rank that skips an epoch is named on the other host" says skip '  ranks 2 to 3: idle in 2 epochs so far, now or last in scree_close$' \
    'report of rank [23] of 4 .node 1 of 2' '  rank 1: idle in 1 epochs so far, now or last in scree_close, which has closed the world'
}
registers_fewer() {
  check "and one that registers fewer types" says fewer '  ranks 1 to 3: idle in 1 epochs so far, now or last in scree_close$' \
    'report of rank [23] of 4 .node 1 of 2' '  rank 0: idle in 0 epochs so far, now or last in scree_register$'
}
together skips registers_fewer
# Of the skewed histogram the rows by MPI, which count every word, and a note in place of those by shared memory.
histogram() {
  at_hosts 2 1 "$BUILD/bench/histogram" --zipf 1.5 --scale 12 --rounds 1 >"$tmp/histogram" 2>&1
  cat "$tmp/histogram"
  [ "$(grep -cE '^ +524288 huge +mpi +(auto|on|off) ' "$tmp/histogram")" = 3 ] && ! grep -qE ' shm +(auto|on|off)' "$tmp/histogram" &&
    grep -q 'shm: left out on several hosts' "$tmp/histogram"
}
check "bench/histogram --zipf, 1 + 1 ranks" histogram
# A sweep over one node and two, by mpirun --host; hosts.sh starts {ranks} ranks, {ppn} on each host.
sweep() {
  timeout 600 "$BUILD/scree" sweep --quiet --scale 6 --nodes 1,2 --ranks-per-node 2 --repeat 1 --results "$tmp/nodes.jsonl" \
    --launcher "test/hosts.sh run $BUILD {ranks} {ppn}"
}
check "a sweep over 1 and 2 nodes" sweep
hosts_of() { grep "\"nodes\":\"$1\".*\"status\":\"ok\"" "$tmp/nodes.jsonl" | grep -o '"host":"[^"]*"' | sort -u | grep -c 'n[12]"'; }
check "1 node: ranks on one host" [ "$(hosts_of 1)" = 1 ]
check "2 nodes: ranks on two hosts" [ "$(hosts_of 2)" = 2 ]
check "worlds, 2 + 2 ranks" passes 4 2 mpi_worlds
finish

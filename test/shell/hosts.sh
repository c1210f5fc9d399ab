#!/usr/bin/env bash
# hosts.sh - hosts.sh removes only the hosts of its own process: two may be up at a time, and no other process's namespace
# or process is touched.
. "$(dirname "$0")/../support/shell.sh"

if ! test/hosts.sh can; then
  skipped "hosts" "no network namespaces (needs root and iproute2)"
  finish
fi
sleep 1000 & # an owner that is not this shell
other=$!
at() { SCREE_TEST_HOSTS=$1 test/hosts.sh "${@:2}"; }
foreign="n1 scree-$$-n7 scree-$$-n2" # such names, but not made by hosts.sh
made=()
clean() {
  local ns
  at $$ down
  at $other down
  for ns in "${made[@]}"; do ip netns pids "$ns" | xargs -r kill -9 && ip netns del "$ns"; done
  kill $other ${waiting-}
  rm -rf "$tmp"
}
trap 'clean 2>/dev/null' EXIT

exists() { ip netns list | grep -qw "^$1"; }
runs() { [ -n "$(ip netns pids "$1")" ]; }
# A process in a namespace, of this shell's.
inhabit() { ip netns exec "$1" sleep 1000 & waiting+=" $!"; wait_for runs "$1"; }
pings() { ip netns exec "scree-$1-n1" bash -c 'echo >/dev/tcp/10.99.0.2/9' 2>&1 | grep -q refused; }

check "hosts of one process" at $$ up 2
check "hosts of another process" at $other up 2
check "each reaches its own" eval "pings $$ && pings $other"
check "processes on both" eval "inhabit scree-$$-n1 && inhabit scree-$other-n1"
at $$ down # then names of ours that are not ours
for ns in $foreign; do if ip netns add "$ns" 2>/dev/null; then made+=("$ns"); fi; done
echo 1 >/run/scree-test-hosts/scree-$$-n2 # a mark of what was there before
check "namespaces of nobody's, inhabited" inhabit scree-$$-n2
check "down of the one" at $$ down
check "leaves the other's hosts" eval "exists scree-$other-n1 && exists scree-$other-n2 && exists scree-$other-switch"
check "and what runs there" runs scree-$other-n1
check "and all that it did not make" eval 'for ns in "${made[@]}"; do exists "$ns" || exit 1; done'
check "and what runs there, too" runs scree-$$-n2
check "a mark of what is gone goes" [ ! -e /run/scree-test-hosts/scree-$$-n2 ]
check "down of the other" at $other down
check "removes its hosts" eval "! exists scree-$other-n1 && ! exists scree-$other-switch"
check "its names" [ ! -e /etc/netns/scree-$other-n1 ]
check "and its marks" [ -z "$(ls /run/scree-test-hosts | grep "^scree-$other-")" ]

check "hosts of a process that ends" at $other up 1
kill $other
wait $other
check "are removed by the next" eval "at $$ up 1 && ! exists scree-$other-n1"
check "which has its own" exists scree-$$-n1
finish

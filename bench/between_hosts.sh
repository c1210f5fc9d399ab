#!/usr/bin/env bash
# between_hosts.sh - a benchmark, or `scree`, with its ranks on two hosts, one each, over TCP.
#   between_hosts.sh BUILD [BENCHMARK [ARGUMENT...]]      default: message_rate --scale 20
# The hosts are network namespaces of this machine (test/hosts.sh), so it needs root; each rank has its own core.
# With MBIT=N in the environment each host sends at most N Mbit/s. Each host takes the rank of the other one for another
# program, so benchmarks always warn of those.
# If that is impossible it prints the reason and returns 0. It only places ranks on hosts and cores.
set -eu
if [ "${1-}" = on-its-core ]; then # the launched command: rank i is alone on core i
  shift
  exec taskset -c "${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}" "$@"
fi
self=$(readlink -f "$0")
cd "$(dirname "$self")/.."
[ $# -gt 0 ] || { sed -n '2,7s/^# //p' "$self" >&2 && exit 2; }
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- message_rate --scale 20
benchmark=$1
shift
skip() { echo "between_hosts.sh: skipped: $1" && exit 0; }
test/hosts.sh can || skip "no network namespaces (needs root and iproute2)"
command -v taskset >/dev/null || skip "taskset is not installed (util-linux)"
[ "$(nproc)" -ge 2 ] || skip "two ranks need two cores"
export SCREE_TEST_HOSTS=$$
trap 'test/hosts.sh down' EXIT
test/hosts.sh up 2
[ -z "${MBIT-}" ] || test/hosts.sh slow "$MBIT"
program=$build/bench/$benchmark
[ "$benchmark" != scree ] || program=$build/scree
timeout 600 test/hosts.sh run "$build" 2 1 "$self" on-its-core "$program" "$@"

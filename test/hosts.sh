#!/usr/bin/env bash
# hosts.sh - several "hosts" on one machine, to test what goes between nodes. Needs root, iproute2 and util-linux.
#   hosts.sh up N                         make hosts n1 .. nN (10.99.0.1 ..), joined by a bridge
#   hosts.sh run BUILD RANKS PER COMMAND  run COMMAND with RANKS ranks, PER on each host, under the MPI of BUILD
#   hosts.sh slow MBIT|off                limit what each host sends
#   hosts.sh down                         end what still runs there and remove all
#   hosts.sh can                          return 0 if this machine can do it
# The hosts belong to the process SCREE_TEST_HOSTS (default: the one that calls this). Others' hosts are out of reach,
# so several may be up at a time; `up` removes those whose process has ended.
#
# A host is a network namespace; its processes also get a host name, an IPC namespace and a /dev/shm of their own, or
# UCX would find shared memory between hosts. The host n1 of process 42 is the namespace scree-42-n1.
set -eu
self=$(readlink -f "$0")
net=10.99.0
owner=${SCREE_TEST_HOSTS:-$PPID}
export SCREE_TEST_HOSTS=$owner
# What this script made has a mark: the file MARKS/NAMESPACE, which holds the namespace's inode. It is not in
# /etc/netns/NAMESPACE, since `ip netns exec` binds each file there over the one of that name in /etc.
marks=/run/scree-test-hosts

space() { echo "scree-$owner-$1"; }
inode() { stat -L -c %i "/run/netns/$1" 2>/dev/null; }
ours() { [ -e "$marks/$1" ] && [ "$(cat "$marks/$1")" = "$(inode "$1")" ]; }
# spaces OWNER: all marked namespaces of that process
spaces() {
  local mark
  for mark in "$marks/scree-$1"-*; do if [ -e "$mark" ]; then basename "$mark"; fi; done
}
hosts() { spaces "$owner" | grep -E -- '-n[1-9][0-9]*$' || :; }

make_space() {
  ip netns add "$1"
  mkdir -p "$marks"
  inode "$1" >"$marks/$1"
}
remove_space() {
  if ours "$1"; then
    ip netns pids "$1" | xargs -r kill -9 2>/dev/null || :
    ip netns del "$1"
    rm -rf "/etc/netns/$1"
  fi
  rm -f "$marks/$1"
}

can() {
  local try=scree-try-$$ rc=0
  [ "$(id -u)" = 0 ] && command -v ip >/dev/null && command -v unshare >/dev/null || return 1
  ip netns add "$try" 2>/dev/null || return 1
  ip netns exec "$try" true 2>/dev/null || rc=1
  ip netns del "$try" || rc=1
  return $rc
}

# Each namespace sees a file of names in place of /etc/hosts.
name_hosts() {
  local ns=$1 count=$2 i
  mkdir -p "/etc/netns/$ns"
  {
    echo "127.0.0.1 localhost"
    echo "$net.254 n0"
    for i in $(seq "$count"); do echo "$net.$i n$i"; done
  } >"/etc/netns/$ns/hosts"
}

remove_orphans() {
  local mark of
  for mark in "$marks"/scree-*; do
    [ -e "$mark" ] || continue
    of=$(basename "$mark" | cut -d- -f2)
    [ -e "/proc/$of" ] || remove_space "$(basename "$mark")"
  done
}

up() {
  local count=$1 i switch ns
  remove_orphans
  down
  switch=$(space switch)
  make_space "$switch"
  ip -n "$switch" link add bridge0 type bridge
  ip -n "$switch" addr add $net.254/24 dev bridge0
  ip -n "$switch" link set lo up
  ip -n "$switch" link set bridge0 up
  name_hosts "$switch" "$count"
  for i in $(seq "$count"); do
    ns=$(space "n$i")
    make_space "$ns"
    name_hosts "$ns" "$count"
    ip -n "$switch" link add "port$i" type veth peer name eth0 netns "$ns"
    ip -n "$switch" link set "port$i" master bridge0 up
    ip -n "$ns" addr add "$net.$i/24" dev eth0
    ip -n "$ns" link set lo up
    ip -n "$ns" link set eth0 up
  done
}

down() {
  local ns
  for ns in $(spaces "$owner"); do remove_space "$ns"; done
}

slow() {
  local ns
  for ns in $(hosts); do
    tc -n "$ns" qdisc del dev eth0 root 2>/dev/null || :
    [ "$1" = off ] || tc -n "$ns" qdisc add dev eth0 root tbf rate "$1mbit" burst 128kb latency 100ms
  done
}

# What the launchers start in place of ssh: [ssh's options] HOST COMMAND...
as_ssh() {
  unset SCREE_TEST_AS_SSH
  while [ "${1#-}" != "$1" ]; do
    case $1 in -[bceFilLmopRW]) shift 2 ;; *) shift ;; esac
  done
  local host=$1 variables=
  shift
  case $host in "$net".*) host=n${host##*.} ;; esac
  # ssh passes one string to the other side's shell; that of PRRTE begins with variables: NAME=VALUE;export NAME;COMMAND
  if [[ $* =~ ^(([A-Z_]+=[^\;]*\;export [A-Z_]+\;)+)(.*)$ ]]; then
    variables=${BASH_REMATCH[1]}
    set -- "${BASH_REMATCH[3]}"
  fi
  exec ip netns exec "$(space "$host")" unshare --uts --ipc --mount bash -c \
    'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && eval "$1 exec $2"' "$host" "$variables" "$*"
}

run() {
  local build=$1 ranks=$2 per=$3 list='' i
  shift 3
  build=$(cd "$build" && pwd)
  for i in $(seq $(((ranks + per - 1) / per))); do list+=${list:+,}n$i:$per; done
  export SCREE_TEST_AS_SSH=1
  export SCREE_SPIN=${SCREE_SPIN-0} # the hosts share the cores of this one, which their ranks cannot see
  local -a launch
  if [ "$(cat "$build/mpi")" = openmpi ]; then
    . "$(dirname "$self")/support/mpi.sh"
    # Yield, or on each host rank 0 sits on core 0 and polls, as there is one rank a core for all that it knows.
    launch=(mpirun.openmpi --mca plm_rsh_agent "$self" --mca oob_tcp_if_include "$net.0/24" --mca pml ob1
      --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 --oversubscribe --bind-to none
      --mca mpi_yield_when_idle 1 -H "$list")
  else
    launch=(mpiexec.hydra -launcher ssh -launcher-exec "$self" -genv LD_PRELOAD "$build/test/mpich_shim.so"
      -hosts "$list")
  fi
  exec ip netns exec "$(space switch)" unshare --uts bash -c 'hostname n0 && exec "$@"' launch "${launch[@]}" -n "$ranks" "$@" \
    </dev/null
}

[ -z "${SCREE_TEST_AS_SSH-}" ] || as_ssh "$@"
case ${1-} in
  up | slow) "$1" "$2" ;;
  down | can) "$1" ;;
  run) shift && run "$@" ;;
  *) sed -n '2,9s/^# //p' "$self" >&2 && exit 2 ;;
esac

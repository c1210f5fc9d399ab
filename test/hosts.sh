#!/usr/bin/env bash
# hosts.sh - several "hosts" on one machine, to test what goes between nodes. Needs root, iproute2 and util-linux.
#   hosts.sh up N                         make hosts n1 .. nN (10.99.0.1 ..), joined by a bridge
#   hosts.sh run BUILD RANKS PER COMMAND  run COMMAND with RANKS ranks, PER on each host, under the MPI of BUILD
#   hosts.sh slow MBIT|off                limit what each host sends
#   hosts.sh down                         end what still runs there and remove all
#   hosts.sh can                          return 0 if this machine can do it
#
# Room: network, IPC and host names that make an MPI believe in several machines. A host is a network namespace; its
# processes also get an IPC namespace and a /dev/shm of their own, or UCX would find shared memory between hosts.
set -eu
self=$(readlink -f "$0")
net=10.99.0 switch=nswitch

exists() { ip netns list 2>/dev/null | grep -qw "^$1"; }
all_hosts() { ip netns list 2>/dev/null | awk '$1 ~ /^n[0-9]+$/ { print $1 }'; }

can() {
  [ "$(id -u)" = 0 ] && command -v ip >/dev/null && command -v unshare >/dev/null || return 1
  ip netns add ncan 2>/dev/null && ip netns exec ncan true 2>/dev/null && ip netns del ncan
}

# Each namespace sees a file of names in place of /etc/hosts: `ip netns exec` mounts it.
name_hosts() {
  local ns=$1 count=$2 i
  mkdir -p "/etc/netns/$ns"
  {
    echo "127.0.0.1 localhost"
    echo "$net.254 n0"
    for i in $(seq "$count"); do echo "$net.$i n$i"; done
  } >"/etc/netns/$ns/hosts"
}

up() {
  local count=$1 i
  ip netns add $switch
  ip -n $switch link add bridge0 type bridge
  ip -n $switch addr add $net.254/24 dev bridge0
  ip -n $switch link set lo up
  ip -n $switch link set bridge0 up
  name_hosts $switch "$count"
  for i in $(seq "$count"); do
    ip netns add "n$i"
    name_hosts "n$i" "$count"
    ip -n $switch link add "port$i" type veth peer name eth0 netns "n$i"
    ip -n $switch link set "port$i" master bridge0 up
    ip -n "n$i" addr add "$net.$i/24" dev eth0
    ip -n "n$i" link set lo up
    ip -n "n$i" link set eth0 up
  done
}

down() {
  local ns
  for ns in $(all_hosts) $switch; do
    exists "$ns" || continue
    ip netns pids "$ns" | xargs -r kill -9 2>/dev/null || :
    ip netns del "$ns"
    rm -rf "/etc/netns/$ns"
  done
}

slow() {
  local ns
  for ns in $(all_hosts); do
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
  local host=$1
  shift
  case $host in "$net".*) host=n${host##*.} ;; esac
  # ssh hands one string to the other side's shell
  exec ip netns exec "$host" unshare --uts --ipc --mount bash -c \
    'hostname "$0" && mount -t tmpfs tmpfs /dev/shm && eval "exec $1"' "$host" "$*"
}

run() {
  local build=$1 ranks=$2 per=$3 list='' i
  shift 3
  build=$(cd "$build" && pwd)
  for i in $(seq $(((ranks + per - 1) / per))); do list+=${list:+,}n$i:$per; done
  export SCREE_TEST_AS_SSH=1
  local -a launch
  if [ "$(cat "$build/mpi")" = openmpi ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # Yield, or on each host rank 0 sits on core 0 and polls, as there is one rank a core for all that it knows.
    launch=(mpirun.openmpi --mca plm_rsh_agent "$self" --mca oob_tcp_if_include "$net.0/24" --mca pml ob1
      --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 --oversubscribe --bind-to none
      --mca mpi_yield_when_idle 1 -H "$list")
  else
    launch=(mpiexec.hydra -launcher ssh -launcher-exec "$self" -genv LD_PRELOAD "$build/test/mpich_shim.so"
      -hosts "$list")
  fi
  exec ip netns exec $switch unshare --uts bash -c 'hostname n0 && exec "$@"' launch "${launch[@]}" -n "$ranks" "$@" \
    </dev/null
}

[ -z "${SCREE_TEST_AS_SSH-}" ] || as_ssh "$@"
case ${1-} in
  up | slow) "$1" "$2" ;;
  down | can) "$1" ;;
  run) shift && run "$@" ;;
  *) sed -n '2,7s/^# //p' "$self" >&2 && exit 2 ;;
esac

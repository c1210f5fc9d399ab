#!/usr/bin/env bash
# systems.sh - scree on bare systems: what a newcomer's machine does with the two commands of README.md.
#   systems.sh [SYSTEM...]     default: all of them, one after the other
#     bookworm, trixie   Debian 12, 13 with gcc and git alone: ./dev run and ./dev test as root, then as an ordinary user in a
#                        checkout of their own, then the other MPI as in .ci/run
#     aarch64            Debian 13: a cross build for another processor, whose unit and simulator tests qemu runs. It
#                        shows nothing about memory order, for which qemu uses the order of this machine
#     messages           Debian 12 with gcc, MPICH, libatomic_ops and meson alone: the message layer is built, installed
#                        and used
# Needs root, debootstrap, a mirror of Debian (SCREE_MIRROR, default deb.debian.org), and 5 GB in the folder
# SCREE_SYSTEMS (default /var/tmp/scree-systems). The bare roots stay there for the next time, as do the logs. What is
# tested is the last commit. The last line counts; the code is 0 if nothing failed.
set -u
cd "$(dirname "$0")/.."
. test/support/signals.sh
folder=${SCREE_SYSTEMS:-/var/tmp/scree-systems} mirror=${SCREE_MIRROR:-http://deb.debian.org/debian}
say() { echo "systems: $*"; }
[ "$(id -u)" = 0 ] || { say "this makes roots of Debian and needs root" >&2 && exit 2; }
command -v debootstrap >/dev/null || { say "debootstrap is missing; install it, then run this again" >&2 && exit 2; }
for system in "$@"; do
  case $system in
    bookworm | trixie | aarch64 | messages) ;;
    *) say "no system '$system'; there are bookworm, trixie, aarch64, messages" >&2 && exit 2 ;;
  esac
done
[ $# -gt 0 ] || set -- bookworm trixie aarch64 messages
# What runs inside a root ends with the process that entered it, which heeds no weaker signal.
end_inside() { [ -z "$child" ] || kill -KILL "$child"; }
on_signals end_inside

# ---- roots ----------------------------------------------------------------------------------------------------------

# make_bare SUITE: the root FOLDER/SUITE.bare, once. apt gets what it needs here to reach the mirror.
make_bare() {
  local bare=$folder/$1.bare
  [ ! -d "$bare" ] || return 0
  rm -rf "$bare.part"
  debootstrap --variant=minbase --include=gcc,libc6-dev,git,ca-certificates "$1" "$bare.part" "$mirror" || return 1
  echo "deb $mirror $1 main" >"$bare.part/etc/apt/sources.list"
  apt-config dump Acquire >"$bare.part/etc/apt/apt.conf.d/10here" 2>/dev/null || :
  cp /etc/resolv.conf /etc/hosts "$bare.part/etc/"
  chroot "$bare.part" useradd -m newcomer || return 1
  mv "$bare.part" "$bare"
}

# new_root SUITE: sets `root`, a copy of the bare one, with a checkout for each of both users
new_root() {
  local home
  root=$folder/$1
  make_bare "$1" && rm -rf "$root" && cp -a "$folder/$1.bare" "$root" || return 1
  for home in root home/newcomer; do git clone -q . "$root/$home/scree" || return 1; done
  chroot "$root" chown -R newcomer: /home/newcomer
}

# inside USER COMMAND: by the shell, in that user's checkout, in place of this process. The root is a mount, as tests
# that make namespaces need it, and numbers of processes start again: what killed jobs of earlier ones left under the
# same numbers is removed.
inside() {
  rm -rf "$root"/tmp/* "$root"/run/netns
  exec unshare -m -p -f --kill-child sh -c 'mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc && mount --rbind /dev dev &&
    mount --rbind /sys sys && exec chroot . su - "$2" -c "cd scree && $3"' sh "$root" "$1" "$2"
}

# ---- parts ----------------------------------------------------------------------------------------------------------

passed=0 failed=0 skipped=0
# part WHAT USER COMMAND: passes if the code is 0; a last line "N passed, M failed" is counted, else the part is one
part() {
  local what="$system, $1" log rc=0 last p f s
  log=$folder/log/${what//[^a-z0-9]/_}
  attended inside "$2" "$3" >"$log" 2>&1 || rc=$?
  last=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  read -r p f s < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 0\4/p' <<<"${last:-none}")
  [ -n "$last" ] || p=$((rc == 0)) f=0
  if [ $rc != 0 ] && [ "$f" = 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + 10#${s:-0}))
  say "$what: ${last:-$([ $rc = 0 ] && echo passed || echo "failed, code $rc")}"
  [ $f = 0 ] || { grep -aE '^(failed: |dev: )' "$log" || tail -n 20 "$log"; echo "  all of it: $log"; }
}

# Without noise: with all built, the table is all that ./dev run prints.
quiet='./dev run >/tmp/table 2>/tmp/noise && cat /tmp/table /tmp/noise && ! grep . /tmp/noise && [ $(grep -c " valid$" /tmp/table) = 4 ]'

debian() {
  local user
  for user in root newcomer; do
    part "./dev run, $user" $user "./dev run && $quiet"
    part "./dev test, $user" $user "./dev test"
  done
  part "the other MPI is built" root "./dev build build-mpich -Dmpi=mpich all tests"
  part "the other MPI, ranks" root "./dev test -C build-mpich --suite mpi --no-suite ranks-5"
  part "the other MPI, programs and jobs" root "./dev test -C build-mpich sim_traffic hang sigkill singletons small_shm between_hosts soak"
}

# Each test becomes a script that has qemu run it: nothing is registered with the kernel, which is that of this machine.
cross='[binaries]
c = "aarch64-linux-gnu-gcc"
ar = "aarch64-linux-gnu-ar"
strip = "aarch64-linux-gnu-strip"
pkg-config = "pkg-config"
exe_wrapper = "qemu-aarch64-static"
[properties]
pkg_config_libdir = "/usr/lib/aarch64-linux-gnu/mpich/lib/pkgconfig:/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig"
[host_machine]
system = "linux"
cpu_family = "aarch64"
cpu = "aarch64"
endian = "little"'
by_qemu='cd build-aarch64/test && for t in unit_* sim_*; do case $t in *.*) ;; *) mv $t $t.arm &&
  printf "#!/bin/sh\nexec qemu-aarch64-static \"\$0.arm\" \"\$@\"\n" >$t && chmod +x $t || exit 1 ;; esac; done'
# Debian's package of MPICH for programs in C needs compilers of its own processor, which exclude the cross compiler:
# its files alone are taken.
aarch64() {
  local name packages=
  for name in libmpich12 libucx-dev libatomic-ops-dev zlib1g-dev libzstd-dev libcjson-dev libhwloc-dev nettle-dev libcmocka-dev; do
    packages+=" $name:arm64"
  done
  echo "$cross" | tr '"' "'" >"$root/root/scree/aarch64.ini"
  part "packages" root "dpkg --add-architecture arm64 && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends gcc-aarch64-linux-gnu qemu-user-static meson ninja-build pkgconf procps $packages &&
    apt-get download -q libmpich-dev:arm64 && dpkg-deb -x libmpich-dev_*_arm64.deb / && rm libmpich-dev_*_arm64.deb"
  part "./dev build" root "meson setup --werror --cross-file aarch64.ini -Dmpi=mpich build-aarch64 && ninja -C build-aarch64 all tests"
  for name in sssp bfs; do
    part "$name, one rank" root "qemu-aarch64-static build-aarch64/scree $name kron:12 --ranks 1 --validate | grep ' valid$'"
  done
  part "unit and simulator tests" root "($by_qemu) && SCREE_TEST_BUILT=1 SCREE_TEST_TIMEOUT=600 ./dev test -C build-aarch64 --brief --suite unit,sim"
}

# MPICH brings what it is linked with, of which only the headers and pkg-config files matter here.
messages() {
  part "packages" root "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    mpich libmpich-dev libatomic-ops-dev meson pkgconf && rm /usr/include/hwloc.h /usr/lib/*/pkgconfig/hwloc.pc &&
    for name in hwloc nettle zlib libzstd libcjson cmocka; do ! pkg-config --exists \$name || exit 1; done"
  part "meson install" root "meson setup --werror -Doptimization=0 -Dcli=false -Dgraphs=false --prefix /opt/scree build-messages &&
    meson install -C build-messages"
  part "the program of README.md" root "sed -n '/^\`\`\`c hello.c/,/^\`\`\`$/p' README.md | sed '1d;\$d' >/tmp/hello.c &&
    export PKG_CONFIG_PATH=\$(dirname \$(find /opt/scree -name scree.pc)) &&
    cc /tmp/hello.c -o /tmp/hello \$(pkg-config --cflags --libs scree-static) &&
    mpiexec.hydra -n 2 /tmp/hello | grep -x 'rank 0 of 2 was sent 5100 in all'"
}

suite_of() { case $1 in aarch64) echo trixie ;; messages) echo bookworm ;; *) echo "$1" ;; esac; }
mkdir -p "$folder/log"
for system in "$@"; do
  if ! new_root "$(suite_of "$system")" >"$folder/log/$system" 2>&1; then
    say "$system: the root could not be made: $(tail -n 1 "$folder/log/$system")"
    failed=$((failed + 1))
    continue
  fi
  case $system in aarch64 | messages) $system ;; *) debian ;; esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]

#!/usr/bin/env bash
# systems.sh - scree on bare systems: what a newcomer's machine does with the two commands of README.md.
#   systems.sh [SYSTEM...]     default: all of them, one after the other
#     bookworm, trixie   Debian 12, 13 with gcc and git alone: ./dev run and ./dev test as root, then as an ordinary user in a
#                        checkout of their own, then the other MPI as in .ci/run
#     jammy, noble       Ubuntu 22.04, 24.04, the same without the other MPI; not among the default ones, as they need Ubuntu's mirror
#                        and the keys of the package ubuntu-keyring
#     gcc-11, clang-14   Debian 12 with that compiler: ./dev run and all tests are built without a warning, and the tests of one
#                        process are run
#     gcc-12, gcc-13, gcc-14, clang
#                        Debian 13, the same
#     aarch64            Debian 13: a cross build for another processor, whose unit and simulator tests qemu runs. It
#                        shows nothing about memory order, for which qemu uses the order of this machine
#     messages           Debian 12 with gcc, MPICH, libatomic_ops and meson alone: the message layer is built, installed
#                        and used
#   systems.sh --make SYSTEM   only makes the root, and returns 0 if that can be used
#   systems.sh --quick SYSTEM...  both commands there as root, with warnings as errors; the file TALLY gets the counts of the tests.
#                        With a compiler: all is built without a warning, and no test is run
# Needs root, debootstrap, a mirror of Debian, and 5 GB in the folder SCREE_SYSTEMS (default /var/tmp/scree-systems). The mirror is
# the one that this host installs from, or SCREE_MIRROR, and apt in the roots has this host's settings (proxies). The bare roots stay in the
# folder for the next time, as do the logs. The last commit is what is tested. Tests read the real graphs of this checkout. The last
# line counts; the code is 0 if nothing failed.
set -u
cd "$(dirname "$0")/.."
. test/support/signals.sh
folder=${SCREE_SYSTEMS:-/var/tmp/scree-systems} tally=${TALLY-} only=
unset TALLY
say() { echo "systems: $*"; }
case ${1-} in --make | --quick) only=${1#--} && shift ;; esac
all="bookworm trixie gcc-11 gcc-12 gcc-13 gcc-14 clang-14 clang aarch64 messages"
for system in "$@"; do
  case " $all jammy noble " in *" $system "*) ;; *) say "no system '$system'; there are $all jammy noble" >&2 && exit 2 ;; esac
done
[ "$(id -u)" = 0 ] || { say "only root can make roots of Debian" >&2 && exit 1; }
command -v debootstrap >/dev/null || { say "debootstrap is missing; install it, then run this again" >&2 && exit 1; }
[ $# -gt 0 ] || set -- $all
mkdir -p "$folder/log"
exec 7>"$folder/lock"
flock 7 # two runs would share the roots
[ -z "$(git status --porcelain)" ] || say "the last commit is tested, without what was changed since"
# What runs inside a root ends with the process that entered it, which heeds no weaker signal.
end_inside() { [ -z "$child" ] || kill -KILL "$child"; }
on_signals end_inside

# ---- roots ----------------------------------------------------------------------------------------------------------

# mirror_here: prints the mirror of Debian that this host installs from
mirror_here() {
  local suite
  suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || return 0
  apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$suite" '$1 == "main" && ($2 == suite || $3 == suite) { print $4; exit }'
}

# make_bare SUITE: the root FOLDER/SUITE.bare, once
make_bare() {
  local bare=$folder/$1.bare part=$folder/$1.part mirror components=main keys= script=
  [ ! -d "$bare" ] || return 0
  case $1 in
    jammy | noble)
      mirror=http://archive.ubuntu.com/ubuntu components="main universe" script=gutsy keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
      [ -e $keys ] || { echo "$keys is missing: install the package ubuntu-keyring" && return 1; }
      ;;
    *) mirror=${SCREE_MIRROR:-$(mirror_here)} mirror=${mirror:-http://deb.debian.org/debian} ;;
  esac
  rm -rf "$part"
  debootstrap --variant=minbase --include=gcc,libc6-dev,git,ca-certificates ${keys:+--keyring=$keys} "$1" "$part" "$mirror" $script || return 1
  echo "deb $mirror $1 $components" >"$part/etc/apt/sources.list"
  chroot "$part" useradd -m newcomer && mv "$part" "$bare"
}

# reach_mirror: gives apt in the root what it needs here to reach the mirror
reach_mirror() {
  local scheme proxy
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump Acquire >"$root/etc/apt/apt.conf.d/10here" 2>/dev/null || :
  for scheme in http https; do
    proxy=${scheme}_proxy
    [ -z "${!proxy-}" ] || echo "Acquire::$scheme::Proxy \"${!proxy}\";" >>"$root/etc/apt/apt.conf.d/10here"
  done
  [ ! -e /etc/apt/auth.conf ] || cp /etc/apt/auth.conf "$root/etc/apt/"
  [ ! -d /etc/apt/trusted.gpg.d ] || cp -n /etc/apt/trusted.gpg.d/* "$root/etc/apt/trusted.gpg.d/"
  [ ! -d /usr/local/share/ca-certificates ] || { cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" && chroot "$root" update-ca-certificates; }
}

# new_root SUITE: sets `root`, a copy of the bare one, with a checkout for each of both users, where processes can be entered and
# apt reaches the mirror
new_root() {
  local home
  root=$folder/$1
  make_bare "$1" && rm -rf "$root" && cp -a "$folder/$1.bare" "$root" && reach_mirror || return 1
  for home in root home/newcomer; do git clone -q . "$root/$home/scree" && mkdir "$root/$home/shared" || return 1; done
  chroot "$root" chown -R newcomer: /home/newcomer
  attended inside root "apt-get update -q -o APT::Update::Error-Mode=any"
}

# inside USER COMMAND: by the shell, in that user's checkout, in place of this process. The root is a mount, as tests
# that make namespaces need it, with a /dev/shm of its own, and real graphs beside the checkout. Numbers of processes start again: what
# killed jobs of earlier ones left under the same numbers is removed. The shell, process 1 there, reaps what its parent left, as su does not.
inside() {
  local shared=${SCREE_TEST_DATA:-../shared/data} home=$root/root
  [ "$1" = root ] || home=$root/home/$1
  rm -rf "$root"/tmp/* "$root"/run/netns
  exec unshare -m -p -f --kill-child sh -c 'mount --bind "$1" "$1" && { [ ! -d "$4" ] || mount --bind -o ro "$4" "$5"; } && cd "$1" && mount -t proc proc proc &&
    mount --rbind /dev dev && mount -t tmpfs -o mode=1777 tmpfs dev/shm && mount --rbind /sys sys && chroot . su - "$2" -c "cd scree && $3"; exit $?' \
    sh "$root" "$1" "$2" "$(dirname "$shared")" "$home/shared"
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
  say "$what: ${last:-$([ $rc = 0 ] && echo passed || echo "failed, code $rc")} ($((SECONDS - began)) s so far)"
  [ $f = 0 ] || { grep -aE '^(failed: |dev: |left behind: |noise: )' "$log" || tail -n 20 "$log"; echo "  all of it: $log"; }
  [ -z "$tally" ] || sum_up
}
# sum_up: gives the file TALLY what part() counted: where tests ran, one line for each of them
sum_up() {
  local tests=$root/root/scree/build/meson-logs/tally
  if [ -n "$last" ]; then cat "$tests"; fi >>"$tally"
  if [ -z "$last" ] || { [ $f = 1 ] && ! grep -q '^[0-9]* [1-9]' "$tests"; }; then echo "$((f == 0)) $f 0" >>"$tally"; fi
}

# Noise: with all built, the table is all that ./dev run prints, and of ./dev test the standard error has only steps of ./dev.
# What is left: a file that git does not know, or one in /tmp or /dev/shm.
run='./dev run && ./dev run >~/table 2>~/noise && cat ~/table && ! sed "s/^/noise: /" ~/noise | grep . && [ $(grep -c " valid$" ~/table) = 4 ]'
tests='{ ./dev test 2>~/noise; rc=$?; cat ~/noise; [ $rc = 0 ]; } && ! grep -vE "^(dev: .* needs |[a-z]*ing .* \.\.\.$)" ~/noise | sed "s/^/noise: /" | grep .'
left='! { git status --porcelain && find /tmp /dev/shm -mindepth 1; } | sed "s/^/left behind: /" | grep .'

both_commands() {
  part "./dev run, $1" "$1" "${2-} $run && $left"
  part "./dev test, $1" "$1" "${2-} $tests && $left"
}

ubuntu() {
  both_commands root
  both_commands newcomer
}

debian() {
  ubuntu
  part "the other MPI is built" root "./dev build build-mpich -Dmpi=mpich all tests"
  part "the other MPI, ranks" root "./dev test -C build-mpich --suite mpi --no-suite ranks-5"
  part "the other MPI, programs and jobs" root "./dev test -C build-mpich sim_traffic hang sigkill singletons small_shm between_hosts soak"
}

# Warnings are errors here.
compiler() {
  local with="CC=$system WERROR=1"
  part "packages" root "DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $system"
  part "./dev run" root "export $with && $run"
  part "all tests are built" root "$with ./dev build build all tests"
  [ -n "$only" ] || part "unit and simulator tests" root "$with ./dev test --brief --suite unit,sim"
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
  for name in libmpich12 libucx-dev libatomic-ops-dev zlib1g-dev libzstd-dev libxxhash-dev libcjson-dev libhwloc-dev nettle-dev libcmocka-dev; do
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
    for name in hwloc nettle zlib libzstd libxxhash libcjson cmocka; do ! pkg-config --exists \$name || exit 1; done"
  part "meson install" root "meson setup --werror -Doptimization=0 -Dcli=false -Dgraphs=false --prefix /opt/scree build-messages &&
    meson install -C build-messages"
  part "the program of README.md" root "sed -n '/^\`\`\`c hello.c/,/^\`\`\`$/p' README.md | sed '1d;\$d' >/tmp/hello.c &&
    export PKG_CONFIG_PATH=\$(dirname \$(find /opt/scree -name scree.pc)) &&
    cc /tmp/hello.c -o /tmp/hello \$(pkg-config --cflags --libs scree-static) &&
    mpiexec.hydra -n 2 /tmp/hello | grep -x 'rank 0 of 2 was sent 5100 in all'"
}

suite_of() { case $1 in aarch64 | gcc-12 | gcc-13 | gcc-14 | clang) echo trixie ;; messages | gcc-11 | clang-14) echo bookworm ;; *) echo "$1" ;; esac; }
began=$SECONDS
for system in "$@"; do
  if ! new_root "$(suite_of "$system")" >"$folder/log/$system" 2>&1; then
    say "$system: the root could not be made: $(tail -n 1 "$folder/log/$system")"
    failed=$((failed + 1))
    continue
  fi
  case "$only $system" in
    make*) part "the root" root true ;;
    *gcc* | *clang*) compiler ;;
    quick*) both_commands root "export WERROR=1 &&" ;;
    *aarch64 | *messages) $system ;;
    *jammy | *noble) ubuntu ;;
    *) debian ;;
  esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]

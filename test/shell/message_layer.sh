#!/usr/bin/env bash
# message_layer.sh - the message layer alone is built, installed and used on a system that has a compiler, an MPI,
# libatomic_ops and meson, and no more: a root of Debian.
#
# Rarely: with --full alone it makes that root, of 700 MB.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

what="the message layer on a bare system"
mirror=${SCREE_MIRROR-$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)}
packages="gcc libc6-dev mpich libmpich-dev libatomic-ops-dev meson pkgconf"
if [ "${SCREE_TEST_FULL:-0}" != 1 ]; then
  skipped "$what" "with --full alone it makes a root of Debian"
  finish
elif [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null || ! grep -q '^ID=debian' /etc/os-release; then
  skipped "$what" "it needs root and debootstrap, on Debian"
  finish
fi
# inside COMMAND: by the shell of that system
inside() {
  unshare -m -p -f --kill-child sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" sh -c "cd /src && $2"' \
    sh "$tmp/root" "$1"
}
make_root() {
  local suite
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$tmp/root" "$mirror" || return
  echo "deb $mirror $suite main" >"$tmp/root/etc/apt/sources.list"
  apt-config dump Acquire >"$tmp/root/etc/apt/apt.conf.d/10here"
  cp /etc/resolv.conf /etc/hosts "$tmp/root/etc/"
  mkdir "$tmp/root/src"
  tar -c --exclude=./build --exclude='./build-*' --exclude=./.git . | tar -x -C "$tmp/root/src" || return
  inside "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages &&
    rm /usr/include/hwloc.h /usr/lib/*/pkgconfig/hwloc.pc" # which the MPI brings
}
if ! make_root >"$tmp/log" 2>&1; then
  tail -n 5 "$tmp/log"
  skipped "$what" "no root of Debian can be made here"
  finish
fi
for package in hwloc zlib libzstd libcjson cmocka; do
  check "$package is missing there" eval '! inside "pkg-config --exists $package"'
done
check "it is configured" inside "meson setup --werror -Doptimization=0 -Dcli=false -Dgraphs=false --prefix /opt/scree build-messages"
check "it is built and installed" inside "meson install -C build-messages"
sed -n '/^```c hello.c/,/^```$/p' README.md | sed '1d;$d' >"$tmp/root/hello.c"
check "the program of README.md is linked" inside 'PKG_CONFIG_PATH=$(dirname $(find /opt/scree -name scree.pc)) &&
  export PKG_CONFIG_PATH && cc /hello.c -o /hello $(pkg-config --cflags --libs scree-static)'
check "it runs" inside "mpiexec.hydra -n 2 /hello | grep -x 'rank 0 of 2 was sent 5100 in all'"
finish

#!/usr/bin/env bash
# configure.sh - how the build finds MPI where pkg-config does not know it, what the library alone needs, what the
# build says to others: scree.pc, and a project that has this one as a subproject, and that it compiles with sanitizers.
. "$(dirname "$0")/../support/shell.sh"

mpi=$(cat "$BUILD/mpi")
mkdir "$tmp/pc" "$tmp/bin"

# hide NAME...: pkg-config finds everything but these
hide() {
  local folder name
  rm -f "$tmp"/pc/*
  for folder in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
    for name in "$folder"/*.pc; do [ ! -e "$name" ] || ln -sf "$name" "$tmp/pc/"; done
  done
  for name in "$@"; do rm -f "$tmp"/pc/$name.pc; done
}
# script NAME TEXT: a program that comes first on the path
script() {
  printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}
# setup NAME OPTION...: configures; the variable CC may be set
setup() {
  local name=$1
  shift
  PATH=$tmp/bin:$PATH PKG_CONFIG_LIBDIR=$tmp/pc meson setup "$tmp/$name" -Dcli=false -Dtests=disabled "$@"
}
says() { grep -qF -- "$2" "$tmp/$1/meson-logs/meson-log.txt" || { tail -n 20 "$tmp/$1/meson-logs/meson-log.txt" && return 1; }; }

# links NAME COMPILER [LIBDIR]: a program that includes mpi.h is compiled and linked by COMPILER with the words of scree.pc
links() {
  local libdir=${3-$BUILD}
  local pc="pkg-config --define-variable=libdir=$libdir --define-variable=includedir=$PWD/include"
  export PKG_CONFIG_LIBDIR=$tmp/pc:$tmp/$1/meson-private
  $2 -std=c11 $($pc --cflags scree) "$tmp/user.c" -o "$tmp/user" $($pc --libs scree) &&
    LD_LIBRARY_PATH=$libdir "$tmp/user" | grep -x "scree $mpi"
}
cat >"$tmp/user.c" <<'C'
#include <scree/scree_mpi.h>
#include <scree/version.h>
#include <stdio.h>
int main(void) {
  scree_world *world;
  scree_status (*open)(MPI_Comm, const scree_options *, scree_world **) = scree_open_mpi;
#ifdef OPEN_MPI
  const char *mpi = "openmpi";
#else
  const char *mpi = "mpich";
#endif
  if (!open || scree_open(NULL, &world) || scree_close(world)) return 1;
  return printf("scree %s\n", mpi) < 0;
}
C

hide 'ompi*' 'mpi*' 'hwloc' 'libcjson' 'nettle'
script mpicc "exec mpicc.$mpi \"\$@\""
command -v mpicc.$mpi >/dev/null || ln -sf "$(command -v mpicc)" "$tmp/bin/mpicc"
check "library alone, MPI by its wrapper, without hwloc, cJSON and nettle" setup wrapper
check "the wrapper is named" says wrapper "$mpi, from $tmp/bin/mpicc"
check "scree.pc needs no pkg-config name of an MPI" links wrapper gcc
check "warnings are not errors for users" grep -q '"werror", "value": false' <(meson introspect --buildoptions "$tmp/wrapper")

# ---- without packages: their headers are hidden too

mkdir -p "$tmp/hidden/cjson" "$tmp/hidden/nettle"
for header in hwloc.h cjson/cJSON.h nettle/sha1.h; do echo "#error hidden" >"$tmp/hidden/$header"; done
# compiles NAME WHAT: without these headers, to a library that needs no library WHAT
compiles() {
  CPATH=$tmp/hidden ninja -C "$tmp/$1" && objdump -p "$tmp/$1/libscree.so" | grep NEEDED | tee "$tmp/needed" && ! grep -E "$2" "$tmp/needed"
}
if [ "${SCREE_TEST_FULL:-0}" = 1 ]; then check "the library alone is built" compiles wrapper 'hwloc|cjson|nettle'; fi
for header in zlib.h zstd.h xxhash.h; do echo "#error hidden" >"$tmp/hidden/$header"; done
hide 'ompi*' 'mpi*' 'hwloc' 'libcjson' 'nettle' 'zlib' 'libzstd' 'libxxhash'
check "the message layer alone" setup messages -Dgraphs=false -Doptimization=0
check "it is built" compiles messages 'hwloc|cjson|nettle|libz|xxhash'
check "a program runs with it" links messages gcc "$tmp/messages"
check "it has no header of graphs" eval '! meson introspect --install-plan "$tmp/messages" | grep -E "(graph|sssp|kernel)[a-z_/]*\.h"'
# refused OPTION...: the command line needs what is left out
refused() { ! meson setup "$tmp/refused" "$@" >"$tmp/out" && grep "the command line needs graphs" "$tmp/out"; }
check "the command line without graphs is refused" refused -Dgraphs=false

# ---- other systems

# not_for TEXT OPTION...: refused with that sentence; the variable CC may be set
not_for() { ! setup refused "${@:2}" && grep -F "ERROR: Problem encountered: $1" "$tmp/refused/meson-logs/meson-log.txt"; }
# cross SYSTEM FAMILY COMPILER...: a cross file for meson
cross() {
  printf "[binaries]\nc = [%s]\npkg-config = 'pkg-config'\n[host_machine]\nsystem = '%s'\ncpu_family = '%s'\ncpu = '%s'\nendian = 'little'
[properties]\nneeds_exe_wrapper = true\n" "$3" "$1" "$2" "$2" >"$tmp/cross"
}
cross darwin x86_64 "'gcc'"
check "macOS" not_for "scree runs on Linux, this is darwin" --cross-file "$tmp/cross"
cross linux x86 "'gcc', '-m32'"
check "32 bits" not_for "scree needs a 64-bit system" --cross-file "$tmp/cross"
CC="gcc -Dgetcontext=getcontext_of_glibc" check "a C library without getcontext" not_for "scree needs the contexts of glibc"

# ---- MPI in other places

hide 'ompi*' 'mpi*' 'hwloc' 'libcjson' 'nettle'
script cc "exec mpicc.$mpi \"\$@\""
CC=$tmp/bin/cc check "a compiler that knows MPI, as on Cray" setup cray
check "the compiler is named" says cray "$mpi, from the compiler"
check "scree.pc leaves MPI to that compiler" links cray "$tmp/bin/cc"

# An MPI whose wrapper is called with -show, while pkg-config knows another one.
hide
rm "$tmp/bin/cc"
script mpicc "[ \"\$1\" = -show ] || exit 1; mpicc.$mpi -show | sed 's, -I/, -I/./,g'" # the same folder by another name
check "an MPI that is not the one of pkg-config" setup vendor -Dcli=true -Dbench=true
installs() { meson introspect --install-plan "$tmp/vendor" | grep -qF "{libexecdir}/scree/$1"; }
check "-Dbench=true installs benchmarks" installs latency
check "is that of mpicc" says vendor "$mpi, from $tmp/bin/mpicc"

# ---- a project that has this one as a subproject

mkdir -p "$tmp/user_project/subprojects"
ln -s "$PWD" "$tmp/user_project/subprojects/scree"
cp packaging/meson/scree.wrap "$tmp/user_project/subprojects/"
cp "$tmp/user.c" "$tmp/user_project/"
cat >"$tmp/user_project/meson.build" <<'C'
project('user', 'c', default_options: ['c_std=c11'])
executable('user', 'user.c', dependencies: dependency('scree'))
C
hide scree
script mpicc "exec mpicc.$mpi \"\$@\""
subproject() { PKG_CONFIG_LIBDIR=$tmp/pc PATH=$tmp/bin:$PATH meson setup "$tmp/user_build" "$tmp/user_project" && ninja -C "$tmp/user_build" user.p/user.c.o; }
check "a subproject by packaging/meson/scree.wrap" subproject
check "builds the library alone" [ "$(ninja -C "$tmp/user_build" -t targets all | grep -cE '^subprojects/scree/(scree|components|test)')" = 0 ]
linked_from_subproject() { ninja -C "$tmp/user_build" user && "$tmp/user_build/user" | grep -x "scree $mpi"; }
if [ "${SCREE_TEST_FULL:-0}" = 1 ]; then check "its program runs" linked_from_subproject; fi

# ---- sanitizers: gcc warns of code that they insert, and warnings are errors in a contributor's build

# sanitized LEVEL: with --full the whole program, else the sources that gcc 12 warns of at one level or another
sanitized() {
  local targets=scree
  meson setup --werror "$tmp/asan$1" "-Doptimization=$1" -Dtests=disabled -Db_sanitize=address,undefined || return
  if [ "${SCREE_TEST_FULL:-0}" = 0 ]; then
    targets=$(ninja -C "$tmp/asan$1" -t targets all | grep -oE '^[^ ]*_(context|shm_segment|help|allocation)\.c\.o')
  fi
  ninja -C "$tmp/asan$1" $targets
}
for level in 1 3; do check "sanitizers, optimization $level" sanitized $level; done

check "the Spack recipe is Python" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/spack/packages/scree/package.py
finish

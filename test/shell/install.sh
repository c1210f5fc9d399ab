#!/usr/bin/env bash
# install.sh - what `meson install` leaves, seen from a program outside the tree.
#
# Checked are headers, libraries, pkg-config, exported names, soname and man pages.
#
# Rarely: it installs the whole tree and builds projects on it.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

prefix=$tmp/prefix
version=$(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)
warnings="-Wall -Wextra -Wpedantic -Wconversion -Werror"

check "meson install" meson install -C "$BUILD" --no-rebuild --destdir "$tmp/dest"
# The tree was configured for its usual prefix: take it from below DESTDIR to a place of its own.
usual=$(dirname "$(dirname "$(find "$tmp/dest" -path '*/include/scree' -type d)")")
mv "$usual" "$prefix"
pc=$(find "$prefix" -name scree.pc)
libdir=$(dirname "$(dirname "$pc")")
sed -i "s|^prefix=.*|prefix=$prefix|" "$libdir"/pkgconfig/*.pc
# The lines that `meson install` prints last are all that it takes.
check "what is not searched yet" eval 'packaging/installed.sh "$libdir" >"$tmp/lines" && grep -q "which is not searched yet" "$tmp/lines"'
# Releases of meson differ in what they do with the output of such a script: it must be seen once.
through_meson() {
  mkdir "$tmp/script" && cat >"$tmp/script/meson.build" <<C
project('script')
meson.add_install_script('$PWD/packaging/installed.sh', '$libdir')
C
  meson setup "$tmp/script/build" "$tmp/script" >"$tmp/out" && meson install -C "$tmp/script/build" >"$tmp/out" &&
    grep '^scree is\|^  ' "$tmp/out" | diff "$tmp/lines" -
}
check "they are seen when meson runs it" through_meson
check "two lines" [ "$(grep -c '^  export ' "$tmp/lines")" = 2 ]
tutorial() {
  (eval "$(grep '^  ' "$tmp/lines")" && sed -n '/^```c hello.c/,/^```$/p' README.md | sed '1d;$d' >"$tmp/hello.c" &&
    cc "$tmp/hello.c" -o "$tmp/hello" $(pkg-config --cflags --libs scree) && "$tmp/hello" | grep -q 'sent 5050' &&
    cc "$tmp/hello.c" -o "$tmp/alone" $(pkg-config --cflags --libs scree-static) && [ -z "$(packaging/installed.sh "$libdir")" ])
}
check "the tutorial's steps with these lines" tutorial
check "scree-static links the static library" eval '! ldd "$tmp/alone" | grep libscree && "$tmp/alone" | grep -q "sent 5050"'
export PKG_CONFIG_PATH=$(dirname "$pc")
flags() { pkg-config "$@" scree; }

cat >"$tmp/user.c" <<'C'
#include <scree/scree_mpi.h>
#include <stdio.h>
#include <string.h>
SCREE_MESSAGE(add, uint64_t);
static void on_add(scree_worker *w, const scree_batch *batch, const uint64_t *items, void *sum) {
  (void)w;
  for (uint32_t i = 0; i < batch->count; i++) *(uint64_t *)sum += items[i];
}
SCREE_HANDLER(add, uint64_t, on_add);
int main(void) {
  scree_world *world;
  add_type add;
  uint64_t sum = 0;
  if (scree_open(NULL, &world) || add_register(world, &sum, &add)) return 1;
  scree_worker *w = scree_worker_of(world, 0);
  if (scree_begin(w)) return 1;
  for (uint64_t i = 1; i <= 100; i++) add_send(w, add, 0, i);
  if (scree_end(w, NULL) || scree_close(world)) return 1;
  _Static_assert(SCREE_VERSION_NUMBER >= SCREE_VERSION_OF(0, 3, 0) && SCREE_VERSION_NUMBER < SCREE_VERSION_OF(1, 0, 0),
                 "one number to compare with");
  if (strcmp(SCREE_VERSION, scree_version()) != 0) return 1;
  printf("%d.%d.%d %d\n", SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH, (int)sum);
  return 0;
}
C

# build_and_run NAME LINK_FLAG...
build_and_run() {
  local name=$1
  shift
  gcc -std=c11 $warnings $(flags --cflags) "$tmp/user.c" -o "$tmp/$name" "$@" || return 1
  LD_LIBRARY_PATH=$libdir timeout 60 "$tmp/$name" \
    >"$tmp/$name.out" || return 1
  cat "$tmp/$name.out"
  [ "$(cat "$tmp/$name.out")" = "$version 5050" ]
}
static_flags() { flags --static --libs | sed 's/-lscree\b/-l:libscree.a/'; }
needs() { ldd "$1" | grep -q libscree; }

check "pkg-config knows version $version" [ "$(flags --modversion)" = "$version" ]
check "a program outside the tree, shared" build_and_run shared $(flags --libs)
check "it needs the shared library" needs "$tmp/shared"
check "a program outside the tree, static" build_and_run static $(static_flags)
if needs "$tmp/static"; then check "static does not need the shared library" false; fi

# ---- CMake

cat >"$tmp/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(scree 0.3 REQUIRED)
add_executable(user_shared user.c)
target_link_libraries(user_shared scree::scree)
add_executable(user_static user.c)
target_link_libraries(user_static scree::static)
C
cmake_build() { cmake -S "$tmp" -B "$tmp/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug && cmake --build "$tmp/cmake" -j2; }
if command -v cmake >/dev/null; then
  check "a CMake project" cmake_build
  check "its program, shared" eval '"$tmp/cmake/user_shared" | grep -x "$version 5050" && needs "$tmp/cmake/user_shared"'
  check "its program, static" eval '"$tmp/cmake/user_static" | grep -x "$version 5050" && ! needs "$tmp/cmake/user_static"'
  check "no other minor version" eval 'sed -i "s/scree 0.3/scree 0.2/" "$tmp/CMakeLists.txt" && ! cmake_build'
else
  skipped "CMake" "cmake is not installed; ./dev packages installs all tools"
fi

check "soname of $version" grep -qx "libscree.so.$(sed -E 's/^(0\.[0-9]+).*/\1/; t; s/\..*//' <<<"$version")" <(objdump -p "$libdir/libscree.so" | awk '$1 == "SONAME" { print $2 }')
names() { nm "$@" --defined-only | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }'; }
only_ours() { ! names "$@" | grep -v '^scree_'; }
check "the shared library exports scree_ alone" only_ours -D "$libdir/libscree.so"
check "of internal names only those of inline sends" diff - <(names -D "$libdir/libscree.so" | grep '^scree__' | sort) <<'T'
scree__address
scree__cache_review
scree__fan
scree__index_cut
scree__out_of_range
scree__slot
scree__var
T
check "the static library defines scree_ alone" only_ours "$libdir/libscree.a"

for header in "$prefix"/include/scree/*.h; do
  name=scree/$(basename "$header")
  echo "#include <$name>" >"$tmp/alone.c"
  cp "$tmp/alone.c" "$tmp/alone.cc"
  for compiler in "gcc -std=c11" "clang -std=c11" "g++ -std=c++17" "clang++ -std=c++17"; do
    if ! command -v "${compiler%% *}" >/dev/null; then
      skipped "$name alone, $compiler" "${compiler%% *} is not installed; ./dev packages installs all tools"
      continue
    fi
    case $compiler in *++*) source=alone.cc ;; *) source=alone.c ;; esac
    # MPI's own headers are not ours to warn about
    check "$name alone, $compiler" $compiler $warnings -fsyntax-only \
      $(flags --cflags | sed "s| -I\([^ ]*mpi\)| -isystem \1|g") "$tmp/$source"
  done
done

# What a compiler refuses, it explains: what would be cut, or read at a wrong address. Types may have any name.
cat >"$tmp/reduced.c" <<'C'
#include <scree/addressed.h>
#include <scree/reduced.h>
typedef struct {
  KEY_TYPE to;
  LEVEL_TYPE last __attribute__((aligned(ALIGNED)));
} item;
#define key(v)   ((v)->to)
#define level(v) ((v)->last)
static inline void c(item *a, const item *b) { a->last += b->last; }
SCREE_MESSAGE_FILTERED(offer, item, key, level);
SCREE_MESSAGE_REDUCED(slot, item, key, c);
#define last(map)    scree_distribution_last(map)
#define at(map, key) scree_distribution_location(map, key)
SCREE_ADDRESSED_BY(slot, item, to, scree_distribution, at, last);
C
cp "$tmp/reduced.c" "$tmp/reduced.cc"
# compiles KEY_TYPE LEVEL_TYPE ALIGNED COMPILER...
compiles() { "${@:4}" $warnings -fsyntax-only "-DKEY_TYPE=$1" "-DLEVEL_TYPE=$2" "-DALIGNED=$3" $mpi_system; }
mpi_system=$(flags --cflags | sed "s| -I\([^ ]*mpi\)| -isystem \1|g")
# explains TEXT ...: refuses that, with the text
explains() { ! compiles "${@:2}" >"$tmp/refused" 2>&1 && grep -q "$1" "$tmp/refused"; }
for compiler in "gcc -std=c11 $tmp/reduced.c" "g++ -std=c++17 $tmp/reduced.cc"; do
  name=${compiler%% *}
  check "reduced and addressed types, $name" compiles uint32_t uint64_t 8 $compiler
  check "a key of 64 bits, $name" explains "KEY of a filtered type has at most 32 bits" uint64_t uint64_t 8 $compiler
  for type in double float int int64_t; do
    check "a level of type $type, $name" explains "LEVEL of a filtered type is an unsigned" uint32_t $type 8 $compiler
  done
  check "a key of type double, $name" eval '! compiles double uint64_t 8 $compiler'
  check "an item aligned to 16 bytes, $name" explains "aligned to at most 8 bytes" uint32_t uint64_t 16 $compiler
done

for page in docs/man/*.[137]; do
  [ -e "$page" ] || continue
  name=$(basename "$page")
  check "man page $name" [ -e "$(find "$prefix" -name "$name" -path '*/man*')" ]
done
for page in sssp sweep man; do check "man page scree-$page.1" [ -s "$(find "$prefix" -name scree-$page.1)" ]; done
check "completion for bash" [ -s "$prefix/share/bash-completion/completions/scree" ]
check "no benchmarks" [ ! -e "$prefix/libexec/scree" ]
check "the program scree" "$prefix/bin/scree" --version
finish

#!/usr/bin/env bash
# install.sh - what `meson install` compiles and leaves in a prefix of its own, seen from a program outside the tree, and
# what `ninja uninstall` leaves.
#
# Checked are headers, libraries, pkg-config, CMake, exported names, soname, manual pages, completions, the licence.
. "$(dirname "$0")/../support/shell.sh"

PATH=$(tr : '\n' <<<"$PATH" | grep -v sbin | paste -sd :) # a user's
prefix=$tmp/prefix
version=$(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)
warnings="-Wall -Wextra -Wpedantic -Wconversion -Werror"

# ---- installing

check "a prefix of one's own" meson setup "$tmp/build" --prefix "$prefix" -Doptimization=0 "-Dmpi=$(cat "$BUILD/mpi")"
check "meson install" eval 'meson install -C "$tmp/build" >"$tmp/installed"'
check "it compiles no tests, and no benchmarks but those of scree bench" \
  eval '! find "$tmp/build" -path "*/test/*.o" -o -path "*/bench/*.o" ! -path "*/bench/support/*" | grep .'
check "the licence" cmp LICENSE "$prefix/share/licenses/scree/LICENSE"
pc=$(find "$prefix" -name scree.pc)
libdir=$(dirname "$(dirname "$pc")")
# Releases of meson differ in what they do with the output of the script that prints these lines: it must be seen once.
check "what is not searched yet" [ "$(grep -c "^scree is installed in $libdir, which is not searched yet" "$tmp/installed")" = 1 ]
check "two lines" [ "$(grep -c '^  export ' "$tmp/installed")" = 2 ]
# They are all that it takes.
tutorial() {
  (eval "$(grep '^  export ' "$tmp/installed")" && sed -n '/^```c hello.c/,/^```$/p' README.md | sed '1d;$d' >"$tmp/hello.c" &&
    cc "$tmp/hello.c" -o "$tmp/hello" $(pkg-config --cflags --libs scree) && "$tmp/hello" | grep -q 'sent 5050' &&
    [ -z "$(packaging/installed.sh "$libdir")" ])
}
check "the tutorial's steps with these lines" tutorial
export PKG_CONFIG_PATH=$(dirname "$pc")
flags() { pkg-config "$@" scree; }

cat >"$tmp/user.c" <<'C'
#include <scree/scree_mpi.h>
#include <assert.h>
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
  if (MPI_Init(NULL, NULL) || scree_open_mpi(MPI_COMM_SELF, NULL, &world) || add_register(world, &sum, &add)) return 1;
  scree_worker *w = scree_worker_of(world, 0);
  if (scree_begin(w)) return 1;
  for (uint64_t i = 1; i <= 100; i++) add_send(w, add, 0, i);
  if (scree_end(w, NULL) || scree_close(world)) return 1;
  static_assert(SCREE_VERSION_NUMBER >= SCREE_VERSION_OF(0, 3, 0) && SCREE_VERSION_NUMBER < SCREE_VERSION_OF(1, 0, 0),
                "one number to compare with");
  if (strcmp(SCREE_VERSION, scree_version()) != 0) return 1;
  printf("%d.%d.%d %d\n", SCREE_VERSION_MAJOR, SCREE_VERSION_MINOR, SCREE_VERSION_PATCH, (int)sum);
  return MPI_Finalize();
}
C
cp "$tmp/user.c" "$tmp/user.cc"

# runs PROGRAM shared|static: it prints what it should, and needs the shared library or not
runs() {
  LD_LIBRARY_PATH=$libdir ldd "$1" >"$tmp/needs" || return
  case $2 in
    shared) grep -q "libscree.* => $libdir/" "$tmp/needs" || { cat "$tmp/needs" && return 1; } ;;
    static) ! grep libscree "$tmp/needs" || return 1 ;;
  esac
  LD_LIBRARY_PATH=$libdir timeout 60 "$1" | tee "$tmp/out"
  [ "$(cat "$tmp/out")" = "$version 5050" ]
}
compilers=("gcc -std=c11 user.c" "g++ -std=c++17 user.cc")
command -v g++ >/dev/null || { skipped "C++" "g++ is not installed; ./dev packages installs all tools" && unset 'compilers[1]'; }

# ---- pkg-config

# builds MODULE OUTPUT COMPILER OPTION SOURCE
builds() {
  $3 $4 $warnings $(pkg-config --cflags "$1" | sed "s| -I\([^ ]*mpi\)| -isystem \1|g") "$tmp/$5" -o "$2" $(pkg-config --libs "$1")
}
check "pkg-config knows version $version" [ "$(flags --modversion)" = "$version" ]
for compiler in "${compilers[@]}"; do
  for kind in shared static; do
    case $kind in shared) module=scree ;; static) module=scree-static ;; esac
    check "a program outside the tree, $kind, $compiler" builds $module "$tmp/$kind" $compiler
    check "it runs" runs "$tmp/$kind" $kind
    rm -f "$tmp/$kind"
  done
done

# ---- CMake

cat >"$tmp/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.16)
project(user ${LANGUAGE})
find_package(scree ${WANTED} REQUIRED)
add_executable(shared ${SOURCE})
target_link_libraries(shared scree::scree)
add_executable(static ${SOURCE})
target_link_libraries(static scree::static)
C
# cmake_build LANGUAGE SOURCE VERSION
cmake_build() {
  cmake -S "$tmp" -B "$tmp/$1" -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGE="$1" -DSOURCE="$2" -DWANTED="$3" && cmake --build "$tmp/$1" -j2
}
if command -v cmake >/dev/null; then
  for compiler in "${compilers[@]}"; do
    case $compiler in g++*) language=CXX ;; *) language=C ;; esac
    check "a CMake project, $language" cmake_build $language "${compiler##* }" 0.3
    for kind in shared static; do check "its program, $kind" runs "$tmp/$language/$kind" $kind; done
  done
  check "no other minor version" eval '! cmake_build C user.c 0.2'
else
  skipped "CMake" "cmake is not installed; ./dev packages installs all tools"
fi

# ---- messages alone, and graphs, in libraries of their own

# What a program of messages loads beyond a program of MPI alone is libscree.
loads() { LD_LIBRARY_PATH=$libdir ldd "$1" | awk '/=>/ { print $1 }' | sort; }
printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n' >"$tmp/mpi.c"
builds_messages() {
  cc $(flags --cflags) "$tmp/mpi.c" -o "$tmp/mpi" $(pkg-config --libs $(flags --print-requires)) -Wl,--no-as-needed &&
    cc $(flags --cflags) "$tmp/user.c" -o "$tmp/messages" $(flags --libs) && loads "$tmp/messages" | tee "$tmp/loaded" | comm -23 - <(loads "$tmp/mpi") |
    grep -v 'libatomic_ops\|librt' | diff <(echo "$soname") -
}
soname=libscree.so.$(sed -E 's/^(0\.[0-9]+).*/\1/; t; s/\..*//' <<<"$version")
if [ -n "$(flags --print-requires)" ]; then
  check "messages load libscree, and no zlib or hwloc but MPI's" builds_messages
else
  skipped "what messages load" "this MPI has no pkg-config name"
fi
needs() { objdump -p "$libdir/$1" | awk '$1 == "NEEDED" { print $2 }'; }
check "libscree.so needs neither zlib nor hwloc" eval 'needs libscree.so && ! needs libscree.so | grep -E "libz|hwloc|xxhash"'
cat >"$tmp/graph.c" <<'C'
#include <scree/graph.h>
#include <scree/kernel.h>
int main(void) {
  scree_world *w;
  scree_graphs *graphs;
  scree_graph *g;
  if (scree_open(NULL, &w) || scree_graphs_open(w, &graphs) || scree_graph_load(graphs, "kron:6", NULL, &g)) return 1;
  printf("%d arcs, %d\n", (int)g->arcs, scree_kernel_find("bfs") != NULL);
  scree_graph_free(g);
  scree_graphs_close(graphs);
  return scree_close(w) != SCREE_OK;
}
C
links_graphs() {
  cc "$tmp/graph.c" -o "$tmp/graph" $(pkg-config --cflags "$1") $(pkg-config --libs "$1") && LD_LIBRARY_PATH=$libdir "$tmp/graph" | grep -E '^[0-9]+ arcs, 1$'
}
for package in scree-graph scree-graph-static; do check "pkg-config $package" links_graphs $package; done
check "messages have no graphs" eval '! cc "$tmp/graph.c" -o "$tmp/graph" $(flags --cflags) $(flags --libs) 2>/dev/null'

# ---- tasks, a library of their own: the first program of their page

sed -n '/^```c task_lookup.c/,/^```$/p' docs/tasks.md | sed '1d;$d' >"$tmp/tasks.c"
links_tasks() {
  cc "$tmp/tasks.c" -o "$tmp/tasks" $(pkg-config --cflags "$1") $(pkg-config --libs "$1") &&
    LD_LIBRARY_PATH=$libdir "$tmp/tasks" | grep -qx 'the sum of what rank 0 has looked up is 249500'
}
for package in scree-task scree-task-static; do check "pkg-config $package" links_tasks $package; done
if command -v cmake >/dev/null; then
  mkdir "$tmp/task"
  cat >"$tmp/task/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(scree 0.3 REQUIRED)
add_executable(tasks ../tasks.c)
target_link_libraries(tasks scree::task)
add_executable(graph ../graph.c)
target_link_libraries(graph scree::graph)
add_executable(graph_static ../graph.c)
target_link_libraries(graph_static scree::graph_static)
C
  check "CMake's scree::task, scree::graph, scree::graph_static" eval 'cmake -S "$tmp/task" -B "$tmp/task/b" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$tmp/task/b" &&
    "$tmp/task/b/tasks" | grep -q 249500 && "$tmp/task/b/graph" && "$tmp/task/b/graph_static"'
fi

# ---- names, headers

check "soname of $version" grep -qx "libscree.so.$(sed -E 's/^(0\.[0-9]+).*/\1/; t; s/\..*//' <<<"$version")" <(objdump -p "$libdir/libscree.so" | awk '$1 == "SONAME" { print $2 }')
names() { nm "$@" --defined-only | awk 'NF == 3 && $2 ~ /[B-Z]/ { print $3 }'; }
only_ours() { ! names "$@" | grep -v '^scree_'; }
check "the shared library exports scree_ alone" only_ours -D "$libdir/libscree.so"
private=SCREE_PRIVATE_$version
check "of internal names only those of inline sends" diff - <(names -D "$libdir/libscree.so" | grep -v "@$private$" | sed 's/@.*//' | grep '^scree__' | sort) <<'T'
scree__address
scree__cache_review
scree__fan
scree__index_cut
scree__node_array_yield
scree__out_of_range
scree__slot
scree__var
T
# What the other libraries use, bound to this version: no name more, and not over 40.
used() { nm -D --undefined-only "$libdir/libscree-task.so" "$libdir/libscree-graph.so" | sed -n "s/.* U \(.*\)@$private\$/\1/p" | sort -u; }
bound() { names -D "$libdir/libscree.so" | sed -n "s/@@$private\$//p" | grep '^scree__' | sort; }
check "names that libraries on it use, bound to this version" diff <(bound) <(used)
check "at most 40" eval '[ "$(bound | wc -l)" -gt 10 ] && [ "$(bound | wc -l)" -le 40 ]'
check "libscree-graph exports public names alone" eval '! names -D "$libdir/libscree-graph.so" | grep -v "^scree_[^_]" | grep -v "^SCREE_GRAPH_"'
check "libscree-task exports scree_ alone" only_ours -D "$libdir/libscree-task.so"
check "of internal names those of the generated functions" diff - <(names -D "$libdir/libscree-task.so" | sed 's/@.*//' | grep '^scree__' | sort) <<'T'
scree__delegate_register
scree__global_implicit
scree__global_in
scree__global_into
scree__global_poll
scree__global_wait
scree__loop_for
scree__loop_for_in
scree__loop_register
scree__task_register
scree__task_spawn
scree__task_spawn_by
scree__task_spawn_on
scree__task_then
scree__tasks_in
T
check "libscree-graph needs libscree-task of its version" eval 'objdump -T "$libdir/libscree-graph.so" | grep -q "SCREE_TASK_PRIVATE_$version.*scree__tasks_in"'
check "by pkg-config too" eval '[ "$(pkg-config --print-requires scree-graph | grep scree-task)" = "scree-task = $version" ]'
check "it needs libscree of its version" eval 'objdump -T "$libdir/libscree-task.so" | grep -q "$private.*scree__fail"'
for library in libscree.a libscree-graph.a libscree-task.a; do check "$library defines scree_ alone" only_ours "$libdir/$library"; done

for header in "$prefix"/include/scree/{,*/}*.h; do
  name=${header#"$prefix"/include/}
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

# Items are of a size that is sent, and copied as bytes.
cat >"$tmp/items.c" <<'C'
#include <scree/reduced.h>
#ifdef __cplusplus
#include <string>
#endif
typedef struct {
  uint32_t key;
  ITEM item;
} item;
#define key(v) ((v)->key)
__attribute__((unused)) static inline void keep(item *a, const item *b) { (void)a, (void)b; }
KIND;
C
cp "$tmp/items.c" "$tmp/items.cc"
# item ITEM KIND COMPILER...
item() { "${@:3}" $warnings -fsyntax-only "-DITEM=$1" "-DKIND=$2" $mpi_system; }
refuses() { ! item "${@:2}" >"$tmp/refused" 2>&1 && grep -q "$1" "$tmp/refused"; }
too_large="an item has 1 to SCREE_ITEM_MAX bytes"
plain='SCREE_MESSAGE(a, item)' routed='SCREE_MESSAGE_ROUTED(a, item)' reduced='SCREE_MESSAGE_REDUCED(a, item, key, keep)'
for compiler in "gcc -std=c11 $tmp/items.c" "g++ -std=c++11 $tmp/items.cc" "clang++ -std=c++17 $tmp/items.cc"; do
  name=${compiler%% *}
  if ! command -v "$name" >/dev/null; then
    skipped "sizes of items, $name" "$name is not installed; ./dev packages installs all tools"
    continue
  fi
  check "an item of 32768 bytes, $name" item "struct { char all[32764]; }" "$plain" $compiler
  check "one of 32772, $name" refuses "$too_large" "struct { char all[32768]; }" "$plain" $compiler
  for kind in "$routed" "$reduced"; do
    check "$kind of 32764 bytes, $name" item "struct { char all[32760]; }" "$kind" $compiler
    check "$kind of 32768, $name" refuses "$too_large" "struct { char all[32764]; }" "$kind" $compiler
  done
  case $name in *++) check "a std::string, $name" refuses "copied as bytes" std::string "$plain" $compiler ;; esac
done

# ---- pages, completions

for command in $("$prefix/bin/scree" --help | awk '/^subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
  "$prefix/bin/scree" $command --help all | awk '/^options of the library/ { exit } { print }' |
    sed -nE 's/^  (-h, )?(--[a-z-]+).*/\2/p' | sort -u >"$tmp/$command.options"
done
# renders PAGE: `man` has no warning; the text goes to $tmp/text
renders() {
  LC_ALL=C MANWIDTH=200 MANROFFSEQ= man --warnings=w -l "$prefix/share/man/$1" >"$tmp/text" 2>"$tmp/warnings" || return
  cat "$tmp/warnings"
  [ ! -s "$tmp/warnings" ] && grep -q '^NAME' "$tmp/text" && grep -q '^SEE ALSO' "$tmp/text"
}
# describes COMMAND: each of its options begins an entry of the page, and nothing else does
describes() { diff "$tmp/$1.options" <(sed -nE 's/^ {7}(--[a-z-]+).*/\1/p' "$tmp/text" | sort -u); }
if man -l docs/man/scree.1 >/dev/null 2>&1; then
  for page in scree.1 scree.3 scree-options.7 scree-counters.7; do check "man page $page" renders "man${page##*.}/$page"; done
  for options in "$tmp"/*.options; do
    command=$(basename "$options" .options)
    check "man page scree-$command.1" renders "man1/scree-$command.1"
    check "it describes all options" describes $command
  done
else
  skipped "man pages" "man is not installed; ./dev packages installs all tools"
fi
cat >"$tmp/bash" <<'C'
. "$1" && complete -p scree >/dev/null || exit
COMP_WORDS=(scree sssp --) COMP_CWORD=2
_scree
printf '%s\n' "${COMPREPLY[@]}"
C
cat >"$tmp/zsh" <<'C'
fpath=("$1" $fpath)
autoload -Uz compinit && compinit -u -D
compadd() { shift; print -l -- "$@" }
_files() :
words=(scree sssp --) CURRENT=3
$_comps[scree]
C
# offers COMMAND...: it prints all options of sssp, and those of the library
offers() {
  "$@" >"$tmp/offers" || return
  cat "$tmp/offers"
  [ -z "$(comm -23 "$tmp/sssp.options" <(sort -u "$tmp/offers"))" ] && grep -qx -- --transport "$tmp/offers"
}
check "completion for bash" offers bash --norc "$tmp/bash" "$prefix/share/bash-completion/completions/scree"
if command -v zsh >/dev/null; then
  check "completion for zsh" offers zsh -f "$tmp/zsh" "$prefix/share/zsh/site-functions"
else
  skipped "completion for zsh" "zsh is not installed; ./dev packages installs all tools"
fi
check "no benchmarks" [ ! -e "$prefix/libexec/scree" ]
check "the program scree" "$prefix/bin/scree" --version
check "ninja uninstall" ninja -C "$tmp/build" uninstall
check "it leaves no file" eval '! find "$prefix" ! -type d | grep .'
finish

#!/usr/bin/env bash
# doc_examples.sh - the programs in README.md and docs/*.md compile, run, and print what the page says.
#
# A page marks its code by the first line of the fence:
#   ```c NAME.c          a whole program; `alone` after it: not for a launcher; or it is examples/NAME.c, whose output the
#                        page has (with <omp.h> compiled for OpenMP, by the compilers that have it; with <scree/local.h> alone)
#   ```text NAME.c       what it prints, with any number of ranks
#   ```text NAME.c N     what it prints with N ranks
#   ```sh openmpi        a line for the shell, with the build directory of that MPI; or mpich
# (```sh try and ```data are for doc_commands.sh.)
# The example in the first comment of a kernel's header is compiled and run too, between a graph and its end.
# A fence with only the word c is an error: code that is not run becomes outdated.
# With SCREE_TEST_VALGRIND=1 all run under valgrind, as does a command of each kernel.
. "$(dirname "$0")/../support/shell.sh"
pages=(README.md docs/*.md)
mkdir "$tmp/from"

# Writes NAME, NAME.alone, NAME.expected[.N], NAME.sh to $tmp/from; complains about what it does not understand.
extract() {
  awk -v dir="$tmp/from" '
    function bad(why) { print FILENAME ":" FNR ": " why; rc = 1 }
    FNR == 1 && file { bad("the fence before this page is never closed"); file = "" }
    /^```/ && file { close(file); file = ""; next }
    file { print >file; next }
    /^```c$/ { bad("a C block without a name") }
    /^```c / {
      file = dir "/" $2
      if (seen[file]++) bad("a second program " $2)
      if ($3) printf "" >(file "." $3)
      next
    }
    /^```text / { file = dir "/" $2 ".expected" ($3 ? "." $3 : ""); printf "" >file; next }
    /^```sh / { file = dir "/" $2 ".sh"; next }
    /^```./ { file = "/dev/null" }
    END { if (file) bad("the last fence is never closed"); exit rc }' "${pages[@]}"
}
check "fences of ${pages[*]}" extract
for program in examples/*.c; do
  cp "$program" "$tmp/from/"
  ! grep -q '<omp.h>' "$program" || touch "$tmp/from/$(basename "$program").openmp"
  ! grep -qE '<scree/(scree_sim|local).h>' "$program" || touch "$tmp/from/$(basename "$program").alone"
done

under=()
[ -z "${SCREE_TEST_VALGRIND-}" ] || under=(valgrind -q --error-exitcode=99 --suppressions=$PWD/.ci/valgrind.supp)
export PKG_CONFIG_PATH=$BUILD/meson-uninstalled
warnings="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror"
cflags=$(pkg-config --cflags-only-I $(pkg-config --print-requires scree) | sed 's/-I/-isystem /g') # MPI's own
libs=$(pkg-config --libs scree-graph-static)

# By gcc, if it is there, a program is linked and run; clang then says what it has to say without code.
compiles() { # COMPILER NAME [FLAG]
  if [ "$1" = clang ] && command -v gcc >/dev/null; then
    clang ${3-} -fsyntax-only $warnings -Iinclude $cflags "$tmp/from/$2" && return
  fi
  "$1" ${3-} -O1 $warnings -Iinclude $cflags "$tmp/from/$2" $libs -lm -o "$tmp/${2%.c}"
}

has_openmp() { # COMPILER
  echo 'int main(void) { return omp_get_max_threads() < 1; }' |
    "$1" -fopenmp -include omp.h -x c - -o "$tmp/openmp" >/dev/null 2>&1
}

# prints NAME RANKS COMMAND...: code 0, and the output that the page has for that number of ranks, if it has one
prints() {
  local expected=$tmp/from/$1.expected ranks=$2
  shift 2
  [ ! -e "$expected.$ranks" ] || expected=$expected.$ranks
  timeout 600 "$@" >"$tmp/got" </dev/null || { echo "code $?"; cat "$tmp/got"; return 1; }
  [ ! -e "$expected" ] || diff "$expected" "$tmp/got"
}

for program in "$tmp"/from/*.c; do
  name=$(basename "$program")
  binary=$tmp/${name%.c}
  check "$name: the page says what it prints" bash -c 'ls "$0".expected*' "$program"
  flag=$([ ! -e "$program.openmp" ] || echo -fopenmp)
  for compiler in clang gcc; do
    if ! command -v $compiler >/dev/null; then
      continue
    elif [ "$flag" ] && ! has_openmp $compiler; then
      skipped "$name compiles, $compiler" "this $compiler has no OpenMP"
    else
      check "$name compiles, $compiler" compiles $compiler "$name" $flag
    fi
  done
  if [ "$flag" ] && [ ! -e "$binary" ]; then
    skipped "$name runs" "no compiler here has OpenMP"
    continue
  fi
  check "$name, 1 rank" prints "$name" 1 "${under[@]}" "$binary"
  [ -e "$program.alone" ] && continue
  check "$name, 2 ranks" prints "$name" 2 test/launch.sh "$BUILD" 2 "${under[@]}" "$binary"
  check "$name, 2 ranks, checked, under chaos" prints "$name" 2 \
    env SCREE_CHECKED=on SCREE_CHAOS=5 test/launch.sh "$BUILD" 2 "${under[@]}" "$binary"
done
for header in $(grep -l '^ \*   scree_solver_close' include/scree/*.h); do
  name=example_$(basename "$header" .h).c
  {
    echo "#include <scree/${header##*/}>"
    echo 'static int example(scree_graphs *graphs, const scree_graph *graph, uint64_t source) {'
    sed -n '/^ \*   scree_solver \*/,/^ \*   scree_solver_close/s/^ \*//p' "$header"
    echo 'return 0; } int main(void) { scree_world *w; scree_graphs *graphs; scree_graph *g; return scree_open(NULL, &w) ||'
    echo 'scree_graphs_open(w, &graphs) || scree_graph_load(graphs, "kron:6", NULL, &g) || example(graphs, g, 1) ||'
    echo '(scree_graph_free(g), scree_graphs_close(graphs), scree_close(w)); }'
  } >"$tmp/from/$name"
  check "$header: its example compiles" compiles gcc "$name" -Wno-unused
  check "$header: its example runs, 2 ranks" prints "$name" 2 test/launch.sh "$BUILD" 2 "${under[@]}" "$tmp/${name%.c}"
done
for kernel in $([ ${#under[@]} = 0 ] || echo sssp bfs cc pagerank bc kcore mis colour tc); do
  check "scree $kernel, 2 ranks" test/launch.sh "$BUILD" 2 "${under[@]}" "$BUILD/scree" "$kernel" kron:8 --validate
done
check "there are examples in headers" [ "$(ls "$tmp"/from/example_*.c | wc -l)" -ge 4 ]
check "there are programs" [ "$(ls "$tmp"/from/*.c | wc -l)" -ge 8 ]
owned() { for f in "$tmp"/from/*.expected*; do [ -e "${f%.expected*}" ] || { echo "$f: no such program" && return 1; }; done; }
check "each output belongs to a program" owned

# A line of the page, with this build directory in place of the usual one; the table's row ends with the verdict, and nothing is
# printed beside the table.
shell_line() {
  sed -E "s|\bbuild(-mpich)?/|$BUILD/|g" "$1" >"$tmp/line"
  (unset ${!OMPI_@} ${!PRTE_@} && timeout 120 bash "$tmp/line") </dev/null 2>"$tmp/noise" |
    tee "$tmp/got"
  cat "$tmp/noise"
  [ "$(grep -c ' 2 .* valid$' "$tmp/got")" = 1 ] && [ ! -s "$tmp/noise" ]
}
# The commands of the README's first pages, pasted whole into a shell that knows nothing of MPI, as root or not: none of them
# needs a launcher, nor a variable.
pasted() {
  awk '/^## Write a program/ { exit } /^```$/ { on = 0 } on { print } /^```sh/ { on = 1 }' README.md >"$tmp/paste"
  mkdir "$tmp/clone" && ln -s "$BUILD" "$tmp/clone/build" && ln -s "$PWD/examples" "$tmp/clone/examples" &&
    printf '#!/bin/sh\n[ $# = 1 ] || exit 9\ncase $1 in run | test) echo "dev $1" ;; *) exit 9 ;; esac\n' >"$tmp/clone/dev" &&
    chmod +x "$tmp/clone/dev" || return 1
  ! grep -E 'mpirun|mpiexec|export' "$tmp/paste" || return 1
  (unset ${!OMPI_@} ${!PRTE_@} && cd "$tmp/clone" && timeout 120 bash -e "$tmp/paste") </dev/null >"$tmp/got" 2>&1 || { cat "$tmp/got" && return 1; }
  cat "$tmp/got"
  [ "$(grep -c ' valid$' "$tmp/got")" = 6 ] && [ "$(grep -cx 'dev run\|dev test' "$tmp/got")" = 2 ]
}
mpi=$(cat "$BUILD/mpi") launcher=mpirun.openmpi
check "README: its first pages, pasted" pasted
[ "$mpi" = openmpi ] || launcher=mpiexec.hydra
if command -v $launcher >/dev/null; then
  check "README: the line for $mpi" shell_line "$tmp/from/$mpi.sh"
else
  skipped "README: the line for $mpi" "this system has no $launcher"
fi
finish

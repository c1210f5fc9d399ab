#!/usr/bin/env bash
# calls.sh - calls go one way, as includes do, by the rules of support/layers.txt: the symbols that the objects of a folder
# use are defined in its own layer or below it. Each kind of break is seen: it is planted as one more object.
. "$(dirname "$0")/../support/shell.sh"

# objects_of_tree: lines `OBJECT SOURCE`; of a source that is compiled twice the first object. meson writes the database.
objects_of_tree() {
  local here=$PWD
  (cd "$BUILD" && sed -nE 's/^ *"(file|output)": "(.*)",?$/\2/p' compile_commands.json | paste - - |
    while read -r file object; do echo "$PWD/$object $(realpath --relative-to="$here" "$file")"; done) |
    grep -E ' (src|algorithms|cli|bench)/' | awk '!seen[$2]++'
}
# judge OBJECTS: the file of such lines
judge() {
  nm -A -g -P $(cut -d ' ' -f 1 "$1") >"$tmp/symbols" || return 1
  awk -v list="${list-test/support/layers.txt}" -f test/shell/layers_list.awk -f test/shell/calls.awk "$1" "$tmp/symbols"
}
# built: into $tmp/objects those that there are; benchmarks are built on demand
built() {
  local object source
  while read -r object source; do
    if [ -e "$object" ]; then
      echo "$object $source" >>"$tmp/objects"
    elif [[ $source != bench/* ]]; then
      echo "$object is missing: build all of $BUILD first" && return 1
    fi
  done < <(objects_of_tree)
}
check "the objects are built" built
[ $bad = 0 ] || finish
check "the calls of this tree" judge "$tmp/objects"
judge "$tmp/objects" | sort >"$tmp/before"

# ends OBJECTS: what ends a program or handles signals, but contexts, the handler that names the task whose stack has ended,
# which is asked for, and the parent of ranks, whose children
# end by _exit and which passes on the signal that ends it
ends() {
  grep -E ' (src|algorithms)/' "$1" | grep -vE ' src/(base/context|open/local_job|task/stack_fault).c$' | cut -d ' ' -f 1 | xargs nm -A -u |
    grep -E ' U (_?exit|_Exit|quick_exit|abort|signal|sigaction|raise)$'
}

# parses OBJECTS: what makes numbers of texts outside src/base, which has the table of options
parses() {
  grep -vE ' src/base/' "$1" | cut -d ' ' -f 1 | xargs nm -A -u |
    grep -E ' U (__isoc[0-9]+_)?(strto(d|f|ld|l|ll|ul|ull|imax|umax)(_l)?|ato(i|l|ll|f))$'
}

# doors OBJECTS: the sources outside src/base that have the table parse a value
doors() {
  grep -vE ' src/base/' "$1" | cut -d ' ' -f 1 | xargs nm -A -u |
    sed -nE 's/:.* U scree__option(_parse|_value_parse|_resolve|s_read)$//p' | sort -u | join - <(sort "$1") | cut -d ' ' -f 2 | sort | xargs
}

# plant SOURCE CODE...: puts into $tmp/new what is complained of since there are objects of that code, as if compiled from
# SOURCE, and returns what judge did
plant() {
  local rc=0 n=0
  cp "$tmp/objects" "$tmp/planted"
  while [ $# -gt 0 ]; do
    n=$((n + 1))
    ${CC:-cc} -x c -c -o "$tmp/planted$n.o" - <<<"$2" || return 2
    echo "$tmp/planted$n.o $1" >>"$tmp/planted"
    shift 2
  done
  judge "$tmp/planted" >"$tmp/found" || rc=$?
  sort "$tmp/found" | comm -13 "$tmp/before" - | tee "$tmp/new"
  return $rc
}
sees() {
  local text=$1 rc=0
  shift
  plant "$@" || rc=$?
  [ $rc = 1 ] && grep -qxE "$text" "$tmp/new"
}
passes() { plant "$@" && [ ! -s "$tmp/new" ]; }
check "the library neither exits nor aborts, and handles no signal" eval '! ends "$tmp/objects"'
check "numbers are parsed in src/base alone" eval '! parses "$tmp/objects"'
check "a parser elsewhere is seen" eval 'plant cli/args/a.c "int atoi(const char *); int planted(void) { return atoi(\"1\"); }"; parses "$tmp/planted"'
check "options are parsed by the table, once for each door" [ "$(doors "$tmp/objects")" = "algorithms/kernel/options.c \
algorithms/read/options.c bench/support/common.c cli/args/args.c cli/args/options.c src/global/open.c src/open/resolve.c src/task/open.c" ]
check "a further place is seen" eval 'plant cli/args/a.c "int scree__option_parse(void); int planted(void) { return scree__option_parse(); }"
  [[ "$(doors "$tmp/planted")" = *"args/a.c cli/args/args.c"* ]]'
check "a call of exit is seen" eval 'plant src/base/a.c "void exit(int); void planted(void) { exit(1); }"; ends "$tmp/planted"'

# rowless LIBRARY PROGRAM: the public functions that a library exports, and that no row of the program passes NULL, 0 and -1
# (support/nothing.h)
rowless() {
  nm -D --defined-only "$BUILD/lib$1.so" | sed -nE 's/.* T (scree_[a-z][a-z0-9_]*)(@.*)?$/\1/p' | sort -u >"$tmp/exported"
  grep -oE '(X\([A-Z]+, [A-Z]+, |EXCEPT\()scree_[a-z0-9_]+' "${3:-test/sim/$2.c}" | sed 's/.*[ (]//' | sort -u | comm -23 "$tmp/exported" -
}
check "all functions of libscree get NULL, 0 and -1" eval '[ "$(rowless scree sim_nothing | tee /dev/stderr)" = "" ] && grep -q scree_open "$tmp/exported"'
check "all functions of libscree-task do" eval '[ "$(rowless scree-task sim_nothing_tasks | tee /dev/stderr)" = "" ] && [ -s "$tmp/exported" ]'
check "all functions of libscree-graph do" eval '[ "$(rowless scree-graph sim_nothing_graphs | tee /dev/stderr)" = "" ] && [ -s "$tmp/exported" ]'
sed /scree_semaphore_post/d test/sim/sim_nothing_tasks.c >"$tmp/rows.c"
check "a function without a row is seen" eval '[ "$(rowless scree-task - "$tmp/rows.c")" = scree_semaphore_post ]'

up='int scree_open(void *, void *); int planted(void) { return scree_open(0, 0); }'
check "a call that points up" sees 'src/base/a.c: uses scree_open of src/open/mpi.c, which is in a layer above it' \
  src/base/a.c "$up"
check "data of a layer above" sees 'algorithms/graph/a.c: uses scree__kernel_bfs of algorithms/bfs/bfs.c, .* above it' \
  algorithms/graph/a.c 'extern const char scree__kernel_bfs[]; const char *const planted = scree__kernel_bfs;'
check "a call up within the command line" sees 'cli/args/a.c: uses planted_up of cli/commands/b.c, .* above it' \
  cli/args/a.c 'void planted_up(void); void planted(void) { planted_up(); }' cli/commands/b.c 'void planted_up(void) {}'
check "a cycle of folders of one layer" sees 'a cycle of folders: (algorithms/(graph|file)( -> )?){3}' \
  algorithms/graph/a.c 'void planted_b(void); void planted_a(void) { planted_b(); }' \
  algorithms/file/b.c 'void planted_a(void); void planted_b(void) { planted_a(); }'
check "a call down" passes src/open/a.c 'void scree__fail(void); void planted(void) { scree__fail(); }'
cp test/support/layers.txt "$tmp/list"
echo "allow-call src/base scree_open none" >>"$tmp/list"
list=$tmp/list check "a call up that is permitted" passes src/base/a.c "$up"
list=$tmp/list check "a permission that nobody needs" sees '.*: allow-call src/base scree_open is not needed' src/base/a.c ''
: >"$tmp/objects"
check "objects without calls" sees 'no calls were found' src/base/a.c ''
finish

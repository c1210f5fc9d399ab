#!/usr/bin/env bash
# old_programs.sh - programs of 0.2, as they were, compile and run with the changes that CHANGELOG.md names, and no others.
. "$(dirname "$0")/../support/shell.sh"
export PKG_CONFIG_PATH=$BUILD/meson-uninstalled
flags=$(pkg-config --cflags-only-I $(pkg-config --print-requires scree) | sed 's/-I/-isystem /g')
libs=$(pkg-config --libs scree-graph-static | sed 's|[^ ]*/libscree[-a-z]*\.a||g')

# changed NAME SED...: the program with these changes, each of which has to change something
changed() {
  local name=$1 rule
  shift
  cp "test/programs_0.2/$name.c" "$tmp/$name.c"
  for rule in "$@"; do
    cp "$tmp/$name.c" "$tmp/before.c"
    sed -i "$rule" "$tmp/$name.c"
    ! cmp "$tmp/before.c" "$tmp/$name.c" >/dev/null || { echo "$name: nothing to change by $rule" && return 1; }
  done
}
# runs NAME OUTPUT [FLAG]
runs() {
  ${CC:-cc} -std=c11 -Wall -Wpedantic -Werror -Iinclude $flags ${3-} "$tmp/$1.c" "$BUILD/libscree-graph.a" "$BUILD/libscree-task.a" "$BUILD/libscree.a" $libs -lm -o "$tmp/$1" &&
    "$tmp/$1" | tee "$tmp/out" && grep -qx "$2" "$tmp/out"
}
named() { sed '/^## 0.2.0/,$d' CHANGELOG.md | grep -qF -- "$1"; }

check "components.c, by a graph" changed components
check "it compiles and runs" runs components '457 components of 1024 vertices'
check "joined.c" changed joined 's/scree_ranks\?(\(scree_worker_of(world, 0)\))/\1->RANK/g; s/uint32_t rank = \(.*\)->RANK, ranks = \(.*\)->RANK/uint32_t rank = \1->rank, ranks = \2->ranks/'
if echo 'int main(void) { return omp_get_max_threads() < 1; }' | ${CC:-cc} -fopenmp -include omp.h -x c - -o "$tmp/openmp" 2>/dev/null; then
  check "it compiles and runs" runs joined '1467 sequences take 71 steps' -fopenmp
else
  skipped "joined.c" "this compiler has no OpenMP"
fi
check "routed.c" changed routed '1i #include <scree/routed.h>' 's/scree_stats stats;/scree_stats stats = {.size = sizeof stats};/'
check "it compiles and runs" runs routed '256 handled, 144 passed on'
for change in 'scree_rank(w)' 'scree/routed.h' '{.size = sizeof'; do check "CHANGELOG.md names $change" named "$change"; done
finish

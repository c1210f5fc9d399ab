#!/usr/bin/env bash
# mutants.sh - breaks the core in known ways and sees that the simulator notices.
#   mutants.sh [NAME...]     all of test/mutants/*.diff, or those
# Each is a patch of src/, whose first line says what it breaks. It is compiled with the generated programs of
# programs.h, which are run seed by seed until one goes wrong: a wrong ledger, a hang, or a crash. The number of
# programs that it took is printed. A mutant that survives, or a patch that does not apply any more, is a failure; and
# the core as it is must survive the same seeds. Environment: SCREE_TEST_SEEDS (default 8000 seeds, each without and
# with faults), CC.
#
# Room: patching, compiling, counting. Needs no MPI.
set -u
cd "$(dirname "$0")/.."
seeds=${SCREE_TEST_SEEDS:-8000} passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CEILING_DIRECTORIES=$work # the copies are in no repository

# compile TREE: makes TREE/hunt
compile() {
  local t=$1/src/transport
  ${CC:-cc} -std=c11 -D_GNU_SOURCE= -O2 -w -I"$1/include" -I"$1/src" -Itest -o "$1/hunt" test/mutants/hunt.c \
    test/programs*.c "$1"/src/core/*.c "$t"/{segment,shm,chaos,sim,sim_baton,sim_run}.c -latomic_ops -lpthread
}

# copy TREE
copy() { mkdir "$1" && cp -r include src "$1"; }

verdict() {
  printf '%-42s %s\n' "$1" "$2"
  if [ "$3" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

hunt_mutant() {
  local name=$1 tree=$work/$1 out rc=0
  copy "$tree"
  (cd "$tree" && git apply -p1) <"test/mutants/$name.diff" 2>"$work/log" || {
    verdict "$name" "FAILED: the patch does not apply: $(head -n 1 "$work/log")" 1 && return
  }
  compile "$tree" 2>"$work/log" || { verdict "$name" "FAILED: does not compile: $(head -n 1 "$work/log")" 1 && return; }
  out=$(timeout 300 "$tree/hunt" 1 "$seeds" 2>/dev/null) || rc=$?
  rm -rf "$tree"
  case $rc in
    0) out=${out#caught } && verdict "$name" "caught by program ${out%% *}: ${out#* }" 0 ;;
    1) verdict "$name" "FAILED: $out" 1 ;;
    124) verdict "$name" "FAILED: neither caught nor done in 300 s" 1 ;;
    *) verdict "$name" "caught by a crash (code $rc)" 0 ;;
  esac
}

whole() {
  local out rc=0
  copy "$work/whole"
  compile "$work/whole" || { verdict "no mutant" "FAILED: does not compile" 1 && return; }
  out=$("$work/whole/hunt" 1 "$((seeds < 1000 ? seeds : 1000))") || rc=$?
  verdict "no mutant" "$out" $((rc != 1))
}

whole
if [ $# = 0 ]; then
  for f in test/mutants/*.diff; do set -- "$@" "$(basename "$f" .diff)"; done
fi
for name in "$@"; do hunt_mutant "$name"; done
echo "$passed passed, $failed failed"
if [ -n "${TALLY-}" ]; then echo "$passed $failed 0" >>"$TALLY"; fi
[ "$failed" = 0 ]

#!/usr/bin/env bash
# run.sh - runs the tests of one build directory and counts.
#   run.sh [--full | --brief] [--only KIND,...] [--match TEXT] [--ranks "1 2 ..."] BUILD
#   run.sh --total TALLY        the last line for all runs that wrote to the file TALLY
# Kinds: unit, sim (one process), mpi (once per number of ranks), shell (scripts), doc (docs against the program).
# With the variable TALLY set, the counts go to that file too, and the last line begins with the directory.
#
# Room: which tests there are, how each is started, how its outcome is read. A test program has run only if it says
# so: exit codes of launchers prove nothing (MPICH returns 0 for a rank that leaves early with 0). A shell test
# prints `ok - WHAT`, `not ok - WHAT` or `skipped - WHAT: REASON` for each check, and returns 0 if none failed.
set -eu
cd "$(dirname "$0")/.."
kinds=unit,sim,doc,mpi,shell ranks="1 2 3 5" full=0 match='' limit=600
passed=0 failed=0 skipped=0
reasons=()

say() { if [ -t 2 ]; then printf '\r\033[K%s' "$*" >&2; fi; }
clear_line() { if [ -t 2 ]; then printf '\r\033[K' >&2; fi; }

total() {
  awk '{ p += $1; f += $2; s += $3 }
       END { printf "%d passed, %d failed", p, f; if (s) printf ", %d skipped", s; print ""; exit f > 0 || p == 0 }' "$1"
}

# number LOG EXPRESSION: the number that a sed expression finds on the last line that has one
number() { sed -nE "$2" "$1" | tail -n 1 | grep . || echo 0; }

# count LOG RC KIND: sets p, f, s
count() {
  local log=$1 rc=$2 kind=$3 last
  last=$(grep '^harness: .* done, ' "$SCREE_TEST_RESULT" | tail -n 1 || :)
  if [ -n "$last" ] && [ "$kind" != shell ]; then
    read -r p f s < <(sed -E 's/.* ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/' <<<"$last")
  elif [ "$kind" = shell ]; then
    p=$(grep -c '^ok - ' "$log" || :) f=$(grep -c '^not ok - ' "$log" || :) s=$(grep -c '^skipped - ' "$log" || :)
  else
    p=$(number "$log" 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p')
    f=$(number "$log" 's/^\[  FAILED  \] ([0-9]+) test.*/\1/p')
    s=$(number "$log" 's/^\[  SKIPPED \] ([0-9]+) test.*/\1/p')
    [ "$kind" != mpi ] || p=0 # without rank 0's last line nobody knows
  fi
  if [ "$f" = 0 ] && { [ "$rc" != 0 ] || [ $((p + s)) = 0 ]; }; then f=1; fi
}

# one LABEL KIND COMMAND...
one() {
  local label=$1 kind=$2 log=$logs/log rc=0 p f s started=$SECONDS line
  shift 2
  say "[$((passed + failed + skipped)) run, $failed failed] $label"
  : >"$SCREE_TEST_RESULT"
  timeout -k 10 "$limit" "$@" </dev/null >"$log" 2>&1 || rc=$?
  count "$log" "$rc" "$kind"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  while IFS= read -r line; do reasons+=("$label: $line"); done < <(
    sed -nE 's/^harness: skipped (.*)/\1/p' "$SCREE_TEST_RESULT"
    sed -nE 's/^skipped - (.*)/\1/p' "$log")
  if [ "$f" != 0 ]; then
    clear_line
    echo "---- $label failed (code $rc$([ "$rc" != 124 ] || echo ", over $limit s")): $*"
    tail -n 150 "$log"
    echo "----"
  elif [ "$((SECONDS - started))" -ge 60 ]; then
    clear_line
    echo "$label took $((SECONDS - started)) s"
  fi
}

# names FOLDER PREFIX SUFFIX: of the files test/FOLDER/PREFIX*SUFFIX
names() { for f in test/"$1"/"$2"*"$3"; do if [ -e "$f" ]; then basename "$f" "$3"; fi; done; }
programs() { names "$1" "$1"_ .c; }
wanted() { case "$1" in *"$match"*) ;; *) return 1 ;; esac; }

# script NAME, program NAME KIND
script() { if wanted "$1"; then one "$1" shell bash "test/shell/$1.sh"; fi; }
program() { if wanted "$1"; then one "$1" "$2" "$BUILD/test/$1"; fi; }

run_kind() {
  local kind=$1 name n
  case $kind in
    shell) for name in $(names shell '' .sh | grep -v '^doc_'); do script "$name"; done ;;
    doc)
      for name in $(names unit doc_ .c); do program "$name" doc; done
      for name in $(names shell doc_ .sh); do script "$name"; done ;;
    mpi)
      for name in $(programs mpi); do
        for n in $ranks; do
          if wanted "$name"; then one "$name, $n ranks, $mpi" mpi test/launch.sh "$BUILD" "$n" "$BUILD/test/$name"; fi
        done
      done ;;
    *) for name in $(programs "$kind"); do program "$name" "$kind"; done ;;
  esac
}

while [ $# -gt 1 ]; do
  case $1 in
    --full) full=1 ranks="1 2 3 4 5 7 16" limit=3600 && shift ;;
    --brief) full=brief && shift ;;
    --only) kinds=$2 && shift 2 ;;
    --match) match=$2 && shift 2 ;;
    --ranks) ranks=$2 && shift 2 ;;
    --total) total "$2" && exit || exit 1 ;;
    *) echo "run.sh: unknown option $1" >&2 && exit 2 ;;
  esac
done
name=$1
BUILD=$(cd "$name" && pwd)
mpi=$(cat "$BUILD/mpi")
export BUILD SCREE_TEST_FULL=$full
unset CMOCKA_XML_FILE CMOCKA_MESSAGE_OUTPUT # the counts are read from cmocka's usual output
logs=$(mktemp -d)
export SCREE_TEST_RESULT=$logs/result
trap 'rm -rf "$logs"' EXIT
for kind in ${kinds//,/ }; do run_kind "$kind"; done
clear_line
if [ ${#reasons[@]} -gt 0 ]; then printf 'skipped: %s\n' "${reasons[@]}"; fi
echo "$passed $failed $skipped" >"$logs/tally"
if [ -n "${TALLY-}" ]; then cat "$logs/tally" >>"$TALLY" && printf '%s: ' "$name"; fi
total "$logs/tally"

#!/usr/bin/env bash
# one.sh - runs one test for meson, counts its checks, and leaves no process and no file.
#   one.sh BUILD NAME LOCK COMMAND...     LOCK: -x for a test that runs alone among those of several processes, -s for one of these; -
# Exit codes of launchers prove nothing (MPICH returns 0 for a rank that leaves early with 0), so a program has passed
# only if the harness's last line says so. A shell test prints `ok - WHAT`, `not ok - WHAT` or `skipped - WHAT # REASON`
# for each check, and returns 0 if none failed. A test that makes no check has failed. The last line counts.
# Environment: SCREE_TEST_LIMIT (seconds, default 600), SCREE_TEST_BUILT (what is tested is already built: ninja is not called),
# TALLY (a file that gets lines for support/tally.awk).
set -eu
cd "$(dirname "$0")/.."
export BUILD=$1
name=$2 lock=$3 limit=${SCREE_TEST_LIMIT:-600} built=${SCREE_TEST_BUILT-} tally=${TALLY:-/dev/null} program=${!#}
shift 3
unset SCREE_TEST_LIMIT SCREE_TEST_BUILT SCREE_TEST_RESULT TALLY MALLOC_PERTURB_ # tests run tests; meson draws the last
mapfile -t vars < <(env | grep -E '^(CC|SCREE_[A-Z_]*|[A-Z]*SAN_OPTIONS)=' | grep -v '=halt_on_error') # that is meson's
again="env ${vars[*]@Q} BUILD=$BUILD ${*@Q}"
. test/support/mpi.sh
# In a session of its own, as it outlives a signal that ends this process: it sees the pipe close.
work=$(mktemp -d)
exec 9> >(exec setsid bash -c '. test/support/signals.sh; mark=$1; cat; end_started; rm -rf "$2"' - "ONE_$$" "$work")
cleaner=$!
mkdir "$work/tmp" && touch "$work/result"
# Open MPI 5 leaves the file of its shared memory where a program ran without a launcher, Open MPI 4 that of a killed rank.
run=(env "ONE_$$=1" TMPDIR="$work/tmp" OMPI_MCA_btl_sm_backing_directory="$work" OMPI_MCA_btl_vader_backing_directory="$work"
  SCREE_TEST_RESULT="$work/result")
case $program in *.sh) targets="all tests" ;; *) targets="test/${program##*/} test/mpich_shim.so" ;; esac
[ -n "$built" ] || "${run[@]}" flock "$BUILD" ninja --quiet -C "$BUILD" $targets 9>&-
[ "$lock" = - ] || { exec 8>"$BUILD/test/lock" && flock "$lock" 8; }
rc=0 began=$SECONDS
"${run[@]}" timeout -k 10 "$limit" "$@" </dev/null >"$work/log" 2>&1 8>&- 9>&- || rc=$?

count() { grep -c "^$1 - " "$work/log" || :; }
case $program in
  *.sh) p=$(count ok) f=$(count 'not ok') s=$(count skipped) reasons=('^skipped - .* #' "$work/log") ;;
  *) read -r p f s < <(sed -nE 's/^harness: .* done, .* ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$work/result" |
    tail -n 1 | grep . || echo 0 0 0) && reasons=('^harness: skipped [^:]*:' "$work/result") ;;
esac
if [ "$f" = 0 ] && { [ $rc != 0 ] || [ $((p + s)) = 0 ]; }; then f=1; fi
lines="$p $f $s	$((SECONDS - began))	$name	$([ "$f" = 0 ] || echo "$again")
$(sed -nE "s/${reasons[0]} (.*)/0 0 0\tskipped\t$name\t\1/p" "${reasons[1]}")"
echo "$lines" >>"$tally" # in one piece
if [ "$f" = 0 ]; then
  cat "$work/log"
else
  awk -v most=45 -f test/support/failure.awk "$work/log" # of a log meson shows the last 100 lines
  echo "---- $name: code $rc$([ $rc != 124 ] || echo ", over $limit s"); to run it again: $again"
fi
echo "$p passed, $f failed, $s skipped"
exec 9>&- && wait $cleaner
[ "$f" = 0 ] || exit 1
[ "$p" != 0 ] || exit 77 # all are skipped

#!/usr/bin/env bash
# runner.sh - run.sh selects, starts, counts, shows and stops tests as its first comment says. Each check has a made-up
# checkout whose test programs are scripts.
#
# Rarely: it tests a tool, which changes less often than what the tool tests.
cd "$(dirname "$0")/../.."
. test/support/shell.sh
tree=$tmp/tree

new_tree() {
  rm -rf "$tree"
  mkdir -p "$tree"/test/{unit,sim,mpi,shell,support} "$tree/build/test"
  cp test/run.sh "$tree/test"
  cp test/support/{shell.sh,mpi.sh,signals.sh,failure.awk} "$tree/test/support"
  printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$tree/test/launch.sh" # a launcher of one rank
  chmod +x "$tree/test/launch.sh"
  echo openmpi >"$tree/build/mpi"
}

# program KIND NAME SOURCE: a test of that kind, as shell source
program() {
  local kind=$1 name=$2 source=$3
  if [ "$kind" = shell ]; then
    printf '%s\n' "$source" >"$tree/test/shell/$name.sh"
  else
    echo '/* made up */' >"$tree/test/$kind/${kind}_$name.c"
    printf '#!/bin/sh\ntell() { echo "$1" >>"$SCREE_TEST_RESULT"; }\n%s\n' "$source" >"$tree/build/test/${kind}_$name"
    chmod +x "$tree/build/test/${kind}_$name"
  fi
}

# run OPTION...: run.sh there; its output goes to $tmp/out and is shown, its code is returned
run() {
  local rc=0
  (cd "$tree" && unset TALLY && test/run.sh "$@" build) >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  return $rc
}

last_line() { [ "$(tail -n 1 "$tmp/out")" = "$1" ] || { cat "$tmp/out" && return 1; }; }
shows() { grep -qxE -- "$1" "$tmp/out" || { cat "$tmp/out" && return 1; }; }
shows_not() { ! grep -xE -- "$1" "$tmp/out"; }

# outcome KIND SOURCE EXPECTED: a program of that kind makes run.sh's last line EXPECTED, and its code fits
outcome() {
  local rc=0
  new_tree
  program "$1" made_up "$2"
  run --only "$1" --ranks 1 || rc=$?
  last_line "$3" || return 1
  case $3 in *" 0 failed"*) [ $rc = 0 ] ;; *) [ $rc = 1 ] ;; esac
}

# ---- outcomes of programs -------------------------------------------------------------------------------------------

done_line='harness: x done, 1 ranks,'
cmocka='[==========] 3 test(s) run.
[  PASSED  ] 2 test(s).
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] some_test'

check "all passed" outcome mpi "tell '$done_line 3 passed, 0 failed, 0 skipped'" "3 passed, 0 failed"
check "some failed" outcome mpi "tell '$done_line 2 passed, 1 failed, 0 skipped'; exit 1" "2 passed, 1 failed"
check "a skip and its reason" outcome unit \
  "tell 'harness: skipped t: no data: none'; tell '$done_line 1 passed, 0 failed, 1 skipped'" "1 passed, 0 failed, 1 skipped"
check "the reason is shown" shows 'skipped: 1 x no data: none \(unit_made_up\)'
check "a rank left early with code 0" outcome mpi "echo '[  PASSED  ] 3 test(s).'; exit 0" "0 passed, 1 failed"
check "killed behind the last line" outcome mpi "tell '$done_line 3 passed, 0 failed, 0 skipped'; kill -9 \$\$" \
  "3 passed, 1 failed"
check "plain cmocka" outcome unit "echo '$cmocka' >&2; exit 1" "2 passed, 1 failed"
check "a crash without a word" outcome sim "kill -SEGV \$\$" "0 passed, 1 failed"
check "a program that runs no test" outcome unit "exit 0" "0 passed, 1 failed"
check "a shell test" outcome shell "echo 'ok - a'; echo 'ok - b'; echo 'skipped - c: d # e'" "2 passed, 0 failed, 1 skipped"
check "its reason is shown" shows 'skipped: 1 x e \(made_up\)'
check "a shell test that fails" outcome shell "echo 'ok - a'; echo 'not ok - b'; exit 1" "1 passed, 1 failed"
check "a shell test that dies" outcome shell "echo 'ok - a'; exit 3" "1 passed, 1 failed"

# ---- what a failure shows -------------------------------------------------------------------------------------------

# A failure far above 229 lines that are fine.
flood='echo "ok - a"; echo "not ok - planted"; echo "    its detail"; for i in $(seq 229); do echo "ok - $i"; done; exit 1'
check "a failure among much that passed" outcome shell "$flood" "230 passed, 1 failed"
check "its complaint is the first line" [ "$(grep -A1 '^---- failed: made_up (code 1)' "$tmp/out" | tail -n 1)" = "not ok - planted" ]
check "the detail is below it" shows '    its detail'
check "what passed is not shown" shows_not 'ok - .*'
check "the line before the count names it" [ "$(tail -n 2 "$tmp/out" | grep -c '^failed: made_up; again: ')" = 1 ]

noise='for i in $(seq 300); do echo "noise $i"; done'
check "a failed check and a hang" outcome unit \
  "echo 'check failed: t, rank 0 of 1, a.c:1: no'; $noise; echo 'harness: t hung on rank 0 of 1; more'; exit 3" "0 passed, 1 failed"
check "both are the first lines" [ "$(grep -A2 '^---- failed' "$tmp/out" | tail -n 2 | cut -c1-7 | tr '\n' ' ')" = "check f harness " ]
check "then the end of the rest" shows 'noise 300'
check "not all of it" shows_not 'noise 1'

# The line that is printed to run a test again does so, from the root of the checkout.
again() {
  local line
  export ASAN_OPTIONS='a=b c' SCREE_TEST_SEED=7
  outcome "$1" "$2" "0 passed, 1 failed" >/dev/null
  line=$(sed -n 's/^failed: .*; again: //p' "$tmp/out")
  unset ASAN_OPTIONS SCREE_TEST_SEED
  echo "$line"
  (cd "$tree" && eval "$line") | tee "$tmp/again"
  [ "$(cat "$tmp/again")" = "not ok - $tree/build, a=b c, 7" ]
}
report='echo "not ok - $BUILD, $ASAN_OPTIONS, $SCREE_TEST_SEED"; exit 1'
check "the line that runs a shell test again" again shell "$report"
check "the line that runs a program again" again unit "$report"
check "the line that runs ranks again" again mpi "$report"

# ---- selection ------------------------------------------------------------------------------------------------------

some() {
  local name
  new_tree
  for name in cli cli_tune cli_sweep; do program shell $name "echo 'ok - $name'"; done
  program unit cli "tell '$done_line 4 passed, 0 failed, 0 skipped'"
}
some
check "by a part of the name" run --match cli
check "all that have it" last_line "7 passed, 0 failed"
check "by the whole name" run --match =cli
check "that one alone" last_line "1 passed, 0 failed"
check "by whole names" run --match =cli,cli_tune
check "those two" last_line "2 passed, 0 failed"
check "by kind" run --only unit
check "those alone" last_line "4 passed, 0 failed"
listed() { run --list --match cli && diff "$tmp/out" - <<<"test/shell/cli.sh
test/shell/cli_sweep.sh
test/shell/cli_tune.sh
test/unit/unit_cli.c"; }
check "the selection as a list" listed
nothing() {
  local rc=0
  run "$@" || rc=$?
  [ $rc = 2 ] && grep -q "run.sh: no test of the kinds .* has .*none_such.* in its name" "$tmp/out"
}
check "no name has the text" nothing --match none_such
whole() { ! run --match =none_such && [ $(grep -c "is called 'none_such'" "$tmp/out") = 1 ]; }
check "no test has the name" whole
one_of_two() { ! run --match =cli,none_such && [ $(grep -c "is called 'none_such'" "$tmp/out") = 1 ]; }
check "no test has one of the names" one_of_two
kind() { ! run --only units && grep -q "unknown kind 'units'; the kinds are" "$tmp/out"; }
check "no such kind" kind
new_tree
program shell common "echo 'ok - a'"
program shell rare "# Rarely: it takes long.
echo 'ok - b'"
left_out() { run --only shell && last_line "1 passed, 0 failed" && shows 'run.sh: left to --full and .ci/run: rare'; }
check "what runs rarely is left out, and named" left_out
check "with --full" run --only shell --full
check "it runs" last_line "2 passed, 0 failed"
check "where it is selected" run --match rare
check "it runs alone" last_line "1 passed, 0 failed"

# ---- programs that are older than their sources ---------------------------------------------------------------------

new_tree
program unit a "tell '$done_line 1 passed, 0 failed, 0 skipped'"
printf 'rule touch\n  command = touch $out\nbuild test/unit_a: touch ../test/unit/unit_a.c\n' >"$tree/build/build.ninja"
refused() {
  local rc=0
  run "$@" || rc=$?
  [ $rc = 2 ] && grep -q 'older than their sources: ./dev build build all tests' "$tmp/out"
}
check "a program that is to be built is not run" refused
check "it is built" ninja -C "$tree/build"
check "it is run" run
check "and counted" last_line "1 passed, 0 failed"

# ---- counts, order, how many at a time ------------------------------------------------------------------------------

many() {
  local i
  new_tree
  for i in $(seq -w 12); do program shell t$i "echo 'ok - a'; echo 'skipped - b # reason $((10#$i % 2))'"; done
}
many
check "many" run
check "one line for each reason" shows 'skipped: 6 x reason 0 \(t02, t04, t06, t08, t10, t12\)'
check "one line for the other" shows 'skipped: 6 x reason 1 \(t01, t03, t05, t07, t09, t11\)'
slowest() { tail -n 2 "$tmp/out" | head -n 1 | grep '^slowest: ' | tr ';' '\n' | grep -c ' s t'; }
check "the slowest ten, then the count" [ "$(slowest)" = 10 ]
check "the count is the last line" last_line "12 passed, 0 failed, 12 skipped"
tally() { (cd "$tree" && TALLY=$tmp/tally test/run.sh build >"$tmp/out") && last_line "build: 12 passed, 0 failed, 12 skipped" &&
  [ "$(test/run.sh --total "$tmp/tally")" = "12 passed, 0 failed, 12 skipped" ]; }
check "the sum of several runs" tally

# Each of two programs ends only if the other runs at the same time.
meet='touch "$TREE/$ME"; for i in $(seq 100); do [ ! -e "$TREE/$OTHER" ] || { echo "ok - met" && exit; }; sleep 0.1; done; exit 1'
together() {
  new_tree
  program shell a "ME=a OTHER=b TREE=$tree; $meet"
  program shell b "ME=b OTHER=a TREE=$tree; $meet"
  run && last_line "2 passed, 0 failed"
}
check "two at a time" together
beside() {
  new_tree
  program shell a "ME=a OTHER=b TREE=$tree; $meet"
  program shell b "ME=b OTHER=c TREE=$tree; $meet"
  program shell c "# Waits: it says so
ME=c OTHER=a TREE=$tree; $meet"
  run && last_line "3 passed, 0 failed"
}
check "one that waits beside two" beside
# No two of these run at the same time, and each runs with nothing else.
single='mkdir "$TREE/busy" || { echo "not ok - not alone"; exit 1; }; sleep 0.1; rmdir "$TREE/busy"; echo "ok - alone"'
apart() {
  local name
  new_tree
  for name in a b c d; do program shell $name "# $1: it says so
TREE=$tree; $single"; done
  run && last_line "4 passed, 0 failed"
}
check "those marked, one by one" apart Alone
check "those that wait, one by one" apart Waits
in_turn() {
  new_tree
  for name in a b c d; do program shell $name "TREE=$tree; $single"; done
  run --jobs 1 && last_line "4 passed, 0 failed"
}
check "all one by one" in_turn

# The program passes if its environment asks for that many cases.
told() {
  local how=$1
  shift
  new_tree
  program mpi a "[ \$SCREE_TEST_FULL = $how ] && tell 'harness: mpi_a done, 1 ranks, 1 passed, 0 failed, 0 skipped'"
  printf '/* made up\n *\n * Product: under one MPI */\n' >"$tree/test/mpi/mpi_a.c"
  run --full --only mpi --ranks 1 "$@" && last_line "1 passed, 0 failed"
}
check "the whole product under one MPI" told 1
check "the usual cases under the second one" told 0 --second

# ---- stopping -------------------------------------------------------------------------------------------------------

gone() {
  local pid
  for pid in "$@"; do if kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status"; then return 1; fi; done
}
# session TRAP: a test that starts a process in a session of its own, notes it, and waits for it
session() { echo "setsid sh -c '$1; echo \$\$ >$tree/pids.\$0; while :; do sleep 0.1; done' \$\$ & wait; wait"; }
# stops SIGNAL CODE TEST [COMMAND...]: a signal to the process group of a run, as a terminal sends it, ends all that the run started;
# COMMAND starts the run
stops() {
  local rc=0 pids
  new_tree
  program shell a "$3"
  program shell b "$3"
  program shell c "echo 'ok - never started'"
  (cd "$tree" && exec env --default-signal=INT setsid "${@:4}" test/run.sh --jobs 2 build) >"$tmp/out" 2>&1 &
  wait_for eval '[ "$(ls "$tree" | grep -c ^pids)" = 2 ]' || return 1
  pids=$(cat "$tree"/pids.*)
  kill "-$1" -- -$!
  wait $! || rc=$?
  cat "$tmp/out"
  echo "code $rc; pids" $pids
  [ "$rc" = "$2" ] && wait_for gone $pids && grep -q "stopped by SIG.* after 0 of 3 programs" "$tmp/out"
}
check "Ctrl-C ends all that it started" stops INT 130 "$(session :)"
check "TERM too" stops TERM 143 "$(session :)"
check "HUP too" stops HUP 129 "$(session :)"
attend='. test/support/signals.sh; on_signals end_child; attended "$@"' # as ./dev test --full and .ci/run
check "Ctrl-C, where a script waits for the run" stops INT 130 "$(session :)" bash -c "$attend" attend
check "TERM, where a script waits for the run" stops TERM 143 "$(session :)" bash -c "$attend" attend
check "by force what heeds no signal" stops TERM 143 "trap '' TERM; $(session 'trap "" TERM')"
finish

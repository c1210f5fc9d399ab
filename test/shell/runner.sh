#!/usr/bin/env bash
# runner.sh - run.sh counts what happened: tests of the runner, on made-up test programs.
#
# Room: one made-up checkout, one program in it at a time.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

# outcome KIND SOURCE EXPECTED: a program of that kind, as shell source, makes run.sh's last line EXPECTED
outcome() {
  local kind=$1 source=$2 expected=$3 rc=0
  rm -rf "$tmp/tree"
  mkdir -p "$tmp"/tree/test/{unit,sim,mpi,shell,support} "$tmp/tree/build/test"
  cp test/run.sh "$tmp/tree/test"
  cp test/support/shell.sh "$tmp/tree/test/support"
  printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$tmp/tree/test/launch.sh" # a launcher of one rank
  chmod +x "$tmp/tree/test/launch.sh"
  echo openmpi >"$tmp/tree/build/mpi"
  if [ "$kind" = shell ]; then
    printf '%s\n' "$source" >"$tmp/tree/test/shell/made_up.sh"
  else
    touch "$tmp/tree/test/$kind/${kind}_made_up.c"
    printf '#!/bin/sh\ntell() { echo "$1" >>"$SCREE_TEST_RESULT"; }\n%s\n' "$source" >"$tmp/tree/build/test/${kind}_made_up"
    chmod +x "$tmp/tree/build/test/${kind}_made_up"
  fi
  (cd "$tmp/tree" && unset TALLY && test/run.sh --only "$kind" --ranks 1 build) >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ "$(tail -n 1 "$tmp/out")" = "$expected" ] || return 1
  case $expected in *" 0 failed"*) [ $rc = 0 ] ;; *) [ $rc != 0 ] ;; esac
}

done_line='harness: x done, 1 ranks,'
cmocka='[==========] 3 test(s) run.
[  PASSED  ] 2 test(s).
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] some_test'

check "all passed" outcome mpi "tell '$done_line 3 passed, 0 failed, 0 skipped'" "3 passed, 0 failed"
check "some failed" outcome mpi "tell '$done_line 2 passed, 1 failed, 0 skipped'; exit 1" "2 passed, 1 failed"
check "a skip and its reason" outcome unit \
  "tell 'harness: skipped t: no data'; tell '$done_line 1 passed, 0 failed, 1 skipped'" "1 passed, 0 failed, 1 skipped"
check "the reason is shown" grep -qx 'skipped: unit_made_up: t: no data' "$tmp/out"
check "a rank left early with code 0" outcome mpi "echo '[  PASSED  ] 3 test(s).'; exit 0" "0 passed, 1 failed"
check "killed behind the last line" outcome mpi "tell '$done_line 3 passed, 0 failed, 0 skipped'; kill -9 \$\$" \
  "3 passed, 1 failed"
check "plain cmocka" outcome unit "echo '$cmocka' >&2; exit 1" "2 passed, 1 failed"
check "a crash without a word" outcome sim "kill -SEGV \$\$" "0 passed, 1 failed"
check "a program that runs no test" outcome unit "exit 0" "0 passed, 1 failed"
check "a shell test" outcome shell "echo 'ok - a'; echo 'ok - b'; echo 'skipped - c: d'" "2 passed, 0 failed, 1 skipped"
check "a shell test that fails" outcome shell "echo 'ok - a'; echo 'not ok - b'; exit 1" "1 passed, 1 failed"
check "a shell test that dies" outcome shell "echo 'ok - a'; exit 3" "1 passed, 1 failed"
finish

#!/usr/bin/env bash
# one.sh - test/one.sh counts the checks of a test, however it ends, and leaves no process or file; every test is one of
# meson's.
. "$(dirname "$0")/../support/shell.sh"
export TALLY=$tmp/tally TMPDIR=$tmp/work SCREE_TEST_BUILT=1
mkdir "$TMPDIR"

# one sh|program SOURCE: runs a test that consists of that shell source
one() {
  local file=$tmp/made_up
  [ "$1" = program ] || file+=.sh
  printf '#!/bin/bash\ntell() { echo "harness: $1" >>"$SCREE_TEST_RESULT"; }\n%s\n' "$2" >"$file" && chmod +x "$file"
  rm -f "$TALLY"
  exec test/one.sh "$BUILD" made_up -s "$file"
}
# counts CODE "PASSED FAILED SKIPPED" sh|program SOURCE: such a test has that code and these counts
counts() {
  local rc=0
  (one "$3" "$4") >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out" "$TALLY"
  [ $rc = "$1" ] && [ "$(head -n 1 "$TALLY" | cut -f 1)" = "$2" ] && rmdir "$TMPDIR" && mkdir "$TMPDIR"
}
shows() { grep -qE -- "$1" "$tmp/out" || { cat "$tmp/out" && return 1; }; }

last='x done, 1 ranks,'
check "all passed" counts 0 "3 0 0" program "tell '$last 3 passed, 0 failed, 0 skipped'"
check "some failed" counts 1 "2 1 0" program "tell '$last 2 passed, 1 failed, 0 skipped'; exit 1"
check "no last line, code 0" counts 1 "0 1 0" program "echo '[  PASSED  ] 3 test(s).'"
check "killed after its last line" counts 1 "3 1 0" program "tell '$last 3 passed, 0 failed, 0 skipped'; kill -9 \$\$"
check "a crash without a word" counts 1 "0 1 0" program 'kill -SEGV $$'
check "no check in a program" counts 1 "0 1 0" program "tell '$last 0 passed, 0 failed, 0 skipped'"
check "no check in a script" counts 1 "0 1 0" sh :
check "a script" counts 0 "2 0 1" sh "echo 'ok - a'; echo 'ok - b'; echo 'skipped - c: d # e'"
check "the reason to skip" grep -qx $'0 0 0\tskipped\tmade_up\te' "$TALLY"
check "all is skipped" counts 77 "0 0 1" program "tell 'skipped t: no data'; tell '$last 0 passed, 0 failed, 1 skipped'"
check "a script that dies" counts 1 "1 1 0" sh "echo 'ok - a'; exit 3"
SCREE_TEST_LIMIT=1 check "one that takes too long" counts 1 "1 1 0" sh "echo 'ok - a'; sleep 1000"
check "the limit" shows 'code 124, over 1 s'
check "a failure among much that passed" counts 1 "300 1 0" sh \
  'echo "not ok - planted"; echo "    its detail"; for i in $(seq 300); do echo "ok - $i"; done; exit 1'
check "its complaint is the first line" [ "$(head -n 2 "$tmp/out")" = $'not ok - planted\n    its detail' ]
# The line that is printed to run a test again does so, from the root of the checkout.
again() {
  counts 1 "0 1 0" "$1" 'echo "not ok - $BUILD, $ASAN_OPTIONS, $SCREE_TEST_SEED"; exit 1'
  eval "$(sed -n 's/^----.* to run it again: //p' "$tmp/out")" | tee "$tmp/again"
  [ "$(cat "$tmp/again")" = "not ok - $BUILD, a=b c, 7" ]
}
ASAN_OPTIONS='a=b c' SCREE_TEST_SEED=7 check "a script again" again sh
ASAN_OPTIONS='a=b c' SCREE_TEST_SEED=7 check "a program again" again program

total() { awk -v head=x: -f test/support/tally.awk <(printf '%b' "$1") >"$tmp/out"; }
check "the sum" total '2 0 1\t3\ta\t\n0 0 0\tskipped\ta\twhy\n4 0 0\n'
check "what was skipped, what took long, the count" diff "$tmp/out" - <<<$'skipped: 1 x why (a)\nslowest: 3 s a\nx:6 passed, 0 failed, 1 skipped'
check "a failure" eval '! total "2 0 0\t3\ta\t\n0 1 0\t1\tb\tagain b\n" && shows "^failed: b; again: again b$"'
check "nothing passed" eval '! total ""'

# ends SIGNAL TRAP: a test whose process is in a session of its own: that and the files go where the runner ends so.
gone() { ! kill -0 "$(cat "$tmp/pid")" 2>/dev/null && [ -z "$(ls "$TMPDIR")" ]; }
ends() {
  rm -f "$tmp/pid"
  one sh "setsid bash -c '$2; echo \$\$ >$tmp/pid; while :; do sleep 0.1; done' & wait" >"$tmp/out" 2>&1 &
  wait_for [ -s "$tmp/pid" ] && kill "-$1" $! && wait_for gone
}
check "SIGTERM" ends TERM :
check "SIGKILL, and what heeds no SIGTERM" ends KILL "trap \"\" TERM"

named() { meson test -C "$BUILD" --no-rebuild --list --suite unit --suite sim --suite mpi --suite shell --suite doc --suite rare | sed -E 's|.* / ||; s/-[0-9]+$|_mpi$//'; }
sources() { ls test/*/{unit,sim,mpi,doc}_*.c test/shell/*.sh test/doc/*.sh | grep -vE '^test/sim_mpi/' | sed -E 's|.*/||; s/\.(c|sh)$//'; }
check "every test is one of meson's" diff <(named | sort -u) <(sources | sort -u)
finish

#!/usr/bin/env bash
# soak.sh - the soak plays programs without a loss, and notices what is planted: a message lost, doubled or changed, a
# failure, a rank that stops. What it prints replays the program.
. "$(dirname "$0")/../support/shell.sh"

export SCREE_TEST_SOAK_FOR=1 # seconds of a launch
soak() { test/soak.sh --build "$BUILD" --ranks 3 --seed 4 "$@" >"$tmp/out" 2>&1; }
last() { tail -n 1 "$tmp/out" | grep -qE "$1" || { cat "$tmp/out" && return 1; }; }

clean() { soak 1 "$@" && last ' [1-9][0-9]* epochs, [1-9][0-9]* messages, 0 losses$'; }

# notices PLANT TEXT [OPTION...]: fails and says so
notices() {
  export SCREE_TEST_PLANT=$1
  ! soak 20 --set overflow-max=0 "${@:3}" && last ' [1-9][0-9]* losses$' && grep -qE "$2" "$tmp/out" && return
  cat "$tmp/out"
  return 1
}

# The last failure again, by the line that it printed.
replays() {
  local words number
  export SCREE_TEST_PLANT=$1
  words=$(sed -n 's/^soak: to replay: .\/dev soak //p' "$tmp/out")
  number=$(sed -nE 's/^soak: to replay: .* --program ([0-9]+) .*/\1/p' "$tmp/out")
  ! test/soak.sh $words >"$tmp/out" 2>&1 && grep -qE "soak: program $number, epoch .* messages sent" "$tmp/out" && return
  cat "$tmp/out"
  return 1
}

refuses_option() { ! test/soak.sh --build "$BUILD" 1 --set memory=7 >"$tmp/out" 2>&1 && grep -q 'option .memory' "$tmp/out"; }

# Ends as soon as a message was handled, and continues with the text of its ledger: the sums of two launches.
goes_on() {
  soak 30 --messages 1 --mixed --ledger "$tmp/ledger" && last ' 1 launches, .* 0 losses$' || return 1
  soak 1 --ledger "$tmp/ledger" && last " 2 launches, .* $(awk '{ n += $12 } END { print n }' "$tmp/ledger") messages, 0 losses$" || return 1
  cat "$tmp/ledger"
  [ "$(sort -u "$tmp/ledger" | awk '$1 == "seed" && $2 == 4' | wc -l)" = 2 ]
}

differ='program [0-9]*, epoch [0-9]*: [0-9]* messages sent, [0-9]* handled'
check "drawn options" clean
check "default options" clean --default
check "ranks without a launcher" clean --local
check "a number of messages, and a ledger to go on with" goes_on
check "a message that they lose" notices lose "$differ" --local
check "again, without a launcher" replays lose
check "a lost message" notices lose "$differ"
check "again, by the line that replays it" replays lose
check "a message handled twice" notices twice "$differ"
check "a changed byte" notices damage "$differ, sums of hashes"
launch_seed() { sed -nE 's/^soak: to replay: .* --seed ([0-9]+) .*/\1/p' "$tmp/out"; }
first=$(launch_seed)
check "a world that fails" notices fail 'ended on rank .* planted'
check "the same seed draws the same launch" [ "${first:-none}" = "$(launch_seed)" ]
export SCREE_TEST_PROGRESS=1
check "a rank that stops" notices hang 'stuck: no counter of any rank changed for 4 s' --stuck 4
check "how far the ranks are" grep -qE 'traffic: rank [0-2] of 3: program [0-9]+, epoch [0-9]+ of [0-9]+, [0-9]+ messages handled in it: the same as 1 s ago' "$tmp/out"
unset SCREE_TEST_PROGRESS
check "the report of the other ranks" grep -q 'scree: report of rank .* of 3' "$tmp/out"
check "an option out of its range" refuses_option
finish

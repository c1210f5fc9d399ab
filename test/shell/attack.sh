#!/usr/bin/env bash
# attack.sh - jobs whose ranks are killed, and threats, pass the attack's checks, and each check notices what it is there
# for.
. "$(dirname "$0")/../support/shell.sh"

attack() { test/attack.sh --build "$BUILD" --hosts 1 --within 60 "$@" >"$tmp/out" 2>&1; }
passes() { attack "$@" && return || { cat "$tmp/out" && return 1; }; }
says() { grep -qE "$1" "$tmp/out" || { cat "$tmp/out" && return 1; }; }

notices_what_is_left() {
  export SCREE_TEST_ATTACK_PLANT=traces
  ! attack 1 --seed 2 --job answer --way SIGKILL --within 0 && unset SCREE_TEST_ATTACK_PLANT || { cat "$tmp/out" && return 1; }
}
# A job that was over before the kill is not a trial; one that is not whole has failed.
late() { SCREE_TEST_ATTACK_PLANT=late passes 1 --seed 6 --job answer --way SIGKILL; }
not_whole() {
  ! SCREE_TEST_ATTACK_PLANT=$1 attack 1 --seed 6 --job answer --way SIGKILL || { cat "$tmp/out" && return 1; }
  says 'its code is 0, but its answer is not whole'
}

check "a rank that is killed" passes 1 --seed 6 --job bfs --way SIGKILL
check "a rank that ends its process" passes 1 --seed 2 --job cc --way exit
check "a rank without a launcher that is killed" passes 1 --seed 7 --job bfs --way SIGKILL --local
check "it is a rank" says "rank 1 by SIGKILL"
check "a parent of such ranks that is killed" passes 1 --seed 2 --job cc --way SIGKILL --local
check "it is the parent" says "their parent by SIGKILL"
check "a kill that comes when the job is over" late
check "such a job is not a trial" says '^attack: 1 trials, 1 passed, 0 failed; .*; [1-9][0-9]* jobs more were over before$'
check "a job that ends with code 0 without all of its output" not_whole late_text
check "a job that ends with code 0 without all of its files" not_whole late_file
check "a job that leaves traces and takes too long" notices_what_is_left
check "half a file" says 'half written under its final name: answer \(2 of [0-9]+ bytes\)'
check "no reason" says 'nobody says why'
check "a process" says 'processes remain: [0-9]+'
check "a name in /dev/shm" says 'names remain: /dev/shm/scree-[0-9]+-planted'
# Where jobs were over before their kill, it is not the first one that was drawn.
trial() { sed -nE 's/^(not )?ok - (trial [0-9]+: .*) after [0-9]+ ms:.*/\2/p' "$tmp/out"; }
before=$(trial) number=$(trial | sed -E 's/trial ([0-9]+):.*/\1/')
check "the line that replays it" says "to replay: ./dev attack 1 --seed 2 --first $number "
same_trial() {
  for _ in 1 2 3 4 5; do
    attack 1 --seed 2 --first "$number" --job answer --way SIGKILL --within 0
    echo "$before, then $(trial)"
    [ -n "$before" ] && [ "$(trial)" = "$before" ] && return
  done
  return 1
}
check "the time that it took" says 'it took [0-9]+ ms to end'
check "the same seed draws the same trial" same_trial
threat() { ! SCREE_TEST_ATTACK_PLANT=harm attack 1 --seed 2 --threat "$1" && says "^not ok - trial .*: $1, [a-z]*, harmed, "; }
for name in $(. test/support/threats.sh && . test/support/hardships.sh && echo "${threats[@]}"); do
  check "the threat $name does no harm, which would be noticed" threat "$name"
done
[ "$(id -u)" = 0 ] || skipped "threats of another user" "only root can give a file to another user"
finish

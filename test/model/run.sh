#!/usr/bin/env bash
# run.sh - has SPIN search all states of the models in this folder, and sees that each of their mutants is found.
#   run.sh [--small] [TEXT]    --small: the instances and mutants that take seconds; TEXT: rows that contain it
# A row of `all_rows` is an instance of a model. Of the correct model each property must hold in all states; a mutant must
# violate the property that its row names. `live` searches for executions without end in which nothing progresses, under
# weak fairness; `safe` for violated assertions and for states in which the model stops too early. A row that runs out of
# memory, depth or time is a failure. SPIN needs the compiler.
# Environment: CC, SCREE_MODEL_SECONDS (most for one row, default 500).
set -u
cd "$(dirname "$0")"
small=0
[ "${1-}" != --small ] || { small=1 && shift; }
text=${1-} at_once=$(nproc) limit=${SCREE_MODEL_SECONDS-500} megabytes=3500 # two at once stay below 8 GiB
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. ../support/signals.sh
on_signals end_started

format='%-13s %-61s %10s %6s %7s  %s\n'

# property OUTPUT: what SPIN found to be violated
property() {
  case $(grep -a '^pan:1: ' "$1") in
    *'asked[w]'*) echo "requests without end" ;;
    *'waits[0]'*) echo "a lifeline lost" ;;
    *'ran<='*) echo "handled twice" ;;
    *'!(left)'*) echo "early end" ;;
    *'!(alarm)'*) echo "more released than held" ;;
    *'!(alive'* | *'!(busy'* | *'(busy)'*) echo "early end" ;;
    *'begun_by[2]>k'*) echo "early end" ;;
    *'epoch==k'*) echo "handled in another epoch" ;;
    *'kind==0'*) echo "handled before the rank has begun" ;;
    *'over||happened'*) echo "a round too many" ;;
    *'invalid end state'*) echo "missed end" ;;
    *'non-progress'*) echo "starvation" ;;
    *'inside==1'* | *'locks[2]'*) echo "mutual exclusion" ;;
    *'high_is_next'*) echo "a low before a high" ;;
    *'.serving==mine'*'&&'* | *'&&'*'.serving==mine'*) echo "mutual exclusion" ;;
    *'.serving==mine'*) echo "the flag without H" ;;
    *'locks[0].next'*) echo "B kept for nobody" ;;
    *) echo "unknown: $(grep -a '^pan:1: ' "$1")" ;;
  esac
}

number() { sed -nE "s/$2/\\1/p" "$1" | head -n 1; }

# search DIR KIND MODEL DEFINITION...: 0: all states were searched or a property is violated; else prints why not
search() {
  local dir=$1 kind=$2 model=$3 rc=0
  local -a compiled=(-DSAFETY) searched=()
  shift 3
  [ "$kind" = safe ] || compiled=(-DNP -DNFAIR=3) searched=(-l -f)
  (cd "$dir" && spin -a "$@" "$OLDPWD/$model.pml") >"$dir/log" 2>&1 && [ -e "$dir/pan.c" ] || { head -n 1 "$dir/log" && return 1; }
  (cd "$dir" && ${CC:-gcc} -w -O1 -DCOLLAPSE -DMEMLIM=$megabytes "${compiled[@]}" -o pan pan.c) >"$dir/log" 2>&1 ||
    { head -n 1 "$dir/log" && return 1; }
  (cd "$dir" && env $mark=1 timeout "$limit" ./pan -m2000000 -w20 "${searched[@]}") >"$dir/out" 2>&1 || rc=$?
  [ $rc != 124 ] || { echo "not done in $limit s" && return 1; }
  grep -q '^State-vector' "$dir/out" || { echo "ended with code $rc: $(head -n 1 "$dir/out")" && return 1; }
  if grep -qE 'max search depth too small|Search not completed' "$dir/out" && grep -q 'errors: 0' "$dir/out"; then
    grep -oE 'max search depth too small|reached -DMEMLIM|out of memory' "$dir/out" | head -n 1
    return 1
  fi
}

# row SIZE KIND EXPECTED MODEL WHAT DEFINITION...: EXPECTED is `holds`, or the property that is violated
row() {
  local size=$1 kind=$2 expected=$3 model=$4 what=$5 dir out found result=0
  shift 5
  [ $small = 0 ] || [ "$size" = small ] || return 0
  case "$model $what $expected" in *"$text"*) ;; *) return 0 ;; esac
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  {
    dir=$(mktemp -d "$work/XXXXXX")
    if ! out=$(search "$dir" "$kind" "$model" "$@"); then
      found="FAILED: $out" result=1
    elif grep -q 'errors: 0' "$dir/out"; then
      found=holds
    else
      found=$(property "$dir/out")
    fi
    if [ $result = 0 ] && [ "$found" != "$expected" ]; then found="FAILED: $found; expected: $expected" result=1; fi
    [ "$found" = holds ] || [ $result = 1 ] || found="found: $found"
    touch "$dir/out"
    printf "$format" "$model" "$what" "$(number "$dir/out" ' *([0-9]+) states, stored.*')" \
      "$(number "$dir/out" ' *([0-9]+)[0-9.]*\ttotal actual memory usage.*')" \
      "$(number "$dir/out" 'pan: elapsed time ([0-9.e+]+) seconds.*')" "$found"
    echo $result >>"$work/verdicts"
    rm -rf "$dir"
  } &
}

all_rows() {
  local one="-DNODES=1" two="-DNODES=2" three="-DNODES=3"
  # ---- the end of epochs: as the code has it
  row small safe holds epoch "one node, 3 epochs, the second of one worker" $one -DEPOCHS=3 -DPAIRS=5 -DSENDS=112
  row small safe holds epoch "rounds, 3 epochs, the second of one worker" $two -DEPOCHS=3 -DPAIRS=5 -DSENDS=111
  row small live holds epoch "one node, every epoch ends" $one -DFAIR -DEPOCHS=2 -DPAIRS=1 -DSENDS=11
  row small live holds epoch "rounds, every epoch ends" $two -DFAIR -DEPOCHS=2 -DPAIRS=1 -DSENDS=11
  row small safe holds epoch "one node, a progress thread" $one -DPROGRESS_THREAD -DEPOCHS=3 -DPAIRS=5 -DSENDS=112
  row small safe holds epoch "rounds, a progress thread" $two -DPROGRESS_THREAD -DEPOCHS=3 -DPAIRS=3 -DSENDS=101
  row small live holds epoch "one node, a progress thread, every epoch ends" $one -DPROGRESS_THREAD -DFAIR -DEPOCHS=2 -DPAIRS=1 -DSENDS=11
  row full safe holds epoch "one node, 3 messages" $one -DEPOCHS=1 -DPAIRS=1 -DSENDS=3
  row full safe holds epoch "rounds, 3 messages" $two -DEPOCHS=1 -DPAIRS=1 -DSENDS=3
  row full safe holds epoch "one node, 4 epochs, one empty" $one -DEPOCHS=4 -DPAIRS=13 -DSENDS=2012
  row full safe holds epoch "rounds, 4 epochs, one empty" $two -DEPOCHS=4 -DPAIRS=13 -DSENDS=1011
  row full safe holds epoch "rounds, empty epochs before messages" $two -DEPOCHS=4 -DPAIRS=13 -DSENDS=2000
  row full safe holds epoch "one node, without hints" $one -DEPOCHS=3 -DPAIRS=5 -DSENDS=111 -DHINTS_IGNORED
  row full safe holds epoch "rounds, without hints" $two -DEPOCHS=2 -DPAIRS=1 -DSENDS=11 -DHINTS_IGNORED
  row full safe holds epoch "one node, a hold" $one -DEPOCHS=1 -DPAIRS=1 -DSENDS=1 -DHOLDS=1
  row full safe holds epoch "rounds, a hold" $two -DEPOCHS=1 -DPAIRS=1 -DSENDS=1 -DHOLDS=1
  row full safe holds epoch "rounds, 3 nodes" $three -DEPOCHS=2 -DSENDS=12
  # ---- its mutants
  row small safe "missed end" epoch "mutant: token of a parked worker counted" $two -DTOKEN_OF_PARKED -DEPOCHS=2 -DPAIRS=1 -DSENDS=0
  row small live starvation epoch "mutant: token of a parked worker counted" $one -DTOKEN_OF_PARKED -DFAIR -DEPOCHS=2 -DPAIRS=1 -DSENDS=1
  row small safe "missed end" epoch "mutant: the progress thread begins the epoch after the call" \
    $one -DPROGRESS_THREAD -DPROGRESS_BEGINS_EARLY -DHINTS_IGNORED -DEPOCHS=2 -DPAIRS=1 -DSENDS=10
  row small safe "missed end" epoch "mutant: tokens of this epoch times epochs" $one -DTOKENS_NOT_SUMMED -DEPOCHS=2 -DPAIRS=1 -DSENDS=0
  row small safe "early end" epoch "mutant: no tokens" $one -DNO_TOKENS -DHINTS_IGNORED -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  row small safe "handled before the rank has begun" epoch "mutant: next epoch's block handled when one of two has begun" \
    $one -DDUE_WHEN_ONE_HAS_BEGUN -DEPOCHS=2 -DPAIRS=3 -DSENDS=10
  row small safe "handled before the rank has begun" epoch "mutant: a block to itself handled before the other has begun" \
    $one -DDUE_TO_ITSELF -DEPOCHS=2 -DPAIRS=3 -DSENDS=10
  row small safe "handled in another epoch" epoch "mutant: parity ignored" $two -DPARITY_IGNORED -DEPOCHS=2 -DPAIRS=3 -DSENDS=10
  row small safe "missed end" epoch "mutant: parity of the epochs that the worker had" \
    $one -DPARITY_OF_OWN_EPOCHS -DEPOCHS=3 -DPAIRS=5 -DSENDS=100
  row small safe "early end" epoch "mutant: first worker's idle taken for the rank's" \
    $one -DFIRST_IDLE_FOR_THE_RANK -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  row small safe "early end" epoch "mutant: completed counted when the handler returns" \
    $one -DCOUNTED_WHEN_HANDLED -DEPOCHS=1 -DPAIRS=1 -DSENDS=2
  row small safe "early end" epoch "mutant: idle with an open lane" $one -DIDLE_WITH_AN_OPEN_LANE -DEPOCHS=1 -DPAIRS=1 -DSENDS=2
  row small safe "early end" epoch "mutant: created stored after publication" $one -DCREATED_AFTER_PUSH -DEPOCHS=1 -DPAIRS=1 -DSENDS=2
  row small safe "early end" epoch "mutant: created read before completed" $one -DCREATED_READ_FIRST -DEPOCHS=1 -DPAIRS=1 -DSENDS=2
  row small safe "early end" epoch "mutant: one balanced round is enough" $two -DONE_ROUND -DEPOCHS=1 -DPAIRS=1 -DSENDS=2
  row small safe "early end" epoch "mutant: a hold counted when idle" $one -DHOLD_COUNTED_LATE -DEPOCHS=1 -DPAIRS=1 -DSENDS=0 -DHOLDS=2
  row small safe "early end" epoch "wrong program: idle, then sends unasked" $one -DIDLE_TAKEN_BACK -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  # ---- a send that fails, whose block may arrive all the same
  local failed="-DFAILED_SEND -DEPOCHS=1 -DPAIRS=1"
  row small safe holds epoch "a send fails" $two $failed -DSENDS=1
  row full safe holds epoch "a send fails, 2 messages" $two $failed -DSENDS=2
  row small live holds epoch "a send fails, the epoch ends" $two $failed -DFAIR -DSENDS=1
  row full safe holds epoch "a send fails, 3 nodes, 3 messages" $three $failed -DSENDS=3
  row small safe "missed end" epoch "mutant: its block counted as handled" $two $failed -DFAILED_SEND_WRITTEN_OFF -DSENDS=1
  row small safe "early end" epoch "mutant: its block missing before all know of the failure" \
    $two $failed -DDOUBTFUL_WITHOUT_ACKNOWLEDGEMENT -DSENDS=2
  # ---- a gather that one rank has given up before the epoch, while the other begins it with the workers of the call
  local gather="-DNODES=2 -DFAILED_GATHER"
  row small safe holds epoch "a rank gives up a gather, the other has two workers" $gather -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  row small safe holds epoch "a rank of two workers gives up a gather" $gather -DEPOCHS=2 -DPAIRS=1 -DSENDS=11
  row full safe holds epoch "a rank gives up a gather, 2 epochs" $gather -DEPOCHS=2 -DPAIRS=3 -DSENDS=11
  row small live holds epoch "a rank gives up a gather, the epoch ends" $gather -DFAIR -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  row small safe "missed end" epoch "mutant: tokens compared after a failed gather" \
    $gather -DTOKENS_COMPARED -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  row small safe "missed end" epoch "mutant: the same, of a rank with two workers" \
    $gather -DTOKENS_COMPARED -DEPOCHS=1 -DPAIRS=0 -DSENDS=1
  row small safe "early end" epoch "mutant: acknowledged before the rank's other worker has begun" \
    $gather -DACKNOWLEDGED_ALONE -DEPOCHS=1 -DPAIRS=1 -DSENDS=0
  # ---- more is released than held
  row small safe "more released than held" epoch "wrong program: each hold released twice" \
    $two -DRELEASED_TWICE -DEPOCHS=1 -DPAIRS=1 -DSENDS=0 -DHOLDS=1
  row small safe "missed end" epoch "mutant: that program, unchecked" \
    $two -DRELEASED_TWICE -DNOT_CHECKED -DEPOCHS=1 -DPAIRS=1 -DSENDS=0 -DHOLDS=1
  row small safe "more released than held" epoch "mutant: releases and holds of one round compared" \
    $two -DCHECKED_IN_ONE_ROUND -DEPOCHS=1 -DPAIRS=1 -DSENDS=1 -DHOLDS=1
  # ---- an epoch in which nothing happened ends after one round
  row small safe holds epoch "one round if nothing happened, 3 nodes" $three -DONE_ROUND_RULE -DEPOCHS=2 -DSENDS=11
  row full safe holds epoch "one round if nothing happened, 2 workers" $two -DONE_ROUND_RULE -DEPOCHS=3 -DPAIRS=5 -DSENDS=101
  row full safe holds epoch "one round if nothing happened, 2 workers" $two -DONE_ROUND_RULE -DEPOCHS=2 -DPAIRS=3 -DSENDS=20
  row full safe holds epoch "one round if nothing happened, 2 holds" $three -DONE_ROUND_RULE -DEPOCHS=1 -DSENDS=1 -DHOLDS=2
  row small safe "early end" epoch "mutant: that rule, without a look at holds" \
    $three -DONE_ROUND_RULE -DRULE_WITHOUT_HOLDS -DEPOCHS=1 -DSENDS=1 -DHOLDS=1
  row full safe "early end" epoch "mutant: that rule, if holds are balanced" \
    $three -DONE_ROUND_RULE -DRULE_HOLDS_BALANCED -DEPOCHS=1 -DSENDS=1 -DHOLDS=2
  row small safe "early end" epoch "mutant: that rule, joined before all are idle" \
    $two -DONE_ROUND_RULE -DJOINS_BEFORE_ALL_ARE_IDLE -DEPOCHS=1 -DPAIRS=1 -DSENDS=1
  # ---- the end of a scope of tasks
  row small safe holds scope "3 workers, 6 tasks" -DWORKERS=3 -DSPAWNS=5
  row small safe holds scope "2 workers, 7 tasks" -DWORKERS=2 -DSPAWNS=6
  row full safe holds scope "4 workers, 6 tasks" -DWORKERS=4 -DSPAWNS=5
  row small safe "early end" scope "mutant: acknowledged before its children" -DWORKERS=2 -DSPAWNS=2 -DACKNOWLEDGED_AT_ONCE
  row small safe "early end" scope "mutant: a part left with messages outstanding" -DWORKERS=3 -DSPAWNS=2 -DLEFT_WITH_OUTSTANDING
  row small safe "missed end" scope "mutant: a part that is never left" -DWORKERS=2 -DSPAWNS=1 -DPART_KEPT
  # ---- closures that move
  local rank="-DSKIPPED=2" ranks="-DSKIPPED=1"
  row small safe holds steal "2 workers of a rank, 5 closures" $rank -DCLOSURES=3 -DSPAWNS=2
  row full safe holds steal "2 ranks, 3 closures" $ranks -DCLOSURES=2 -DSPAWNS=1
  row full safe holds steal "2 ranks, 4 closures" $ranks -DCLOSURES=3 -DSPAWNS=1
  row small safe "early end" steal "mutant: a closure exposed without a hold" $rank -DNO_HOLD
  row small safe "early end" steal "mutant: a hold released before the thief is idle" $rank -DRELEASED_AT_ONCE -DSPAWNS=2
  row small safe "early end" steal "mutant: idle before it has asked" $ranks -DASKS_WHEN_IDLE
  row small safe "requests without end" steal "mutant: no lifelines" $ranks -DASKS_ON
  row small safe "a lifeline lost" steal "mutant: a lifeline forgotten" $ranks -DLIFELINE_FORGOTTEN
  row small safe "handled twice" steal "mutant: a closure given and kept" $ranks -DLOOT_TWICE
  # ---- the priority lock
  local pair="-DHIGHS=2 -DLOWS=2" endless="-DENTRIES=0 -DWATCHED=0"
  row small safe holds priority_lock "2 highs, 2 lows" $pair $endless
  row full safe holds priority_lock "3 highs, 2 lows" -DHIGHS=3 -DLOWS=2 $endless
  row full safe holds priority_lock "2 highs, 3 lows" -DHIGHS=2 -DLOWS=3 $endless
  row full live holds priority_lock "no high starves" $pair -DENTRIES=0 -DWATCHED=1
  row small live holds priority_lock "no low starves once no high comes" $pair -DENTRIES=1 -DWATCHED=2
  row full live holds priority_lock "no low starves once no high comes" $pair -DENTRIES=2 -DWATCHED=2
  row small live starvation priority_lock "known: lows starve while highs keep coming" $pair -DENTRIES=0 -DWATCHED=2
  row small safe "a low before a high" priority_lock "mutant: B released with highs waiting" \
    $pair $endless -DB_RELEASED_WITH_HIGHS_WAITING
  row small safe "mutual exclusion" priority_lock "mutant: B released, the flag left" $pair $endless -DB_RELEASED_WITH_THE_FLAG
  row small safe "B kept for nobody" priority_lock "mutant: B never released" $pair $endless -DB_NEVER_RELEASED
  row small safe "the flag without H" priority_lock "mutant: H released before the look at its queue" \
    $pair $endless -DH_RELEASED_BEFORE_THE_LOOK
  row small safe "the flag without H" priority_lock "mutant: H released between the look and B" $pair $endless -DH_RELEASED_BEFORE_B
}

count() { grep -c "^$1\$" "$work/verdicts"; }

began=$SECONDS
touch "$work/verdicts"
printf "$format" model "instance or mutant" states MiB seconds result
all_rows
wait
passed=$(count 0) failed=$(count 1)
[ $((passed + failed)) -gt 0 ] || { echo "run.sh: no row contains '$text'" >&2 && exit 2; }
echo "$passed passed, $failed failed, in $((SECONDS - began)) s"
if [ -n "${TALLY-}" ]; then echo "$passed $failed 0" >>"$TALLY"; fi
[ "$failed" = 0 ]

#!/usr/bin/env bash
# weak.sh - plays programs over the simulated memory of test/weak, which ./dev weak has built.
#   weak.sh [SEEDS]              all programs; SEEDS: of the first program, the others play a share of them (default 100)
#   weak.sh --orders [NAME...]   weakens each memory order of the sources by one step, or those whose names contain a NAME, and sees
#                                that a program fails
#   weak.sh --drawn N [SEED]     N of these mutants, drawn by SEED, default the commit; the programs without them are not played first
#   weak.sh --mutant NAME...     these mutants alone
#   weak.sh --list               their names; --drawable: those of them that may be drawn
#   weak.sh --help               this text
# A mutant is named FILE:LINE:ORDER:ORDER. It is compiled from a copy of src, with what includes it, and linked in place of the
# object of the program. Verdicts are by seeds, not by time: a simulated run that takes too many steps has hung, and a program that takes
# LIMIT seconds is neither caught nor a survivor, but a failure. So is one that survives, unless test/weak/orders.txt has it: as redundant
# or needed, with the proof, and then it is a failure if it is caught; or as open: neither caught nor proved yet. None of these is drawn.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/support/signals.sh
. test/support/remake.sh
on_signals end_started
build=$PWD/build limit=900
files=$(ls src/{block,core,detect,task}/*.[ch] src/task/sync/*.c src/global/*.[ch] src/thread/lock.c src/transport/funnel/*.[ch])

# PROGRAM:SHARE of the seeds
play() {
  local seeds=$1 program
  for program in sim_weak:1 sim_weak_mpi:8 sim_global_words_weak:20 sim_epoch_ahead_weak:1; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    {
      env $mark=1 SCREE_TEST_SEEDS=$(((seeds + ${program#*:} - 1) / ${program#*:})) build/test/"${program%:*}" >"$work/${program%:*}" 2>&1 ||
        touch "$work/failed"
      cat "$work/${program%:*}"
    } &
  done
  wait
  [ ! -e "$work/failed" ]
}

# ---- mutants of order ----

# Two names for what is weaker in two ways.
list() {
  grep -noE '\<AO_[a-z_0-9]*(_acquire|_release|_full|_acquire_read)\>|\<AO_nop_(read|write)\>|\<AO_CLEAR\>' $files |
    sed -nE 's/^(.*):(AO_nop_full)$/\1:\2:WEAK_FENCE/p; t
             s/^(.*):(AO_nop_(read|write))$/\1:\2:AO_compiler_barrier/p; t
             s/^(.*):AO_CLEAR$/\1:AO_CLEAR:WEAK_CLEAR/p; t
             s/^(.*):(AO_.*)_full$/\1:\2_full:\2_acquire\n\1:\2_full:\2_release/p; t
             s/^(.*):(AO_.*)_(acquire|release|acquire_read)$/\1:\2_\3:\2/p' | while read -r name; do
      comment "$name" || echo "$name"
    done
}
comment() {
  local file line
  IFS=: read -r file line _ <<<"$1"
  sed -n "${line}p" "$file" | grep -qE '^ ?/?\*'
}

# programs_of NAME: what may meet it, as PROGRAM/TEST:SEEDS; orders.txt may know which one does
programs_of() {
  local by
  by=$(KEY=$(key "$1") awk '$1 == "by" && $0 == $1 " " $2 " " ENVIRON["KEY"] { print $2 }' test/weak/orders.txt)
  [ -z "$by" ] || { echo "$by" && return; }
  case $1 in
    src/transport/funnel/server.c:*) echo sim_weak_mpi/weak_pauses:100 sim_weak_mpi/weak_comm:300 sim_weak_mpi/plain_words:60 ;;
    src/transport/funnel/*) echo sim_weak_mpi/weak_comm:300 sim_weak_mpi/plain_words:60 ;;
    src/thread/*) echo sim_weak/locks:50 ;;
    src/global/memory.c:*) echo sim_weak/weak_words:300 ;;
    src/global/*) echo sim_weak/weak_program_order:60 sim_weak/weak_litmus:30 sim_global_words_weak:40 ;;
    src/task/*) echo sim_weak/weak_deque:600 sim_weak/weak_stolen:200 sim_weak/*objects*:10 ;;
    src/detect/*) echo sim_weak/weak_counters:2000 sim_weak/plain_words:30 sim_weak/hopping:300 ;;
    src/core/fail.*) echo sim_weak/weak_texts:300 ;;
    src/core/owner.c:*) echo sim_weak/weak_foreign:300 ;;
    *) echo sim_weak/plain_words:60 ;;
  esac
}

# compile TREE FILE: the objects that have FILE in them
compile() {
  local object
  for object in $(objects_with "$2"); do
    remake "$1" "$object" '-DWEAK_FENCE()=__atomic_thread_fence(__ATOMIC_ACQ_REL)' '-DWEAK_CLEAR(at)=__atomic_store_n(at, AO_TS_CLEAR, __ATOMIC_RELAXED)' || return
  done
}

# play_one DIRECTORY PROGRAM/TEST:SEEDS
play_one() {
  local program=${2%:*} test='*'
  [[ $program != */* ]] || test=${program#*/}
  SCREE_TEST_TIMEOUT=$limit SCREE_TEST_SEEDS=${2#*:} timeout "$limit" "$1/${program%/*}" "$test"
}

# hunt TREE NAME: 0, and prints what was seen
hunt() {
  local program rc
  for program in $(programs_of "$2"); do
    relink "$1" "${program%%[/:]*}" 2>>"$1/log" || { echo "does not link" && return 2; }
    rc=0
    play_one "$1" "$program" >"$1/out" 2>&1 || rc=$?
    [ $rc != 124 ] || { echo "$program has not ended after $limit s" && return 2; }
    [ $rc = 0 ] || { echo "caught by $program$(runs "$1/out"): $(seen "$1/out")" && return; }
  done
  return 1
}
# After how many.
runs() { sed -nE 's/^([0-9]+) runs.*/, run \1/p' "$1" | tail -n 1; }
seen() { sed -nE 's/^check failed: [^:]*:[0-9]+: //p; s/^weak: //p; s/.* (the simulated run .*hung: .*)/\1/p' "$1" | head -n 1 | cut -c1-150; }

# Without the line's number, which changes: the line itself.
key() {
  local file line from to
  IFS=: read -r file line from to <<<"$1"
  echo "$file: $(sed -n "${line}p" "$file" | sed -E 's/^ +//') -> $to"
}

# state NAME: redundant, open, or nothing
state() {
  local word
  for word in redundant needed open; do grep -qxF -- "$word $(key "$1")" test/weak/orders.txt && echo $word; done
}
# Lines of orders.txt that belong to no mutant any more.
stale() {
  list | while read -r name; do key "$name"; done >"$work/keys"
  sed -E '/^(#|$)/d; s/^by [^ ]+ //; s/^(open|redundant|needed) //' test/weak/orders.txt | grep -vxFf "$work/keys"
}
drawable() { local name; while read -r name; do [ -n "$(state "$name")" ] || echo "$name"; done; }

verdict() { printf '%s: %s\n' "$1" "$2" && echo "$3" >>"$work/verdicts"; }
mutant() {
  local name=$1 tree=$work/${1//[\/:]/_} file line from to out rc=0
  IFS=: read -r file line from to <<<"$name"
  mkdir "$tree" && cp -r src "$tree" && sed -i -E "${line}s/\\<$from\\>/$to/" "$tree/$file" && : >"$tree/objects"
  cmp -s "$file" "$tree/$file" && verdict "$name" "FAILED: nothing is changed" 1 && return
  compile "$tree" "$file" 2>"$tree/log" || { verdict "$name" "FAILED: does not compile: $(grep -m 1 error "$tree/log")" 1 && return; }
  [ -s "$tree/objects" ] || { verdict "$name" "FAILED: no program has it" 1 && return; }
  out=$(hunt "$tree" "$name") || rc=$?
  case $(state "$name")$rc in
    redundant0 | needed0) verdict "$name" "FAILED: $out, but orders.txt says that it is not" 1 ;;
    redundant1 | needed1) verdict "$name" "survived: $(state "$name")" 0 ;;
    open1) verdict "$name" "survived: open" 0 ;;
    *0) verdict "$name" "$out" 0 ;;
    *) verdict "$name" "FAILED: survived $out" 1 ;;
  esac
  rm -rf "$tree"
}

# orders NAME...; with UNCHANGED set, the programs as they are are played first
orders() {
  local name
  know 'libweak_(core|own)' weak
  stale >"$work/stale"
  [ ! -s "$work/stale" ] || verdict "$(cat "$work/stale")" "FAILED: no mutant has this line" 1
  [ -z "${UNCHANGED-}" ] || for name in $(for name in "$@"; do programs_of "$name"; done | tr ' ' '\n' | sort -u); do
    play_one build/test "$name" >"$work/out" 2>&1 || verdict "no mutant, $name" "FAILED" 1
  done
  for name in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    mutant "$name" &
  done
  wait
  sum_verdicts
}

case ${1-} in
  --list) list ;;
  --drawable) list | drawable ;;
  --mutant) orders "${@:2}" ;;
  -h | --help) sed -nE '2,/^# A mutant/{/^# A mutant/!s/^# ?//p}' "$0" ;;
  --drawn) orders $(list | drawable | shuf -n "${2?how many?}" --random-source=<(yes "${3-$(git rev-parse HEAD)}")) ;;
  --orders) shift && UNCHANGED=1 orders $(list | grep -F -- "$(printf '%s\n' "${@-}")") ;;
  *) play "${1-100}" ;;
esac

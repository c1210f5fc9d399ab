#!/usr/bin/env bash
# run.sh - runs the tests of one build directory and counts.
#   run.sh [OPTION...] BUILD
#     --only KIND,...     unit, sim (one process), mpi (once per number of ranks), shell (scripts),
#                         doc (the docs against the program)
#     --match TEXT        tests whose name contains TEXT; =NAME,...: the tests of those names
#     --ranks "1 2 ..."   numbers of ranks for mpi, default "1 2 3 5"
#     --jobs N            programs at a time, default 2; beside a test marked
#                         `Alone:` run only programs of one process
#     --full, --brief     the whole product of cases; an eighth of the drawn ones
#     --second            with --full: this MPI is not the first one, under which all was run
#     --list              print the selected tests and run none
#   run.sh --total TALLY  print the last line for all runs that wrote to the file TALLY
# With the variable TALLY set, the counts go to that file too, and the last line begins with BUILD.
# Returns 0 if all passed, 1 if any failed, 2 if the options are wrong or select nothing, or a program is to be built first.
#
# Exit codes of launchers prove nothing (MPICH returns 0 for a rank that leaves early with 0), so a test program has
# passed only if it says so. A shell test prints `ok - WHAT`, `not ok - WHAT` or `skipped - WHAT # REASON` for each
# check, and returns 0 if none failed.
#
# A source marks how it is run by a line of its first comment: `Alone: WHY`, `Waits: WHY`, for a test that takes no core
# and so no place, `MPI: defaults` (see support/mpi.sh),
# `Also: on a simulated MPI`, for a second run as NAME_mpi (see sim_mpi/sim_mpi.h), `Product: under one MPI`, for many cases of
# what does not depend on the MPI, of which --second runs no more than usual, or `Rarely: WHY`, which is run with
# --full, and where --match selects it, as .ci/run does.
set -eu
cd "$(dirname "$0")/.."
ranks_full=8 # with more ranks than that, which share few cores, --full draws no more than usual
kinds=shell,mpi,sim,doc,unit ranks="1 2 3 5" full=0 match='' at_once=2 limit=600 list=0 rare= found= second=0 programs=

# ---- which tests ----------------------------------------------------------------------------------------------------

# names FOLDER PREFIX SUFFIX: of the files test/FOLDER/PREFIX*SUFFIX
names() { for f in test/"$1"/"$2"*"$3"; do if [ -e "$f" ]; then basename "$f" "$3"; fi; done; }
wanted() {
  case $match in
    =*) case ",${match#=}," in *",$1,"*) ;; *) return 1 ;; esac ;;
    *) case $1 in *"$match"*) ;; *) return 1 ;; esac ;;
  esac
}
# marked FILE MARK
marked() { grep -qE "^( \*|#) $2" "$1"; }

# add FILE RANKS: a test, to one of the four lists; RANKS is - for what needs no launcher, or `simulated`
add() {
  local name
  name=$(basename "${1%.*}")
  wanted "$name" || return 0
  found+=",$name,"
  if [ "$full" != 1 ] && [ -z "$match" ] && marked "$1" "Rarely: "; then
    rare+=" $name"
    return 0
  fi
  case $1 in *.c) programs+=" test/$name$([ "$2" != simulated ] || echo _mpi)" ;; esac
  if [ "$2" = - ] && marked "$1" "Also: on a simulated MPI"; then add "$1" simulated; fi
  if marked "$1" "Alone: "; then
    alone+=("$1 $2")
  elif marked "$1" "Waits: "; then
    waiting+=("$1 $2")
  else
    case $1 in
      test/unit/* | test/study/* | test/sim/*) single+=("$1 $2") ;;
      *) jobs+=("$1 $2") ;;
    esac
  fi
}

add_kind() {
  local kind=$1 name n
  case $kind in
    shell) for name in $(names shell '' .sh); do add "test/shell/$name.sh" -; done ;;
    doc)
      for name in $(names doc doc_ .c); do add "test/doc/$name.c" -; done
      for name in $(names doc doc_ .sh); do add "test/doc/$name.sh" -; done ;;
    mpi) for name in $(names mpi mpi_ .c); do for n in $ranks; do add "test/mpi/$name.c" "$n"; done; done ;;
    sim) for name in $(names sim sim_ .c); do add "test/sim/$name.c" -; done ;;
    unit)
      for name in $(names unit unit_ .c); do add "test/unit/$name.c" -; done
      for name in $(names study unit_ .c); do add "test/study/$name.c" -; done ;;
    *) echo "run.sh: unknown kind '$kind'; the kinds are shell, mpi, sim, doc, unit" >&2 && exit 2 ;;
  esac
}

# ---- one test -------------------------------------------------------------------------------------------------------

# describe FILE RANKS: sets name, label, command and variables (of the environment) of a test
describe() {
  name=$(basename "${1%.*}") label=$name
  variables=("BUILD=$BUILD" "SCREE_TEST_FULL=$full")
  case $1 in
    *.sh) command=(bash "$1") ;;
    *) command=("$BUILD/test/$name") ;;
  esac
  if [ "$2" = simulated ]; then
    label="$name, simulated MPI"
    command[0]+=_mpi
  elif [ "$2" != - ]; then
    label="$name, $2 ranks, $mpi"
    if [ "$2" -gt "$ranks_full" ] || { [ $second = 1 ] && marked "$1" "Product: under one MPI"; }; then
      variables[1]=SCREE_TEST_FULL=0
    fi
    command=(test/launch.sh "$BUILD" "$2" "${command[@]}")
    if marked "$1" "MPI: defaults"; then variables+=(SCREE_TEST_MPI=defaults); fi
  fi
}

# The line that runs the test of `describe` again: with what is not the default, and variables of sanitizers and seeds.
again() {
  local variable line="BUILD=$BUILD"
  for variable in "${variables[@]}"; do
    case $variable in BUILD=* | SCREE_TEST_FULL=0) ;; *) line+=" $variable" ;; esac
  done
  for variable in $(compgen -e | grep -E '^([A-Z]+SAN_OPTIONS|SCREE_.*|CC)$'); do
    case $variable in SCREE_TEST_RESULT | SCREE_TEST_FULL) ;; *) line+=" $variable=${!variable@Q}" ;; esac
  done
  echo "$line ${command[*]}"
}

# start ID FILE RANKS: in the background; ends with the file ID.done, which holds exit code and seconds
start() {
  local id=$work/$1 name label
  local -a command variables
  describe "$2" "$3"
  : >"$id.result"
  mkdir "$id.tmp"
  {
    local rc=0 began=$SECONDS
    env "$mark=1" "${variables[@]}" TMPDIR="$id.tmp" SCREE_TEST_RESULT="$id.result" \
      timeout -k 10 "$limit" "${command[@]}" </dev/null >"$id.log" 2>&1 || rc=$?
    rm -rf "$id.tmp"
    echo "$rc $((SECONDS - began))" >"$id.part"
    mv "$id.part" "$id.done"
  } 2>/dev/null & # where bash tells of a program that was killed
}

# number LOG EXPRESSION: the number that a sed expression finds on the last line that has one
number() { sed -nE "$2" "$1" | tail -n 1 | grep . || echo 0; }

# count ID RC FILE: sets p, f, s
count() {
  local log=$1.log rc=$2 file=$3 last
  last=$(grep '^harness: .* done, ' "$1.result" | tail -n 1 || :)
  case $file in
    *.sh) p=$(grep -c '^ok - ' "$log" || :) f=$(grep -c '^not ok - ' "$log" || :) s=$(grep -c '^skipped - ' "$log" || :) ;;
    *) if [ -n "$last" ]; then
      read -r p f s < <(sed -E 's/.* ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/' <<<"$last")
    else
      p=$(number "$log" 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p')
      f=$(number "$log" 's/^\[  FAILED  \] ([0-9]+) test.*/\1/p')
      s=$(number "$log" 's/^\[  SKIPPED \] ([0-9]+) test.*/\1/p')
      case $file in test/mpi/*) p=0 ;; esac # without rank 0's last line nothing is known
    fi ;;
  esac
  if [ "$f" = 0 ] && { [ "$rc" != 0 ] || [ $((p + s)) = 0 ]; }; then f=1; fi
}

# collect ID FILE RANKS: counts a test that has ended, and shows it if it failed
collect() {
  local id=$work/$1 rc seconds p f s name label
  local -a command variables
  read -r rc seconds <"$id.done"
  rm "$id.done"
  describe "$2" "$3"
  count "$id" "$rc" "$2"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  printf '%s\t%s\n' "$seconds" "$label" >>"$work/times"
  sed -nE "s/^harness: skipped [^:]*: (.*)/\1\t$name/p" "$id.result" >>"$work/skips"
  sed -nE "s/^skipped - .* # (.*)/\1\t$name/p" "$id.log" >>"$work/skips"
  if [ "$f" != 0 ]; then
    clear_line
    printf -- '---- failed: %s (code %s%s)\n' "$label" "$rc" "$([ "$rc" != 124 ] || echo ", over $limit s")"
    awk -v most=100 -f test/support/failure.awk "$id.log"
    echo "---- to run it again: $(again)"
    printf '%s\t%s\n' "$label" "$(again)" >>"$work/failures"
  fi
  rm -f "$id.log" "$id.result"
}

# ---- all of them ----------------------------------------------------------------------------------------------------

clear_line() { if [ -t 2 ]; then printf '\r\033[K' >&2; fi; }
# One line of a terminal, which cuts what is too wide.
say() { if [ -t 2 ]; then printf '\r\033[?7l\033[K%s\033[?7h' "$*" >&2; fi; }

# run_queues QUEUE AT_ONCE [BESIDE]: all tests of the array QUEUE, so many at a time; a place that is free goes to BESIDE.
# One of the array `waiting` is beside them.
run_queues() {
  local queue id
  local -A running=()
  while :; do
    for queue in "$1" ${3-} waiting; do
      local -n tests=$queue
      while [ ${next[$queue]} -lt ${#tests[@]} ] && may_start "$queue" "$2" "${!running[@]}"; do
        id=$queue${next[$queue]}
        running[$id]=${tests[${next[$queue]}]}
        next[$queue]=$((${next[$queue]} + 1))
        start "$id" ${running[$id]}
      done
    done
    [ ${#running[@]} -gt 0 ] || return 0
    say "[$ended of $selected ended, $failed failed] ${running[*]}"
    wait -n || :
    for id in "${!running[@]}"; do
      [ -e "$work/$id.done" ] || continue
      collect "$id" ${running[$id]}
      unset "running[$id]"
      ended=$((ended + 1))
    done
  done
}

# may_start QUEUE AT_ONCE RUNNING...: of the queues alone and waiting, one at a time
may_start() {
  local queue=$1 most=$2 id taken=0
  shift 2
  for id in "$@"; do
    case $id in
      "$queue"*) case $queue in alone | waiting) return 1 ;; esac ;;
    esac
    case $id in waiting*) ;; *) taken=$((taken + 1)) ;; esac
  done
  [ "$queue" = waiting ] || [ $taken -lt "$most" ]
}

total() {
  awk '{ p += $1; f += $2; s += $3 }
       END { printf "%d passed, %d failed", p, f; if (s) printf ", %d skipped", s; print ""; exit f > 0 || p == 0 }' "$1"
}

# One line for each reason to skip, with its count and where; the slowest; the failed; the count.
summary() {
  clear_line
  awk -F'\t' '{ count[$1]++; if (!seen[$0]++) where[$1] = where[$1] (where[$1] == "" ? "" : ", ") $2 }
       END { for (why in count) printf "skipped: %d x %s (%s)\n", count[why], why, where[why] | "sort" }' "$work/skips"
  echo "slowest: $(sort -rn "$work/times" | head -n 10 | awk -F'\t' '{ printf "%s%s s %s", (NR > 1 ? "; " : ""), $1, $2 }')"
  awk -F'\t' '{ print "failed: " $1 "; again: " $2 }' "$work/failures"
  echo "$passed $failed $skipped" >"$work/tally"
  if [ -n "${TALLY-}" ]; then cat "$work/tally" >>"$TALLY" && printf '%s: ' "$build"; fi
  total "$work/tally"
}

# stopped SIGNAL
stopped() {
  clear_line
  echo "run.sh: stopped by SIG$1 after $ended of $selected programs; $passed checks passed, $failed failed" >&2
  end_started
  rm -rf "$work"
}

while [ $# -gt 1 ]; do
  case $1 in
    --full) full=1 ranks="1 2 3 4 5 7 16" limit=7200 && shift ;;
    --second) second=1 && shift ;;
    --brief) full=brief && shift ;;
    --list) list=1 && shift ;;
    --only) kinds=$2 && shift 2 ;;
    --match) match=$2 && shift 2 ;;
    --ranks) ranks=$2 && shift 2 ;;
    --jobs) at_once=$2 && shift 2 ;;
    --total) total "$2" && exit || exit 1 ;;
    *) echo "run.sh: unknown option $1" >&2 && exit 2 ;;
  esac
done
build=${1?which build directory?}
BUILD=$(cd "$build" && pwd)
mpi=$(cat "$BUILD/mpi")
unset CMOCKA_XML_FILE CMOCKA_MESSAGE_OUTPUT # the counts are read from cmocka's usual output

jobs=() alone=() single=() waiting=()
declare -A next=([jobs]=0 [alone]=0 [single]=0 [waiting]=0)
for kind in ${kinds//,/ }; do add_kind "$kind"; done
selected=$((${#jobs[@]} + ${#alone[@]} + ${#single[@]} + ${#waiting[@]}))
none() { echo "run.sh: no test of the kinds $kinds $*; --list shows all" >&2 && exit 2; }
case $match in
  =*) for name in $(tr , ' ' <<<"${match#=}"); do [[ $found == *",$name,"* ]] || none "is called '$name'"; done ;;
  *) [ $selected != 0 ] || none "has '$match' in its name" ;;
esac
if [ $list = 1 ]; then
  for test in "${jobs[@]}" "${alone[@]}" "${single[@]}" "${waiting[@]}"; do echo "${test% -}"; done
  exit
fi

if [ -n "$programs" ] && [ -e "$BUILD/build.ninja" ] && ! ninja -n -C "$BUILD" $programs | grep -q 'no work to do'; then
  echo "run.sh: in $build, programs of these tests are not built, or older than their sources: ./dev build $build all tests" >&2
  exit 2
fi

passed=0 failed=0 skipped=0 ended=0
work=$(mktemp -d)
touch "$work/skips" "$work/times" "$work/failures"
trap 'rm -rf "$work"' EXIT
. test/support/mpi.sh
. test/support/signals.sh
on_signals stopped
clear_line
echo "run.sh: $selected programs of the kinds $kinds${match:+ that match '$match'}, built in $build with $mpi, $at_once at a time"
[ -z "$rare" ] || echo "run.sh: left to --full and .ci/run:$rare"
run_queues jobs "$at_once"
run_queues alone "$at_once" single # these are one process each, and take one core
summary

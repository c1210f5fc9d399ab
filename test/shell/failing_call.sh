#!/usr/bin/env bash
# failing_call.sh - makes calls to the system fail that scree's own code makes (failing_call.c), one a run, on one rank of
# three: while a world is opened and closed, graphs are read, made and written, kernels run, and the command line writes
# its files. Whatever fails, all ranks end, with the same status, a reason and a remedy; nothing stays in /dev/shm, and no
# unfinished file has the name of a finished one.
#
# With --full it is every call on every rank. Else some are drawn: FAILING_CALL_SEED repeats them. One case alone:
#   BUILD=build test/shell/failing_call.sh library VICTIM SCENARIO K
#   BUILD=build test/shell/failing_call.sh command VICTIM 'CASE' K     K = every: all
. "$(dirname "$0")/../support/shell.sh"
export OMPI_MCA_mpi_yield_when_idle=1 MALLOC_PERTURB_=165 SCREE_HANG_TIMEOUT=20s
export OMPI_MCA_odls_base_sigkill_timeout=1 # a rank that knows the reason has the time to say it
full=0 && [ "${SCREE_TEST_FULL-}" = 1 ] && full=1
seed=${FAILING_CALL_SEED-$(($(date +%s) % 100000))}
BUILD=$(cd "$BUILD" && pwd)
module=$BUILD/test/failing_call.so

if grep -qE '__(asan|tsan)_init' "$BUILD/scree"; then
  skipped "calls that fail" "a sanitizer has its own malloc"
  finish
fi
echo "FAILING_CALL_SEED=$seed"

# on_three FOLDER COMMAND...: three ranks of it there, with the module preloaded. Each of the launchers that run at a time has a
# folder of its own: Open MPI's make and remove one of the same name in TMPDIR, and one may fail as another removes it.
on_three() {
  TMPDIR=$tmp timeout -k 5 "$limit" test/launch.sh "$BUILD" 3 \
    bash -c 'cd "$1" && shift && LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"' "$module" "$@"
}

# ---- the library: many calls in one run of a program ----

# library VICTIM DRAW [SCENARIO [K]]
library() {
  local victim=$1 draw=$2
  shift 2
  mkdir "$tmp/files"
  limit=$((full ? 1800 : 400)) on_three . "$BUILD/test/prog_failing_call" "$victim" "$tmp/files" "$draw" "$seed" "$@" \
    >"$tmp/out" 2>"$tmp/err"
  rm -r "$tmp/files"
  grep -E '^(ok|not ok|    )' "$tmp/out"
  ! grep -q '^not ok' "$tmp/out" || bad=1
  check "the library, rank $victim: came to its end" grep '^done: .* all well' "$tmp/out"
}

# ---- the command line: one call a run ----

# Names of files are relative to $tmp/cli.
cases=(
  "scree bfs kron:4 --json json --output output"
  "scree sssp edges.gz --undirected --columns 1,2,3 --validate --json json"
  "scree sssp kron:4 --algorithm dc --pruning cache --route rook --json json"
  "scree cc image.scree --output output"
  "scree pagerank kron:4 --options options --json json"
  "scree convert edges.gz written.scree --undirected --columns 1,2,3"
  "scree convert image.scree written.txt.gz"
  "scree generate kron:4 written.tuples --weights-file written.weights"
  "scree info image.scree --json json"
  "scree info --plan image.scree --json json"
  "scree graph500 --scale 4 --sources 2"
  "scree limits --json json"
)
scree=$BUILD/scree
PATH=$BUILD:$PATH

prepare_files() {
  mkdir "$tmp/seed"
  (cd "$tmp/seed" && "$scree" generate kron:4 edges.gz --format edges && "$scree" generate kron:4 image.scree && echo "in-flight = 3" >options)
}

# What a command wrote is whole: it was named last, so it is not empty, and JSON ends.
whole() {
  local name
  for name in "$tmp"/cli/*; do
    case ${name##*/} in
      *.scree-part) echo "left unfinished: $name" && return 1 ;;
      json) tail -n 1 "$name" | grep -qx '}' || { echo "half written: $name" && return 1; } ;;
      output) [ "$(wc -l <"$name")" = 16 ] || { echo "half written: $name" && return 1; } ;;
      *) [ -s "$name" ] || { echo "empty: $name" && return 1; } ;;
    esac
  done
}

# Of ranks that have ended: others may be opening a world now.
left_in_memory() {
  local file pid
  for file in /dev/shm/scree-*; do
    pid=${file#/dev/shm/scree-}
    [ ! -e "$file" ] || [ -e "/proc/${pid%%-*}" ] || { echo "left: $file" && return 0; }
  done
  return 1
}

# run_one VICTIM K CASE: sets $rc
run_one() {
  rm -rf "$tmp/cli" "$tmp/log"
  cp -r "$tmp/seed" "$tmp/cli"
  rc=0
  FAILING_CALL=$1:$2 FAILING_CALL_LOG=$tmp/log limit=60 on_three "$tmp/cli" $3 >"$tmp/out" 2>"$tmp/err" || rc=$?
}

# Now and then, where ranks end with an error together, Open MPI's launcher hangs in its abort or crashes, as does its
# code in a rank that ends. What scree's own code does after a call has failed happens again.
launcher_failed() {
  { [ $rc -ge 124 ] && grep -q 'abort is already in progress' "$tmp/err"; } ||
    { grep -q 'Process received signal' "$tmp/err" && ! grep -qE '\] .*scree' "$tmp/err"; }
}

# one VICTIM K CASE: returns 0 if well, 1 if not; sets $hit to what failed, "" if the run made fewer calls
one() {
  local rc
  run_one "$@"
  if launcher_failed; then
    { echo "repeated: $3, call $2 of rank $1: code $rc" && cat "$tmp/err"; } >>"$tmp/repeated"
    run_one "$@"
  fi
  hit=$(grep '^call ' "$tmp/log" || :)
  echo "$hit; code $rc; again: BUILD=$BUILD test/shell/failing_call.sh command $1 '$3' $2"
  cat "$tmp/err"
  whole || return 1
  ! left_in_memory || return 1
  [ $rc != 0 ] || return 0 # what was written is right
  [ -n "$hit" ] && [ $rc -lt 124 ] && ! grep -qiE 'signal:|core dumped|segmentation' "$tmp/err" || return 1
  grep '^scree: ' "$tmp/err" | grep -qE 'free memory|more ranks|free space|name a|lower|check the|mount'
}

# every VICTIM CASE: all calls
every() {
  local k=1
  while one "$1" $k "$2" >"$tmp/one"; do
    [ -n "$hit" ] || { echo "$((k - 1)) calls" && return 0; }
    k=$((k + 1))
  done
  cat "$tmp/one"
  return 1
}

# every_command: all cases, on two victims each, some at a time: most of a run is spent in starting ranks
at_once=3
every_command() {
  local case victim i=0 names=()
  for case in "${cases[@]}"; do
    for victim in 0 1; do
      while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do wait -n || :; done
      BUILD=$BUILD bash test/shell/failing_call.sh command $victim "$case" every >"$tmp/every$i" 2>&1 && : >"$tmp/well$i" &
      names[i]="$case: every call of rank $victim" i=$((i + 1))
    done
  done
  wait
  for i in "${!names[@]}"; do check "${names[i]}" was_well "$i"; done
}
was_well() { cat "$tmp/every$1" && [ -e "$tmp/well$1" ]; }

RANDOM=$seed
prepare_files
if [ "${1-}" = library ]; then
  library "$2" 0 "$3" ${4+"$4"}
elif [ "${1-}" = command ]; then
  if [ "$4" = every ]; then every "$2" "$3" || bad=1; else one "$2" "$4" "$3" || bad=1; fi
elif [ $full = 1 ]; then
  for victim in 0 1 2; do library $victim 0; done
  every_command
else
  library $((RANDOM % 3)) 1
  for i in 1 2 3 4 5; do
    case=${cases[RANDOM % ${#cases[@]}]} victim=$((RANDOM % 3)) k=$((1 + RANDOM % 130))
    check "$case: call $k of rank $victim" one $victim $k "$case"
  done
fi
[ ! -e "$tmp/repeated" ] || cat "$tmp/repeated"
finish

#!/usr/bin/env bash
# cli_sweep.sh - scree sweep from outside: records of jobs that end in all ways; a sweep that ends, is stopped, resumes.
#
# Most jobs are a script that prints what scree would; the axis env.FAKE chooses what it does. One sweep is real.
. "$(dirname "$0")/../support/shell.sh"
fake=$tmp/fake

cat >"$fake" <<'SCRIPT'
#!/bin/sh
[ "$1" != --version ] || { echo "scree 0 (openmpi)" && exit; }
here=$(dirname "$0")
echo "$*" >>"$here/log"
json() { printf '{"configuration":\t{"ranks":%s},\n"runs":[{"seconds":0.25,"teps":1e6,"valid":%s,"work":{"messages":7}},' "$1" "$2"
         printf '{"seconds":0.75,"teps":3e6,"valid":true,"work":{"messages":8}}]}\n'; }
case $FAKE in
  good | also) echo "a launcher's line"; json "$RANKS" true ;;
  refused) echo "scree: roads.gr: line 3: no number" >&2; exit 2 ;;
  own*) echo "scree: option --delta: $FAKE is not a width" >&2; exit 2 ;;
  failed) echo "scree: no luck" >&2; echo "some banner" >&2; exit 3 ;;
  signal) kill -SEGV $$ ;;
  invalid) json "$RANKS" false; exit 1 ;;
  ranks) json 1 true ;;
  separate) json 1 true; json 1 true; json 1 true ;;
  silent) echo "nothing to see" ;;
  hangs) trap 'echo "scree: report of rank 0" >&2; exit 9' USR1; while :; do sleep 0.02; done ;;
  waits) [ -e "$here/go" ] || { echo $$ >"$here/part"; mv "$here/part" "$here/waits"; exec sleep 1000; }; json "$RANKS" true ;;
esac
SCRIPT
chmod +x "$fake"

# sweep FILE FAKES ARGUMENT...: a sweep of fake jobs with two ranks
sweep() {
  local file=$1 fakes=$2
  shift 2
  "$scree" sweep --results "$file" --launcher "env RANKS={ranks}" --mpi "$fake" --kernel sssp --scale 8 --ranks 2 \
    --env.FAKE "$fakes" "$@"
}
# ends CODE COMMAND...: it returns the code; its output goes to $tmp/out and $tmp/err
ends() {
  local code=$1 rc=0
  shift
  "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
  [ $rc = "$code" ] && return
  echo "code $rc, expected $code"
  cat "$tmp/out" "$tmp/err"
  return 1
}
# said TEXT: the last command wrote it to standard error
said() { grep -qF -- "$1" "$tmp/err" || { cat "$tmp/err" && return 1; }; }
# recorded FAKE STATUS TEXT: all records of such jobs have the status, and a message that begins so
recorded() {
  awk -v fake="env.FAKE=$1\"" -v status="\"status\":\"$2\"" -v text="\"message\":\"$3" '
    index($0, fake) { n++; if (!index($0, status) || !index($0, text)) { print; bad = 1 } }
    END { exit bad || !n }' "$file"
}
# complete FILE: every step of the header is there once
complete() {
  local steps
  steps=$(sed -nE '1s/.*"steps":([0-9]+).*/\1/p' "$1")
  diff <(seq 0 $((steps - 1))) <(sed 1d "$1" | grep -oE '"step":[0-9]+' | cut -d: -f2 | sort -n)
}

# ---- how jobs end ----
file=$tmp/ends.jsonl
check "a sweep of jobs that fail ends with 1" ends 1 sweep "$file" \
  good,failed,signal,invalid,ranks,separate,silent,hangs --repeat 1 --timeout 1s
check "with a table" test -s "$tmp/out"
check "with the next command" grep -qF "scree report $file" "$tmp/out"
check "with a line for each run" said "#1: failed: exit code 3: scree: no luck"
check "with a record for each" complete "$file"
check "good" grep -q '"status":"ok","seconds":0.5,"teps":1500000,"work":{"messages":7.5,' "$file"
check "good: no message" eval "! grep 'FAKE=good.*\"message\"' '$file'"
check "good: the whole result" grep -q '"result":{"configuration":{"ranks":2}' "$file"
check "failed" recorded failed failed 'exit code 3: scree: no luck\\nscree: no luck\\nsome banner'
check "ended by a signal" recorded signal failed 'exit code 139, as of signal 11'
check "wrong answer" recorded invalid invalid 'the answer of run 1 is wrong'
check "wrong number of ranks" recorded ranks ranks 'the job had 1 rank instead of 2'
check "separate jobs" recorded separate ranks 'the launcher started 3 separate jobs of 1 rank instead of one of 2'
check "no JSON" recorded silent failed "exit code 0, but standard output has no JSON object: 'nothing to see'"
check "timeout, with the hang report" recorded hangs timeout \
  'not finished after 1 s (option timeout)\\nscree: report of rank 0'
check "answers are checked once each, and in the warm-up" test \
  "$(grep -c -- --validate "$tmp/log")" = "$(sed 1d "$file" | grep -cE '"repetition":[01][,}]')"

# ---- without a launcher ----
# launches COUNT NAME OPTION...: so many runs, or more, were started by that launcher, by their records
launches() {
  rm -f "$tmp/local.jsonl"
  "$scree" sweep --results "$tmp/local.jsonl" --scale 8 --repeat 2 --quiet "${@:3}" &&
    [ "$(sed 1d "$tmp/local.jsonl" | grep -c "\"status\":\"ok\".*\"launcher\":\"$2\",\"")" -ge "$1" ]
}
by_mpi='[OP][MC][PI][A-Z_]*' # OMPI_COMM_WORLD_SIZE or another of a launcher
check "jobs that start their ranks themselves" launches 4 local --ranks 1,3
check "unless MPI is requested" launches 2 "$by_mpi" --ranks 2 --transport mpi
check "or mpirun" launches 2 "$by_mpi" --ranks 2 --launcher mpirun
check "or placement" launches 2 "$by_mpi" --ranks 2 --bind none
check "launchers are an axis" eval 'launches 2 local --ranks 2 --launcher local,mpirun && launches 2 "$by_mpi" --ranks 2 --launcher local,mpirun'
check "MPI without a launcher is refused by its job" eval '! launches 1 local --ranks 2 --launcher local --transport mpi &&
  grep -q "transport=mpi needs MPI, and these ranks have none" "$tmp/local.jsonl"'

# ---- input that is refused ----
: >"$tmp/log"
check "an input that all runs refuse ends the sweep with 2" ends 2 sweep "$tmp/refused.jsonl" refused --repeat 9 \
  --in-flight 1,2,3,4,5
check "with the reason" said "scree: roads.gr: line 3: no number"
check "after three configurations" test "$(grep -c sssp "$tmp/log")" -le 5
check "configurations that are refused for their own values fail alone" ends 1 sweep "$tmp/own.jsonl" own1,own2,own3,good --repeat 2
check "once each" eval '[ "$(sed 1d "$tmp/own.jsonl" | grep -c "env.FAKE=own")" = 3 ]'
check "and every other run is there" eval '[ "$(sed 1d "$tmp/own.jsonl" | grep -c "env.FAKE=good.*\"role\":\"data\"")" = 2 ]'
check "nor when the sweep is resumed" eval '! sweep "$tmp/own.jsonl" own1,own2,own3,good --repeat 2 --resume 2>"$tmp/err"; [ "$(sed 1d "$tmp/own.jsonl" | grep -c "env.FAKE=own")" = 3 ]'
check "one configuration that is refused" ends 2 sweep "$tmp/one.jsonl" refused --repeat 9

# ---- files ----
check "no second sweep into a file" refuses 2 "the file exists; --resume continues it" \
  sweep "$file" good --repeat 1
check "no other plan" refuses 2 "belong to another plan" sweep "$file" good,failed --repeat 1 --resume
check "the plan is unknown" refuses 2 "'scalin' is neither a sweep file nor a preset; the nearest preset is 'scaling'" \
  "$scree" sweep scalin
for preset in python/scree/study/presets/*.sweep; do
  preset=$(basename "$preset" .sweep)
  check "help names the preset $preset" grep -qw -- "$preset" <("$scree" sweep --help)
done
check "one plan" refuses 2 "a sweep takes one plan: 'b' follows 'a'" "$scree" sweep a b
check "no plan" refuses 2 "no plan given" "$scree" sweep
calls=$(wc -l <"$tmp/log")
check "all is done already" ends 1 sweep "$file" good,failed,signal,invalid,ranks,separate,silent,hangs \
  --repeat 1 --timeout 1s --resume
check "and nothing is run again" test "$(wc -l <"$tmp/log")" = "$calls"
check "and the table comes again" test -s "$tmp/out"
check "a file that is not a file of results" refuses 2 "line 1: not a result file" \
  sweep examples/village.gr good --resume

# The name comes from the plan; eager is measured only if it is used.
printf 'title = of eager names\nkernel = sssp\nscale = 8 # eager\nranks = 2\nenv.FAKE = good, also\nrepeat = 3\n' >"$tmp/named.sweep"
in_tmp() { (cd "$tmp" && "$scree" sweep named.sweep --launcher "env RANKS={ranks}" --mpi "$fake" "$@"); }
check "a sweep file" ends 0 in_tmp
check "names the results" complete "$tmp/named.jsonl"
check "and their title" grep -q '"title":"of eager names"' "$tmp/named.jsonl"

# ---- dry run ----
calls=$(wc -l <"$tmp/log")
check "dry run" ends 0 sweep "$tmp/dry.jsonl" good,failed --repeat 4 --dry-run
check "dry run: size" grep -q '^2 configurations, each run 4 times' "$tmp/out"
check "dry run: a guess" grep -qE '^Runs: [0-9]+\. Estimated time: [0-9]+ s, assuming 1\.5 s per run' "$tmp/out"
check "dry run: axes" grep -qE '^ +env\.FAKE +good, failed$' "$tmp/out"
check "dry run: commands" grep -q "^  FAKE=failed .*env RANKS=2 $fake sssp kron:8 " "$tmp/out"
check "dry run: nothing runs" test "$(wc -l <"$tmp/log")" = "$calls" -a ! -e "$tmp/dry.jsonl"
check "dry run by measured times" ends 0 in_tmp --dry-run
check "dry run by measured times: says so" grep -q "from the [0-9]* runs in 'named.jsonl'" "$tmp/out"
threads() { "$scree" sweep --results "$tmp/dry.jsonl" --scale 8 --ranks 2,1000 --dry-run "$@"; }
check "dry run with too many ranks" ends 0 threads
check "dry run with too many ranks: a warning" grep -q 'in 1 of 2 configurations there are more threads than' "$tmp/out"
check "more ranks than may start by themselves" refuses 2 "legal: a whole number from 1 to 1024, or auto" "$scree" sweep --scale 8 --ranks 1025 --dry-run
check "dry run by a template, which may go elsewhere" ends 0 sweep "$tmp/dry.jsonl" good --ranks 2,100000 --dry-run
check "dry run by a template: no warning" eval "! grep 'more threads than' '$tmp/out'"
check "dry run of one" ends 0 sweep "$tmp/dry.jsonl" good --repeat 1 --dry-run
check "dry run of one: size" grep -q '^1 configuration, each run 1 time in rounds' "$tmp/out"
sed '1s/"cores":[0-9]*/"cores":777/' "$tmp/ends.jsonl" >"$tmp/other.jsonl"
check "dry run with the file of another plan" ends 0 sweep "$tmp/other.jsonl" good --env.N cores --dry-run
check "dry run with the file of another plan: its words do not count" eval "! grep 'env.N  *777' '$tmp/out'"
check "dry run with the file of another plan: says so" grep -q 'which exists: --resume continues it' "$tmp/out"
check "eager of several programs" refuses 2 "make one sweep for each" \
  sweep "$tmp/dry.jsonl" good --mpi openmpi --coalesce-bytes eager --dry-run

# ---- disk full ----
file=$tmp/full.jsonl
small() { (ulimit -f 6 && sweep "$file" good,also --repeat 9 "$@"); }
check "disk full" ends 1 small
check "disk full: says so" said "the disk is full"
check "disk full: no part of a line" test "$(tail -c 1 "$file")" = ""
check "disk full: goes on when there is room" ends 0 sweep "$file" good,also --repeat 9 --resume
check "disk full: nothing is lost or twice" complete "$file"

# ---- stopped ----
file=$tmp/stopped.jsonl
gone() { [ ! -e "/proc/$1" ] || grep -q '^[0-9]* ([^)]*) Z' "/proc/$1/stat"; }
sweep "$tmp/empty.jsonl" waits >"$tmp/out" 2>"$tmp/err" &
check "stopped at once: a job waits" wait_for test -e "$tmp/waits"
kill -INT "$(pgrep -P $! -f "__main__.py sweep" || echo $!)"
wait $! || :
check "stopped at once: no table of nothing" test ! -s "$tmp/out"
for signal in INT TERM HUP; do
  rm -f "$tmp/waits"
  sweep "$file" good,waits --repeat 2 --resume >"$tmp/out" 2>"$tmp/err" &
  check "$signal: a job waits" wait_for test -e "$tmp/waits"
  check "$signal: one sweep at a time" refuses 2 "another sweep is writing to this file" \
    sweep "$file" good,waits --repeat 2 --resume
  kill -$signal "$(pgrep -P $! -f "__main__.py sweep" || echo $!)"
  rc=0
  wait $! || rc=$?
  check "$signal: exit code" test $rc = 130
  check "$signal: the job ends too" gone "$(cat "$tmp/waits")"
done
touch "$tmp/go"
check "stopped: goes on" ends 0 sweep "$file" good,waits --repeat 2 --resume
check "stopped: nothing is lost or twice" complete "$file"

# ---- real jobs ----
file=$tmp/real.jsonl
check "a real sweep" ends 0 "$scree" sweep --results "$file" --scale 8 --ranks 2 --algorithm dc,delta --repeat 1
check "a real sweep: records" complete "$file"
check "a real sweep: valid" eval "! sed 1d '$file' | grep '\"repetition\":[01],' | grep -v '\"status\":\"ok\".*\"validated\":true'"
file=$tmp/hangs.jsonl
"$scree" sweep --results "$file" --scale 14 --ranks 2 --warmup 100000 --repeat 1 --timeout 2s >/dev/null 2>&1 &
check "a real timeout" wait_for grep -qs '"status":"timeout"' "$file"
kill -INT $!
wait $! || :
check "a real timeout: hang reports" eval "sed -n 2p '$file' | grep 'report of rank 0 of 2' | grep -q 'report of rank 1 of 2'"
finish

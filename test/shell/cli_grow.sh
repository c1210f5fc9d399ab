#!/usr/bin/env bash
# cli_grow.sh - scree sweep --resume: a finished study that grows, one that another program or environment would continue,
# configurations that cannot run, programs that are not scree.
. "$(dirname "$0")/../support/shell.sh"
unset ${!SCREE_@}
fake=$tmp/fake
cat >"$fake" <<'SCRIPT'
#!/bin/sh
[ "$1" != --version ] || { echo "scree 0 (openmpi)" && exit; }
echo "$*" >>"$(dirname "$0")/log"
case "$*" in *--in-flight\ 7*) echo "scree: warning: few cores" >&2; echo "scree: no luck" >&2; exit 3 ;; esac
printf '{"configuration":{"ranks":2},"runs":[{"seconds":0.25,"teps":1e6,"valid":true}],"peak_memory_bytes":{"max":4096}}\n'
SCRIPT
chmod +x "$fake"
file=$tmp/grow.jsonl
sweep() { "$scree" sweep --results "$file" --launcher "env RANKS={ranks}" --mpi "$fake" --scale 8 --quiet "$@" >"$tmp/out" 2>&1 || { cat "$tmp/out" && return 1; }; }
jobs() { grep -c sssp "$tmp/log"; }
# runs N COMMAND...: it starts so many jobs
runs() {
  local n=$1
  : >"$tmp/log"
  shift
  "$@" && [ "$(jobs)" = "$n" ] || { echo "$(jobs) jobs instead of $n" && return 1; }
}
complete() {
  local steps
  steps=$(sed -nE '1s/.*"steps":([0-9]+).*/\1/p' "$1")
  diff <(seq 0 $((steps - 1))) <(sed 1d "$1" | grep -oE '"step":[0-9]+' | cut -d: -f2 | sort -n)
}

# ---- a study that grows ----
plan() { sweep --in-flight "$@"; }
check "a study" runs 7 plan 1,2 --repeat 2 # a warm-up, 4, 2 of the control
check "more repetitions" runs 2 plan 1,2 --repeat 3 --resume
check "each step once" complete "$file"
check "more values" runs 4 plan 1,2,3 --repeat 3 --resume
check "each step once" complete "$file"
check "a new axis, whose default is what was run" runs 10 plan 1,2,3 --repeat 3 --spin 256,0 --resume
check "each step once" complete "$file"
check "what was run has it" eval '[ "$(grep -c "\"role\":\"data\".*spin" "$file")" = 0 ] && [ "$(grep -c "\"spin\":\"256\".*\"role\":\"data\"" "$file")" = 9 ]'
check "the report has all" eval '"$scree" report "$file" | grep -q "6 configurations"'
check "nothing is left" runs 0 plan 1,2,3 --repeat 3 --spin 256,0 --resume
check "a smaller plan is another" refuses 2 "belong to another plan" "$scree" sweep --results "$file" \
  --launcher "env RANKS={ranks}" --mpi "$fake" --scale 8 --in-flight 1,2 --repeat 3 --resume
check "peak memory" eval '! sed 1d "$file" | grep -v "\"peak_memory_bytes\":4096"'

# ---- who runs it ----
file=$tmp/who.jsonl
check "a study" plan 1,2 --repeat 1
check "its identity" eval '! sed 1d "$file" | grep -vE "\"identity\":\{\"program\":\"$fake\",.*\"hash\":\"[0-9a-f]{16}\".*\"host\":\"$(uname -n)\""'
cp "$fake" "$fake.1" && echo "# another build" >>"$fake"
resumes() { plan 1,2,3 --repeat 1 --resume; }
refused() { ! "$@" && grep -qE -- "$text" "$tmp/out"; }
text='run 0 was made under other conditions: hash [0-9a-f]+ there, [0-9a-f]+ here' check "another build is refused" refused resumes
mixes() { plan 1,2 --repeat 1 --mix; }
check "unless both may be mixed" runs 5 mixes
check "both are kept apart" eval '[ "$(grep -c "identity=..hash" "$file")" = 5 ] && "$scree" report "$file" | grep -q "4 configurations"'
file=$tmp/options.jsonl
check "a study" plan 1,2 --repeat 1
export SCREE_SPIN=3
text='option spin of the environment unset there, 3 here' check "other options of the environment are refused" refused resumes
unset SCREE_SPIN
check "the same are not" runs 1 resumes

# ---- what cannot run ----
file=$tmp/cannot.jsonl
dry() { "$scree" sweep --results "$file" --scale 6 --ranks 2 --algorithm dc,dc-hybrid --progress none,full --repeat 2 "$@" >"$tmp/out" 2>&1; }
check "a dry run" dry --dry-run
check "names how many, and why" grep -q "1 of 4 configurations cannot run: progress=full: the handlers of the algorithm 'dc'" "$tmp/out"
check "and which" eval 'grep -A2 "^scale=6 ranks=2 algorithm=dc progress=full" "$tmp/out" | grep -q "^  cannot run: progress=full"'
check "a sweep" eval '! dry'
check "does not try it" eval '[ "$(grep -cE "\"wall_seconds\":0(\.0)?," "$file")" = 1 ] && [ "$(grep -c "cannot run: progress=full" "$file")" = 1 ]'
file=$tmp/error.jsonl
fails() { ! plan 7,1 --repeat 1 --control in-flight=1; }
check "a run that fails" fails
check "shows its error, not its first warning" grep -q '"message":"exit code 3: scree: no luck' "$file"

# ---- flags, other programs ----
words() { "$scree" sweep --dry-run --results "$tmp/none" "$@" >"$tmp/out" 2>"$tmp/err" && cat "$tmp/out" "$tmp/err"; }
check "a flag needs no value" eval 'words --graph examples/village.gr --undirected --ranks 1 | grep -q -- " --undirected "'
check "but may have one" eval 'words --scale 8 --no-pruning on,off --ranks 1 | grep -q "^2 configurations"'
cat >"$tmp/bench" <<'SCRIPT'
#!/bin/sh
[ "$1" = --bytes ] && echo "{\"runs\":[{\"seconds\":0.00$2}]}"
SCRIPT
chmod +x "$tmp/bench"
file=$tmp/bench.jsonl
check "a program that is not scree" "$scree" sweep --results "$file" --program "$tmp/bench --bytes {bytes}" --launcher "env N={ranks}" --bytes 1,2 --ranks 1 --repeat 3 --quiet
check "its times" eval '[ "$(grep -c "\"bytes\":\"2\".*\"status\":\"ok\",\"seconds\":0.002" "$file")" -ge 3 ]'
check "its report" eval '"$scree" report "$file" | grep -q "bytes"'
file=$tmp/mpi.jsonl
if [ "$(cat "$BUILD/mpi")" = openmpi ] && mpicc --showme:version 2>/dev/null | grep -q 'Open MPI'; then
  check "a benchmark of plain MPI" mpicc -O2 examples/study/own_benchmark.c -o "$tmp/own"
  check "is measured" "$scree" sweep --results "$file" --program "$tmp/own {bytes}" --bytes 8,512 --ranks 2 --repeat 2 --quiet
  check "by runs of two ranks" eval '[ "$(grep -c "\"status\":\"ok\".*\"ranks\":2" "$file")" = 7 ]'
else
  skipped "a benchmark of plain MPI" "mpicc is not that of this build's MPI"
fi
finish

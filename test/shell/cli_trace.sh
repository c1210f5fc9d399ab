#!/usr/bin/env bash
# cli_trace.sh - scree ... --trace FILE: timelines of jobs on one and several ranks and workers, read by Python's json.
. "$(dirname "$0")/../support/shell.sh"
if ! command -v python3 >/dev/null; then
  skipped "timelines" "python3 is not installed; ./dev packages installs all tools"
  finish
fi
# ranks N WORDS...: scree on N ranks; one needs no launcher
ranks() {
  local n=$1
  shift
  if [ "$n" = 1 ]; then "$scree" "$@"; else test/launch.sh "$BUILD" "$n" "$scree" "$@"; fi
}
# traced RANKS THREADS WORDS...: a job and its timeline; what it printed is in $tmp/said
traced() {
  local n=$1 threads=$2
  shift 2
  rm -f "$tmp/t.json"
  ranks "$n" "$@" --threads "$threads" --trace "$tmp/t.json" >"$tmp/said" 2>&1 &&
    python3 test/shell/timeline.py "$tmp/t.json" "$n" "$threads" >"$tmp/kinds" && cat "$tmp/kinds" && ! compgen -G "$tmp/t.json.*"
}
has() { grep -qE "(^| )$1=[1-9]" "$tmp/kinds" || ! cat "$tmp/kinds"; }

check "one rank" traced 1 1 sssp kron:8
check "it has epochs, batches and rounds" eval 'has epoch && has handler && has detection'
check "nothing is dropped" eval '! has dropped'
check "3 ranks" traced 3 1 sssp kron:8
check "they wait" eval 'has epoch && has handler && has detection && has wait'
check "the types have their names" grep -q '"name":"sssp.opt","cat":"handler"' "$tmp/t.json"
check "the table is unchanged" grep -q "^opt  *3 " "$tmp/said"
check "3 ranks of 2 workers, by MPI" traced 3 2 bfs kron:8 --transport mpi
check "rounds between nodes have a track" grep -q '"name":"detection round between nodes".*"tid":2,' "$tmp/t.json"
check "another subcommand, small rings" traced 1 2 generate kron:6 "$tmp/g.scree" --quiet --trace-events 16
check "they overflow" has dropped

# ---- what goes wrong

# full RANKS: says once that the disk is full; code 1
full() {
  local rc=0
  ranks "$1" sssp kron:8 --quiet --trace /dev/full >"$tmp/out" 2>"$tmp/err" || rc=$?
  [ $rc = 1 ] && [ "$(grep -c "the trace was not written in full: No space left on device" "$tmp/err")" = 1 ] || ! cat "$tmp/err"
}
check "full disk" full 1
check "full disk, 3 ranks" full 3
check "a directory that is not there" refuses 2 "option '--trace': '$tmp/none/t' cannot be written: No such file or directory" \
  "$scree" sssp kron:8 --trace "$tmp/none/t"
check "standard output has the table" refuses 2 "option 'trace': '-' is not legal; legal: FILE: write a timeline for ui.perfetto.dev, but not to -" \
  "$scree" sssp kron:8 --trace -
echo kept >"$tmp/kept"
check "input that is refused" refuses 2 "has no vertex 999" "$scree" sssp kron:8 --source 999 --trace "$tmp/kept"
check "leaves the file as it was" [ "$(cat "$tmp/kept") $(ls "$tmp"/kept*)" = "kept $tmp/kept" ]
check "an option that is too large" refuses 2 "trace-events" "$scree" sssp kron:8 --trace-events 1G --trace "$tmp/kept"

# A world that fails: an option leaves no memory for what handlers send.
fails() {
  local rc=0
  SCREE_TEST_POOL_BLOCKS=1 ranks 2 sssp kron:8 --algorithm opt --memory 4096 --overflow-max 1024 --quiet --trace "$tmp/f.json" \
    >"$tmp/out" 2>"$tmp/err" || rc=$?
  [ $rc = 1 ] && grep -q "overflow to rank" "$tmp/err" || ! cat "$tmp/err"
}
check "a failed run" fails
check "its timeline" python3 test/shell/timeline.py "$tmp/f.json" 2 1
check "it says why" grep -q '"failure":"scree: rank 0 of 2: .*overflow\|"failure":"scree: rank 0 of 2: rank 1 reported: out of memory' "$tmp/f.json"
finish

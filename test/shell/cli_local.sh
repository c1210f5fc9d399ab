#!/usr/bin/env bash
# cli_local.sh - ranks that the command starts itself: how many, what it says of them, how they end.
. "$(dirname "$0")/../support/shell.sh"
export UCX_DEBUG_SIGNO=SIGUSR2 # which UCX, loaded with MPICH, handles in each process: SIGHUP, unless it is set otherwise
for name in $(compgen -e | grep -E '^(OMPI_COMM|PMI_|PMIX_|MV2_|SLURM_|FLUX_|SCREE_RANKS)'); do unset "$name"; done

# ranks N ARGUMENT...: the job has N ranks, and uses no MPI
ranks() {
  local n=$1
  shift
  "$@" --quiet --json "$tmp/json" >"$tmp/out" 2>&1 || { cat "$tmp/out" && return 1; }
  grep -E '"(ranks|launcher|thread_level)":' "$tmp/json"
  grep -q "\"ranks\":	$n," "$tmp/json" && grep -q '"launcher":	"local"' "$tmp/json" && grep -q '"thread_level":	"none"' "$tmp/json"
}
cores=$(taskset -c 0-1 nproc)
one_core() { taskset -c 0 "$@"; }
big=kron:14 # more than 2^16 edges

check "one rank that was requested" ranks 1 "$scree" bfs $big --ranks 1
check "three ranks" ranks 3 "$scree" bfs $big --ranks 3
check "three ranks by the environment" ranks 3 env SCREE_RANKS=3 "$scree" bfs $big
check "the option overrides it" ranks 2 env SCREE_RANKS=3 "$scree" bfs $big --ranks 2
check "auto overrides it too" ranks "$cores" env SCREE_RANKS=3 taskset -c 0-1 "$scree" bfs $big --ranks auto
check "one for each core" ranks "$cores" taskset -c 0-1 "$scree" bfs $big
check "one on one core" ranks 1 one_core "$scree" bfs $big
check "one with a thread for each core" ranks 1 taskset -c 0-1 "$scree" bfs $big --threads 2
check "one for a small graph" ranks 1 "$scree" bfs path:9
"$scree" convert kron:10 "$tmp/small.mtx" --quiet && "$scree" convert kron:17 "$tmp/one.scree" --ranks 1 --quiet
check "one for a small file" ranks 1 "$scree" bfs "$tmp/small.mtx"
check "as many as an image has parts" ranks 1 "$scree" bfs "$tmp/one.scree"
check "standard input: one for each core" eval 'ranks "$cores" taskset -c 0-1 "$scree" bfs - <"$tmp/small.mtx"'

# bad TEXT ARGUMENT...
bad() { check "refused: ${*:2}" refuses 2 "$1" "${@:2}"; }
legal="is not legal; legal: N|auto: processes that the command starts, 1 to 1024"
bad "option 'ranks': '0' $legal" "$scree" bfs $big --ranks 0
bad "option 'ranks': '-1' $legal" "$scree" bfs $big --ranks -1
bad "option 'ranks': 'many' $legal" "$scree" bfs $big --ranks many
bad "option 'ranks': '1025' $legal" "$scree" bfs $big --ranks 1025
bad "option 'ranks': '1.5' (from SCREE_RANKS) $legal" env SCREE_RANKS=1.5 "$scree" bfs $big
bad "transport=mpi needs MPI, and these ranks have none: start them by mpirun" "$scree" bfs $big --transport mpi
bad "progress=comm needs MPI" "$scree" bfs $big --ranks 3 --quiet --progress comm
bad "$tmp/none: rank 0: cannot open it" "$scree" bfs "$tmp/none" --ranks 3 --quiet

launched() { test/launch.sh "$BUILD" 2 "$scree" bfs "$@"; }
mismatch() {
  local rc=0
  launched $big --ranks 3 >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc != 0 ] && [ "$(grep -c "^scree: option '--ranks': 3, but a launcher has started 2 (" "$tmp/out")" = 1 ]
}
check "another number than a launcher's" mismatch
check "the launcher's number" launched $big --ranks 2 --quiet
check "a launcher's ranks, whatever SCREE_RANKS says" env SCREE_RANKS=3 test/launch.sh "$BUILD" 2 "$scree" bfs $big --quiet
alone() { test/launch.sh "$BUILD" 1 "$scree" bfs $big --json - | grep -q '"ranks":	1,'; }
check "a launcher's one rank stays one" alone
announced() { PALS_RANKID=0 "$scree" bfs $big --json - >"$tmp/json" && grep -q '"ranks":	1,' "$tmp/json" && grep -q '"launcher":	"PALS_RANKID"' "$tmp/json"; }
check "so does one that announces no number" announced

# The same answer, however ranks are started.
same() {
  "$scree" sssp $big --ranks 1 --output "$tmp/a1" --quiet && "$scree" sssp $big --ranks 3 --output "$tmp/a3" --quiet &&
    "$scree" sssp $big --ranks 2 --output - >"$tmp/a2" && cmp "$tmp/a1" "$tmp/a3" && cmp "$tmp/a1" "$tmp/a2"
}
check "the same answer of 1, 2 and 3 ranks" same

crowded() { "$scree" bfs $big --ranks 64 2>&1 >/dev/null | tee "$tmp/err" && [ "$(grep -c '64 ranks on a machine with cores for' "$tmp/err")" = 1 ]; }
check "more ranks than cores: one warning" crowded

# nodes N: as a batch script or a shell of salloc sees them, in which no launcher has started anything
nodes() { SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_JOB_NUM_NODES=$1 "$scree" bfs "${@:2}" --json "$tmp/json" 2>&1 >/dev/null; }
several="ranks on this host, one of the 2 nodes that the batch system has allocated (SLURM_JOB_NUM_NODES): to use all, start the command by srun or mpirun"
one_host() { nodes 2 $big --ranks 2 | tee "$tmp/out" | grep -qxF "scree: warning: 2 $several" && grep -q '"launcher":	"local"' "$tmp/json"; }
check "an allocation of several nodes: ranks here, and a warning" one_host
check "none with one rank" eval '[ -z "$(nodes 2 path:9)" ]'
check "nor on one node" eval '[ -z "$(nodes 1 $big --ranks 2)" ]'
check "nor with --quiet" eval '[ -z "$(nodes 2 $big --ranks 2 --quiet)" ]'

# ends SIGNAL: a rank is ended by it in a long job; the command says which, and leaves no process
ends() {
  local job rank rc=0
  "$scree" pagerank kron:16 --ranks 3 --quiet --repeat 100000 >"$tmp/out" 2>&1 &
  job=$!
  wait_for eval '[ "$(pgrep -c -P '$job')" = 3 ]' || { kill $job && return 1; }
  rank=$(pgrep -P $job | sed -n 2p)
  kill -"$1" "$rank"
  wait $job || rc=$?
  cat "$tmp/out"
  echo "code $rc"
  [ $rc = 1 ] && grep -qE "^scree: rank 1 of 3 \(process $rank\) was ended by signal $2 " "$tmp/out" && ! pgrep -P $job
}
check "a killed rank is named" ends KILL 9
check "one that crashes too" ends SEGV 11

# The parent gets a signal to end; all end as one process would.
reports() {
  local job rc=0 all
  "$scree" pagerank kron:16 --ranks 3 --quiet --repeat 100000 >"$tmp/out" 2>&1 &
  job=$!
  wait_for eval '[ "$(pgrep -c -P '$job')" = 3 ]'
  all=$(pgrep -P $job)
  kill -"$1" $job
  wait $job || rc=$?
  echo "code $rc"
  [ $rc = $((128 + $2)) ] && wait_for eval '! kill -0 '"$(echo $all)"' 2>/dev/null'
}
check "SIGTERM" reports TERM 15
check "SIGHUP" reports HUP 1

# A terminal that hangs up signals the whole process group.
group() {
  local job rc=0 all
  setsid "$scree" pagerank kron:16 --ranks 3 --quiet --repeat 100000 >"$tmp/out" 2>&1 &
  job=$!
  wait_for eval '[ "$(pgrep -c -P '$job')" = 3 ]'
  all=$(pgrep -P $job)
  kill -"$1" -- -$job
  wait $job || rc=$?
  cat "$tmp/out"
  echo "code $rc"
  [ $rc = $((128 + $2)) ] && ! grep -q 'was ended by' "$tmp/out" && wait_for eval '! kill -0 '"$(echo $all)"' 2>/dev/null'
}
check "SIGHUP to all" group HUP 1
check "SIGTERM to all" group TERM 15

closed() {
  local one=0 three=0
  "$scree" info $big --ranks 1 >&- 2>"$tmp/e1" || one=$?
  "$scree" info $big --ranks 3 >&- 2>"$tmp/e3" || three=$?
  cat "$tmp/e1" "$tmp/e3"
  [ $one = $three ] && [ $one != 0 ]
}
full() {
  local one=0 three=0
  "$scree" info $big --ranks 1 >/dev/full 2>"$tmp/e1" || one=$?
  "$scree" info $big --ranks 3 >/dev/full 2>"$tmp/e3" || three=$?
  cat "$tmp/e1" "$tmp/e3"
  [ $one = $three ] && [ $one != 0 ]
}
check "a closed standard output: as with one rank" closed
check "a full one" full
leaves() { [ -z "$(find /dev/shm -maxdepth 1 -name 'scree*' -newer "$tmp/json")" ]; }
check "nothing is left in /dev/shm" leaves
finish

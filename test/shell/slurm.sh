#!/usr/bin/env bash
# slurm.sh - jobs under a real Slurm: its controller and two virtual nodes on this machine, for the time of the test.
#
# Open MPI runs by PMIx on one of the nodes (two virtual nodes of one machine share the place where PMIx servers meet),
# MPICH by PMI2 on both.
. "$(dirname "$0")/../support/shell.sh"

mpi=$(cat "$BUILD/mpi")
export PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd srun salloc munged; do
  command -v $tool >/dev/null && continue
  skipped "jobs under Slurm" "$tool is not installed; ./dev packages installs all tools"
  finish
done
if [ "$(id -u)" != 0 ]; then
  skipped "jobs under Slurm" "its daemons need root here"
  finish
fi

daemons=()
stop() {
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null; done
  rm -rf "$tmp"
}
trap stop EXIT
# daemon NAME COMMAND...: in the background, in the foreground of its own log
daemon() {
  local log=$tmp/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null &
  daemons+=($!)
}
host=$(hostname -s) port=$((20000 + $$ % 20000))
chmod 700 "$tmp"
mkdir "$tmp/state" "$tmp/spooln1" "$tmp/spooln2"
head -c 1024 /dev/urandom >"$tmp/key" && chmod 400 "$tmp/key"
export SLURM_CONF=$tmp/slurm.conf
cat >"$SLURM_CONF" <<C
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.sock
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=10 State=UP OverSubscribe=YES
C
daemon munged munged --foreground --force --key-file "$tmp/key" --socket "$tmp/munge.sock" --pid-file "$tmp/munged.pid" \
  --log-file "$tmp/munged.txt" --seed-file "$tmp/munged.seed"
wait_for [ -S "$tmp/munge.sock" ]
daemon slurmctld slurmctld -D -f "$SLURM_CONF"
for node in n1 n2; do daemon $node slurmd -D -f "$SLURM_CONF" -N $node; done
both_idle() { [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = 2 ]; }
if ! wait_for both_idle; then
  skipped "jobs under Slurm" "its daemons do not work here: $(grep -h 'error\|fatal' "$tmp"/*.log | head -n 1)"
  finish
fi

if [ "$mpi" = openmpi ]; then way="--mpi=pmix -N 1"; else way="--mpi=pmi2 -N 2"; fi
if ! srun --mpi=list 2>&1 | grep -qw "$(sed 's/--mpi=\([a-z0-9]*\).*/\1/' <<<"$way")"; then
  skipped "jobs under Slurm" "this Slurm has no plugin for ${way%% *}"
  finish
fi
# A step right after another one may find the PMIx server of that one still there; then Slurm fails to launch it.
job() {
  local rc
  for _ in 1 2 3 4 5; do
    rc=0
    timeout 60 srun $way --overcommit "$@" </dev/null 2>"$tmp/srun.err" >"$tmp/srun.out" || rc=$?
    grep -q 'launch failed: Unspecified error' "$tmp/srun.err" || break
    wait_for both_idle
  done
  cat "$tmp/srun.out"
  cat "$tmp/srun.err" >&2
  return $rc
}
check "srun -n 3 scree sssp" eval 'job -n 3 "$scree" sssp kron:6 --validate | grep -qE "^opt +3 .* valid$"'
check "the version is printed once" [ "$(job -n 2 "$scree" --version | grep -c '^scree')" = 1 ]
check "a single process is not a job" eval 'job -n 1 "$scree" sweep --scale 6 --ranks 1 --dry-run --results "$tmp/none.jsonl" | grep -q "^Runs: "'
check "several are" eval '! job -n 2 "$scree" sweep --scale 6 --dry-run >"$tmp/said" 2>&1 && grep -q "was started by a launcher as one of 2 ranks" "$tmp/said"'

# alloc COMMAND...: in an allocation of both nodes and four tasks
alloc() { timeout 100 salloc -N 2 -n 4 --quiet "$@" </dev/null; }
check "cores are the allocation's" eval 'alloc "$scree" sweep --scale 6 --ranks 1,cores --dry-run --results "$tmp/none.jsonl" | grep -qE "^  ranks +1, 4$"'
by_itself() { grep -q '"launcher":	"local"' "$tmp/json" && [ "$(grep -c 'one of the 2 nodes that the batch system has allocated' "$tmp/said")" = "$1" ]; }
check "scree bfs inside salloc: ranks on this host, and a warning" eval 'alloc "$scree" bfs kron:14 --ranks 2 --json "$tmp/json" >"$tmp/said" 2>&1 && by_itself 1'
batch() { timeout 100 sbatch --wait --quiet -N "$1" -n 2 --output "$tmp/said" --wrap "exec '$scree' bfs kron:14 --ranks 2 --json '$tmp/json'"; }
check "in a script of sbatch, on one node" eval 'batch 1 && by_itself 0'
check "on two" eval 'batch 2 && by_itself 1'
nodes=$(sed 's/.*-N //' <<<"$way")
check "scree sweep inside salloc" alloc "$scree" sweep --quiet --scale 6 --nodes 1,$nodes --ranks-per-node 2 --repeat 1 \
  --results "$tmp/sweep.jsonl" --launcher "srun ${way%% *} --overlap -N {nodes} --ntasks-per-node {ppn} -n {ranks}"
check "all its runs are well" eval '! sed 1d "$tmp/sweep.jsonl" | grep -v "\"status\":\"ok\"" && [ "$(wc -l <"$tmp/sweep.jsonl")" -ge 3 ]'
finish

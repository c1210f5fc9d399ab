#!/usr/bin/env bash
# attack.sh - kills a rank of a job at a random moment, and sees how the job ends; or gives scree files that are made to
# harm it, or lets another user of the machine interfere (support/threats.sh), or makes its conditions difficult (support/hardships.sh), and checks what scree does.
#   attack.sh [TRIALS] [OPTION...]     TRIALS: 200 by default
#     --hosts 1       on this host alone, not on two hosts made of network namespaces
#     --local         on this host, by ranks that scree starts itself; one in four victims is their parent
#     --within S      seconds that a job may take to end after the kill: default 5
#     --seed N        draws the same trials again
#     --first N       begins with trial N
#     --job NAME, --way NAME    only kills, of that job, that way to die: see below
#     --threat NAME             only that threat or hardship; `all`, `none`: only these, only kills
#     --build DIR     a build directory; may be repeated. Default: those of the variable BUILDS, else build
# The job, the MPI (that of a build directory), ranks, hosts, the victim, how it dies and when are drawn. The job must
# end in time and with a code other than 0; its output must give a reason; no process, no name in /dev/shm and no file
# that is half written under its final name may remain. A job that was over before the kill took effect (its code is 0
# and its answer whole) does not count as a trial: another is drawn. The last line counts. The code is 0 if all trials
# passed, 1 if not, 2 if the options are wrong.
set -u
cd "$(dirname "$0")/.."
export OMPI_MCA_orte_allowed_exit_without_sync=0 # a rank that ends its process by itself must be noticed
. test/support/mpi.sh
. test/support/signals.sh
. test/support/threats.sh
. test/support/hardships.sh
trials=200 hosts=2 within=5 seed=$(date +%s) first=1 only_job='' only_way='' only_threat='' builds=()
while [ $# -gt 0 ]; do
  case $1 in
    --local) export SCREE_TEST_LAUNCHER=local && shift && continue ;;
    --job | --way | --threat | --build | --hosts | --within | --seed | --first) [ $# -gt 1 ] || { echo "attack: $1 needs a value" >&2 && exit 2; } ;;
    *) [[ $1 =~ ^[0-9]+$ ]] || { echo "attack: '$1' is not understood" >&2 && exit 2; } ;;
  esac
  case $1 in
    --hosts) hosts=$2 ;; --within) within=$2 ;; --seed) seed=$2 ;; --first) first=$2 ;; --job) only_job=$2 ;;
    --way) only_way=$2 ;; --threat) only_threat=$2 ;; --build) builds+=("$2") ;;
    *) trials=$1 && shift && continue ;;
  esac
  shift 2
done
[ ${#builds[@]} -gt 0 ] || read -ra builds <<<"${BUILDS:-build}"
is_local() { [ "${SCREE_TEST_LAUNCHER-}" = local ]; }
! is_local || hosts=1
for i in "${!builds[@]}"; do builds[$i]=$(readlink -f "${builds[$i]}"); done

tmp=$(mktemp -d)
export SCREE_TEST_HOSTS=$$
export OMPI_MCA_btl_vader_backing_directory=$tmp # Open MPI leaves files of its own
clean() {
  [ "$hosts" = 1 ] || test/hosts.sh down
  rm -rf "$tmp" "/dev/shm/scree-$$-planted"
}
stopped() {
  end_started
  summary "stopped by SIG$1: "
  clean # bash runs no EXIT trap when a signal ends it
}
on_signals stopped
trap clean EXIT

passed=0 failed=0 over=0 slowest=0 says=''
declare -A said faced
# summary WORDS
summary() {
  local who
  for who in "${!said[@]}"; do echo "attack: why it ended was said by $who: ${said[$who]} times"; done
  for who in "${!faced[@]}"; do echo "attack: the threat $who: ${faced[$who]} times"; done
  echo "attack: $1$((passed + failed)) trials, $passed passed, $failed failed; the slowest ended $slowest ms after the kill;" \
    "$over jobs more were over before"
}

milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }

# ---- jobs -----------------------------------------------------------------------------------------------------------

jobs=(load_text load_mtx load_image sssp bfs cc pagerank answer convert generate graph500 sweep)
ways=(SIGKILL SIGSEGV stopped exit)

# Makes the graph that the job reads, once.
make_graph() {
  case $job in
    load_text) [ -e "$tmp/g.txt" ] || "${builds[0]}/scree" generate kron:14 "$tmp/g.txt" ;;
    load_mtx | convert) [ -e "$tmp/g.mtx" ] || "${builds[0]}/scree" generate kron:14 "$tmp/g.mtx" ;;
    load_image) [ -e "$tmp/g.scree" ] || "${builds[0]}/scree" generate kron:16 "$tmp/g.scree" --random-weights 1..100 ;;
  esac >/dev/null
}

# words_of JOB DIRECTORY: sets `words`, the arguments of scree; what they write is in the directory
words_of() {
  case $1 in
    load_text) words=(cc "$tmp/g.txt" --undirected --columns 1,2) ;;
    load_mtx) words=(cc "$tmp/g.mtx") ;;
    load_image) words=(sssp "$tmp/g.scree" --sources 4) ;;
    sssp | bfs) words=("$1" kron:15 --sources 16 --validate) ;;
    cc | pagerank) words=("$1" kron:16 --validate) ;;
    answer) words=(cc kron:17,2 --output "$2/answer") ;;
    convert) words=(convert "$tmp/g.mtx" "$2/g.txt") ;;
    generate) words=(generate kron:16 "$2/g.scree") ;;
    graph500) words=(graph500 --scale 13 --sources 8) ;;
  esac
}

# start: the drawn job, in the background, what it prints in $dir.out and $dir.log
start() {
  local -a words command
  if [ "$job" = sweep ]; then
    command=("$build/scree" sweep --results "$dir/results" --kernel sssp,bfs --scale 13 --ranks "$n" --repeat 2)
    if is_local; then command+=(--launcher local); else command+=(--mpi "$build/scree"); fi
  else
    words_of "$job" "$dir"
    # The library is preloaded on the ranks alone, next to what the launcher preloads.
    words=(sh -c 'LD_PRELOAD="$0${LD_PRELOAD:+:$LD_PRELOAD}" exec "$@"' "$build/test/attack_exit.so"
      "$build/scree" "${words[@]}")
    if [ "$on" = 1 ]; then
      command=(test/launch.sh "$build" "$n" "${words[@]}")
    else
      command=(test/hosts.sh run "$build" "$n" $(((n + on - 1) / on)) "${words[@]}")
    fi
  fi
  rm -rf "$dir" && mkdir "$dir"
  env "$mark=1" "${command[@]}" >"$dir.out" 2>"$dir.log" </dev/null &
  launcher=$!
}

runs() { kill -0 "$1" 2>/dev/null && ! grep -qs '^State:.Z' "/proc/$1/status"; }

# victim: the process of the drawn rank; of what has started the ranks if `rank` is -; nothing if it is not there
victim() {
  local pid parent=$launcher
  if is_local && [ "$rank" != - ]; then
    [ "$job" != sweep ] || parent=$(pgrep -P "$launcher")
    pgrep -P "${parent:-0}" | sed -n "$((rank + 1))p"
    return
  fi
  for pid in $(started); do
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = scree ] || continue
    if [ "$rank" = - ]; then
      if [ "$pid" = "$launcher" ]; then echo "$pid" && return; fi
    elif { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$rank\$"; then
      echo "$pid" && return
    fi
  done
}

# wait_victim: sets pid; 1 if the job is over before
wait_victim() {
  while runs $launcher; do
    pid=$(victim)
    [ -z "$pid" ] || return 0
    sleep 0.02
  done
  return 1
}

# The lines that a job has printed, and those of a sweep's results.
lines() { cat "$dir.out" "$dir/results" 2>/dev/null | wc -l; }

# The job left alone, once for each kind: sets alone to its milliseconds from the first process of rank 0 on, and keeps
# the sizes of its files and the number of its lines.
declare -A durations
undisturbed() {
  local kind="$job $build $on $n" rank=0 dir=$tmp/whole from
  sizes=$tmp/sizes_${kind// /_}
  sizes=${sizes/$build/$(basename "$build")}
  if [ -z "${durations[$kind]-}" ]; then
    start
    wait_victim
    from=$(milliseconds)
    wait $launcher || { echo "attack: the job fails by itself: $kind" && tail -n 20 "$dir.out" "$dir.log" && return 1; }
    durations[$kind]=$(($(milliseconds) - from))
    (cd "$dir" && find . -type f ! -name results -printf '%f %s\n' | sort) >"$sizes"
    lines >"$sizes.lines"
  fi
  alone=${durations[$kind]}
}

# ---- a trial --------------------------------------------------------------------------------------------------------

# between LOW HIGH: sets drawn. Not by $(...): in a subshell bash seeds RANDOM again.
between() { drawn=$(($1 + (RANDOM << 15 | RANDOM) % ($2 - $1 + 1))); }

# draw NUMBER
draw() {
  RANDOM=$(((seed + 7919 * $1) % 32768))
  between 0 $((${#builds[@]} - 1)) && build=${builds[$drawn]}
  between 0 $((${#jobs[@]} - 1)) && job=${only_job:-${jobs[$drawn]}}
  between 0 $((${#ways[@]} - 1)) && way=${only_way:-${ways[$drawn]}}
  between 1 "$hosts" && on=$drawn
  between 1 3 && n=$((2 * drawn))
  between 0 $((n - 1)) && rank=$drawn
  between 0 1050 && moment=$drawn
  if [ "$job" = sweep ]; then
    on=1 n=2 rank=$((rank % 2))
    [ "$way" != exit ] || way=SIGKILL # its jobs are started without attack_exit.so
    [ $((moment % 2)) = 0 ] || rank=-
  fi
  if is_local && [ "$job" != sweep ] && [ $((moment % 4)) = 0 ]; then rank=-; fi
  # A third of the trials are threats.
  between 0 $((3 * ${#threats[@]} - 1)) && threat=${threats[$drawn]-}
  case $only_job$only_way$only_threat in
    none) threat= ;;
    all) threat=${threats[$((drawn % ${#threats[@]}))]} ;;
    ?*) threat=$only_threat ;;
  esac
  # On several hosts MPICH's launcher does not end the ranks of the others then: docs/reliability.md.
  if [ "$way" = exit ] && [ "$on" -gt 1 ] && [ "$(cat "$build/mpi")" = mpich ]; then way=SIGKILL; fi
}

# strike PROCESS
strike() {
  case $way in
    exit) kill -RTMAX "$1" ;;
    stopped) kill -STOP "$1" && sleep 0.3 && kill -KILL "$1" ;;
    *) kill -"$way" "$1" ;;
  esac 2>/dev/null
}

# What prints the reason: scree, the launcher (Open MPI, MPICH), the shell that sees a sweep die, or nothing.
reasons() {
  local who=''
  if grep -qE 'scree: .*(has died|SIGTERM|before its work was done)|exit code [0-9]+' "$dir.out" "$dir.log"; then who=scree; fi
  if grep -qE 'mpirun[a-z.]* (noticed|has exited|detected)|Primary job|BAD TERMINATION|EXIT STRING|\[proxy:' \
    "$dir.out" "$dir.log"; then
    who+=${who:+ and }launcher
  fi
  if [ "$rank" = - ]; then who=shell; fi # which killed it, and says so
  echo "${who:-nobody}"
}

# MPICH's launcher prints nothing about a rank that ends its process by itself, nor always about one on another host, and ends
# the others by SIGKILL.
may_be_silent() { [ "$(cat "$build/mpi")" = mpich ] && { [ "$on" -gt 1 ] || [ "$way" = exit ]; }; }

# So that a test can see that the checks below notice, SCREE_TEST_ATTACK_PLANT is one of
#   traces      what must not be left is
#   late        in the first trial the kill comes when the job is over
#   late_text, late_file    so it does, and a line of the output or a file is missing
#   harm        a threat is judged as it is, and then as if it had done what it is there for
is_late() {
  case ${SCREE_TEST_ATTACK_PLANT-} in late*) [ "$1" = "$first" ] ;; *) false ;; esac
}
plant() {
  case ${SCREE_TEST_ATTACK_PLANT-} in
    harm) harm_$threat ;;
    late_text) sed -i '$d' "$dir.out" ;;
    late_file) rm -f "$dir/answer" ;;
    traces)
      echo 1 >"$dir/answer"
      : >"$dir.out"
      : >"$dir.log"
      : >"/dev/shm/scree-$$-planted"
      env "$mark=1" sleep 60 &
      ;;
  esac
}

names() { find /dev/shm -maxdepth 1 -name 'scree*' | sort; }
nothing_runs() { [ -z "$(started)" ]; }
soon() {
  local i
  for i in $(seq 50); do if "$@"; then return 0; fi; sleep 0.1; done
  return 1
}
same_names() { [ -z "$(comm -13 "$tmp/names" <(names))" ]; }

# Files under a final name that are not as long as those of an undisturbed job.
half_written() {
  local name size
  while read -r name size; do
    if [ -e "$dir/$name" ] && [ "$(stat -c %s "$dir/$name")" != "$size" ]; then
      echo "$name ($(stat -c %s "$dir/$name") of $size bytes)"
    fi
  done <"$sizes"
}

# As an undisturbed job leaves it.
is_whole() {
  local name size
  while read -r name size; do
    [ "$(stat -c %s "$dir/$name" 2>/dev/null)" = "$size" ] || return 1
  done <"$sizes"
  [ "$(lines)" -ge "$(cat "$sizes.lines")" ]
}

# judge CODE MILLISECONDS: prints what is wrong with how the job ended
judge() {
  local limit=$((within * 1000))
  # A sweep continues with its other runs when a rank of one dies.
  if [ "$job" = sweep ] && [ "$rank" != - ]; then limit=$((limit + 3 * alone)); fi
  [ "$2" -lt $limit ] || echo "it took $2 ms to end"
  [ "$1" != 0 ] || is_whole || echo "its code is 0, but its answer is not whole"
  [ "$1" = 0 ] || [ "$(reasons)" != nobody ] || may_be_silent || echo "nobody says why"
  soon nothing_runs || echo "processes remain: $(started | tr '\n' ' ')"
  soon same_names || echo "names remain: $(comm -13 "$tmp/names" <(names) | tr '\n' ' ')"
  half_written | sed 's/^/half written under its final name: /'
}

# attack NUMBER: 0 passed, 1 failed, 2 the job was over before
attack() {
  local pid delay at code=0 took wrong
  dir=$tmp/trial
  make_graph && undisturbed || return 1
  names >"$tmp/names"
  start
  delay=$((alone * moment / 1000))
  if is_late "$1"; then
    while runs $launcher; do sleep 0.02; done
  else
    wait_victim || { wait $launcher && return 2; }
    sleep $((delay / 1000)).$(printf %03d $((delay % 1000)))
    wait_victim && strike "$pid" || { wait $launcher && return 2; } # of a sweep: the rank of the current run
  fi
  at=$(milliseconds)
  for _ in $(seq $((within * 40 + 400))); do runs $launcher || break; sleep 0.025; done
  took=$(($(milliseconds) - at))
  ! runs $launcher || end_started
  wait $launcher 2>/dev/null || code=$?
  plant
  wrong=$(judge $code $took)
  what="trial $1: $job, $(if is_local; then echo local; else cat "$build/mpi"; fi), $n ranks on $on, $([ "$rank" = - ] && echo "their parent" || echo "rank $rank") by $way after $delay ms"
  says=$(reasons)
  [ $code != 0 ] || [ -n "$wrong" ] || return 2
  # A sweep whose job dies continues with the next one, and does not show how long a job takes to end.
  { [ "$job" = sweep ] && [ "$rank" != - ]; } || [ $took -le $slowest ] || slowest=$took
  if [ -z "$wrong" ]; then echo "ok - $what: code $code after $took ms; why: by $says" && return 0; fi
  echo "not ok - $what: code $code after $took ms"
  sed 's/^/    /' <<<"$wrong"
  tail -qn 20 "$dir.out" "$dir.log" | cut -c1-300 | sed 's/^/    | /'
  echo "    to replay: ./dev attack 1 --seed $seed --first $1$([ "$hosts" = 2 ] || echo " --hosts $hosts")$(! is_local || echo " --local") ${only_job:+--job $only_job }${only_way:+--way $only_way }${builds[*]/#/--build }"
  end_started
  return 1
}

# face NUMBER: a threat; returns as attack
face() {
  local wrong
  dir=$tmp/trial
  rm -rf "$dir" "$dir".* && mkdir "$dir"
  before=() around=()
  RANDOM=$(((seed + 7919 * $1 + 1) % 32768))
  act_$threat || return 2
  wrong=$(judge_$threat)
  if [ -z "$wrong" ] && [ "${SCREE_TEST_ATTACK_PLANT-}" = harm ]; then
    plant
    wrong=$(judge_$threat) detail="harmed, $detail"
  fi
  end_started
  says=
  what="trial $1: $threat, $(cat "$build/mpi"), $detail"
  if [ -z "$wrong" ]; then echo "ok - $what: code $code" && return 0; fi
  echo "not ok - $what: code $code"
  sed 's/^/    /' <<<"$wrong"
  tail -qn 20 "$dir.out" "$dir.log" | cut -c1-300 | sed 's/^/    | /'
  echo "    to replay: ./dev attack 1 --seed $seed --first $1 --threat $threat ${builds[*]/#/--build }"
  return 1
}

# ---- all of them ----------------------------------------------------------------------------------------------------

if [ "$hosts" -gt 1 ] && ! test/hosts.sh can; then
  echo "attack: skipped: two hosts: no network namespaces (needs root and iproute2)"
  hosts=1
fi
[ "$hosts" = 1 ] || test/hosts.sh up "$hosts" || exit 2
echo "attack: seed $seed, builds ${builds[*]}"
number=$first
while [ $((passed + failed)) -lt "$trials" ]; do
  draw $number
  rc=0
  if [ -n "$threat" ]; then face $number || rc=$?; else attack $number || rc=$?; fi
  case $rc$threat in
    0) passed=$((passed + 1)) && said[$says]=$((${said[$says]:-0} + 1)) ;;
    0*) passed=$((passed + 1)) && faced[$threat]=$((${faced[$threat]:-0} + 1)) ;;
    1*) failed=$((failed + 1)) ;;
    2*) over=$((over + 1)) ;;
  esac
  number=$((number + 1))
  [ $number -lt $((first + 4 * trials + 20)) ] || break
done
summary ''
[ $failed = 0 ] && [ $passed -gt 0 ]

# hardships.sh - what users and machines do to a job without harmful intent; sourced by attack.sh after threats.sh, with rows like those.

threats+=(continue interrupt hangup pipe_closed stack clock)
if [ "$(id -u)" = 0 ]; then threats+=(shm proc); fi # only root mounts

# Sets n and words: a job that checks its answer, on ranks of a launcher or of its own.
pick_work() {
  pick "bfs kron:13 --sources 16" "sssp kron:13 --sources 8" "cc kron:15 --repeat 20" "pagerank kron:13 --repeat 8"
  words="$picked --validate"
  between 2 3 && n=$drawn
  between 0 2
  [ "$drawn" != 0 ] || { words+=" --ranks $n" && n=1; }
}
is_valid() { [ "$code" = 0 ] && grep -qw valid "$dir.out" && ! grep -q invalid "$dir.out" || echo "code $code, and no valid answer"; }
nothing_left() {
  soon nothing_runs || echo "processes remain: $(started | tr '\n' ' ')"
  soon same_names || echo "names remain: $(comm -13 "$tmp/names" <(names) | tr '\n' ' ')"
}

# begin N WORDS...: as plays, in the background and in a process group of its own, $launcher, once ranks are there
begin() {
  local launch=() ranks=$1
  shift
  [ "$ranks" = 1 ] || launch=("$PWD/test/launch.sh" "$build" "$ranks")
  detail+=": $ranks ranks, scree $*"
  names >"$tmp/names"
  env --default-signal=INT,HUP "$mark=1" setsid "${launch[@]}" "$build/scree" "$@" >"$dir.out" 2>"$dir.log" </dev/null &
  launcher=$!
  soon at_work
  between 0 800 && sleep "0.$(printf %03d "$drawn")"
}
# ended: waits for it no longer than it may take, sets code
ended() {
  local i
  code=0
  for i in $(seq $(($1 * 40))); do runs $launcher || break; sleep 0.025; done
  ! runs $launcher || { code=124 && end_started; }
  wait $launcher 2>/dev/null || [ $code = 124 ] || code=$?
}

# Stopped, by turns one rank or all, for longer than the hang time.
act_continue() {
  local words n i pids
  detail="ranks that are stopped and go on"
  pick_work
  export SCREE_HANG_TIMEOUT=300ms
  begin "$n" $words
  unset SCREE_HANG_TIMEOUT
  for i in 1 2 3; do
    pids=$(for pid in $(started); do [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != scree ] || echo "$pid"; done)
    [ $i = 2 ] || pids=$(tail -n 1 <<<"$pids")
    kill -STOP $pids 2>/dev/null || { [ $i != 1 ] && break || { wait $launcher; return 2; }; }
    between 0 999 && sleep "0.$(printf %03d "$drawn")"
    kill -CONT $pids
  done
  ended 60
}
judge_continue() { is_valid; nothing_left; }
harm_continue() { echo invalid >>"$dir.out"; }

# signalled NAME WHAT: all processes of the job get it, as from a terminal
signalled() {
  local words n
  detail=$2
  pick_work
  begin "$n" $words
  kill "-$1" -- "-$launcher" 2>/dev/null || { wait $launcher; return 2; }
  ended "$within"
  [ $code != 0 ] || return 2 # it was over before
}
judge_signalled() { [ "$code" != 124 ] || echo "it did not end within $within s"; nothing_left; }
act_interrupt() { signalled INT "Ctrl-C"; }
judge_interrupt() { judge_signalled; }
harm_interrupt() { env "$mark=1" sleep 60 & }
act_hangup() { signalled HUP "a terminal that hangs up"; }
judge_hangup() { judge_signalled; }
harm_hangup() { : >"/dev/shm/scree-$$-planted"; }

# Standard output is closed, or its reader ends after a line.
act_pipe_closed() {
  between 1 2 && local n=$drawn ranks=$drawn
  pick "cc kron:17 --output -" "bfs kron:16 --json -" "generate kron:14 /dev/stdout --format edges"
  local words=$picked
  between 0 1 && [ "$drawn" = 0 ] || { words+=" --ranks $n" && n=1; }
  names >"$tmp/names"
  local launch=()
  [ "$n" = 1 ] || launch=("$PWD/test/launch.sh" "$build" "$n")
  pick closed reader
  detail="standard output, $picked: $n ranks, scree $words"
  if [ "$picked" = closed ]; then
    code=0
    env "$mark=1" timeout -k 5 60 "${launch[@]}" "$build/scree" $words >&- 2>"$dir.log" </dev/null || code=$?
  else
    env "$mark=1" timeout -k 5 60 "${launch[@]}" "$build/scree" $words 2>"$dir.log" </dev/null | head -n 1 >/dev/null
    code=${PIPESTATUS[0]}
  fi
  : >"$dir.out"
}
judge_pipe_closed() {
  [ "$code" != 124 ] && [ "$code" != 137 ] && [ "$code" != 139 ] && [ "$code" != 134 ] || echo "it crashed, or did not end: code $code"
  nothing_left
}
harm_pipe_closed() { code=139; }

# The stack of the main thread, and of all that it starts. MPICH's MPI_Allreduce alone needs more than 140 KiB.
act_stack() {
  local words n
  pick_work
  if [ "$n" = 1 ] || [ "$(cat "$build/mpi")" = openmpi ]; then pick 128 256 1024; else pick 256 1024; fi
  detail="a stack of $picked KiB"
  around=(bash -c 'ulimit -s "$0" && exec "$@"' "$picked")
  between 1 2
  plays "$n" $words --threads "$drawn"
}
judge_stack() { is_valid; }
harm_stack() { code=139; }

act_clock() {
  local words n
  around=(bash -c 'LD_PRELOAD="$0${LD_PRELOAD:+:$LD_PRELOAD}" exec "$@"' "$build/test/attack_clock.so")
  detail="clocks that jump"
  pick_work
  plays "$n" $words
}
judge_clock() { is_valid; ! grep "cannot be preloaded" "$dir.log"; }
harm_clock() { code=1; }

# /dev/shm is small, full, or fills up in use; MPI itself is set not to use it, but MPICH crashes in MPI_Init where it is full.
act_shm() {
  local words n
  pick_work
  pick 64K 1M 8M && local size=$picked
  pick true 'head -c 100M /dev/zero >/dev/shm/filler' '{ sleep 0.5; head -c 100M /dev/zero >/dev/shm/filler; } &'
  [ "$n" = 1 ] || [ "$(cat "$build/mpi")" = openmpi ] || picked=true
  detail="/dev/shm of $size, then $picked"
  before=(env UCX_TLS=self,tcp unshare -m bash -c "mount -t tmpfs -o size=$size tmpfs /dev/shm && { $picked 2>/dev/null; exec \"\$@\"; }" mounted)
  plays "$n" $words
}
judge_shm() { is_valid; }
harm_shm() { code=135; }

# MPICH's own MPI_Init_thread fails there.
act_proc() {
  local words n
  around=(unshare -m bash -c 'mount -t tmpfs tmpfs /proc && exec "$@"' mounted)
  detail="no /proc"
  pick_work
  [ "$n" = 1 ] || [ "$(cat "$build/mpi")" = openmpi ] || return 2
  plays "$n" $words
}
judge_proc() { is_valid; }
harm_proc() { code=139; }

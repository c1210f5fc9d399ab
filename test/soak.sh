#!/usr/bin/env bash
# soak.sh - generated programs over the real transports: launch after launch, until the time is over or one fails.
#   soak.sh [SECONDS] [OPTION...]     SECONDS: 60 by default
#     --hosts N        half of the launches run on 2 to N hosts: network namespaces, the rate between them limited
#     --local          ranks are started without a launcher and MPI
#     --default        the library's default options, and programs of more messages; else options are drawn
#     --mixed          half of the launches as with --default
#     --messages N     ends after the launch with which so many were handled; SECONDS then has no default. Programs are large (scale 14 to
#                      20), a launch plays them three times as long, and most have few ranks
#     --ledger FILE    a line for each launch; where FILE has some, its totals count, and its seed's next launch is the first
#     --set OPTION=X   fixes an option of the library
#     --seed N         draws the same launches again
#     --stuck SECONDS  a launch none of whose counters changes for so long is stuck: default 60
#     --build DIR      a build directory; may be repeated. Default: those of the variable BUILDS, else build
#   To replay one program, with the line that a failure prints, SECONDS may say for how long to repeat it:
#     --program N --ranks N --rate MBIT|off
# A launch draws its MPI (that of a build directory), 1 to 16 ranks, hosts and rate, and plays programs for some
# seconds: test/traffic/traffic.h. The last line counts programs, epochs, messages and losses; a launch that crashes or is
# stuck is one loss, too. The code is 0 if nothing was lost, 1 if something was, 2 if the options are wrong.
set -u
cd "$(dirname "$0")/.."
. test/support/mpi.sh
. test/support/signals.sh
programs=0 refused=0 epochs=0 messages=0 losses=0 launches=0
seconds='' hosts=1 rate='' seed='' program='' ranks='' stuck=60 goal='' ledger='' mixed=''
builds=() words=() large=()

number() { [[ $1 =~ ^[0-9]+$ ]] || { echo "soak: '$1' is not a number" >&2 && exit 2; }; }
while [ $# -gt 0 ]; do
  case $1 in
    --default) words+=(--default) && shift && continue ;;
    --mixed) mixed=1 && shift && continue ;;
    --local) export SCREE_TEST_LAUNCHER=local && shift && continue ;;
    --hosts | --seed | --stuck | --program | --ranks | --messages) number "${2-}" ;;
    --set | --build | --rate | --ledger) [ $# -gt 1 ] || { echo "soak: $1 needs a value" >&2 && exit 2; } ;;
    *) number "$1" && seconds=$1 && shift && continue ;;
  esac
  case $1 in
    --hosts) hosts=$2 ;; --seed) seed=$2 ;; --stuck) stuck=$2 ;; --program) program=$2 ;; --ranks) ranks=$2 ;;
    --rate) rate=$2 ;; --build) builds+=("$2") ;; --set) words+=(--set "$2") ;;
    --messages) goal=$2 ;; --ledger) ledger=$2 ;;
  esac
  shift 2
done
[ ${#builds[@]} -gt 0 ] || read -ra builds <<<"${BUILDS:-build}"
if [ -z "$seconds" ]; then if [ -n "$program" ]; then seconds=0; elif [ -n "$goal" ]; then seconds=1000000000; else seconds=60; fi; fi
if [ -s "$ledger" ]; then
  read -r seed launches programs refused epochs messages losses < <(awk '{ seed = $2; for (i = 6; i <= 14; i += 2) t[i] += $i }
    END { printf "%d %d %d %d %d %d %d\n", seed, NR, t[6], t[8], t[10], t[12], t[14] }' "$ledger")
fi
seed=${seed:-$(date +%s)}

tmp=$(mktemp -d)
export OMPI_MCA_btl_vader_backing_directory=$tmp # where Open MPI leaves files of ranks that are killed
clean() {
  [ "$hosts" = 1 ] || SCREE_TEST_HOSTS=$$ test/hosts.sh down
  rm -rf "$tmp"
}
stopped() {
  end_started
  summary "stopped by SIG$1: "
  clean # bash runs no EXIT trap when a signal ends it
}
on_signals stopped
trap clean EXIT

# summary WORDS: what the launches that have ended did
summary() {
  echo "soak: $1$launches launches, $programs programs ($refused failed for want of memory, as they should), $epochs epochs, $messages messages, $losses losses"
}

# ---- one launch -----------------------------------------------------------------------------------------------------

# between LOW HIGH: sets drawn. Not by $(...): in a subshell bash seeds RANDOM again.
between() { drawn=$(($1 + (RANDOM << 15 | RANDOM) % ($2 - $1 + 1))); }

# Sets build, n, on (hosts), limit (rate), launch_seed, for, like, large
draw_launch() {
  local rates=(off off 1000 200 50)
  RANDOM=$(((seed + 7919 * launches) % 32768))
  between 0 $((${#builds[@]} - 1)) && build=${builds[$drawn]}
  on=1 limit=off
  between 0 1
  if [ "$hosts" -gt 1 ] && [ "$drawn" = 1 ]; then between 2 "$hosts" && on=$drawn; fi
  between "$on" 16 && n=$drawn
  between 0 4 && [ "$on" = 1 ] || limit=${rates[$drawn]}
  between 0 1073741823 && launch_seed=$drawn
  between 5 15 && for=$drawn
  between 0 1
  if [ -n "$mixed" ] && [ "$drawn" = 1 ]; then like=--default; else like=; fi
  between 14 20
  if [ -n "$goal" ]; then large=(--set "scale=$drawn") for=$((3 * for)); fi
  if [ -n "$goal" ] && [ $((drawn % 4)) != 0 ]; then n=$((on + n % 4)); fi
  [ "$for" -le $((seconds - SECONDS)) ] || for=$((seconds - SECONDS < 1 ? 1 : seconds - SECONDS))
  for=${SCREE_TEST_SOAK_FOR-$for} # a test of this script plays short
  [ -z "$ranks" ] || n=$ranks
  [ -z "$rate" ] || limit=$rate
  if [ -n "$program" ]; then on=$hosts launch_seed=$seed for=0; fi
}

# start WORD...: the ranks, in the background
start() {
  local -a command=("$build/test/soak" "$tmp/board" "$@")
  if [ "$on" = 1 ]; then
    command=(test/launch.sh "$build" "$n" "${command[@]}")
  else
    SCREE_TEST_HOSTS=$$ test/hosts.sh slow "$limit"
    command=(test/hosts.sh run "$build" "$n" $(((n + on - 1) / on)) "${command[@]}")
  fi
  SCREE_TEST_HOSTS=$$ env "$mark=1" "${command[@]}" >"$tmp/log" 2>&1 </dev/null &
  launcher=$!
}

board() { "$build/test/soak" --show "$tmp/board" 2>/dev/null | sed -nE "s/^$1 //p"; }

# Returns once the launch has ended, or with 1 if it is stuck. Before its first epoch it has a minute more.
watch() {
  local last=0 now changed=$((SECONDS + 60))
  while kill -0 $launcher 2>/dev/null; do
    sleep 0.5
    now=$(board progress)
    if [ "${now:-0}" != "$last" ]; then last=$now changed=$SECONDS; fi
    [ $((SECONDS - changed)) -lt "$stuck" ] || return 1
  done
}

# Each rank prints its report, if it still makes progress calls; then all are ended.
end_stuck() {
  local pids
  pids=$(board 'rank [0-9]* pid' | cut -d' ' -f1)
  echo "soak: stuck: no counter of any rank changed for $stuck s; the counters, then the reports of the ranks:"
  "$build/test/soak" --show "$tmp/board" | grep '^rank '
  kill -USR1 $pids 2>/dev/null
  for _ in $(seq 100); do ! grep -q '^scree: report of rank' "$tmp/log" || break; sleep 0.1; done
  sleep 1 # the others print at the same time
  end_started
}

# add_totals: adds what the board counts; a launch that failed without a loss on the board is one
add_totals() {
  local p r e m l
  launches=$((launches + 1))
  read -r p r e m l <<<"$(board totals)"
  programs=$((programs + ${p:-0})) refused=$((refused + ${r:-0})) epochs=$((epochs + ${e:-0}))
  messages=$((messages + ${m:-0}))
  [ "$1" = 0 ] || [ "${l:-0}" != 0 ] || l=1
  losses=$((losses + ${l:-0}))
  [ -z "$ledger" ] || echo "seed $seed launch $launches programs ${p:-0} refused ${r:-0} epochs ${e:-0} messages ${m:-0}" \
    "losses ${l:-0} ranks $n hosts $on rate $limit build $(basename "$build") $like ${large[*]} ${words[*]}" >>"$ledger"
}

replay() {
  local where="--build $build --ranks $n"
  [ "$on" = 1 ] || where+=" --hosts $on --rate $limit"
  [ "${SCREE_TEST_LAUNCHER-}" != local ] || where+=" --local"
  echo "./dev soak $where $(board plan)"
}

launch() {
  local rc=0
  rm -f "$tmp/board" "$tmp/log"
  start --seed "$launch_seed" --seconds "$for" $like "${large[@]}" "${words[@]}" ${program:+--program "$program"}
  watch || { end_stuck && rc=1; }
  wait $launcher || rc=1
  grep -q '^soak: done$' "$tmp/log" || rc=1
  [ "$(board totals | cut -d' ' -f5)" = 0 ] || rc=1
  add_totals $rc
  [ $rc != 0 ] || return 0
  echo "soak: failed; the end of what the ranks printed:"
  tail -n 60 "$tmp/log" | cut -c1-400 | sed 's/^/    /'
  echo "soak: to replay: $(replay)"
  return 1
}

# ---- all of them ----------------------------------------------------------------------------------------------------

if [ "$hosts" -gt 1 ] && ! test/hosts.sh can; then
  echo "soak: skipped: several hosts: no network namespaces (needs root and iproute2)"
  hosts=1
fi
[ "$hosts" = 1 ] || SCREE_TEST_HOSTS=$$ test/hosts.sh up "$hosts" || exit 2
echo "soak: seed $seed, $seconds s${goal:+, or $goal messages}, builds ${builds[*]}"
next=600
while :; do
  draw_launch
  launch || break
  [ "$SECONDS" -lt "$seconds" ] && [ "$messages" -lt "${goal:-$((messages + 1))}" ] || break
  [ "$SECONDS" -lt $next ] || { summary "after $SECONDS s: " && next=$((SECONDS + 600)); }
done
summary ''
[ $losses = 0 ]

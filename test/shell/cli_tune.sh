#!/usr/bin/env bash
# cli_tune.sh - scree tune from outside: on a program whose times are known, and once on scree itself.
#
# The program below prints the JSON of a job. It computes its seconds from its options, so the best setting is planted
# and nothing depends on the speed of this machine.
. "$(dirname "$0")/../support/shell.sh"
unset ${!SCREE_@}

# A launcher of "ranks", and the program. $tmp/world has what it does with its options: seconds, bad, slow, stop.
cat >"$tmp/one" <<'EOT'
#!/usr/bin/env bash
export RANKS=$1
shift
exec "$@"
EOT
cat >"$tmp/job" <<'EOT'
#!/usr/bin/env bash
[ "$1" != --version ] || { echo "scree 0 openmpi" && exit; }
here=$(dirname "$0")
echo "$*" >>"$here/jobs"
frequency=32 queue=buckets lock=mutex spin=256 sources=1 valid='' answer=true
while [ $# -gt 0 ]; do
  case $1 in
    --validate) valid=1 ;;
    --frequency | --queue | --lock | --spin | --sources) printf -v "${1#--}" %s "$2" && shift ;;
  esac
  shift
done
seconds=0.0001
. "$here/world"
[ -z "$valid" ] || valid=",\"valid\":$answer"
runs=
for ((i = 0; i < sources; i++)); do runs+="{\"seconds\":$seconds,\"teps\":1$valid},"; done
echo "{\"configuration\":{\"ranks\":$RANKS},\"graph\":{\"vertices\":64},\"runs\":[${runs%,}]}"
EOT
chmod +x "$tmp/one" "$tmp/job"

# tune WORD...: with the program; what it prints goes to out and err
tune() {
  rm -f "$tmp/jobs" "$tmp/found" "$tmp/records"
  "$scree" tune --graph kron:6 --algorithm dc --mpi "$tmp/job" --launcher "$tmp/one {ranks}" \
    --write "$tmp/found" "$@" >"$tmp/out" 2>"$tmp/err"
}
world() { printf '%s\n' "$@" >"$tmp/world"; }
# ends CODE WORD...: tune ends with the code; else shows what it printed
ends() {
  local expected=$1 code=0
  shift
  tune "$@" || code=$?
  [ "$code" = "$expected" ] && return
  echo "code $code, expected $expected"
  cat "$tmp/out" "$tmp/err"
  return 1
}
settings() { grep -v '^#' "$1" | sort | tr '\n' ';'; }
is() { [ "$1" = "$2" ] || { echo "found '$1', expected '$2'" && false; }; }
says() { grep -qF -- "$2" "$tmp/$1" || { echo "not in $1: $2" && cat "$tmp/$1" && false; }; }
jobs() { grep -c . "$tmp/jobs"; }
axes=(--frequency 8,16,32,64,128 --lock mutex,ticket,priority --spin 0,256)

# ---- what is found

# best by far: frequency 16, lock ticket; spin does not matter but for 0, which fails with ticket
world 'case $lock in ticket) q=10 ;; mutex) q=14 ;; *) q=20 ;; esac
case $frequency in 16) f=10 ;; 8 | 32) f=12 ;; *) f=17 ;; esac
seconds=$(printf 0.%06d $((q * f)))
if [ $lock = ticket ] && [ $spin = 0 ]; then echo "scree: no spin for ticket" >&2 && exit 3; fi'
check "a race" ends 0 "${axes[@]}" --budget 10m --results "$tmp/records"
check "the planted optimum" is "$(settings "$tmp/found")" "frequency = 16;lock = ticket;"
check "failures are told" says out "5 jobs failed; the first: "
check "the first failure" says out "no spin for ticket"
check "what to do next" says out "written to $tmp/found; to use it: $tmp/one 2 scree sssp kron:6 --algorithm dc --options $tmp/found"
check "the gain" grep -q '^# Time relative to the default: 0.595 (95 % interval 0.595 to 0.595)' "$tmp/found"
check "scree takes the file" "$scree" sssp kron:6 --algorithm dc --options "$tmp/found"
check "all combinations" grep -q '^# Tried: 29 of 30 combinations, 5 failed' "$tmp/found"
check "rounds are told" says out "The last rung: 10 jobs of each."
check "a rung keeps a third" says err "rung 2: 10 candidates and the default"
check "the last rung" says err "the last: 2 candidates and the default"
check "a record for each job" is "$(grep -c '"step"' "$tmp/records")" "$(jobs)"
check "steps count up" is "$(grep -o '"step":[0-9]*' "$tmp/records" | cut -d: -f2 | sort -nu | wc -l)" "$(jobs)"
check "the winner's answer was checked" grep -q -- '--frequency 16 --lock ticket .*--validate' "$tmp/jobs"

world 'seconds=0.0003; if [ $lock = ticket ]; then seconds=0.0001 answer=false; fi
if [ $lock = priority ]; then seconds=0.0002; fi'
check "a wrong answer" ends 0 --lock mutex,ticket,priority --budget 10m
check "cannot win" is "$(settings "$tmp/found")" "lock = priority;"

world 'if [ $lock != mutex ]; then seconds=0.00005 answer=false; fi'
check "only wrong answers" ends 0 --lock mutex,ticket,priority --budget 10m
check "that is told" says out "no finalist gave a correct answer; the default is kept"
check "in the file too" grep -q "^# No options: no finalist gave a correct answer" "$tmp/found"
check "two failed" grep -q '^# Tried: 2 of 3 combinations, 2 failed' "$tmp/found"
check "the default has no time" grep -q '^ *no time .* default$' "$tmp/out"

# the default fails at times, in the first rung
world 'if [ -z "$valid" ] && [ $lock$frequency$spin = mutex32256 ] && [ $(grep -c . "$here/jobs") -gt 2 ] && [ ! -e "$here/once" ]; then
  : >"$here/once" && exit 4; fi'
check "the default fails once" ends 0 "${axes[@]}" --budget 10m
check "it is not a candidate that failed" grep -q '^# Tried: 29 of 30 combinations, 0 failed' "$tmp/found"

world :
check "all alike" ends 0 "${axes[@]}" --budget 10m
check "the default is kept" is "$(settings "$tmp/found")" ""
check "and that is told" says out "nothing is faster than the default beyond the noise"
check "scree takes a file of comments" "$scree" sssp kron:6 --options "$tmp/found"

world 'if [ $queue != dary ]; then seconds=0.0002; fi'
few=(--coalesce-bytes 4K --flush-age 1ms --batch-max 8192 --in-flight 4 --relabel none --distribution block)
check "the axes of tune's own" ends 0 "${few[@]}" --budget 10m
check "the kernel is not a finding" [ -z "$(grep 'Also found' "$tmp/found")" ]
check "are told" grep -q 'of 18 combinations' "$tmp/found"
check "a value that matters" grep -q '^queue = dary$' "$tmp/found"
check "flags and ways to start" ends 0 --no-pruning on,off --ranks 1,2 --budget 10m

# ---- the budget: a job takes 0.1 s at least, so 3 s hold 30, and one more may have begun

world 'sleep 0.1'
tune "${axes[@]}" --budget 3s
check "a short budget" [ "$(jobs)" -le 31 ]
check "is used" [ "$(jobs)" -ge 2 ]
world 'sleep 0.6'
check "a budget too short" ends 1 "${axes[@]}" --budget 1s
check "is told" says err "scree: the budget of 1 s is too short for a comparison"
check "and nothing is written" [ ! -e "$tmp/found" ]

# ---- stopped; the program does it by itself

world 'if [ $(grep -c . "$here/jobs") = 6 ]; then kill -INT $PPID; fi'
check "stopped in a rung" ends 130 "${axes[@]}" --budget 10m
check "where it stood" says err "stopped in rung 1 after 5 jobs"
check "nothing is written" [ ! -e "$tmp/found" ]
world 'if [ $lock = ticket ]; then seconds=0.00005; fi
if grep -q "the last" "$here/err" && echo >>"$here/last" && [ $(grep -c "" "$here/last") = 10 ]; then kill -INT $PPID; fi'
check "stopped in the last rung" ends 130 --lock mutex,ticket,priority --budget 10m
check "what was found is written" is "$(settings "$tmp/found")" "lock = ticket;"

# ---- what fails or is refused

world 'if [ $lock != mutex ]; then echo "scree: no such lock today" >&2 && exit 1; fi'
check "all candidates fail" ends 1 --lock ticket,priority --budget 10m
check "the first message" says err "no such lock today"
world 'echo "scree: never" >&2; exit 1'
check "the default fails" ends 1 --lock ticket,priority
check "its message" says err "scree: the job fails with default settings: exit code 1: scree: never"
world :
# bad TEXT WORD...
bad() { check "refused: scree tune ${*:2}" refuses 2 "$1" "$scree" tune "${@:2}" --write "$tmp/none"; }
bad "option '--kernel': 'graph500' is not legal; legal: sssp (the default), bfs, cc, pagerank" --kernel graph500 --lock ticket
bad "option '--graph': 2 values given, but tune works on one job; give one value" --kernel sssp --graph kron:6,kron:7
bad "option '--sources' is not available in tune" --kernel sssp --graph kron:6 --sources 1,2
bad "option '--repeat' is not available in tune" --kernel cc --graph kron:6 --repeat 4
bad "name a graph" --kernel sssp
bad "option '--budget': '0s' is not legal; legal: a time from 1s to 24h" --kernel sssp --graph kron:6 --budget 0s
check "refused: a value out of range" ends 2 --in-flight 4,65
check "which" says err "option 'in-flight': '65' is out of range; legal: 1 to 64"
check "refused: only defaults" ends 2 --coalesce-bytes auto,0
check "why" says err "all values equal the defaults"
echo mine >"$tmp/mine"
check "refused: another file" refuses 2 "'$tmp/mine' exists and was not written by scree tune" \
  "$scree" tune --kernel sssp --graph kron:6 --write "$tmp/mine"
check "which is kept" is "$(cat "$tmp/mine")" mine
check "refused: no place for the file" refuses 2 "option '--write': cannot write '$tmp/no/file': No such file" \
  "$scree" tune --kernel sssp --graph kron:6 --write "$tmp/no/file"

# ---- scree itself

"$scree" tune --kernel bfs --graph kron:8 --ranks 1 --launcher "$tmp/one {ranks}" --alpha 2,15 --budget 1m \
  --write "$tmp/found" --results "$tmp/own" >"$tmp/out" 2>"$tmp/err"
check "a job of scree" says out "written to $tmp/found; to use it: $tmp/one 1 scree bfs kron:8 --options $tmp/found"
check "its times" [ "$(grep -c '"repetition":1' "$tmp/own")" -ge 6 ]
check "its records are ok" is "$(grep -c '"status":"ok"' "$tmp/own")" "$(grep -c '"step"' "$tmp/own")"
check "scree takes its file" "$scree" bfs kron:8 --options "$tmp/found"
finish

#!/usr/bin/env bash
# cli_sweep_kill.sh - a sweep that is killed and resumed ten times leaves the same records as one that is not, and no
# job. The moments of SIGKILL are drawn by SEED; a job is a script.
. "$(dirname "$0")/../support/shell.sh"
fake=$tmp/fake
seed=${SEED:-$(date +%s)}
echo "SEED=$seed"
RANDOM=$seed

cat >"$fake" <<'SCRIPT'
#!/bin/sh
[ "$1" != --version ] || { echo "scree 0 (openmpi)" && exit; }
here=$(dirname "$0")
if [ -e "$here/hang" ]; then
  touch "$here/hangs"
  sleep 1000
fi
sleep 0.03
printf '{"configuration":{"ranks":%s},"runs":[{"seconds":0.25,"teps":1e6,"valid":true,"work":{}}]}\n' "$RANKS"
SCRIPT
chmod +x "$fake"

sweep() {
  exec "$scree" sweep --results "$1" --resume --launcher "env RANKS={ranks}" --mpi "$fake" --kernel sssp --scale 8,9 \
    --ranks 1,2 --algorithm dc,delta,kla,opt --repeat 7 # 128 runs of 0.03 s or more: ten times 0.35 s do not reach the end
}
# Processes of a sweep: itself, guard and jobs. Zombies have no words.
none_left() { ! pgrep -f -- "$fake" >/dev/null; }
records() { sed 1d "$1" | sed -E 's/.*("key":"[^"]*").*("step":[0-9]+,"repetition":[0-9]+,"control":[a-z]+).*/\2 \1/' | sort; }

whole() { (sweep "$tmp/whole.jsonl") >/dev/null; }
check "unbroken" whole
lives=0
for round in 1 2 3 4 5 6 7 8 9 10; do
  (sweep "$tmp/killed.jsonl") >/dev/null 2>&1 &
  sleep "0.$(printf '%03d' $((RANDOM % 350)))"
  ! kill -KILL $! 2>/dev/null || lives=$((lives + 1))
  wait $! 2>/dev/null || :
  check "killed $round times: no process is left" wait_for none_left
done
check "each time it was killed before its end" test $lives = 10
touch "$tmp/hang"
(sweep "$tmp/killed.jsonl") >/dev/null 2>&1 &
check "a job that never ends" wait_for test -e "$tmp/hangs"
kill -KILL $!
wait $! 2>/dev/null || :
check "ends when its sweep is killed" wait_for none_left
rm "$tmp/hang"
last() { (sweep "$tmp/killed.jsonl") >/dev/null; }
check "the last sweep" last
check "the same records" diff <(records "$tmp/whole.jsonl") <(records "$tmp/killed.jsonl")
check "each once" test -z "$(records "$tmp/killed.jsonl" | uniq -d)"
check "as many as the header says" grep -q "\"steps\":$(records "$tmp/killed.jsonl" | wc -l)}" "$tmp/killed.jsonl"
finish

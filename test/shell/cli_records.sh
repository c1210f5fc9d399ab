#!/usr/bin/env bash
# cli_records.sh - machine-readable output is as docs/sweeps.md and the schemas say.
. "$(dirname "$0")/../support/shell.sh"
python=/usr/bin/python3 # the one that Debian's packages of modules serve
if ! $python -c 'import jsonschema' 2>/dev/null; then
  skipped "records" "python3-jsonschema is not installed; ./dev packages installs all tools"
  finish
fi
records() { $python test/shell/records.py "$@"; }
# job NAME WORDS...: runs it with --json
job() {
  local name=$1
  shift
  "$scree" "$@" --quiet --json "$tmp/$name.json"
}
check "sssp" job sssp sssp kron:6 --validate --sources 2 --repeat 2 --algorithm delta
check "bfs" job bfs bfs kron:6
check "cc" job cc cc kron:6 --validate
check "pagerank" job pagerank pagerank kron:6
check "gups" job gups gups --words 4K --validate --repeat 2
check "intsort" job intsort intsort --class S --validate
check "uts" job uts uts --tree short-geometric --validate
check "walk" job walk walk --vertices 100 --validate
check "hashmap" job hashmap hashmap --pool 1K --tasks 5 --validate
check "puts" job puts puts --tasks 5 --validate
check "stencil" job stencil stencil --edge 20 --validate
check "their JSON" records run "$tmp"/{sssp,bfs,cc,pagerank,gups,intsort,uts,walk,hashmap,puts,stencil}.json
for route in rook hypercube dissemination ring; do
  check "4 ranks, $route" test/launch.sh "$BUILD" 4 "$scree" sssp kron:8 --validate --quiet --route $route --json "$tmp/$route.json"
  check "its JSON" records run "$tmp/$route.json"
  check "messages were passed on" grep -qE '"passed":[[:space:]]*[1-9]' "$tmp/$route.json"
done
check "2 workers that take turns" test/launch.sh "$BUILD" 2 "$scree" bfs kron:8 --threads 2 --transport mpi --lock-sample 1 \
  --quiet --json "$tmp/lock.json"
check "its JSON" records run "$tmp/lock.json"
check "the lock is in it" grep -qE '"lock_entries":[[:space:]]*[1-9]' "$tmp/lock.json"
check "but not without the option" [ -z "$(grep lock_ "$tmp/bfs.json" | grep -v '"lock_sample"')" ]
check "the command line is in it" grep -qF '"sssp", "kron:6", "--validate"' "$tmp/sssp.json"
check "graph500" "$scree" graph500 --scale 4 --sources 1 --json "$tmp/graph500.json"
check "its JSON" records graph500 "$tmp/graph500.json"
check "bench" "$scree" bench bandwidth --rounds 1 --json "$tmp/bench.json"
check "its JSON" records bench "$tmp/bench.json"
check "info" "$scree" info kron:6 --json "$tmp/info.json"
check "its JSON" records info "$tmp/info.json"
printf '#!/bin/sh\nshift\n[ -e "%s" ] || { : >"%s" && exit 3; }\nexec "$@"\n' "$tmp/begun" "$tmp/begun" >"$tmp/one" && chmod +x "$tmp/one"
check "a sweep of which one run fails" eval '[ "$("$scree" sweep --quiet --scale 4 --ranks 1 --coalesce-bytes 1K,64K --repeat 1 --flush-age 1ms \
  --launcher "$tmp/one {ranks}" --results "$tmp/sweep.jsonl" >"$tmp/said" 2>&1; echo $?)" = 1 ]'
check "its records" records sweep "$tmp/sweep.jsonl"
"$scree" sweep --scale 4 --dry-run --results "$tmp/none.jsonl" >"$tmp/plan"
if grep -q "not page_faults: " "$tmp/plan"; then
  skipped "counters of the kernel" "$(grep '^Counters' "$tmp/plan")"
else
  check "counters of the kernel" [ "$(grep -cE '"perf":\{.*"page_faults":[1-9]' "$tmp/sweep.jsonl")" = "$(sed 1d "$tmp/sweep.jsonl" | wc -l)" ]
  check "they are metrics" eval '"$scree" report "$tmp/sweep.jsonl" --metric perf.page_faults | grep -E "^ .* perf.page_faults "'
fi
# The metrics that the presets grappa-table2 and grappa-fig8 name.
per=counters.tasks.seconds
metrics="counters.items_handled/$per counters.item_bytes/counters.items_handled counters.item_bytes/$per counters.item_bytes/counters.created
  counters.tasks.live counters.tasks.live_peak counters.tasks.ready counters.tasks.switches/$per counters.tasks.tries/$per counters.tasks.steals/$per
  counters.tasks.answer_seconds/counters.tasks.answered counters.tasks.idle_seconds/$per"
check "a sweep of tasks" "$scree" sweep --quiet --kernel uts --tree short-geometric --algorithm memory --global-direct off --ranks 2 --repeat 1 \
  --results "$tmp/tasks.jsonl"
check "CSV with metrics of tasks" "$scree" report --quiet "$tmp/tasks.jsonl" --csv "$tmp/tasks.csv" $(printf -- '--metric %s ' $metrics)
check "each is a number" grep -E '(,[0-9.]+(e[-+]?[0-9]+)?){12},' "$tmp/tasks.csv"
check "roles" [ "$(grep -o '"role":"[a-z]*"' "$tmp/sweep.jsonl" | sort | uniq -c | tr -s ' \n' ' ')" = \
  ' 2 "role":"control" 2 "role":"data" 1 "role":"warmup" ' ]
check "numbers" grep -qE '"numbers":\{.*"coalesce-bytes":65536,"flush-age":1000000' "$tmp/sweep.jsonl"
check "CSV" "$scree" report --quiet "$tmp/sweep.jsonl" --csv "$tmp/sweep.csv"
check "its columns" records csv "$tmp/sweep.csv"
check "its lines are data" [ "$(cut -d, -f3-7,9 "$tmp/sweep.csv" | tail -n +2 | sort | tr '\n' ' ')" = \
  '1,1K,1024,1ms,1000000,1 1,64K,65536,1ms,1000000,1 ' ]
check "conclusions" "$scree" report --quiet "$tmp/sweep.jsonl" --json "$tmp/report.json"
check "their JSON" records report "$tmp/report.json"
check "every field is documented" records names
finish

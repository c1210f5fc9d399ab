#!/usr/bin/env bash
# cli_relabel.sh - --relabel: which runs renumber their graph, what the record says of it, and that ids stay what they are.
. "$(dirname "$0")/../support/shell.sh"
# field NAME FILE: of the object "relabel"
field() { sed -n '/"relabel":/,/}/p' "$2" | sed -n 's/.*"'"$1"'":[[:space:]]*//p' | sed 's/,$//; s/"//g'; }
distribution() { sed -n 's/.*"distribution":[[:space:]]*"\(.*\)".*/\1/p' "$1"; }
# says FILE ASKED DONE WORDS DISTRIBUTION
says() {
  cat "$1"
  [ "$(field requested "$1")" = "$2" ] && [ "$(field done "$1")" = "$3" ] && [ "$(distribution "$1")" = "$5" ] &&
    [[ "$(field reason "$1")" == *"$4"* ]] && [[ "$(field seconds "$1")" == $([ "$3" = none ] && echo 0 || echo '?*') ]]
}
# runs WHAT ASKED DONE WORDS DISTRIBUTION RANKS COMMAND...
runs() {
  local what=$1 requested=$2 did=$3 words=$4 kind=$5 ranks=$6
  shift 6
  check "$what" at "$ranks" "$@" --json "$tmp/json"
  check "$what: the record" says "$tmp/json" "$requested" "$did" "$words" "$kind"
}
same() { diff "$1" "$2" | head -n 20 && cmp "$1" "$2"; }
columns() { cut -f "$1" "$2" >"$2.cut" && mv "$2.cut" "$2"; }

# ---- how much use it takes: 63.8 passes of kron:12 on 2 ranks, 61.9 on 1
hubs="79 vertices have more than 8 times the mean degree, and 42 % of the arcs"
few="renumbering pays from"
ints="--random-weights 1..100"
runs "sssp, 66.5 passes" auto degree "$hubs" cyclic 2 sssp kron:12 $ints --repeat 17 --warmup 2 --validate --output "$tmp/auto"
runs "sssp, 63 passes" auto none "$few" block 2 sssp kron:12 $ints --repeat 18 --output "$tmp/few"
runs "sssp as given" none none "as requested" block 2 sssp kron:12 $ints --relabel none --output "$tmp/none"
check "sssp: the same distances" same "$tmp/auto" "$tmp/none"
check "sssp: the same distances, few passes" same "$tmp/few" "$tmp/none"
runs "bfs, 62.1 passes" auto degree "$hubs" cyclic 1 bfs kron:12 --sources 191
runs "bfs, 61.8 passes" auto none "$few" block 1 bfs kron:12 --sources 190
runs "bfs, once" auto none "$few" block 1 bfs kron:12
runs "pagerank, 62 iterations" auto degree "$hubs" cyclic 1 pagerank kron:12 --iterations 62 --validate
runs "pagerank, 61 iterations" auto none "$few" block 1 pagerank kron:12 --iterations 61
runs "pagerank, a tolerance" auto none "the runs pass over the arcs about 30 times, and $few" block 1 pagerank kron:12 \
  --tolerance 1e-4 --iterations 500
runs "pagerank" auto none "the runs pass over the arcs about 30 times, and $few" block 1 pagerank kron:12
runs "cc, 70.5 passes" auto degree "$hubs" cyclic 3 cc kron:12 --repeat 47 --validate --output "$tmp/auto"
runs "cc by degree" degree degree "as requested" block 3 cc kron:12 --relabel degree --output "$tmp/degree"
runs "cc as given" none none "as requested" block 3 cc kron:12 --relabel auto --relabel none --output "$tmp/none"
check "cc: components by their smallest ids" same "$tmp/auto" "$tmp/none"
check "cc by degree: components by their smallest ids" same "$tmp/degree" "$tmp/none"

# ---- graphs without hubs; a distribution of the user's
runs "a grid" auto none "0 vertices have more than 8 times the mean degree" block 1 pagerank grid:150,150 --iterations 1000
runs "block" auto none "the distribution is block, which would assign all hubs to rank 0" block 2 \
  cc kron:12 --repeat 43 --distribution block
runs "hash" auto degree "$hubs" hash 2 cc kron:12 --repeat 43 --distribution hash --validate

# ---- files: an image, a list whose ids have gaps
check "an image" at 2 generate kron:12 "$tmp/k.scree" $ints
check "a list" "$scree" convert "$tmp/k.scree" "$tmp/k.txt"
awk '!/^#/ { print 7 * $1 + 3, 7 * $2 + 3, $3 }' "$tmp/k.txt" >"$tmp/gaps.txt"
list="$tmp/gaps.txt --undirected --columns 1,2,3 --source $((7 * 1495 + 3))"
runs "sssp of an image" auto degree "$hubs" cyclic 2 sssp "$tmp/k.scree" --source 1495 --repeat 19 --output "$tmp/auto"
at 2 sssp "$tmp/k.scree" --source 1495 --relabel none --output "$tmp/none" >"$tmp/out"
check "an image: the same distances" same "$tmp/auto" "$tmp/none"
runs "bfs of a list" auto degree "times the mean degree" cyclic 2 bfs $list --no-weights --repeat 400 --output "$tmp/auto"
at 2 bfs $list --no-weights --relabel none --output "$tmp/none" >"$tmp/out"
columns 1,2 "$tmp/auto"
columns 1,2 "$tmp/none"
check "a list: the same levels" same "$tmp/auto" "$tmp/none"
check "an image by degree" at 2 convert "$tmp/k.scree" "$tmp/d.scree" --relabel degree --distribution cyclic
runs "it is not renumbered" auto none "numbered by degree already" cyclic 2 sssp "$tmp/d.scree" --repeat 43 \
  --distribution cyclic

# ---- the table, help and errors
at 1 cc kron:12 --repeat 42 >"$tmp/out"
check "the table states it" grep -qE '^cc of kron:12: .*, undirected, weights ignored, renumbered by degree in [0-9.]+ [mu]?s, cyclic$' "$tmp/out"
at 1 cc kron:12 --repeat 41 >"$tmp/out"
check "the table states nothing else" grep -qE '^cc of kron:12: .*, undirected, weights ignored$' "$tmp/out"
check "ids in errors" refuses 2 "its 4096 vertices have ids from 0 to 4095" "$scree" bfs kron:12 --repeat 250 --source 4096
check "no such numbering" refuses 2 "option 'relabel': 'up' is not a known word; legal: auto|none|degree" \
  "$scree" bfs kron:4 --relabel up
check "others take it" "$scree" info kron:4 --relabel auto
check "an axis of a sweep" prints "3 configurations" "$scree" sweep --scale 8 --ranks 2 --relabel auto,none,degree --dry-run
finish

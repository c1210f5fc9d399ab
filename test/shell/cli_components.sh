#!/usr/bin/env bash
# cli_components.sh - scree cc and scree pagerank from outside, and the example of connected components.
#
# Checked are tables, files and errors. Answers are compared with published ones.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

data=${SCREE_TEST_DATA:-../shared/data}
scree=$BUILD/scree
at() { local ranks=$1 && shift && test/launch.sh "$BUILD" "$ranks" "$scree" "$@"; }
unpacked() { case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac; }

# ---- published answers

# parts FILE: the least id of each component, for each id, whatever the components are called
parts() { sort -n "$1" | awk '!($2 in least) { least[$2] = $1 } { print $1 "\t" least[$2] }'; }
same_parts() { unpacked "$1" >"$tmp/published" && parts "$tmp/published" | diff - "$2"; }

# near PUBLISHED OURS: ranks that agree to 10 digits, for the same ids
near() {
  unpacked "$1" | sort -n | paste - "$2" | awk '
    { d = $2 / $4 - 1; if ($1 != $3 || d > 1e-10 || d < -1e-10) { print; bad = 1 } } END { exit bad || NR == 0 }'
}
# counts PUBLISHED EDGES: the example counts the components that were published
counts() {
  local want
  want=$(unpacked "$1" | awk '{ print $2 }' | sort -u | wc -l)
  test/launch.sh "$BUILD" 2 "$BUILD/components" "$2" 2>/dev/null | tee "$tmp/said"
  grep -q "^$want components of " "$tmp/said"
}

p2p=$data/p2p-31
if [ -d "$p2p" ]; then
  for way in directed undirected; do
    for algorithm in afforest label; do
      check "p2p-31 cc, $way, $algorithm" at 2 cc $p2p/p2p-31.e.gz --$way --columns 1,2 --algorithm $algorithm \
        --distribution hash --validate --output "$tmp/parts"
      check "p2p-31 cc, $way, $algorithm: the published answer" same_parts $p2p/p2p-31-WCC.gz "$tmp/parts"
    done
  done
  for algorithm in auto push; do
    check "p2p-31 pagerank, $algorithm" at 2 pagerank $p2p/p2p-31.e.gz --undirected --columns 1,2 --iterations 10 \
      --algorithm $algorithm --distribution cyclic --validate --output "$tmp/ranks"
    check "p2p-31 pagerank, $algorithm: the published answer" near $p2p/p2p-31-PR.gz "$tmp/ranks"
  done
  check "the example counts the components of p2p-31" counts $p2p/p2p-31-WCC.gz $p2p/p2p-31.e.gz
else
  skipped "p2p-31" "$no_data"
fi
example=$data/graphalytics/example
if [ -d "$example" ]; then
  for way in directed undirected; do
    check "example pagerank, $way" at 3 pagerank $example/example-$way.e --$way --columns 1,2 --iterations 2 \
      --output "$tmp/ranks"
    check "example pagerank, $way: the published answer" near $example/example-$way-PR "$tmp/ranks"
  done
else
  skipped "graphalytics" "$no_data"
fi

# ---- tables and JSON

says() { # TEXT COMMAND...: code 0, and its output has a line like that
  local text=$1
  shift
  "$@" >"$tmp/got" 2>&1 && grep -qE -- "$text" "$tmp/got" || { cat "$tmp/got" && return 1; }
}
check "cc: the table" says '^afforest +2 .* valid$' at 2 cc kron:8 --validate --repeat 3
check "cc: no source" says '^algorithm +ranks +time +MTEPS +components +largest +messages +epochs answer' at 1 cc kron:6
check "pagerank: the table" says '^pull +2 .* 20 .* valid$' at 2 pagerank kron:8 --validate
check "pagerank: with a tolerance" says '^push .* valid$' "$scree" pagerank examples/village.gr --tolerance 1e-9 --validate
check "cc: JSON" says '"components":	1,' "$scree" cc examples/village.gr --json -
check "pagerank: JSON" says '"iterations":	3,' "$scree" pagerank examples/village.gr --iterations 3 --json -

# ---- errors

bad() { check "refused: scree ${*:2}" refuses 2 "$1" "$scree" "${@:2}"; }
bad "option '--source' is unknown to cc" cc kron:4 --source 1
bad "option '--sources' is unknown to pagerank" pagerank kron:4 --sources 2
bad "option '--damping' is unknown to cc" cc kron:4 --damping 0.5
bad "option '--algorithm': 'flood' is unknown to cc; known are: afforest, label" cc kron:4 --algorithm flood
bad "option '--algorithm': 'dc' is unknown to pagerank; known are: auto, pull, pull-float, push" pagerank kron:4 --algorithm dc
bad "algorithm 'pull' needs both directions of each arc" pagerank examples/village.gr --algorithm pull
for value in 0 1 -1 x nan ''; do
  bad "option '--damping': '$value' is not legal; legal: a number above 0 and below 1" pagerank kron:4 --damping "$value"
done
for value in 0 3 x 1e-16; do
  bad "option '--tolerance': '$value' is not legal; legal: a number from 1e-15 to 2" pagerank kron:4 --tolerance "$value"
done
for value in 0 -1 x 1000001; do
  bad "option '--iterations': '$value' is not legal; legal: a whole number from 1" pagerank kron:4 --iterations "$value"
done
finish

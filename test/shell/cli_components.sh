#!/usr/bin/env bash
# cli_components.sh - scree cc and scree pagerank from outside, and the example of connected components.
#
# Checked are tables, files and errors.
. "$(dirname "$0")/../support/shell.sh"
# ---- answers

printf '1 2\n3 4\n5 3\n6 6\n' >"$tmp/parts.txt"
check "components by their smallest ids" diff <(printf '1\t1\n2\t1\n3\t3\n4\t3\n5\t3\n6\t6\n') \
  <("$scree" cc "$tmp/parts.txt" --directed --output -)
check "pagerank" diff <(printf '0\t0.5\n1\t0.5\n') <("$scree" pagerank path:2 --output -)
counts() { test/launch.sh "$BUILD" 2 "$BUILD/components" "$tmp/parts.txt" 2>/dev/null | tee "$tmp/said" && grep -q "^3 components of " "$tmp/said"; }
check "the example counts components" counts

check "betweenness" diff <(printf '0\t0\n1\t4\n2\t4\n3\t0\n') <("$scree" bc path:4 --output -)
doubled() { awk -v n="$1" 'BEGIN { for (i = 0; i < 2 * n; i++) print int(i / 2), int(i / 2) + 1 }' >"$tmp/doubled.txt"; }

# ---- tables and JSON

says() { # TEXT COMMAND...: code 0, and its output has a line like that
  local text=$1
  shift
  "$@" >"$tmp/got" 2>&1 && grep -qE -- "$text" "$tmp/got" || { cat "$tmp/got" && return 1; }
}
check "cc: the table" says '^afforest +2 .* valid$' at 2 cc kron:8 --validate --repeat 3
check "cc: no source" says '^algorithm +ranks +time +MTEPS +components +largest +messages +epochs answer' at 1 cc kron:6
check "pagerank: the table" says '^pull +2 .* 7 .* valid, not converged$' at 2 pagerank kron:8 --validate --iterations 7
for algorithm in pull pull-float push tasks; do
  check "pagerank $algorithm ends by itself" says "^$algorithm +2 .* [0-9.]+e-(08|09|1[0-9]) .* valid$" at 2 pagerank kron:8 --validate --algorithm $algorithm
done
missed() { ! "$scree" pagerank kron:8 --validate "$@" >"$tmp/got" 2>&1 && grep -q 'valid, not converged$' "$tmp/got" &&
  grep -q 'scree: pagerank has not converged: iteration [0-9]*, the last one, changed the answer by [0-9.e-]* in total' "$tmp/got"; }
check "pagerank: a given tolerance that is missed" missed --tolerance 1e-9 --iterations 5
check "pagerank: the same on 3 ranks" missed --tolerance 1e-9 --iterations 5 --ranks 3
# accurate GRAPH...: within 1e-4 of 1,000 iterations at each vertex, with the same 20 of highest rank
accurate() {
  "$scree" pagerank "$@" --quiet --output "$tmp/short" && "$scree" pagerank "$@" --iterations 1000 --quiet --output "$tmp/long" &&
    paste "$tmp/short" "$tmp/long" | awk '{ d = ($2 - $4) / $4; if (d > 1e-4 || d < -1e-4) { print; exit 1 } }' &&
    diff <(sort -k2,2gr -k1,1n "$tmp/short" | head -n 20 | cut -f 1 | sort) <(sort -k2,2gr -k1,1n "$tmp/long" | head -n 20 | cut -f 1 | sort)
}
check "pagerank: accurate on a Kronecker graph" accurate kron:13
check "pagerank: accurate on a grid" accurate grid:150,150
slashdot=${SCREE_TEST_DATA:-../shared/data}/soc-Slashdot0902.txt.gz
if [ -r "$slashdot" ]; then
  check "pagerank: accurate on Slashdot" accurate "$slashdot" --directed
else
  skipped "pagerank: accurate on Slashdot" "$no_data"
fi
# On a path of arcs a damping of 0.999 changes ranks for more than 100 iterations.
seq 0 99 | awk '{ print $1, $1 + 1 }' >"$tmp/slow.txt"
slow() { "$scree" pagerank "$tmp/slow.txt" --directed --damping 0.999 "$@"; }
check "pagerank: the default ends after 100 iterations, with code 0 and a note" says '100, the last one, changed' slow --output "$tmp/slow"
check "pagerank: JSON says so" says '"converged":	false,' slow --json -
check "pagerank: so does the table" says '^push .* unchecked, not converged$' slow
check "pagerank: iterations that were asked for have no note" eval '! slow --iterations 5 2>&1 | grep -q "has not"'
check "pagerank: with a tolerance" says '^push .* valid$' "$scree" pagerank examples/village.gr --tolerance 1e-9 --validate
check "cc: JSON" says '"components":	1,' "$scree" cc examples/village.gr --json -
check "pagerank: JSON of convergence" says '"converged":	true,' "$scree" pagerank examples/village.gr --json -
check "pagerank: JSON" says '"iterations":	3,' "$scree" pagerank examples/village.gr --iterations 3 --json -

check "bc: a part of the sources" says '"error":	0.6[0-9]*,' "$scree" bc kron:8 --sources 10 --validate --json -
check "bc: an error of 0.2" says '"sources":	107,' "$scree" bc kron:8 --approximate 0.2 --validate --json -
doubled 60
check "bc: rounded numbers of paths" says 'warning: bc: numbers of shortest paths pass 2\^53 and are rounded, the largest is 1.15e\+18' \
  "$scree" bc "$tmp/doubled.txt" --undirected --validate
check "bc: a law in place of the oracle" says 'checked that all values .* \(rule 3\)' "$scree" bc uniform:16777216,100 --sources 1 --validate

# ---- errors

doubled 1100
bad "the number of shortest paths from a source passes the largest double" bc "$tmp/doubled.txt" --undirected
bad "option 'sources': '0' is out of range; legal: 1 to 281474976710656" bc path:4 --sources 0
bad "option 'sources': '9' is out of range; legal: 1 to 4" bc path:4 --sources 9
echo 9 >"$tmp/sources"
bad "option '--sources-file': path:4 has no vertex 9" bc path:4 --sources-file "$tmp/sources"
bad "both name sources" bc path:4 --sources-file "$tmp/sources" --sources 1
bad "option 'approximate' draws as many sources as it needs" bc path:4 --approximate 0.1 --sources 1

bad "option '--source' is unknown to cc" cc kron:4 --source 1
bad "option '--sources' is unknown to pagerank" pagerank kron:4 --sources 2
bad "option '--damping' is unknown to cc" cc kron:4 --damping 0.5
bad "option '--algorithm': 'flood' is unknown to cc; known are: afforest, label" cc kron:4 --algorithm flood
bad "option '--algorithm': 'dc' is unknown to pagerank; known are: auto, pull, pull-float, push, tasks" pagerank kron:4 --algorithm dc
bad "algorithm 'pull' needs both directions of each arc" pagerank examples/village.gr --algorithm pull
finish

#!/usr/bin/env bash
# cli_ranks.sh - the command line on three ranks: every format and generator, every kernel, outputs, the Graph500
# benchmark. Valid answers, and nothing on standard error that a sanitizer writes: .ci/run runs it so, too.
. "$(dirname "$0")/../support/shell.sh"

at() {
  local rc=0
  test/launch.sh "$BUILD" 3 "$scree" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
  cat "$tmp/out" "$tmp/err"
  [ $rc = 0 ] && ! grep -E 'Sanitizer|runtime error' "$tmp/err"
}
valid() { at "$@" --validate && grep -q ' valid$' "$tmp/out"; }

# makes NAME WORD...: writes a file of 256 vertices
makes() {
  at generate kron:8 "$tmp/$1" "${@:2}" && [ -s "$tmp/$1" ]
}
# writes COMMAND...: as many lines in the answer as the graph has vertices with edges
writes() { rm -f "$tmp/answer" && at "$@" --output "$tmp/answer" && [ "$(wc -l <"$tmp/answer")" -gt 100 ]; }

for SCREE_TEST_LAUNCHER in mpi local; do
  export SCREE_TEST_LAUNCHER
  echo "# $SCREE_TEST_LAUNCHER"
  check "write an image" makes k.scree --random-weights 1..100
  check "write Matrix Market, compressed" makes k.mtx.gz
  check "write a list of edges" makes k.txt
  check "convert an image to DIMACS, compressed" at convert "$tmp/k.scree" "$tmp/k.gr.gz"
  check "sssp of an image" valid sssp "$tmp/k.scree" --sources 2
  check "sssp of DIMACS" valid sssp "$tmp/k.gr.gz" --sources 2 --algorithm delta
  check "bfs of Matrix Market" valid bfs "$tmp/k.mtx.gz" --sources 2
  check "cc of a list of edges" valid cc "$tmp/k.txt" --undirected --columns 1,2
  check "pagerank of the village" valid pagerank examples/village.gr
  for algorithm in $("$scree" sssp --help | awk '!NF { on = 0 } on && /^  [a-z]/ { print $1 } /^algorithms:/ { on = 1 }'); do
    check "sssp by $algorithm" valid sssp grid:20,20 --random-weights 1..9 --source 1 --algorithm "$algorithm"
  done
  check "an answer in a file" writes sssp "$tmp/k.scree" --source 1
  check "the Graph500 benchmark" at graph500 --scale 7 --sources 2
  check "an input that is not there" eval '! at cc "$tmp/none.mtx" && grep -q "none.mtx" "$tmp/err" && ! grep -q Sanitizer "$tmp/err"'
done
finish

#!/usr/bin/env bash
# cases.sh - small inputs after public reports on other programs. Each row of the table in $cases/README.md, which says what is
# right, has a row here.
. "$(dirname "$0")/../support/shell.sh"
cases=${SCREE_TEST_CASES:-${SCREE_TEST_DATA:-../shared/data}/../cases}
if [ ! -r "$cases/README.md" ]; then
  skipped "small inputs after public reports" "the inputs are missing: SCREE_TEST_CASES is their directory, or cases beside SCREE_TEST_DATA"
  finish
fi
grep '^| ' "$cases/README.md" | sed 1d >"$tmp/rows"

# row TEXT: begins the checks of the row of README.md that has the text
row() {
  local found
  found=$(grep -cF -- "$1" "$tmp/rows")
  grep -vF -- "$1" "$tmp/rows" >"$tmp/rest"
  mv "$tmp/rest" "$tmp/rows"
  check "README.md has the row '$1'" [ "$found" = 1 ]
}
# answer RANKS TEXT WORD...: the command writes the text to standard output on RANKS ranks
answer() {
  local ranks=$1 text=$2
  shift 2
  equal "scree ${*/#$cases\//}, $ranks ranks" "$text" at "$ranks" "$@" --output -
}
# refused TEXT WORD...: with exit code 2, the text and no output, on 1 rank and on 2
refused() {
  local text=$1 ranks
  shift
  for ranks in 1 2; do check "scree ${*/#$cases\//}, $ranks ranks: refused" refuses 2 "$text" at $ranks "$@"; done
}

# ---- compressed files

row plainafter.txt.gz
answer 1 '1\t0\n2\t1\n3\t2\n' bfs "$cases/zeros.txt.gz" --directed --source 1 --output-columns level
answer 2 '1\t0\n2\t1\n3\t2\n4\t3\n5\t4\n' bfs "$cases/multi.txt.gz" --directed --source 1 --output-columns level

refused "plainafter.txt.gz:3: damaged gzip file: found 0x33 at byte 28, expected a member, or zeros to the end" info "$cases/plainafter.txt.gz" --directed
refused "trail.txt.gz:3: damaged gzip file: found 0x67 at byte 28, expected a member, or zeros to the end" info "$cases/trail.txt.gz" --directed
refused "flip.txt.gz:3: damaged gzip file: found 0x1e at byte 48, expected a member, or zeros to the end" info "$cases/flip.txt.gz" --directed

# ---- rows that are still without checks

for text in --undirected\ --output 'scree.run("cc"' g.tsv v1.tsv gephi.csv neg.mtx snap-both.txt b.txt 'not UTF-8' 'report r.jsonl' tri.col \
  scree-part 'head -1' non-blocking 'byte order mark in a sweep' 'r.jsonl is empty' '--tolerance 1e-12' G.GRAPH 'convert g.mtx' '1,2 3'; do
  row "$text" >"$tmp/unchecked"
done
check "every row of README.md is here" diff /dev/null "$tmp/rows"
finish

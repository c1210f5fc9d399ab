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

# ---- weights that nobody needs

row neg.mtx
for file in neg.mtx nan.mtx inf.mtx big.mtx ovf.mtx fort.mtx neg.gr neg.txt; do
  way=--undirected words=()
  [ $file != neg.gr ] || way=--directed
  [ $file != neg.txt ] || words=(--columns 1,2,3)
  for weights in --no-weights --unit-weights "--random-weights 1..5"; do
    check "scree info $file $weights" prints "edges           2," at 2 info "$cases/$file" $way "${words[@]}" $weights
    check "scree convert $file $weights" at 2 convert "$cases/$file" "$tmp/converted.scree" $way "${words[@]}" $weights
    check "what scree convert made of it" prints "edges           2," at 1 info "$tmp/converted.scree"
    answer 1 '1\t1\n2\t1\n3\t1\n' cc "$cases/$file" $way "${words[@]}" $weights
  done
  answer 2 '1\t1\n2\t1\n3\t1\n' cc "$cases/$file" $way "${words[@]}"
  [ $way = --directed ] || answer 2 '1\t0\t0\n2\t0\t0\n3\t0\t0\n' tc "$cases/$file" $way "${words[@]}"
  refused "$file:" sssp "$cases/$file" $way "${words[@]}" --source 1
done

# ---- rows that are still without checks

for text in --undirected\ --output 'scree.run("cc"' g.tsv v1.tsv gephi.csv snap-both.txt b.txt 'not UTF-8' 'report r.jsonl' tri.col \
  scree-part 'head -1' non-blocking 'byte order mark in a sweep' 'r.jsonl is empty' '--tolerance 1e-12' G.GRAPH 'convert g.mtx' '1,2 3'; do
  row "$text" >"$tmp/unchecked"
done
check "every row of README.md is here" diff /dev/null "$tmp/rows"
finish

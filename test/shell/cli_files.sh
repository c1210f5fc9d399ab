#!/usr/bin/env bash
# cli_files.sh - files that could mislead: lists as others write them, what is no list, and what is written.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

scree=$BUILD/scree
prints_all() {
  printf '%b' "$1" >"$tmp/expected"
  shift
  "$@" >"$tmp/got" && diff "$tmp/expected" "$tmp/got"
}
equal() { local what=$1 && shift && check "$what" prints_all "$@"; }

# ---- the first line of a list that counts

bfs() { "$scree" bfs "$@" --output-columns level --output -; }
awk 'BEGIN { print "1000 3001"; for (i = 0; i < 3001; i++) print i % 1000, i * 7919 % 1000 }' >"$tmp/counted"
sed 1d "$tmp/counted" >"$tmp/plain"
why="found '1000 3001', which may count vertices and edges: 3001 lines follow; expected --skip-lines 1 if so, or --first-line edge if it is an edge"
for ranks in 1 3; do
  check "a line of counts is refused, $ranks ranks" refuses 2 "$tmp/counted:1: $why" "$scree" bfs "$tmp/counted" --undirected --ranks $ranks
done
check "by a pipe, too" refuses 2 "standard input:1: $why" eval '"$scree" bfs - --undirected <"$tmp/counted"'
check "a shorter list" refuses 2 "no other id exceeds 1000" eval 'head -n 900 "$tmp/counted" | "$scree" bfs - --undirected'
bfs "$tmp/plain" --undirected --source 5 >"$tmp/expected"
check "--skip-lines 1" diff "$tmp/expected" <(bfs "$tmp/counted" --undirected --source 5 --skip-lines 1 --ranks 2)
check "--first-line edge" eval '"$scree" info "$tmp/counted" --undirected --first-line edge | grep -F "edges           3002,"'

# ---- lists as others write them

# list WHAT TEXT OPTIONS...: a list of the arcs 1 2 0.5 and 2 3 4
list() {
  local what=$1
  printf '%b' "$2" >"$tmp/list"
  shift 2
  equal "$what" '1\t0\n2\t0.5\n3\t4.5\n' "$scree" sssp "$tmp/list" --directed --source 1 --columns 1,2,3 --output - "$@"
}
list "a byte order mark" '\0357\0273\02771 2 0.5\n2 3 4\n' --ranks 3
list "--header" '# c\nfrom to length\n1 2 0.5\n2 3 4\n' --header --ranks 3
list "--skip-lines" 'one\ntwo three\n1 2 0.5\n2 3 4\n' --skip-lines 2
list "--separator" '1;2;0.5\n2 ; 3;4\n' --separator ';'
list "--separator tab, values with blanks" '1\ta b\t2\t0.5\n2\tc\t3\t4\n' --separator tab --columns 1,3,4
list "--comment" '// one\n1 2 0.5\n2 3 4\n' --comment //
list "-0.0 is a weight" '1 2 0.5\n2 3 4\n3 1 -0.0\n'

# no_list WHAT TEXT FILE DATA: refused with the text
no_list() {
  printf '%b' "$4" >"$tmp/$3"
  check "$1" refuses 2 "$2" "$scree" bfs "$tmp/$3" --directed
}
no_list "a line of headings" "found 'from', expected a vertex id of 0 .. 9223372036854775807 in column 1; a line of headings needs --header" \
  h.txt 'from to\n1 2\n'
no_list "a semicolon" "; columns that ';' separates need --separator ';'" s.txt '1;2\n2;3\n'
no_list "a bar" "; columns that '|' separates need --separator '|'" b.txt '1|2\n2|3\n'
no_list "quotes" "; values in quotes are not read: remove the quotes by tr -d '\"'" q.txt '"1" "2"\n'
no_list "words for ids" "; ids are whole numbers: number words by awk" w.txt 'alice bob\nbob carol\n'
no_list "UTF-16" "found UTF-16, expected ASCII or UTF-8: convert it by 'iconv -f UTF-16 -t UTF-8 FILE'" u.txt '\0377\03761\0000 \00002\0000\n\0000'
no_list "xz" "found a file that xz packed, expected one of gzip or zstd, or plain: 'xz -dc FILE'" x.xz '\03757zXZ\0000\0000\0004'
no_list "zip" "found a zip archive, expected a file packed by gzip or zstd, or plain: 'unzip -p FILE'" x.zip 'PK\0003\0004\0024\0000'
no_list "GML" "found a GML graph, expected an edge list: make one by python3 -c" x.gml 'graph [\n'
no_list "Pajek" "found a Pajek graph, expected an edge list: make one by python3 -c" x.net '*Vertices 3\n'
no_list "DOT" "found a DOT graph, expected an edge list: make one by python3 -c" x.dot 'digraph {\n'
for name in - /dev/stdin; do
  check "an error of $name" refuses 2 "standard input:2: found 'x', expected a vertex id" eval 'printf "1 2\nx 3\n" | "$scree" bfs "$name" --directed'
  check "no such vertex in $name" refuses 2 "option '--source': standard input has no vertex 7" eval 'echo 1 2 | "$scree" bfs "$name" --directed --source 7'
done
finish

#!/usr/bin/env bash
# cli_path.sh - parents in the answer, paths, files of sources; lists with loops and parallel edges.
#
# Paths are checked by awk against the file.
. "$(dirname "$0")/../support/shell.sh"
printf '1 2 3\n1 3 1\n3 2 1\n2 4 2\n4 4 1\n5 1 1\n' >"$tmp/list.txt"
weighted="--directed --columns 1,2,3"
equal "a path" '1\t0\n3\t1\n2\t2\n4\t4\n' "$scree" path "$tmp/list.txt" $weighted --source 1 --target 4
equal "a path of arcs" '1\t0\n2\t1\n4\t2\n' "$scree" path "$tmp/list.txt" --directed --columns 1,2 --source 1 --target 4
equal "a path of one vertex" '4\t0\n' "$scree" path "$tmp/list.txt" $weighted --source 4 --target 4
check "no path" refuses 1 "there is no path from 1 to 5" "$scree" path "$tmp/list.txt" $weighted --source 1 --target 5
check "one end" refuses 2 "a path has two ends" "$scree" path "$tmp/list.txt" $weighted --source 1
check "an end that is not there" refuses 2 "option '--target': $tmp/list.txt has no vertex 9" \
  "$scree" path "$tmp/list.txt" $weighted --source 1 --target 9

# is_path FILE DISTANCE: each step is an arc of the village, and its weight the difference of distances
is_path() {
  awk -v end="$2" 'FNR == NR { if (/^a/ && !(($2, $3) in w && w[$2, $3] <= $4)) w[$2, $3] = $4; next }
    FNR > 1 && !(($1 - 0) && (last, $1) in w && w[last, $1] == $2 - d) { print "no arc", last, $1; bad = 1 }
    { last = $1; d = $2; n++ } END { exit bad || n < 5 || d != end }' examples/village.gr "$1"
}
check "a path on 3 ranks" test/launch.sh "$BUILD" 3 "$scree" path examples/village.gr --source 1 --target 200 --output "$tmp/path"
distance() { "$scree" sssp examples/village.gr --source 1 --output - | awk '$1 == 200 { print $2 }'; }
check "its steps are arcs, its length the distance" is_path "$tmp/path" "$(distance)"

equal "parents of sssp" '1\t0\t1\n2\t2\t3\n3\t1\t1\n4\t4\t2\n5\tinf\tinf\n' \
  "$scree" sssp "$tmp/list.txt" $weighted --source 1 --output-columns distance,parent --output -
equal "parents alone" '1\t1\n2\t3\n3\t1\n4\t2\n5\tinf\n' \
  "$scree" sssp "$tmp/list.txt" $weighted --source 1 --output-columns parent --output -
equal "levels alone" '1\t0\n2\t1\n3\t1\n4\t2\n5\tinf\n' \
  "$scree" bfs "$tmp/list.txt" --directed --columns 1,2 --source 1 --output-columns level --output -
check "no such column" refuses 2 "'level' is not legal; legal for sssp: distance, parent" \
  "$scree" sssp "$tmp/list.txt" $weighted --output-columns level

# ---- self loops, parallel edges

printf '1 2 5\n2 1 3\n1 2 4\n3 3 1\n3 3 2\n2 3 7\n' >"$tmp/multi.txt"
info() { test/launch.sh "$BUILD" "$1" "$scree" info "$tmp/multi.txt" --columns 1,2,3 "${@:2}" 2>"$tmp/err"; }
check "undirected, both dropped" eval 'info 3 --undirected --dedup --drop-self-loops | grep -F "edges           2, 0 self loops, 0 parallel"'
check "the numbers are told" grep -qx "scree: $tmp/multi.txt: dropped 2 self loops and 2 parallel edges" "$tmp/err"
check "undirected, parallel loops" eval 'info 1 --undirected --dedup | grep -F "edges           3, 1 self loops, 0 parallel"'
check "the numbers of these" grep -qx "scree: $tmp/multi.txt: dropped 0 self loops and 3 parallel edges" "$tmp/err"
check "directed" eval 'info 2 --directed --dedup | grep -F "edges           4, 1 self loops, 0 parallel"'
check "loops alone" eval 'info 1 --directed --drop-self-loops | grep -F "edges           4, 0 self loops, 1 parallel"'
equal "the least weight stays" '1\t0\n2\t3\n3\t10\n' \
  "$scree" sssp "$tmp/multi.txt" --undirected --columns 1,2,3 --dedup --source 1 --output -
convert() { "$scree" convert "$tmp/multi.txt" "$tmp/multi.scree" --undirected --columns 1,2,3 --quiet; }
check "an image, which is mapped" eval 'convert && "$scree" info "$tmp/multi.scree" --dedup --drop-self-loops 2>"$tmp/err" | grep -F "edges           2, 0 self loops, 0 parallel"'
simple() { "$scree" generate kron:8 "$tmp/simple.scree" --dedup --drop-self-loops --quiet 2>"$tmp/err" && "$scree" pagerank "$tmp/simple.scree" --validate | grep -q valid; }
check "a generated graph" simple

printf '1 2 # two\n\n5\n' >"$tmp/sources"
sources() { "$scree" sssp "$tmp/list.txt" $weighted --sources-file "$tmp/sources" --repeat 2 --json - | grep -o '"source":	[0-9]*' | tr -d '\t\n'; }
check "sources of a file" [ "$(sources)" = '"source":1"source":1"source":2"source":2"source":5"source":5' ]
echo 1 x >"$tmp/bad"
check "a source that is not an id" refuses 2 "bad:1: 'x' is not the id" "$scree" sssp "$tmp/list.txt" --sources-file "$tmp/bad"
echo 9 >"$tmp/bad"
check "a source that is not there" refuses 2 "option '--sources-file': $tmp/list.txt has no vertex 9" \
  "$scree" sssp "$tmp/list.txt" $weighted --sources-file "$tmp/bad"
check "two ways to name sources" refuses 2 "both name sources" "$scree" sssp "$tmp/list.txt" --sources-file "$tmp/bad" --source 1
finish

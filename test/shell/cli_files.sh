#!/usr/bin/env bash
# cli_files.sh - files that could mislead: lists as others write them, what is not a list, and what is written.
. "$(dirname "$0")/../support/shell.sh"
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
list "--skip-lines of markup" '<NODES> 3\n<END>\n1 2 0.5\n2 3 4\n' --skip-lines 2
list "--comment of markup" '<NODES> 3\n<END>\n1 2 0.5\n2 3 4\n' --comment '<'
list "--separator" '1;2;0.5\n2 ; 3;4\n' --separator ';'
list "--separator tab, values with blanks" '1\ta b\t2\t0.5\n2\tc\t3\t4\n' --separator tab --columns 1,3,4
list "--separator blanks" '1\t\t2 0.5\n\t2 \t3\t4\n' --separator blanks
list "quotes" '"1","2","0.5"\n"2", "3" ,4,"unread"\n'
list "quotes around separators" '"a, ""b""",1,2,0.5\n"",2,3,4\n' --columns 2,3,4
list "quotes between blanks" '1 "two words" 2 0.5\n2 "" 3 4\n' --columns 1,3,4
list "empty fields of columns that are not read" '1,,2,0.5,,\n2,,3,4,x,\n' --columns 1,3,4
list "the same between tabs" '\t1\t\t2\t0.5\t\t\na\t2\tb c\t3\t4\n' --columns 2,4,5 --ranks 2
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
no_list "single quotes" "; values are read in double quotes, not in single ones" q.txt "'1' '2'\n"
no_list "leading zeros" "z.txt:2: found '001', expected a vertex id without leading zeros in column 2" z.txt '1 0\n1 001\n'
no_list "words for ids" "; ids are whole numbers: number words by awk" w.txt 'alice bob\nbob carol\n'
# The line of awk in an error makes the graph of the file; where it would make another one, there is none.
by_awk() { "$scree" info "$@" 2>&1 | sed -n "s/.* by awk '\(.*\)'$/\1/p" >"$tmp/awk"; }
for text in 'alice bob\nbob carol\n' '# of 2 3\n\nalice\tbob\tfriend\nbob\tcarol\t\n%% x\n' '  alice  bob\nzoe alice\nzoe bob\n'; do
  printf "$text" >"$tmp/words"
  edges=$(grep -cE '^ *[a-z0-9]' "$tmp/words")
  check "words by awk: $text" eval 'by_awk "$tmp/words" --undirected; [ -s "$tmp/awk" ] && awk -f "$tmp/awk" "$tmp/words" >"$tmp/numbered" &&
    prints "edges           $edges, 0 self loops, 0 parallel" "$scree" info "$tmp/numbered" --undirected && grep -q "^vertices  *3," "$tmp/out"'
done
for text in 'alice,bob\nbob,carol\n' 'alice, bob\nbob, carol\n' 'alice bob\r\nbob carol\r\n' 'c x\nalice bob\n' 'alice bob\n"bob smith" carol\n' \
  'alice bob\ncarol\n' 'alice smith\tbob\tx\n\tbob\talice\n' ' # x\nalice bob\n'; do
  printf "$text" >"$tmp/words"
  check "no words by awk: $text" eval 'by_awk "$tmp/words" --undirected; [ ! -s "$tmp/awk" ]'
done
printf 'alice bob\nbob carol\n' >"$tmp/words"
for words in --header "--columns 2,1" "--skip-lines 1" "--base 0"; do
  check "no words by awk: $words" eval 'by_awk "$tmp/words" --undirected $words; [ ! -s "$tmp/awk" ]'
done
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

# ---- what is written: as the name says

printf '1 2 0.1\n1 4 0.002025\n2 3 0.2\n9007199254740993 1 1\n' >"$tmp/exact"
sssp() { "$scree" sssp "$tmp/exact" --directed --columns 1,2,3 --source 1 "$@"; }
answer='1 0\n2 0.1\n3 0.30000000000000004\n4 0.002025\n9007199254740993 inf\n'
# answers FILE [BY [READ...]]: the answer is in a file of that name, columns separated so, as a command prints it
answers() {
  printf "${answer// /$2}" >"$tmp/expected"
  sssp --output "$tmp/$1" && "${@:3}" "$tmp/$1" | diff "$tmp/expected" -
}
check "shortest numbers, ids as they were read, in any name" answers out.tsv '\t' cat
check ".csv has commas" answers out.csv , cat
check ".gz is packed" answers out.gz '\t' gzip -dc
check ".csv.gz" answers out.csv.gz , gzip -dc
if command -v zstd >/dev/null; then
  check ".zst is packed" answers out.zst '\t' zstd -qdc
else
  skipped ".zst is packed" "zstd is not installed"
fi
check "a large answer" eval '"$scree" bfs kron:17,2 --source 1 --output "$tmp/big.gz" --quiet && [ "$(gzip -dc "$tmp/big.gz" | wc -l)" = 131072 ]'
answer="id distance\n$answer"
sssp() { "$scree" sssp "$tmp/exact" --directed --columns 1,2,3 --source 1 --output-header "$@"; }
check "--output-header" answers head.csv , cat
for name in x.json x.csv.json x.json.gz x.xz x.parquet; do
  check "--output $name is refused" refuses 2 "legal: .csv, with commas, or any other name, such as .tsv or .txt, with tabs; and .gz or .zst after them" \
    "$scree" bfs path:3 --output "$tmp/$name"
done
check "a path as .csv" eval '"$scree" path "$tmp/exact" --directed --columns 1,2,3 --source 1 --target 3 --output "$tmp/way.csv" &&
  printf "1,0\n2,0.1\n3,0.30000000000000004\n" | diff - "$tmp/way.csv"'
if [ -w /dev/full ]; then
  ln -s /dev/full "$tmp/full.gz"
  check "disk full, packed" refuses 1 "was not written in full: No space left" "$scree" bfs kron:12 --output "$tmp/full.gz"
fi
written() { "$scree" convert "$tmp/exact" "$tmp/copy.txt" --directed --columns 1,2,3 --quiet && sort -n "$tmp/copy.txt" | diff "$tmp/exact" -; }
check "convert: shortest numbers" written
check "json: the id of a source" eval '"$scree" bfs "$tmp/exact" --directed --columns 1,2 --source 9007199254740993 --json - | grep -qF "\"source\":	9007199254740993"'

# ---- ids of a file that was converted

printf '3 40 1\n40 7 2\n7 9 1\n9 8297 1\n40 8297 3\n' >"$tmp/gaps"
convert() { "$scree" convert "$tmp/gaps" "$tmp/$1" --undirected --columns 1,2,3 --map "$tmp/$1.map" "${@:2}"; }
# renumbers FILE FIRST WORDS [OPTION...]: a line says so
renumbers() {
  local file=$1 first=$2 how=$3 at
  convert "$file" "${@:4}" >/dev/null 2>"$tmp/err" &&
    grep -qFx "scree: $tmp/$file: vertices have new ids: 3 to 8297 of $tmp/gaps are $first to $((first + 4)), $how; $tmp/$file.map has both" "$tmp/err" || { cat "$tmp/err" && return 1; }
}
check "convert says that it renumbers" renumbers c.gr 1 "in the same order"
check "the map" diff <(printf '3\t1\n7\t2\n9\t3\n40\t4\n8297\t5\n') "$tmp/c.gr.map"
check "convert says that it renumbers, from 0" renumbers c.wsg 0 "in the same order" --ranks 2
check "by degree" renumbers d.mtx 1 "by descending degree" --relabel degree --distribution cyclic
check "by degree: the map" diff <(printf '3\t5\n7\t2\n9\t3\n40\t1\n8297\t4\n') "$tmp/d.mtx.map"
says() { "$scree" convert "$@" 2>&1 >/dev/null; }
check "a .gr of a matrix from 1 is silent" [ -z "$(says "$tmp/c.gr" "$tmp/e.mtx")" ]
check "a .gr of a generator is not" eval 'says kron:4 "$tmp/e.gr" | grep -qF "vertices have new ids: 0 to 15 of kron:4 are 1 to 16, in the same order; --map FILE writes both, and .txt and .scree keep ids"'
for file in c.txt c.scree; do
  check "$file keeps ids" eval '[ -z "$(convert $file 2>&1 >/dev/null)" ] && "$scree" info "$tmp/$file" --undirected 2>/dev/null | grep -q "ids 3 to 8297 with gaps" ||
    "$scree" info "$tmp/$file" | grep -q "ids 3 to 8297 with gaps"'
done
"$scree" sssp "$tmp/gaps" --undirected --columns 1,2,3 --source 40 --output "$tmp/expected" --quiet
for file in c.gr c.wsg d.mtx; do
  for ranks in 1 3; do
    check "sssp --map: $file, $ranks ranks" eval 'test/launch.sh "$BUILD" $ranks "$scree" sssp "$tmp/$file" --map "$tmp/$file.map" --source 40 --output - --distribution cyclic 2>/dev/null | sort -n | diff <(sort -n "$tmp/expected") -'
  done
done
check "info --map" eval '"$scree" info "$tmp/d.mtx" --map "$tmp/d.mtx.map" | grep -q "ids 3 to 8297"'
equal "path --map" '3\t0\n40\t1\n7\t3\n' "$scree" path "$tmp/d.mtx" --map "$tmp/d.mtx.map" --source 3 --target 7
check "--map of ids that were kept" refuses 2 "leave --map out if its ids are those that you want" \
  "$scree" bfs "$tmp/gaps" --undirected --columns 1,2 --map "$tmp/c.gr.map"

# ---- one word for what was not reached, and weights that have no part

echo 1 2 >"$tmp/pair"
equal "unreached: sssp" '1\tinf\tinf\n2\t0\t2\n' \
  "$scree" sssp "$tmp/pair" --directed --unit-weights --source 2 --output-columns distance,parent --output -
equal "unreached: bfs" '1\tinf\tinf\n2\t0\t2\n' "$scree" bfs "$tmp/pair" --directed --source 2 --output -
check "pagerank: the table says that weights are ignored" eval '"$scree" pagerank kron:4 | grep -q "undirected, weights ignored"'
check "pagerank: so does its help" eval '"$scree" pagerank --help | grep -q "PageRank, which ignores weights"'
check "pagerank: there are none" eval '! "$scree" pagerank kron:4 --no-weights | grep -q "weights ignored"'

# ---- the size of a list before it is loaded

"$scree" generate uniform:200000,1000000 "$tmp/large.txt" --no-weights --quiet
"$scree" generate grid:700,700 "$tmp/grid.txt.gz" --no-weights --quiet
# plans FILE VERTICES EDGES FACTOR: both are within their ranges, and within a factor of the estimate; the ranges are no wider than 8
plans() {
  "$scree" info --plan "$tmp/$1" --undirected --ranks ${5-1} --json - >"$tmp/json" || return
  awk -v n="$2" -v m="$3" -v factor="$4" '
    /"(vertices|edges)/ || /"known"/ { gsub(/[",:]/, ""); v[$1] = $2 }
    function in_range(x, name) { return v[name "_min"] <= x && x <= v[name "_max"] && v[name] <= factor * x && x <= factor * v[name] }
    END { exit !(v["known"] == "sample" && in_range(n, "vertices") && in_range(m, "edges")) }' "$tmp/json" || { cat "$tmp/json" && return 1; }
}
check "info --plan: a sample" plans large.txt 199990 1000000 1.3
check "info --plan: a sample, 3 ranks" plans large.txt 199990 1000000 1.3 3
check "info --plan: the beginning of a packed list" plans grid.txt.gz 490000 978600 2
check "info --plan: the range in the table" eval '"$scree" info --plan "$tmp/large.txt" --undirected | grep -qE "\(from a sample: [0-9]+ to [0-9]+ vertices, [0-9]+ to [0-9]+ edges\)"'
check "info --plan: a small list" eval '"$scree" info --plan "$tmp/gaps" --undirected | grep -qF "5 vertices, 5 edges, undirected, no weights (exact)"'
check "info --plan: headings" eval 'sed "1i from to" "$tmp/gaps" >"$tmp/named" && "$scree" info --plan "$tmp/named" --undirected --header | grep -qF "5 vertices, 5 edges"'
"$scree" generate kron:12 "$tmp/k.sg" --no-weights --quiet
memory() { "$scree" info --plan "$tmp/k.sg" --ranks 1 "$@" --json - | tr -d '\t,' | sed -n 's/^"\(peak_\)\?bytes_per_rank"://p' | sort -u | wc -l; }
check "info --plan: rows of a serialized graph are read in place" [ "$(memory)" = 1 ]
check "info --plan: but not where they are distributed" [ "$(memory --distribution cyclic)" = 2 ]

# ---- checksums of images

printf '5 9 2.5\n9 9 0\n70 5 2.25\n70 8 1\n' >"$tmp/few"
sssp() { "$scree" sssp "$@" --source 5 --output -; }
sssp "$tmp/few" --undirected --columns 1,2,3 >"$tmp/expected"
"$scree" convert "$tmp/few" "$tmp/few.scree" --undirected --columns 1,2,3 --ranks 2 --quiet
check "an image" diff "$tmp/expected" <(sssp "$tmp/few.scree")
at=$(LC_ALL=C grep -abo "$(printf '\002@')" "$tmp/few.scree" | head -n 1 | cut -d: -f1) # of 2.25
cp "$tmp/few.scree" "$tmp/other.scree"
printf '\0' | dd of="$tmp/other.scree" bs=1 seek="$at" conv=notrunc status=none
for ranks in 1 2 3; do
  for kernel in sssp bfs cc info convert; do
    to=
    [ $kernel != convert ] || to=$tmp/converted.txt
    check "another weight is refused by $kernel, $ranks ranks" refuses 2 "their checksum differs" \
      "$scree" $kernel "$tmp/other.scree" $to --ranks $ranks
  done
  check "--trust reads it, $ranks ranks" eval 'sssp "$tmp/other.scree" --trust --ranks $ranks >"$tmp/out" && ! cmp -s "$tmp/expected" "$tmp/out"'
done
# The same graph as scree 0.2 wrote it, on 2 ranks.
base64 -d <<'END' | gzip -d >"$tmp/old.scree"
H4sIAAAAAAACA+3YvQ2DMBCG4bN9ESESi7BEqOiyQNqIBcgUwH4ZgToDpKDIgQxSCn7SvU/zGcnfNa6O5vmoqyq7aPDOicj9k7+6
W9urfI2ZWJ4kpoW3U7C7LvqO+7+M886WqWUpAAAAAADgaH6xt6/phQ29OS1smuX7yosAAAAAAPC//V93dN3u/X+aOP0HGADEfof8
oCAAAA==
END
for ranks in 1 2 3; do
  check "an image of 0.2, $ranks ranks" eval 'sssp "$tmp/old.scree" --ranks $ranks 2>"$tmp/err" | diff "$tmp/expected" -'
  check "there is a note, once" [ "$(grep -cxF "scree: $tmp/old.scree: this image carries no checksums, as scree 0.2 wrote it; 'scree convert' adds them" "$tmp/err")" = 1 ]
done
printf '1 2\n' >"$tmp/list.txt"
check "--trust of a list is refused" refuses 2 "list.txt: found --trust, but an edge list has no checksums; expected none, or another --format" \
  "$scree" info "$tmp/list.txt" --undirected --trust
check "--trust of a generator is refused" refuses 2 "kron:4: found --trust, but a generated graph" "$scree" info kron:4 --trust
check "no note with --trust" eval 'sssp "$tmp/old.scree" --trust 2>"$tmp/err" | diff "$tmp/expected" - && [ ! -s "$tmp/err" ]'
check "it is planned" eval '"$scree" info --plan "$tmp/old.scree" --ranks 1 | grep -F "4 vertices, 4 edges, undirected, double weights (exact)"'
check "convert adds checksums" eval '"$scree" convert "$tmp/old.scree" "$tmp/new.scree" --ranks 2 --quiet 2>"$tmp/err" &&
  sssp "$tmp/new.scree" 2>"$tmp/err" | diff "$tmp/expected" - && [ ! -s "$tmp/err" ]'
finish

#!/usr/bin/env bash
# cli.sh - the scree command from outside: options, what it prints, files that it is given, errors, exit codes. Answers and
# formats are the library's; sim_kernels and sim_graph_* compare them with those of others.
. "$(dirname "$0")/../support/shell.sh"

# ---- small files

# gr N ARCS...: a DIMACS file of N vertices; an arc is "u v w"
gr() {
  local n=$1
  shift
  echo "p sp $n $#"
  for arc in "$@"; do echo "a $arc"; done
}
gr 5 "1 2 3" "1 3 1" "3 2 1" "2 2 7" "2 4 0" "2 4 9" >"$tmp/small.gr"
printf '# pairs with gaps\r\n10 20 1.5\n20 4000000000000 0.25\n7 10 1\n' >"$tmp/gaps.txt"

same() { diff "$1" "$2" | head -n 20 && cmp "$1" "$2"; }

# ---- answers

equal "sssp of a small graph" '1\t0\n2\t2\n3\t1\n4\t2\n5\tinf\n' "$scree" sssp "$tmp/small.gr" --source 1 --output -
equal "bfs of a small graph, by an algorithm" '1\t0\t1\n2\t1\t1\n3\t1\t1\n4\t2\t2\n5\tinf\tinf\n' \
  "$scree" bfs "$tmp/small.gr" --source 1 --algorithm=level --output -
equal "ids with gaps, decimals, CRLF" '7\tinf\n10\t0\n20\t1.5\n4000000000000\t1.75\n' \
  "$scree" sssp "$tmp/gaps.txt" --directed --columns 1,2,3 --source 10 --output -
equal "an undirected reading, unit weights" '7\t1\n10\t0\n20\t1\n4000000000000\t2\n' \
  "$scree" sssp "$tmp/gaps.txt" --undirected --columns 1,2 --unit-weights --source 10 --output -
check "3 ranks, hash, by degree" at 3 sssp "$tmp/small.gr" --source 1 --distribution hash --relabel degree --validate \
  --output "$tmp/got"
check "3 ranks, hash, by degree: the answer" diff <(printf '1\t0\n2\t2\n3\t1\n4\t2\n5\tinf\n') "$tmp/got"

# ---- lists with commas, standard input

printf '1,2,0.5\n2, 3,1.5\r\n3 ,4,0\n' >"$tmp/commas.csv"
equal "a comma-separated list" '1\t0\n2\t0.5\n3\t2\n4\t2\n' \
  "$scree" sssp "$tmp/commas.csv" --directed --columns 1,2,3 --source 1 --output -
printf '1,2\n3,,4\n' >"$tmp/gap.csv"
check "a field that is empty" refuses 2 "gap.csv:2: found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 2" \
  "$scree" bfs "$tmp/gap.csv" --directed
printf '1 2 0,5\n' >"$tmp/decimal.txt"
check "a decimal comma" refuses 2 "decimal.txt:1: found '0,5', expected a weight" \
  "$scree" sssp "$tmp/decimal.txt" --directed --columns 1,2,3
odd=$tmp/$'escape\e[2J.csv' escape=$tmp/'escape?[2J.csv'
cp "$tmp/commas.csv" "$odd"
check "a name that a terminal would obey: info" eval '"$scree" info "$odd" --directed --columns 1,2,3 | grep -qF "$escape: directed"'
check "a name that a terminal would obey: a run" eval '"$scree" bfs "$odd" --directed --columns 1,2,3 --source 1 | grep -qF "bfs of $escape:"'
check "a name that a terminal would obey: an error" refuses 2 "$tmp/no?[2J: rank 0: cannot open it" "$scree" info "$tmp/"$'no\e[2J'
check "a name that a terminal would obey: an option" refuses 2 "option '--no?[2J' is unknown" "$scree" info kron:4 $'--no\e[2J'

# no file is opened that would wait for somebody
mkfifo "$tmp/fifo" && head -c 24 /dev/zero >"$tmp/zeros"
in_time() { timeout -k 5 60 "$@"; }
fifo="$tmp/fifo: rank 0: cannot open it: found a FIFO, expected a regular file"
check "a FIFO as a graph" refuses 2 "$fifo" in_time "$scree" info "$tmp/fifo"
check "a FIFO as a graph, of 2 ranks" eval 'in_time test/launch.sh "$BUILD" 2 "$scree" info "$tmp/fifo" 2>&1 | grep -q "found a FIFO, expected a regular file"'
check "a FIFO as weights" refuses 2 "$fifo" in_time "$scree" info "$tmp/zeros" --format tuples --weights-file "$tmp/fifo"
check "a FIFO as results" refuses 2 "results '$tmp/fifo'" in_time "$scree" report "$tmp/fifo"
check "a FIFO as results to go on with" refuses 2 "results '$tmp/fifo'" in_time "$scree" sweep --scale 8 --resume --results "$tmp/fifo"
check "a FIFO as a plan" refuses 2 "sweep file '$tmp/fifo'" in_time "$scree" sweep "$tmp/fifo"
check "a FIFO as sources" refuses 2 "option '--sources-file': cannot read '$tmp/fifo'" in_time "$scree" bfs kron:4 --sources-file "$tmp/fifo"
check "a FIFO as options" refuses 2 "option '--options': cannot read '$tmp/fifo'" in_time "$scree" bfs kron:4 --options "$tmp/fifo"
check "a device as results" refuses 2 "found a device, expected a regular file" in_time "$scree" report /dev/zero
check "a pipe as sources" eval '"$scree" bfs path:4 --sources-file <(echo 2) | grep -q "^ *2 "'
check "a pipe as options" eval '"$scree" bfs path:4 --options <(echo source = 2) | grep -q "^ *2 "'
check "a pipe as a plan" eval 'echo scale = 4 | "$scree" sweep /dev/stdin --dry-run --results "$tmp/new.jsonl" | grep -q "1 configuration"'
# launch.sh gives its job no input
[ "$(cat "$BUILD/mpi")" = openmpi ] && launcher=mpirun.openmpi || launcher=mpiexec.hydra
piped() { gzip -c "$tmp/commas.csv" | TMPDIR=$tmp "$@" --directed --columns 1,2,3 --source 1 --output "$tmp/got" >"$tmp/said"; }
for name in - /dev/stdin; do
  check "standard input as $name" piped "$scree" sssp "$name"
  check "standard input as $name: the answer" diff <(printf '1\t0\n2\t0.5\n3\t2\n4\t2\n') "$tmp/got"
done
check "standard input of 2 ranks" piped $launcher -n 2 "$scree" sssp -
check "standard input of 2 ranks: the answer" diff <(printf '1\t0\n2\t0.5\n3\t2\n4\t2\n') "$tmp/got"
# Ranks of another node may find a file of somebody else by the name of the copy. `apart` gives each rank a folder.
list='1,2,0.5\n2,3,1.5\n' && printf "$list" >"$tmp/list" && printf '1,2,9.5\n2,3,1.5\n' >"$tmp/other" && printf '1,2,0.5\n' >"$tmp/shorter"
cat >"$tmp/apart" <<'END'
#!/bin/sh
here=$(dirname "$0") rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
[ "$rank" = 1 ] || cp "$here/other" "$here/node1/scree-input-$$" # a name that ranks could agree on
export TMPDIR=$here/node$rank
exec "$@"
END
chmod +x "$tmp/apart" && mkdir "$tmp/node0" "$tmp/node1" && mkfifo "$tmp/in"
# found FILE [OWNER]: rank 1 finds the file by the name of the copy
found() {
  rm -f "$tmp"/node?/*
  timeout -k 5 60 env OMPI_MCA_rmaps_base_oversubscribe=1 $launcher -n 2 "$tmp/apart" "$scree" sssp - --directed --columns 1,2,3 --source 1 \
    --output "$tmp/got" <"$tmp/in" >"$tmp/said" 2>&1 &
  exec 3>"$tmp/in"
  printf "$list" >&3
  wait_for compgen -G "$tmp/node0/scree-input-*" >/dev/null
  local copy=$tmp/node1/$(basename "$tmp"/node0/scree-input-*)
  if [ "$1" ]; then cp -f "$1" "$copy" && { [ -z "${2-}" ] || chown "$2" "$copy"; }; fi
  exec 3>&-
  wait $!
}
is_refused() { ! found "$@" && { grep -qE "$tmp/node.*is not the copy of standard input" "$tmp/said" || { cat "$tmp/said" && return 1; }; }; }
check "standard input: the same file by another way" found "$tmp/list"
check "standard input: a file by a guessed name" is_refused ""
check "standard input: a file of another size" is_refused "$tmp/shorter"
check "standard input: a file with other content" is_refused "$tmp/other"
if [ "$(id -u)" = 0 ]; then
  check "standard input: a file of another user" is_refused "$tmp/list" 12345
else
  skipped "standard input: a file of another user" "only root can make one"
fi
check "its copy is removed" eval '! compgen -G "$tmp/scree-input-*"'

# ---- what it prints

says() { local what=$1 && shift && check "$what" prints "$@"; }

says "--version" "scree $(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)" "$scree" --version
says "--help lists the subcommands" "bfs        breadth-first search" "$scree" --help
for option in --algorithm --source --delta --random-weights --flush-age --hang-timeout --in-flight; do
  says "sssp --help all tells of $option" "$option " "$scree" sssp --help all
done
says "--help has the range and the default of a number" "(1 to 64; default 1)" "$scree" --help
says "--help has the words and the default of a choice" "(auto|shm|mpi; default auto)" "$scree" --help
says "sssp --help lists the algorithms" "chaotic  " "$scree" sssp --help
check "--version is printed once by 2 ranks" [ "$(at 2 --version | grep -c scree)" = 1 ]
says "the table" "valid" at 2 bfs kron:8 --sources 4 --repeat 2 --warmup 1 --validate --source random:7
says "the table's rates" "8 runs: harmonic mean" at 2 bfs kron:8 --sources 4 --repeat 2 --source random:7

json() { # WHAT PATTERN: the last JSON file has a line like this
  check "json: $1" grep -qE "$2" "$tmp/json"
}
print_json() { "$@" >"$tmp/json"; }
check "json on standard output" print_json "$scree" sssp kron:8 --algorithm delta --sources 3 --repeat 2 --json - --in-flight 2 --validate
json "nothing but one object" '^\{'
check "json: it ends as it began" [ "$(sed -n '$p' "$tmp/json")" = "}" ]
json "versions" '"scree":	"[0-9]+\.[0-9]+'
json "algorithm" '"algorithm":	"delta"'
json "the width that delta chose" '"delta":	[0-9.]+'
json "a time for each run" '"seconds":	[0-9.e-]+'
json "the harmonic mean" '"harmonic_mean":	[0-9.e+]+'
json "the verdict" '"valid":	true'
json "counters of work" '"superseded":	[0-9]+'
json "counters of the world" '"items_handled":	[1-9]'
json "where an option came from" '"from":	"command line"'
harmonic() {
  awk '/"teps":\t[0-9]/ { n++; sum += 1 / ($2 + 0) } /"harmonic_mean"/ { mean = $2 + 0 }
    END { d = n / sum / mean - 1; exit !(n == 6 && d < 1e-9 && d > -1e-9) }' "$tmp/json"
}
check "json: the harmonic mean is that of the runs" harmonic
check "json: six runs" [ "$(grep -c '"traversed_edges"' "$tmp/json")" = 6 ]
check "json to a file" "$scree" bfs kron:8 --json "$tmp/json"
json "the file" '"subcommand":	"bfs"'
check "an option by environment" env SCREE_IN_FLIGHT=3 "$scree" bfs kron:8 --json "$tmp/json"
json "it came from the environment" '"from":	"environment"'

# ---- generate, convert, info

# written TEXT FILE COMMAND...: the command succeeds and the file is the text
written() {
  printf '%b' "$1" >"$tmp/expected"
  local file=$2
  shift 2
  "$@" >"$tmp/out" && diff "$tmp/expected" "$file"
}
check "generate: an edge list" written '0 1\n1 2\n' "$tmp/path.txt" "$scree" generate path:3 "$tmp/path.txt" --no-weights
printf '1 2 3\n2 1 3\n3 1 2\n' >"$tmp/three.adj"
check "convert: DIMACS to an edge list, sorted" written '1 2 3\n1 3 1\n2 2 7\n2 4 0\n2 4 9\n3 2 1\n' "$tmp/sorted" \
  bash -c '"$1" convert "$2/small.gr" "$2/small.txt" && sort "$2/small.txt" >"$2/sorted"' - "$scree" "$tmp"
check "convert: standard output names the file" grep -qF "$tmp/small.txt: 5 vertices, 6 edges, directed, uint32 weights" "$tmp/out"
check "convert: no weights" grep -qF "5 vertices, 6 edges, directed, no weights;" \
  <("$scree" convert "$tmp/small.gr" "$tmp/bare.txt" --no-weights)
"$scree" sssp kron:8 --random-weights 1..9 --source 3 --output "$tmp/expected" >/dev/null
check "generate on 3 ranks: an image" at 3 generate kron:8 "$tmp/k3.scree" --random-weights 1..9
check "generate: METIS" "$scree" generate kron:8 "$tmp/k3.graph" --random-weights 1..9
check "generate: gzip" "$scree" generate kron:8 "$tmp/k3.mtx.gz" --random-weights 1..9
check "convert: a directed graph to a serialized one" eval '"$scree" convert "$tmp/k3.scree" "$tmp/d.gr" && "$scree" convert "$tmp/d.gr" "$tmp/d.wsg"'
check "generate on 3 ranks: tuples" at 3 generate kron:8 "$tmp/k3.tuples" --weights-file "$tmp/k3.w" --random-weights 1..9
check "sssp of tuples on 2 ranks" at 2 sssp "$tmp/k3.tuples" --format tuples --weights-file "$tmp/k3.w" --scale 8 --source 3 \
  --output "$tmp/got"
check "sssp of tuples on 2 ranks: the answer" same "$tmp/expected" "$tmp/got"
check "convert: tuples to an image" "$scree" convert "$tmp/k3.tuples" "$tmp/again.scree" --from tuples \
  --from-weights "$tmp/k3.w" --scale 8
check "the image of tuples" "$scree" sssp "$tmp/again.scree" --source 3 --output "$tmp/got"
check "the image of tuples: the answer" same "$tmp/expected" "$tmp/got"

check "info on 3 ranks: vertices" prints "vertices        5, ids 1 to 5, 1 isolated" at 3 info "$tmp/small.gr"
check "info on 3 ranks: edges" grep -qF "edges           6, 1 self loops, 1 parallel" "$tmp/out"
check "info on 3 ranks: degrees" grep -qF "arcs per vertex min 0, median 1, mean 1.20, max 3" "$tmp/out"
check "info on 3 ranks: weights" grep -qF "weights         uint32, min 0, mean 3.5, max 9, 1 zeros" "$tmp/out"
check "info: of an undirected graph" prints "edges           3, 0 self loops, 0 parallel" "$scree" info "$tmp/gaps.txt" --undirected --columns 1,2,3
check "info: ids with gaps" prints "ids 7 to 4000000000000 with gaps, 0 isolated" "$scree" info "$tmp/gaps.txt" --undirected --columns 1,2,3
check "info: imbalance of a star" prints "block    vertices 1.000, arcs 1.499" at 2 info star:1000
check "info: an image is mapped" prints "rows mapped from the file" at 3 info "$tmp/k3.scree"
check "an image is written where the umask lets all write" eval '(umask 0; at 3 convert complete:5 "$tmp/open.scree")'
check "info: nobody else may write it, so it is mapped" prints "rows mapped from the file" at 3 info "$tmp/open.scree"
check "info --structure: degeneracy" prints "degeneracy      4" at 2 info complete:5 --structure
check "info --structure: triangles" prints "triangles       10" at 2 info complete:5 --structure
check "info: json" "$scree" info "$tmp/small.gr" --json "$tmp/json"
json "self loops" '"self_loops":	1'
json "balance" '"hash":	\{'
check "info --plan: a generator" prints "kron:30: 1073741824 vertices, 17179869184 edges, undirected, float weights (exact)" \
  "$scree" info --ranks 1 --plan kron:30
check "info --plan: no weights" prints "256 vertices, 4096 edges, undirected, no weights (exact)" "$scree" info --ranks 1 --plan kron:8 --no-weights
check "info: no weights" prints "weights         none" "$scree" info kron:8 --no-weights
check "info: adjacency lists are refused by their ending" refuses 2 "found an adjacency list by its name, expected an edge list" \
  "$scree" info "$tmp/three.adj" --undirected
check "info: unless they are edge lists" prints "edges           3, 0 self loops" "$scree" info "$tmp/three.adj" --undirected --format edges
check "info --plan: memory" prints "memory per rank 264.0 GiB" "$scree" info --ranks 1 --plan kron:30
check "info --plan: a header" prints "small.gr: 5 vertices, 6 edges, directed, double weights (exact)" "$scree" info --ranks 1 --plan "$tmp/small.gr"
check "info --plan: a packed header" prints "256 vertices, 4096 edges, undirected, double weights (exact)" \
  "$scree" info --ranks 1 --plan "$tmp/k3.mtx.gz"
check "info --plan: an image" prints "256 vertices, 4096 edges, undirected, uint32 weights (exact)" "$scree" info --ranks 1 --plan "$tmp/k3.scree"
check "info --plan: a serialized graph" prints "256 vertices, 8107 edges, directed, uint32 weights (exact)" \
  "$scree" info --ranks 1 --plan "$tmp/d.wsg"
check "info --plan: METIS" prints "256 vertices, 4096 edges, undirected, no weights (exact)" \
  "$scree" info --ranks 1 --plan "$tmp/k3.graph" --no-weights
check "info --plan: a small list" prints "gaps.txt: 4 vertices, 3 edges, directed, no weights (exact)" "$scree" info --ranks 1 --plan "$tmp/gaps.txt" --directed
check "info --plan: renumbering" prints "memory per rank 280.0 GiB" "$scree" info --ranks 1 --plan kron:30 --relabel degree
check "info --plan: runs" prints "in a run, in addition sssp 293.0 GiB and 128.0 MiB for the ranks of a node together," "$scree" info --ranks 1 --plan kron:30
check "info --plan: runs, json" prints '"run_bytes_per_rank"' "$scree" info --ranks 1 --plan kron:10 --json -
check "info --plan: json" prints '"known":	"exact"' "$scree" info --ranks 1 --plan kron:10 --json -
# A bar appears after a time: the graph is begun, then held up until that is over, so that no machine is too fast.
old_enough() { [ $SECONDS -gt $1 ]; }
has_begun() { # it holds more than 64 MiB
  local size rss rest
  read -r size rss rest <"/proc/$(cat "$tmp/pid")/statm" && [ "$rss" -gt $((64 * 1048576 / $(getconf PAGESIZE))) ]
}
# held_up COMMAND...: runs it; the process whose id is in $tmp/pid stops for over a second once it has begun
held_up() {
  local job
  rm -f "$tmp/pid"
  "$@" </dev/null &
  job=$!
  until has_begun; do kill -0 $job || return; done 2>/dev/null
  kill -STOP "$(cat "$tmp/pid")"
  wait_for old_enough $((SECONDS + 1))
  kill -CONT "$(cat "$tmp/pid")"
  wait $job
}
info="SCREE_TEST_PROGRESS_MS=500 $scree info kron:18 --ranks 1 & echo \$! >$tmp/pid; wait \$!"
bar() {
  held_up script -qec "$info" /dev/null >"$tmp/out" && grep -q 'loading \[.* s left' "$tmp/out" && grep -q "max" "$tmp/out"
}
if script -qec true /dev/null >/dev/null 2>&1; then
  check "a bar on a terminal" bar
else
  skipped "a bar on a terminal" "there is no script(1) here"
fi
maps() { grep -q "$1" "/proc/$2/maps"; }
# An image is mapped in place. When it is truncated, the pages after its new end are gone.
is_cut() {
  local job rc=0
  "$scree" generate kron:12 "$tmp/cut.scree" --ranks 1 --quiet
  "$scree" pagerank "$tmp/cut.scree" --ranks 1 --relabel none --repeat 100000 >"$tmp/out" 2>"$tmp/err" &
  job=$!
  wait_for maps cut.scree $job
  : >"$tmp/cut.scree"
  wait $job || rc=$?
  [ $rc = 1 ] && grep -q "a file that is mapped became shorter" "$tmp/err"
}
check "a mapped file that is cut" is_cut
no_bar() { held_up bash -c "$info" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && grep -q "max" "$tmp/out"; }
check "no bar elsewhere" no_bar

# ---- errors

bad "no subcommand given; known are: sssp, bfs"
bad "unknown subcommand 'route'; known are: sssp, bfs" route
bad "no graph given: scree sssp GRAPH" sssp
bad "only one graph is accepted: 'b' follows 'a'" bfs a b
bad "no file to write given: scree convert GRAPH FILE" convert kron:4
bad "unexpected argument 'c'" convert a b c
bad "unknown generator '$tmp/small.gr'; known are: kron:SCALE" generate "$tmp/small.gr" "$tmp/x.gr"
bad "'$tmp/small.gr' is the file that the graph is read from" convert "$tmp/small.gr" "$tmp/small.gr"
bad "$tmp/x.foo: its name tells no format" generate path:4 "$tmp/x.foo"
bad "$tmp/no/x.gr: rank 0: cannot be written" generate path:4 "$tmp/no/x.gr"
bad "name it by --weights-file, or drop the weights by --no-weights" generate path:4 "$tmp/x.tuples"
bad "the format dimacs needs weights" generate path:4 "$tmp/x.gr" --no-weights
bad "holds undirected graphs, and this one is directed" convert "$tmp/small.gr" "$tmp/x.tuples" --weights-file "$tmp/x.w"
bad "option 'format': 'vtk' is not a known word; legal: auto|dimacs|edges" convert kron:4 "$tmp/x" --format vtk
bad "option '--validate' is unknown to info" info kron:4 --validate
bad "option '--plan' is unknown to bfs" bfs kron:4 --plan
bad "expected a multiple of 12" info "$tmp/small.gr" --format tuples
bad "found no image of a graph" info "$tmp/small.gr" --format image
bad "option 'scale': '0' is out of range; legal: 1 to 40" info "$tmp/small.gr" --format tuples --scale 0
bad "found --base, but a DIMACS graph states that it is directed, which vertices it has" info "$tmp/small.gr" --base 1
bad "found --weights-file, but a DIMACS graph" info "$tmp/small.gr" --weights-file "$tmp/x"
head -c 1000 "$tmp/k3.scree" >"$tmp/short.scree"
bad "$tmp/short.scree: found fewer bytes than the header says" info "$tmp/short.scree"
bad "unknown option '-v'" bfs -v a
bad "option '--frobnicate' is unknown to bfs" bfs --frobnicate kron:4
bad "option '--delta' is unknown to bfs" bfs kron:4 --delta 1
bad "option '--source' needs a value: --source V" bfs kron:4 --source
bad "option '--memory' needs a value" bfs kron:4 --memory
bad "option '--validate' takes no value" bfs kron:4 --validate=yes
bad "option '--algorithm': 'dijkstra' is unknown to sssp; known are: auto, opt, horizon, dc, dc-hybrid, delta, delta-sort, kla, chaotic, dc-tasks, delta-tasks, chaotic-tasks" sssp kron:4 --algorithm dijkstra
bad "option '--algorithm': 'delta' is unknown to bfs; known are: direction, level, dc" bfs kron:4 --algorithm delta
bad "option '--delta' is for --algorithm opt, horizon, delta, delta-sort, delta-tasks or auto, and the algorithm is dc" sssp kron:4 --algorithm dc --delta 2
bad "option '--queue' is for --algorithm dc, dc-hybrid or dc-tasks, and the algorithm is delta-sort" sssp kron:4 --algorithm delta-sort --queue dary
bad "option '--frequency' is for --algorithm dc, dc-hybrid or dc-tasks" sssp kron:4 --algorithm kla --frequency 2
bad "option '--k' is for --algorithm kla" sssp kron:4 --algorithm dc --k 2
bad "option '--alpha' is for --algorithm direction" bfs kron:4 --algorithm level --alpha 2
bad "option '--no-pruning' is for --algorithm level, dc or hybrid, and the algorithm is direction" bfs kron:4 --no-pruning
bad "choose a larger one" sssp kron:4 --algorithm delta --delta 1e-12
for value in x -1 '' 99999999999999999999 random: random:x; do
  bad "option 'source': '$value' is not legal; legal: V: id of the source, or random:SEED" bfs kron:4 --source "$value"
done
bad "option '--source': kron:4 has no vertex 16; its 16 vertices have ids from 0 to 15" bfs kron:4 --source 16
bad "option '--sources': 2 sources are drawn, but --source names one" bfs kron:4 --sources 2 --source 3
bad "distinct vertices with an arc were requested" bfs "$tmp/small.gr" --sources 9
bad "option '--output': only one result can be written" bfs kron:4 --sources 2 --output "$tmp/x"
bad "both use standard output" bfs kron:4 --json - --output -
bad "option '--output': '$tmp/no/x' cannot be written: No such file or directory" bfs kron:4 --output "$tmp/no/x"
bad "option '--json': '$tmp' cannot be written: Is a directory" bfs kron:4 --json "$tmp"
check "refused: SCREE_MEMORY=lots" refuses 2 "option 'memory': 'lots' (from SCREE_MEMORY) is not a size" \
  env SCREE_MEMORY=lots "$scree" bfs kron:4
bad "--random-weights" sssp "$tmp/gaps.txt" --directed --columns 1,2
bad "--undirected" bfs "$tmp/gaps.txt" --columns 1,2
bad "columns" bfs "$tmp/gaps.txt" --directed --columns 0
bad "random-weights" sssp kron:4 --random-weights 9..1
bad "distribution" bfs kron:4 --distribution round
bad "relabel" bfs kron:4 --relabel up
bad "format" bfs kron:4 --format vtk
bad "$tmp/absent.gr" bfs "$tmp/absent.gr"
gr 2 "1 2 -5" >"$tmp/negative.gr"
bad "$tmp/negative.gr:2" sssp "$tmp/negative.gr"
for ranks in 2 3; do
  check "usage error on $ranks ranks" refuses 2 "option '--frobnicate' is unknown" at $ranks bfs kron:4 --frobnicate
  check "bad input on $ranks ranks" refuses 2 "$tmp/negative.gr:2" at $ranks sssp "$tmp/negative.gr"
  check "no such source on $ranks ranks" refuses 2 "has no vertex 77" at $ranks bfs kron:4 --source 77
done
if [ -w /dev/full ]; then
  for ranks in 1 2; do
    check "disk full on $ranks ranks: the answer" refuses 1 "'/dev/full' was not written in full: No space left" \
      at $ranks bfs kron:12 --output /dev/full
    check "disk full on $ranks ranks: json" refuses 1 "'/dev/full' was not written in full: No space left" \
      at $ranks bfs kron:4 --json /dev/full
  done
  for format in edges image; do
    for ranks in 1 2; do
      check "disk full on $ranks ranks: $format" refuses 1 "/dev/full: rank 0: was not written in full: No space left" \
        at $ranks generate kron:12 /dev/full --format $format
    done
  done
  on_full_disk() { "$scree" "$@" >/dev/full; }
  check "disk full: the table" refuses 1 "'standard output' was not written in full" on_full_disk bfs kron:4
  check "disk full: help" refuses 1 "No space left" on_full_disk --help
else
  skipped "disk full" "there is no /dev/full here"
fi
export SCREE_TEST_POOL_BLOCKS=1
for ranks in 1 2; do
  check "a world that fails on $ranks ranks" refuses 1 "or raise the options memory or overflow-max" \
    at $ranks sssp kron:12 --algorithm chaotic --overflow-max 1 --coalesce-bytes 16
done
unset SCREE_TEST_POOL_BLOCKS

# ---- signals: a long run, which is ready for them once it has opened its file

# once SIGNAL TEXT: the process gets the signal and says the text on standard error
once() { kill "-$1" "$process" && wait_for grep -qF -- "$2" "$tmp/err"; }
"$scree" bfs kron:10 --repeat 100000 --output "$tmp/ready" 2>"$tmp/err" >"$tmp/out" &
process=$!
check "a long run has begun" wait_for compgen -G "$tmp/ready.*.scree-part"
check "SIGUSR1 prints the report" once USR1 "scree: report"
check "SIGTERM says a line" once TERM "scree: process $process: ended by SIGTERM"
wait "$process"
check "SIGTERM ends it" [ $? = 143 ]

# One of two ranks gets SIGTERM, as from a launcher.
test/launch.sh "$BUILD" 2 sh -c 'echo $$ >"$0.${OMPI_COMM_WORLD_RANK-$PMI_RANK}" && exec "$@"' "$tmp/pid" \
  "$scree" bfs kron:10 --repeat 100000 --output "$tmp/ready2" 2>"$tmp/err" >"$tmp/out" &
job=$!
check "a long run of two ranks has begun" wait_for compgen -G "$tmp/ready2*"
process=$(cat "$tmp/pid.1")
check "its line says what launchers send SIGTERM for" once TERM \
  "scree: rank 1 of 2, process $process: ended by SIGTERM, which the launcher sends"
wait "$job"
finish

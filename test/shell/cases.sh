#!/usr/bin/env bash
# cases.sh - small inputs after public reports on other programs. Each row of the table in $cases/README.md, which says what is
# right, has a row here.
. "$(dirname "$0")/../support/shell.sh"
cases=${SCREE_TEST_CASES:-${SCREE_TEST_DATA:-../shared/data}/../cases}
cases=$(realpath "$cases")
if [ ! -r "$cases/README.md" ]; then
  skipped "small inputs after public reports" "the inputs are missing: SCREE_TEST_CASES is their directory, or cases beside SCREE_TEST_DATA"
  finish
fi
rows=$tmp/rows seen=$tmp/seen
grep '^| ' "$cases/README.md" | sed 1d >"$rows"
python=/usr/bin/python3

# row TEXT: begins the checks of the row of README.md that has the text
row() {
  check "README.md has the row '$1'" [ "$(grep -cF -- "$1" "$rows")" = 1 ]
  echo "$1" >>"$seen"
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

# nonblocking COMMAND...: standard output is a pipe that does not block, and its reader takes a page when it is full and the
# command sleeps.
# complaining COMMAND...: so is standard error; standard output is discarded
nonblocking() { in_pipe stdout "$@"; }
complaining() { in_pipe stderr "$@"; }
in_pipe() {
  "$python" -c '
import os, select, subprocess, sys, time
end, to = os.pipe()
os.set_blocking(to, False)
job = subprocess.Popen(sys.argv[2:], **{"stdout": subprocess.DEVNULL, sys.argv[1]: to})
room = select.poll()
room.register(to, select.POLLOUT)
while job.poll() is None:
    with open(f"/proc/{job.pid}/stat") as file:
        sleeps = file.read().rpartition(")")[2].split()[0] == "S"
    if room.poll(0) or not sleeps:
        time.sleep(0.001)
    else:
        sys.stdout.buffer.write(os.read(end, 4096))
os.close(to)
while part := os.read(end, 65536):
    sys.stdout.buffer.write(part)
sys.exit(job.returncode)' "$@"
}

# ---- compressed files

packed_and_weights() {
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

  row b.txt
  refused "the distance of vertex 2 exceeds the largest double" sssp "$cases/b.txt" --directed --columns 1,2,3 --source 0
  refused "the distance of vertex 2 exceeds the largest double" path "$cases/b.txt" --directed --columns 1,2,3 --source 0 --target 2
}

# ---- a list that names each edge in both directions

copies_and_formats() {
  row snap-both.txt
  parallel="4 of 8 edges are parallel to others, and"
  for ranks in 1 2; do
    answer $ranks '1\t4\n2\t4\n3\t4\n4\t2\n' kcore "$cases/snap-both.txt" --undirected
    answer $ranks '1\t2\n2\t2\n3\t2\n4\t1\n' kcore "$cases/snap-both.txt" --undirected --dedup
  done
  noted() { local text=$1 && shift && "$@" >"$tmp/out" 2>"$tmp/err" && [ "$(grep -cF -- "$text" "$tmp/err")" = 1 ]; }
  check "kcore says that copies count" noted "$parallel kcore counts each; --dedup keeps one of them" at 2 kcore "$cases/snap-both.txt" --undirected --json "$tmp/json"
  check "JSON has their number" grep -q '"parallel_edges":	4,' "$tmp/json"
  check "info says that copies count" noted "$parallel the degeneracy counts each" at 2 info "$cases/snap-both.txt" --undirected --structure
  for command in tc "kcore --dedup"; do
    check "$command says nothing of copies" eval '! at 2 $command "$cases/snap-both.txt" --undirected 2>&1 | grep "are parallel"'
  done

  # ---- a tolerance that is missed

  row '--tolerance 1e-12'
  missed() {
    local rc=0
    at 2 pagerank path:50 --tolerance 1e-12 --iterations 2 "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = 1 ] && grep -qF "pagerank has not converged: iteration 2, the last one," "$tmp/err"
  }
  check "scree pagerank --tolerance 1e-12 --iterations 2" missed --validate
  check "its table says so" grep -q ' valid, not converged$' "$tmp/out"
  check "with --json" missed --json "$tmp/json"
  check "so does JSON" grep -q '"converged":	false' "$tmp/json"

  # ---- formats by name and content

  row G.GRAPH
  printf '4 3 001\n2 5 3 1\n1 5 3 7\n1 1 2 7\n\n' >"$tmp/G.GRAPH"
  gzip -c "$tmp/G.GRAPH" >"$tmp/a.METIS.GZ"
  for file in G.GRAPH a.METIS.GZ; do answer 2 '1\t0\n2\t5\n3\t1\n4\tinf\n' sssp "$tmp/$file" --source 1 --output-columns distance; done
  for target in B.GR B.MTX.GZ B.WSG B.SCREE B.Graph; do
    check "convert writes $target, and reads it" eval '"$scree" convert "$tmp/G.GRAPH" "$tmp/$target" --quiet && "$scree" info "$tmp/$target" | grep -q "^vertices  *4,"'
  done
  check "B.MTX.GZ is packed" gzip -t "$tmp/B.MTX.GZ"
  check "--output A.CSV.GZ has commas and is packed" eval '"$scree" bfs "$tmp/G.GRAPH" --source 4 --output "$tmp/A.CSV.GZ" --output-columns level --quiet && gzip -dc "$tmp/A.CSV.GZ" | diff <(printf "1,inf\n2,inf\n3,inf\n4,0\n") -'
  refused "an answer is not written as .JSON" bfs path:3 --output "$tmp/x.JSON"

  row tri.col
  refused "tri.col:3: found a DIMACS graph for colouring, expected one for shortest paths" info "$cases/tri.col" --undirected
  # recipe COMMAND...: runs the command of awk that standard error of the command has, on the file $1, into $2
  recipe() {
    local from=$1 to=$2 script
    shift 2
    script=$("$@" 2>&1 >/dev/null | sed -n "s/.*: \(awk '.*'\) FILE.*/\1/p")
    [ "$script" ] && (cd "$tmp" && eval "$script" '"$from"' >"$to")
  }
  check "the advice for tri.col makes its graph" eval 'recipe "$cases/tri.col" "$tmp/tri.mtx" "$scree" info "$cases/tri.col" --undirected && "$scree" info "$tmp/tri.mtx" | grep -q "^edges  *3, 0 self loops, 0 parallel"'
  equal "the advice for tri.col makes its vertices" '1\t1\n2\t1\n3\t1\n' "$scree" cc "$tmp/tri.mtx" --output -

  row 'convert g.mtx'
  printf '%%%%MatrixMarket matrix coordinate pattern general\n6 6 3\n1 2\n4 2\n5 1\n' >"$tmp/g.mtx"
  for ranks in 1 2; do
    check "convert of isolated vertices, $ranks ranks" eval 'at $ranks convert "$tmp/g.mtx" "$tmp/g.list.txt" --map "$tmp/g.ids" >"$tmp/out" 2>"$tmp/err" &&
      grep -qFx "scree: $tmp/g.list.txt: 2 of 6 vertices have no edge, so an edge list does not hold them; --vertices $tmp/g.ids reads them with it" "$tmp/err"'
  done
  check "--vertices reads them" prints "vertices        6, ids 1 to 6, 2 isolated" at 2 info "$tmp/g.list.txt" --directed --vertices "$tmp/g.ids"
  check "convert names the remedy" eval '"$scree" convert "$tmp/g.mtx" "$tmp/g.list.txt" 2>&1 | grep -qF "; --map FILE writes all ids, and --vertices FILE reads them with the list"'
  check "convert of no isolated vertex is silent" eval '[ -z "$("$scree" convert "$tmp/G.GRAPH" "$tmp/g.scree" 2>&1 >/dev/null)" ]'
}

# ---- an output that is an input, or another output

outputs() {
  row '--undirected --output'
  cat "$cases/c.txt" >"$tmp/g.txt" # the copy of a read-only file would be read-only
  ln -s g.txt "$tmp/symbolic.txt"
  ln "$tmp/g.txt" "$tmp/hard.txt"
  ln -s "$tmp/new.txt" "$tmp/leads.txt"
  # kept TEXT WORD...: refused with exit code 2 and the text, on local ranks and on ranks of a launcher; no file is written
  kept() {
    refused "$@"
    SCREE_TEST_LAUNCHER=mpi check "scree ${*:2}, 2 ranks of a launcher" ended_by_launcher "$@"
    check "the graph is as it was" cmp "$cases/c.txt" "$tmp/g.txt"
    check "nothing is written" [ ! -e "$tmp/new.txt" ]
  }
  ended_by_launcher() { ! at 2 "${@:2}" >"$tmp/out" 2>&1 && grep -qF -- "$1" "$tmp/out"; }
  is_graph="is the file that the graph is read from"
  for name in g.txt ./g.txt symbolic.txt hard.txt; do
    refused "option '--output': '$tmp/$name' $is_graph" cc "$tmp/g.txt" --undirected --output "$tmp/$name"
    refused "option '--json': '$tmp/$name' $is_graph" info "$tmp/g.txt" --undirected --json "$tmp/$name"
  done
  kept "option '--output': '$tmp/./g.txt' $is_graph as '$tmp/symbolic.txt'" cc "$tmp/symbolic.txt" --undirected --output "$tmp/./g.txt"
  kept "option '--trace': '$tmp/g.txt' $is_graph" cc "$tmp/g.txt" --undirected --trace "$tmp/g.txt"
  kept "'$tmp/new.txt' is written twice, by option --output and by option --json as '$tmp/leads.txt'" \
    cc "$tmp/g.txt" --undirected --output "$tmp/new.txt" --json "$tmp/leads.txt"
  check "standard input is the output" refuses 2 "option '--output': '$tmp/g.txt' $is_graph as 'standard input'" \
    eval '"$scree" cc - --undirected --output "$tmp/g.txt" <"$tmp/g.txt"'
  check "standard output is the graph" refuses 2 "option '--output': '-' $is_graph as '$tmp/g.txt'" \
    eval '"$scree" cc "$tmp/g.txt" --undirected --output - >>"$tmp/g.txt"'
  printf 'undirected = on\noutput = %s\n' "$tmp/g.txt" >"$tmp/o.options"
  refused "$tmp/o.options:2: option '--output': '$tmp/g.txt' $is_graph" cc "$tmp/g.txt" --options "$tmp/o.options"
  for study in "sweep --results" "tune --budget 1s --write"; do
    check "$study: a job reads what is written" refuses 2 "': '$tmp/g.txt' $is_graph" \
      "$scree" $study "$tmp/g.txt" --graph "$tmp/g.txt" --undirected on --kernel cc
  done
  check "the graph is as it was" cmp "$cases/c.txt" "$tmp/g.txt"
}

# ---- signals

signals() {
  row scree-part
  # A shell starts background processes with SIGINT ignored.
  # ends SIGNAL NAME WORD...: the signal ends the command when it has a file NAME, and no file stays
  ends() {
    local rc=0 folder=$tmp/ends process
    mkdir -p "$folder"
    TMPDIR=$folder env --default-signal=INT "$scree" "${@:3}" --output "$folder/res" --json "$folder/j" --trace "$folder/t" \
      <&0 2>"$tmp/err" &
    process=$!
    wait_for compgen -G "$folder/$2" >/dev/null && kill "-$1" $process
    wait $process || rc=$?
    [ $rc = $((128 + $(kill -l "$1"))) ] && [ -z "$(ls "$folder")" ] || { echo "code $rc" && ls "$folder" && cat "$tmp/err" && return 1; }
    if [ "$1" = TERM ]; then echo "scree: process $process: ended by SIGTERM"; fi | diff - "$tmp/err"
  }
  mkfifo "$tmp/never"
  exec 7<>"$tmp/never"
  for ranks in 1 2; do
    for signal in INT TERM HUP; do
      check "$signal, $ranks ranks: no file stays" ends $signal "res.*.scree-part" bc kron:16 --ranks $ranks --quiet
      check "$signal, $ranks ranks: no copy of standard input stays" ends $signal "scree-input-*" bfs - --ranks $ranks --quiet <"$tmp/never"
    done
  done
  ended_in_job() {
    ! OMPI_MCA_odls_base_sigkill_timeout=10 PRTE_MCA_odls_base_sigkill_timeout=10 timeout --signal=TERM --preserve-status 60 env SCREE_TEST_LAUNCHER=mpi test/launch.sh "$BUILD" 2 \
      sh -c '[ ${OMPI_COMM_WORLD_RANK-$PMI_RANK} = 0 ] || { while ! ls "$0".*.scree-part; do sleep 0.1; done; kill $PPID; } & exec "$@"' \
      "$tmp/jobs" "$scree" bc kron:16 --output "$tmp/jobs" >"$tmp/out" 2>&1
    ! ls "$tmp"/jobs*
  }
  check "a launcher's SIGTERM: no file stays" ended_in_job

  row 'head -1'
  closed() {
    { "$scree" sssp kron:16 --random-weights 1..9 --ranks "$1" --output - --json "$tmp/closed" 2>"$tmp/err"; echo $? >"$tmp/code"; } | head -n 1 >"$tmp/out"
    [ "$(cat "$tmp/code")" = 141 ] && [ ! -s "$tmp/err" ] && ! ls "$tmp"/closed* || { cat "$tmp/code" "$tmp/err" && return 1; }
  }
  for ranks in 1 2; do check "a reader that ends, $ranks ranks" closed $ranks; done
}

# ---- Python, and names that are not UTF-8

names() {
  row 'scree.run("cc"'
  row 'not UTF-8'
  old=$tmp/$'caf\xe9.txt'
  printf '0 1\n' >"$old"
  for ranks in 1 2; do
    for command in cc info; do
      check "the JSON of $command, $ranks ranks, is UTF-8" eval \
        'at $ranks $command "$old" --undirected --json - | iconv -f UTF-8 -t UTF-16 >"$tmp/out" && iconv -f UTF-16 -t UTF-8 "$tmp/out" | grep -qF "caf\\\\xe9.txt"'
    done
  done
  if [ -x $python ]; then
    # python TEXT: of the package, with no other options than the text
    python() { PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 SCREE=$scree OLD=$old $python -S -c "import os, scree; $1"; }
    for ranks in 1 2 3; do
      for graph in kron:8 kron:17,1; do
        equal "scree.run with ranks=$ranks on $graph" "$ranks\n" python "print(scree.run('cc', '$graph', ranks=$ranks).record['configuration']['ranks'])"
      done
    done
    for ranks in 0 -1 "'x'" 2.5; do
      check "scree.run with ranks=$ranks" refuses 1 "ValueError: ranks=$ranks is not legal; legal: a whole number from 1 to 1024, or None" \
        python "scree.run('cc', 'kron:8', ranks=$ranks)"
    done
    equal "scree.run of a name that is not UTF-8" '2\n' python "print(len(scree.run('cc', os.environ['OLD'], undirected=True)['id']))"
  else
    skipped "the Python package" "/usr/bin/python3 is missing; ./dev packages installs all tools"
  fi

  # ---- the command line's part of the last row

  printf '1 2\n2 3\n3 4\n' >"$tmp/four.txt"
  printf '1\n2\n1 2\n' >"$tmp/twice"
  for ranks in 1 2; do
    answer $ranks '1\t0\n2\t2\n3\t2\n4\t0\n' bc "$tmp/four.txt" --undirected --sources-file "$tmp/twice"
    answer $ranks '1\t1\n2\t1\n3\t1\n4\t1\n' cc <(cat "$tmp/four.txt") --undirected
  done
  check "copies of sources are named" eval '"$scree" bc "$tmp/four.txt" --undirected --sources-file "$tmp/twice" 2>&1 | grep -qF "2 of 4 sources were listed before: each counts once"'
  check "an error in a pipe that a shell opened" refuses 2 "/dev/fd/" at 2 cc <(echo x y) --undirected
  equal "empty variables" '1\t1\n2\t1\n3\t1\n4\t1\n' env SCREE_RANKS= SCREE_MEMORY= "$scree" cc "$tmp/four.txt" --undirected --output -
  printf 'graph = %s\nkernel = cc\nundirected\nranks = 1\n' "$tmp/four.txt" >"$tmp/flag.sweep"
  check "a flag alone in a sweep file" prints "cc $tmp/four.txt --ranks 1 --undirected" "$scree" sweep "$tmp/flag.sweep" --dry-run
  printf 'undirected # each edge once\n' >"$tmp/flag.options"
  answer 1 '1\t1\n2\t1\n3\t1\n4\t1\n' cc "$tmp/four.txt" --options "$tmp/flag.options"
  bad "unknown subcommand 'pagrank'; the nearest is 'pagerank'" pagrank
  bad "unknown subcommand 'betweenness'; the nearest is 'bc'" betweenness

  # ---- separators, standard output, byte order marks and results files

  row g.tsv
  answer 1 '1\t0\n2\t5\n3\t11\n4\t18\n' sssp "$cases/g.tsv" --directed --columns 1,2,4 --source 1 --output-columns distance
  answer 2 '1\t0\n2\t100\n3\t300\n4\t600\n' sssp "$cases/g.tsv" --directed --columns 1,2,5 --source 1 --output-columns distance

  row v1.tsv
  for words in v1:2,3 v2:1,3 v4:1,3; do
    file=${words%:*}.tsv
    check "scree info $file --columns ${words#*:}" eval 'at 2 info "$cases/$file" --directed --columns ${words#*:} | grep -qE "^edges  *[23], 0 self loops"'
  done
  refused "v1.tsv:1: found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 1" info "$cases/v1.tsv" --directed
  refused "v2.tsv:1: found an empty field, expected a vertex id of 0 .. 9223372036854775807 in column 2" info "$cases/v2.tsv" --directed
  refused "v4.tsv:1: found 'x', expected a vertex id of 0 .. 9223372036854775807 in column 2" info "$cases/v4.tsv" --directed

  row gephi.csv
  answer 2 '1\t0\n2\t1.5\n3\t3.5\n' sssp "$cases/gephi.csv" --undirected --header --columns 1,2,7 --source 1 --output-columns distance

  row 'byte order mark in a sweep'
  mark=$'\xef\xbb\xbf'
  printf "${mark}undirected = on\n" >"$tmp/mark.options"
  printf "${mark}2\n" >"$tmp/mark.sources"
  printf "${mark}graph = %s\nkernel = cc\nranks = 1\n" "$tmp/four.txt" >"$tmp/mark.sweep"
  printf "\xef2\n" >"$tmp/half.sources"
  for ranks in 1 2; do
    answer $ranks '1\t1\n2\t0\n3\t1\n4\t2\n' bfs "$tmp/four.txt" --options "$tmp/mark.options" --sources-file "$tmp/mark.sources" --output-columns level
  done
  refused "half.sources:1: '?2' is not the id of a vertex" bfs "$tmp/four.txt" --sources-file "$tmp/half.sources"
  check "a mark before a sweep file" prints "cc $tmp/four.txt --ranks 1" "$scree" sweep "$tmp/mark.sweep" --dry-run

  row 'r.jsonl is empty'
  for resume in "" --resume; do
    : >"$tmp/empty.jsonl"
    check "sweep --results of an empty file $resume" "$scree" sweep --scale 4 --kernel bfs --ranks 1 --repeat 1 --quiet --results "$tmp/empty.jsonl" $resume
    check "it has the run" prints "2 of 2 runs" eval '"$scree" report "$tmp/empty.jsonl"'
  done

  row '1,2 3'
  printf '1,2 3\n' >"$tmp/mixed.txt"
  refused "mixed.txt:1: found '2 3', expected a vertex id of 0 .. 9223372036854775807 in column 2" info "$tmp/mixed.txt" --directed
  { printf '1 2\n# ' && head -c 100000 /dev/zero | tr '\0' x && printf '\n2 3\n'; } >"$tmp/comment.txt"
  check "a comment of over 64 KiB" prints "edges           2," at 2 info "$tmp/comment.txt" --directed
  for start in ' %%%%' '%%' '\n\t%%%%'; do
    printf "${start}MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n" >"$tmp/start.mtx"
    check "a .mtx that begins with '$start'" prints "vertices        3, ids 1 to 3, 0 isolated" at 2 info "$tmp/start.mtx"
  done
  for ranks in 1 2; do
    check "<(gzip -dc FILE), $ranks ranks" eval 'prints "edges           4," at $ranks info <(gzip -dc "$cases/multi.txt.gz") --directed'
  done
}

# ---- what pipes do

streams() {
  row 'report r.jsonl'
  into_full() { "$scree" "$@" >/dev/full; }
  into_closed() { "$scree" "$@" >&-; }
  # unwritten SUBCOMMAND WORD...: code 1 and one line, without Python's own text, where standard output is full or closed
  unwritten() {
    local way reason
    for way in full closed; do
      [ $way = full ] && reason="No space left on device" || reason="Bad file descriptor"
      [ $way = closed ] || [ -w /dev/full ] || continue
      check "scree $1, a $way standard output" refuses 1 "scree: standard output: $reason" into_$way "$@"
      check "without Python's own text" eval '! grep -vE "^scree: |^\[" "$tmp/err"'
      rm -f "$tmp/full.jsonl"
    done
  }
  unwritten report test/study/recorded/report.jsonl
  unwritten report test/study/recorded/report.jsonl --csv -
  unwritten sweep --scale 4 --kernel bfs --ranks 1 --repeat 1 --results "$tmp/full.jsonl"
  unwritten sweep --scale 4 --kernel bfs --ranks 1 --dry-run --results "$tmp/full.jsonl"
  unwritten tune --scale 4 --kernel bfs --ranks 1 --coalesce-bytes 1K,2K --budget 10s --write -

  row 'non-blocking'
  # waits WORD...: what the command writes into such a pipe is all that it writes into a file
  waits() { "$scree" "$@" >"$tmp/whole" && nonblocking "$scree" "$@" >"$tmp/got" && [ "$(wc -c <"$tmp/got")" -gt 80000 ] && cmp "$tmp/whole" "$tmp/got"; }
  if [ -x $python ]; then
    for ranks in 1 2; do
      check "an answer, $ranks ranks" waits bfs kron:14 --ranks $ranks --output - --output-columns level
      check "a table, $ranks ranks" waits path path:20000 --source 0 --target 19999 --ranks $ranks
      check "JSON, $ranks ranks" eval 'nonblocking "$scree" bfs kron:4 --ranks $ranks --repeat 400 --json - >"$tmp/got" && [ "$(grep -c "\"seconds\":" "$tmp/got")" -gt 399 ] && tail -n 1 "$tmp/got" | grep -qx "}"'
    done
    validated=(hashmap --pool 16 --tasks 1 --steps 1 --ranks 1 --repeat 600 --validate --validate-memory 1 --quiet)
    check "notes" eval 'complaining "$scree" "${validated[@]}" >"$tmp/got" && [ "$(grep -c "checked instead: .* one$" "$tmp/got")" = 600 ]'
    check "the plan of a sweep" waits sweep --scale 4 --ranks 1 --coalesce-bytes 1K,2K,4K,8K,16K,32K --in-flight 1,2,3,4,5,6,7,8 --batch-max 1,2,3,4,5,6,7,8,9,10,11,12 --dry-run
  else
    skipped "a pipe that does not block" "/usr/bin/python3 is missing; ./dev packages installs all tools"
  fi
}

together packed_and_weights copies_and_formats outputs signals names streams
check "every row of README.md is here" diff /dev/null <(grep -vFf "$seen" "$rows")
finish

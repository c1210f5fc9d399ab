# threats.sh - what files from elsewhere and other users of a machine do to scree; sourced by attack.sh. SECURITY.md has the
# promises. act_NAME draws a trial, plays it in $dir, and sets `detail` and `code`; it returns 2 if there was nothing to
# see. judge_NAME prints what is wrong; harm_NAME does it, so that a test can see that it is noticed.

other=65534 # the user "nobody"
threats=(graph packed pipe results shell)
if [ "$(id -u)" = 0 ]; then threats+=(link mode image input segment); fi # only root gives files to another user

# pick WORD...: sets picked
pick() { between 1 $# && picked=${!drawn}; }
# plays RANKS WORDS...: scree in $dir, within limits; by ${before[@]} its launcher, by ${around[@]} each rank
plays() {
  local n=$1 launch=()
  shift
  [ "$n" = 1 ] || launch=("$PWD/test/launch.sh" "$build" "$n")
  detail+=": $n ranks, scree $*"
  code=0
  (cd "$dir" && ulimit -v 8000000 && exec env "$mark=1" "${before[@]}" timeout -k 5 60 "${launch[@]}" "${around[@]}" "$build/scree" "$@") \
    >"$dir.out" 2>"$dir.log" </dev/null || code=$?
}
ends() {
  [ "$code" -lt 124 ] && ! grep -qE 'on signal|received signal|EXIT STRING.*signal|Sanitizer' "$dir.out" "$dir.log" ||
    echo "it was ended by a signal, or after 60 s: code $code"
  [ "$code" = 0 ] || grep -qE '^scree: |results .*:' "$dir.log" || echo "code $code, and no reason"
}
refused() { [ "$code" != 0 ] || echo "it was not refused"; }
no_canary() { [ -z "$(find "$tmp" -name 'canary*')" ] || echo "a command was run, or a file is elsewhere"; }

# ---- files, however made ------------------------------------------------------------------------------------------

# damage FILE: bytes are replaced, doubled, cut off, or become a number
damage() {
  local size at i
  between 1 3
  for i in $(seq $drawn); do
    size=$(stat -c %s "$1")
    pick 120 "$size" # headers are the first bytes
    between 0 $((picked < size ? picked - 1 : size - 1)) && at=$drawn
    pick replace double cut number
    case $picked in
      replace) between 0 255 && printf "\\x$(printf %x $drawn)" | dd of="$1" bs=1 seek=$at conv=notrunc status=none ;;
      double) { head -c $((at + 9)) "$1" && tail -c +$((at + 1)) "$1"; } >"$1.new" && mv "$1.new" "$1" ;;
      cut) truncate -s $((at + 1)) "$1" ;;
      number) pick 0 -1 4294967296 99999999999999999999 nan && printf %s "$picked" | dd of="$1" bs=1 seek=$at conv=notrunc status=none ;;
    esac
  done
}
act_graph() {
  pick gr txt mtx adj graph sg wsg tuples scree
  local file=g.$picked how=()
  case $picked in txt | adj) how=(--undirected) ;; tuples) how=(--format tuples) ;; esac
  "$build/scree" generate kron:6 "$dir/$file" --quiet $(case $picked in sg | tuples) echo --no-weights ;; graph | wsg) echo --random-weights 1..9 ;; esac) || return 2
  damage "$dir/$file"
  case $picked in gr | txt | mtx | adj | graph) between 0 1 && [ "$drawn" = 0 ] || { gzip "$dir/$file" && file+=.gz; } ;; esac
  detail="a damaged graph"
  between 1 2 && local n=$drawn
  pick "info $file" "info --plan $file" "cc $file" "pagerank $file" "bc $file --sources 3" "kcore $file" "mis $file" "colour $file" "tc $file" "bfs $file --sources 1" "convert $file out.txt"
  plays "$n" $picked "${how[@]}"
}
judge_graph() { ends; }
harm_graph() { code=139; }

act_packed() {
  pick gr metis long
  local file=g.gr.gz
  case $picked in
    gr) echo "p sp 2 1" && yes "a 1 2 3" | head -n 8000000 ;;
    metis) file=g.graph.gz && echo "1000000 1" && yes 1 | head -n 8000000 ;;
    long) file=g.graph.gz && echo "2 1" && yes "2       " | head -n 8000000 | tr '\n' ' ' ;;
  esac | gzip -1 >"$dir/packed"
  [ "$picked" = gr ] || file=g.graph.gz
  mv "$dir/packed" "$dir/$file"
  detail="8,000,000 edges of which the header says 1, $picked"
  plays 1 info "$file"
}
judge_packed() {
  ends && refused
  grep -qE 'found more than|found a line of more than' "$dir.log" || echo "it was read to its end"
}
harm_packed() { : >"$dir.log"; }

act_pipe() {
  mkfifo "$dir/pipe"
  pick "info pipe" "cc pipe --undirected" "report pipe" "sweep --resume --results pipe --kernel bfs --scale 4"
  detail="a pipe instead of a file"
  plays 1 $picked
}
judge_pipe() { ends && refused; }
harm_pipe() { code=0; }

# The text is in one field of a record, or in all that have no name.
act_results() {
  local i text field title=t axis=scale value=8 host=h cores=0 message=m
  pick '\n!touch canary\n' '$(touch canary)' '`touch canary`' "'; system('touch canary'); '" '|touch canary' '../canary' '%s%n%n' \
    '<script>evil()</script>' '<img src=http://evil/ onerror=evil()>' '\u001b]0;evil\u0007' '-e canary'
  text=$picked
  pick title axis value host cores message all && field=$picked
  case $field in all) title=$text host=$text cores=$text message=$text ;; *) printf -v "$field" %s "$text" ;; esac
  detail="results with the text $text, $field"
  {
    echo "{\"scree_sweep\":1,\"title\":\"$title\",\"plan\":\"\",\"words\":{},\"started\":\"\",\"steps\":8}"
    for i in 0 1 2 3 4 5 6 7; do
      echo "{\"step\":$i,\"key\":\"k$((i % 4))\",\"configuration\":{\"$axis\":\"$((i % 4))\",\"kernel\":\"$value\"}," \
        "\"repetition\":$((1 + i / 4)),\"control\":false,\"status\":\"ok\",\"message\":\"$message\",\"seconds\":1.5,\"teps\":7," \
        "\"result\":{\"binding\":[{\"cores\":\"$cores\"}],\"machine\":{\"host\":\"$host\",\"cores\":8}}}"
    done
  } >"$dir/results"
  between 0 2 && [ "$drawn" != 0 ] || { damage "$dir/results" && detail+=", damaged"; }
  plays 1 report results --html page --csv table --plots plots
}
judge_results() {
  ends && no_canary
  ! grep -qsE '<script>evil|<img src=http' "$dir/page" || echo "the page has elements of the file"
  ! grep -q $'\e' "$dir.out" "$dir.log" || echo "control characters of the file reach the terminal"
}
harm_results() { echo '<script>evil' >"$dir/page"; }

act_shell() {
  pick "bfs 'kron:4;touch canary'" "sweep --kernel bfs --scale 4 --repeat 1 --results 'r;touch canary'" \
    "sweep --kernel bfs --scale 4 --repeat 1 --results r --mpi '$build/scree;touch canary'" \
    "sweep --kernel bfs --scale 4 --repeat 1 --results r --launcher 'env X={ranks};touch\${IFS}canary'" \
    "tune --graph 'kron:4;touch canary' --write found" "bfs kron:4 --options '|touch canary'"
  detail="words of a shell"
  eval "plays 1 $picked"
}
judge_shell() { ends && no_canary; }
harm_shell() { : >"$dir/canary"; }

# ---- other users of the node ------------------------------------------------------------------------------------------

# Sets picked, the words that write $output; some outputs replace only their like, `like`.
pick_output() {
  pick "generate kron:6 o.gr" "generate kron:6 o.txt" "generate kron:6 o.mtx" "generate kron:6 o.scree" "cc kron:6 --output o.txt" \
    "bfs kron:6 --json o.json" "bfs kron:6 --trace o.json" "report results --html o.html" "report results --csv o.csv" \
    "sweep --kernel bfs --scale 4 --repeat 1 --results o.jsonl"
  output=$(grep -oE '\bo\.[a-z]+' <<<"$picked")
  echo '{"scree_sweep":1,"title":"","plan":"","words":{},"started":"","steps":0}' >"$dir/results"
}

act_link() {
  local words n=1
  chmod 777 "$dir"
  echo precious >"$dir/victim" && chmod 600 "$dir/victim"
  pick_output && words=$picked
  case $words in gen* | cc* | bfs*) between 1 2 && n=$drawn ;; esac
  pick "$output" "$output.scree-part" "$output.new" && planted=$picked
  ln -s victim "$dir/$planted" && chown -h $other "$dir/$planted"
  detail="a link of another user, $planted"
  plays "$n" $words
}
judge_link() {
  ends
  [ "$(cat "$dir/victim") $(stat -c %a "$dir/victim")" = "precious 600" ] || echo "what the link leads to was changed"
  if [ "$planted" = "$output" ]; then refused; else [ "$code" = 0 ] || echo "it failed"; fi
}
harm_link() { echo harm >"$dir/victim"; }

act_mode() {
  local words mask
  pick_output && words=$picked
  pick 077 027 022 && mask=$picked
  expected=$(printf %o $((0666 & ~mask)))
  between 0 1
  case $drawn$words in
    0*) : >"$dir/$output.scree-part" && chmod 666 "$dir/$output.scree-part" && chown $other "$dir/$output.scree-part" ;;
    1sweep*) ;;
    *) : >"$dir/$output" && chmod 600 "$dir/$output" && expected=600 ;;
  esac
  detail="the mode of an output, umask $mask, expected $expected"
  umask $mask
  plays 1 $words
  umask 022
}
judge_mode() {
  ends
  [ "$(stat -c '%a %u' "$dir/$output")" = "$expected 0" ] || echo "its mode and user: $(stat -c '%a, %u' "$dir/$output")"
}
harm_mode() { chmod 666 "$dir/$output"; }

act_image() {
  local size delay striker
  between 1 3 && local n=$drawn
  test/launch.sh "$build" "$n" "$build/scree" generate kron:13 "$dir/g.scree" --random-weights 1..100 --quiet >/dev/null || return 2
  size=$(stat -c %s "$dir/g.scree")
  pick "chmod 666" "chown $other" && $picked "$dir/g.scree"
  detail="an image of $picked that is changed in use"
  between 300 1500 && delay=$drawn
  pick "truncate -s $((size / 3))" "truncate -s 0" "shred -n 1 -x" && detail+=" by $picked"
  (sleep $((delay / 1000)).$(printf %03d $((delay % 1000))) && $picked "$dir/g.scree" && : >"$dir/changed") &
  striker=$!
  pick "bfs --sources 64 --repeat 60" "sssp --sources 64 --repeat 60" "cc --repeat 1000" "pagerank --repeat 300"
  plays "$n" ${picked%% *} g.scree ${picked#* } --relabel none # else its rows are copied anyway
  [ -e "$dir/changed" ] || { wait $striker && return 2; }
}
judge_image() { ends; }
harm_image() { code=135; }

# Examined by the other user while scree runs: $seen is what could be read.
act_input() {
  detail="standard input, whose copy is in a folder of all users"
  mkdir -m 1777 "$dir/tmp"
  "$build/scree" generate kron:10 "$dir/g.txt" --quiet
  mkfifo "$dir/stdin"
  (cd "$dir" && TMPDIR=$dir/tmp env "$mark=1" "$build/scree" cc - --undirected <stdin >"$dir.out" 2>"$dir.log") &
  exec 9>"$dir/stdin"
  cat "$dir/g.txt" >&9
  soon some_file "$dir/tmp"
  seen=$(find "$dir/tmp" -type f -perm /077)
  exec 9>&-
  code=0
  wait $! || code=$?
}
some_file() { [ -n "$(find "$1" -type f)" ]; }
judge_input() {
  ends
  [ -z "$seen" ] || echo "others may read its copy: $seen"
  ! some_file "$dir/tmp" || echo "a copy is left"
}
harm_input() { seen=copy; }

act_segment() {
  local pid
  detail="shared memory of a job, read by another user"
  names >"$tmp/names"
  env "$mark=1" test/launch.sh "$build" 2 "$build/scree" graph500 --scale 12 --sources 32 >"$dir.out" 2>"$dir.log" &
  soon at_work
  seen=$(setpriv --reuid $other --regid $other --clear-groups sh -c \
    'for f in /dev/shm/scree* $(for p in '"$(started | tr '\n' ' ')"'; do echo /proc/$p/fd/* /proc/$p/mem /proc/$p/map_files/*; done); do
      head -c 1 "$f" >/dev/null 2>&1 && echo "$f"; done')
  code=0
  wait $! || code=$?
}
at_work() { started | while read -r pid; do cat "/proc/$pid/comm"; done 2>/dev/null | grep -qx scree; }
judge_segment() {
  ends
  [ -z "$seen" ] || echo "readable: $seen"
  soon same_names || echo "names remain: $(comm -13 "$tmp/names" <(names) | tr '\n' ' ')"
}
harm_segment() { : >/dev/shm/scree-$$-planted; }

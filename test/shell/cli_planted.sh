#!/usr/bin/env bash
# cli_planted.sh - outputs in a folder where another user has put links: under names that contents could have on the way,
# or under the name that the output gets.
. "$(dirname "$0")/../support/shell.sh"
other=65534 # the user "nobody"
if [ "$(id -u)" != 0 ]; then
  skipped "links of another user" "only root can give a file to another user"
  finish
fi
# link NAME: of the other user, to the victim
link() { ln -s "$tmp/victim" "$tmp/shared/$1" && chown -h $other "$tmp/shared/$1"; }

results() {
  echo '{"scree_sweep":2,"title":"","plan":"","words":{},"started":"","steps":8}'
  for i in 0 1 2 3 4 5 6 7; do
    echo "{\"step\":$i,\"key\":\"ranks=$((i % 4))\",\"configuration\":{\"ranks\":\"$((i % 4))\"},\"repetition\":$((1 + i / 4)),\"control\":false,\"status\":\"ok\",\"seconds\":1.5,\"teps\":7}"
  done
}
results >"$tmp/results.jsonl"

# A job for tune that takes no time.
cat >"$tmp/job" <<'EOT'
#!/usr/bin/env bash
while [ $# -gt 1 ]; do
  [ "$1" != --sources ] || sources=$2
  shift
done
runs=
for ((i = 0; i < ${sources-1}; i++)); do runs+='{"seconds":0.0001,"teps":1},'; done
echo "{\"configuration\":{\"ranks\":$RANKS},\"graph\":{\"vertices\":64},\"runs\":[${runs%,}]}"
EOT
chmod +x "$tmp/job"

# Each: the file that is written, the number of ranks, and the words of scree.
kinds=(
  "g.gr 1 generate kron:4 g.gr"
  "g.txt 2 generate kron:4 g.txt"
  "g.txt.gz 1 generate kron:4 g.txt.gz"
  "g.mtx 2 generate kron:4 g.mtx"
  "g.graph 1 generate kron:4 g.graph --no-weights"
  "g.sg 1 generate kron:4 g.sg --no-weights"
  "g.tuples 1 generate kron:4 g.tuples --weights-file w"
  "w 1 generate kron:4 g.tuples --weights-file w"
  "g.scree 2 generate kron:4 g.scree"
  "answer 1 cc kron:4 --output answer"
  "path 1 path kron:4 --source 0 --target 1 --output path"
  "json 1 bfs kron:4 --json json"
  "json 1 info kron:4 --json json"
  "json 1 info --plan kron:4 --json json"
  "json 1 graph500 --scale 4 --sources 2 --json json"
  "json 2 limits --json json"
  "json 1 bench bandwidth --bytes 1K --rounds 1 --json json"
  "trace 1 bfs kron:4 --trace trace"
  "results 1 sweep --kernel bfs --scale 4 --repeat 1 --results results"
  'page 1 report $tmp/results.jsonl --html page'
  'table 1 report $tmp/results.jsonl --csv table'
  'found 1 tune --graph kron:6 --algorithm dc --mpi $tmp/job --launcher "env RANKS={ranks}" --lock mutex,ticket --budget 10m --write found'
)

# in_shared KIND LINK...: runs it in a folder that all may write, where LINKs of another user lead to the victim; sets rc
in_shared() {
  local name ranks words launch=
  read -r name ranks words <<<"$1"
  [ "$ranks" = 1 ] || launch="$PWD/test/launch.sh $BUILD $ranks"
  shift
  rm -rf "$tmp/shared" "$tmp/victim"
  mkdir -m 777 "$tmp/shared"
  : >"$tmp/victim" # a file with other content is not overwritten by some of them
  chmod 600 "$tmp/victim"
  for name in "$@"; do link "$name" || return 1; done
  rc=0
  (cd "$tmp/shared" && umask 077 && eval "exec $launch $scree $words") >"$tmp/said" 2>&1 || rc=$?
  [ ! -s "$tmp/victim" ] && [ "$(stat -c %a "$tmp/victim")" = 600 ] && return
  echo "the file that the link leads to was overwritten, code $rc"
  cat "$tmp/said"
  return 1
}
on_the_way() {
  local file=$tmp/shared/${1%% *}
  in_shared "$1" "${1%% *}.scree-part" "${1%% *}.new" || return
  [ $rc = 0 ] && [ ! -L "$file" ] && [ "$(stat -c '%a %u %F' "$file")" = "600 0 regular file" ] && return
  cat "$tmp/said"
  ls -l "$tmp/shared"
  return 1
}
as_the_name() {
  in_shared "$1" "${1%% *}" || return
  [ $rc != 0 ] && grep -qE 'Permission denied|the file exists' "$tmp/said" && return
  cat "$tmp/said"
  return 1
}
for kind in "${kinds[@]}"; do
  case $kind in *" --html "*) check=plotted ;; *) check=check ;; esac
  $check "$kind: links that contents could follow" on_the_way "$kind"
  $check "$kind: a link in place of the output" as_the_name "$kind"
done

# ---- the results of a sweep that is resumed

resumed() {
  in_shared "results 1 sweep --kernel bfs --scale 4 --repeat 1 --results results" && [ $rc = 0 ] || return
  mv "$tmp/shared/results" "$tmp/victim" && cp "$tmp/victim" "$tmp/before"
  link results
  printf torn >>"$tmp/victim"
  ! (cd "$tmp/shared" && exec "$scree" sweep --kernel bfs --scale 4 --repeat 1 --results results --resume) >"$tmp/said" 2>&1 &&
    grep -q torn "$tmp/victim" && return
  cat "$tmp/said"
  return 1
}
check "a sweep that another user's link would resume" resumed
finish

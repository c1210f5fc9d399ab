#!/usr/bin/env bash
# layers.sh - includes go one way, by the rules of support/layers.txt, and each kind of break is seen: it is planted in a
# copy of the sources.
. "$(dirname "$0")/../support/shell.sh"
parts="include src algorithms cli bench" core=src/core

judge() { awk -v list=test/support/layers.txt -f test/shell/layers_list.awk -f test/shell/layers.awk $(find $parts -type f | sort); }

check "the layers of this tree" judge

judge | sort >"$tmp/before"
copy=(git -C "$tmp/tree")
mkdir -p "$tmp/tree/test" && cp -r $parts "$tmp/tree" && cp -r test/shell test/support "$tmp/tree/test"
"${copy[@]}" init -q && "${copy[@]}" add -A
fresh() { "${copy[@]}" checkout -q . && "${copy[@]}" clean -fdqx; }
# plant PLANT: shell source. Puts into $tmp/new what it adds to the complaints, and returns what judge does
plant() {
  local rc=0
  fresh
  (cd "$tmp/tree" && eval "$1" && judge) >"$tmp/found" || rc=$?
  sort "$tmp/found" | comm -13 "$tmp/before" - | tee "$tmp/new"
  return $rc
}
# sees TEXT PLANT: that adds the complaint TEXT, an extended regular expression, and is judged wrong
sees() {
  local rc=0
  plant "$2" || rc=$?
  [ $rc = 1 ] && grep -qxE "$1" "$tmp/new"
}
passes() { plant "$1" && [ ! -s "$tmp/new" ]; }
add() { echo "#include $2" >>"$1"; }

check "an arrow that points up" sees 'src/base/clock.h:[0-9]+: includes src/core/world.h, which is in a layer above it' \
  'add src/base/clock.h "\"core/world.h\""'
check "a public header of graphs, included by the core" sees '.*/send.c:[0-9]+: includes include/scree/graph.h, .* above it' \
  'add src/core/send.c "<scree/graph.h>"'
check "a cycle of two files" sees 'a cycle of files: (src/core/[ab].h -> ){2}src/core/[ab].h' \
  'add $core/a.h "\"core/b.h\"" && add $core/b.h "\"core/a.h\""'
check "a cycle of three" sees 'a cycle of files: (src/core/[abc].h -> ){3}src/core/[abc].h' \
  'add $core/a.h "\"b.h\"" && add $core/b.h "\"core/c.h\"" && add $core/c.h "\"core/a.h\""'
modules='for m in a b c; do : >src/sort/$m.h; done; add src/sort/a.c "\"sort/b.h\"" && add src/sort/b.h "\"sort/c.h\"" &&
  add src/sort/c.c "\"sort/a.h\""'
check "a cycle of modules" sees 'a cycle of modules: (src/sort/[abc] -> ){3}src/sort/[abc]' "$modules"
check "one that is permitted" passes "$modules; echo 'allow-cycle src/sort modules none' >>test/support/layers.txt"
check "a file that includes itself" sees 'a cycle of files: src/core/[a].h -> src/core/[a].h' 'add $core/a.h "\"core/a.h\""'
check "a cycle of folders" sees 'a cycle of folders: .*src/block -> src/core.*' 'add src/block/pool.h "\"core/world.h\""'
for above in algorithms/bfs/bfs.c cli/main.c bench/epoch.c; do
  check "a private header, used by $above" sees "$above:[0-9]+: includes src/core/world.h, which is private to src/" \
    "add $above '\"core/world.h\"'"
done
check "a path upwards" sees '.*: includes ../base/clock.h, a path that does not begin at a root' \
  'add src/core/send.c "\"../base/clock.h\""'
check "a header that is not there" sees '.*send.c:[0-9]+: includes core/none.h, which is not there' \
  'add src/core/send.c "\"core/none.h\""'
check "a folder of 31 files" sees 'src/base: 31 files, more than 30' \
  'for i in $(seq $((31 - $(find src/base -type f | wc -l)))); do touch "src/base/more_$i.c"; done'
check "a header of 251 lines" sees 'include/scree/world.h: 251 lines, legal 1 to 250' \
  'yes "" | head -n $((251 - $(wc -l <include/scree/world.h))) >>include/scree/world.h'
check "headers of 551 lines" sees 'include/scree/world.h include/.*/stats.h: 551 lines, legal 1 to 550' \
  'all=(include/scree/{world,message,epoch,threads,stats}.h) && for ((i = $(cat ${all[*]} | wc -l); i < 551; i++)); do
    echo >>"${all[$((i % 5))]}"; done'
check "a folder that has no layer" sees 'src/new: is not in test/support/layers.txt' 'mkdir src/new && cp src/base/clock.h src/new'
check "a permission that nobody needs" sees '.*layers.txt: allow bench/epoch.c src/core/world.h is not needed' \
  'echo "allow bench/epoch.c src/core/world.h none" >>test/support/layers.txt'
check "a permitted cycle that is not there" sees '.*layers.txt: allow-cycle src/base modules is not needed' \
  'echo "allow-cycle src/base modules none" >>test/support/layers.txt'
check "a line that is not a rule" sees '.*layers.txt: not understood: layr x' 'echo "layr x" >>test/support/layers.txt'
check "a tree without includes" sees 'no includes were found' 'find include src algorithms cli bench -name "*.[ch]" -exec truncate -s 0 {} +'
finish

#!/usr/bin/env bash
# doc_recipe.sh - CONTRIBUTING.md's recipe for a kernel, followed by the letter in a copy of the tree: it builds, runs, and drops nothing.
. "$(dirname "$0")/../support/shell.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# block NAME: the block of the page with that name
block() { sed -n "/^\`\`\`[a-z]* $1\$/,/^\`\`\`\$/p" CONTRIBUTING.md | sed '1d;$d'; }
copy() { mkdir "$tmp/tree" && { git ls-files -z -co --exclude-standard 2>/dev/null || find . -name 'build*' -prune -o -type f -print0; } |
  xargs -0 cp --parents -t "$tmp/tree" 2>/dev/null; [ -e "$tmp/tree/meson.build" ]; }
check "the tree is copied" copy
# add: inserts the lines of the block `lists`, each behind the line above it
add() {
  block lists | awk -v tree="$tmp/tree/" '
    function flush() { for (i = 1; file && i <= n; i++) print lines[i] >file; if (file) close(file) }
    function find(text) { for (i = 1; i <= n; i++) if (lines[i] == text) return i; print file ": no line " text; bad = 1; exit 1 }
    /^---/ { flush(); file = tree $2; n = 0; while ((getline line <file) > 0) lines[++n] = line; close(file); next }
    /^[+]/ { for (i = n++; i > at; i--) lines[i + 1] = lines[i]; lines[++at] = substr($0, 2); next }
    { at = find(substr($0, 2)) }
    END { if (!bad) flush(); exit bad }'
}
mkdir "$tmp/tree/algorithms/in_degree"
block in_degree.c >"$tmp/tree/algorithms/in_degree/in_degree.c"
block meson.build >"$tmp/tree/algorithms/in_degree/meson.build"
check "the page has the kernel" [ "$(wc -l <"$tmp/tree/algorithms/in_degree/in_degree.c")" -ge 50 ]
check "the lists get its lines" add
build() { meson setup --werror "$tmp/tree/build" "$tmp/tree" -Dmpi="$(cat "$BUILD/mpi")" && ninja -C "$tmp/tree/build" scree; }
check "it builds without a warning" build
[ $bad = 0 ] || finish

new=$tmp/tree/build/scree
runs() {
  for ranks in 1 2; do
    "$new" in-degree kron:10 --validate --ranks $ranks >"$tmp/out" 2>"$tmp/err" && grep -q ' valid$' "$tmp/out" && [ ! -s "$tmp/err" ] ||
      { cat "$tmp/out" "$tmp/err"; return 1; }
  done
}
check "scree in-degree runs, is valid, and prints no error" runs
names() { "$1" --help | awk '/^subcommands:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print $1 }' | sort; }
keeps() { comm -23 <(names "$scree") <(names "$new") | tee "$tmp/dropped"; [ ! -s "$tmp/dropped" ] && [ "$(names "$new" | wc -l)" = $(($(names "$scree" | wc -l) + 1)) ]; }
check "the subcommands are those of before and one more" keeps
works() { for name in $(names "$new"); do "$new" $name --help | grep -q "^usage: scree $name" || { echo "$name" && return 1; }; done; }
check "each prints its help" works
pages() { ninja -C "$tmp/tree/build" packaging/pages/scree-in-degree.1 && grep -q 'arcs that lead' "$tmp/tree/build/packaging/pages/scree-in-degree.1"; }
check "its manual page is made" pages
in_python() { SCREE="$new" PYTHONPATH=$tmp/tree/python python3 -c '
import scree
print(list(scree.run("in-degree", "path:5", columns=None)["degree"]))' | grep -F "[1, 2, 2, 2, 1]"; }
check "Python runs it" in_python
for name in shell/layers doc/doc_man; do
  check "$name.sh passes there" env BUILD="$tmp/tree/build" bash "$tmp/tree/test/$name.sh"
done
finish

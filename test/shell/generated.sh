#!/usr/bin/env bash
# generated.sh - what test/generated.sh refuses, and the changes that it draws from.
. "$(dirname "$0")/../support/shell.sh"

# A tree with one commit, and what a build for coverage has found: one test reaches a line of one file.
file=src/a/a
file+=.c
mkdir -p "$tmp/tree/src/a" "$tmp/tree/src/b" && cp -r test "$tmp/tree" && cd "$tmp/tree" || exit 1
cat >$file <<'TEXT'
/* if (a < b) return 0; */
int f(int a, const char *b) {
  if (!a && *b == '<') return 0;
  g(a + 1, "a == b", // a && b
    true);
  SCREE__INVARIANT(a > 0);
  return a;
}
TEXT
cp $file src/b
git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm a
cache=build/generated
mkdir -p "$cache/lines" && echo $file:3 >"$cache/lines/unit_a" && touch "$cache/instrumented"
echo /build/ >.git/info/exclude

check "no number" refuses 2 "this is no number" test/generated.sh many
check "an unknown option" refuses 2 "unknown option --all" test/generated.sh 1 --all
check "no such folder" refuses 2 "no sources in src/c" test/generated.sh 1 src/c
if unshare --mount true 2>/dev/null; then
  check "a folder without tests" refuses 2 "no unit or simulator test reaches a line of src/b" test/generated.sh 1 src/b/
else
  skipped "a folder without tests" "mount namespaces cannot be made here"
fi
echo >>$file
check "uncommitted changes" refuses 2 "there are uncommitted changes" test/generated.sh 1 src/a

check "the changes of a file" diff <(awk -f test/mutants/places.awk $file | cut -f2,4) - <<'TEXT'
3	if (!a && *b != '<') return 0;
3	if (!a || *b == '<') return 0;
3	if (a && *b == '<') return 0;
3	if (!a && *b == '<') return 1;
3	if (!(!a && *b == '<')) return 0;
3	;
4	g(a - 1, "a == b", // a && b
4	g(a + 0, "a == b", // a && b
5	false);
TEXT
finish

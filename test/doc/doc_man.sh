#!/usr/bin/env bash
# doc_man.sh - the man pages are well formed and name what there is.
#
# docs/man is compared with the program, the headers and README.md. cli_usage.sh tests what `scree man` prints.
. "$(dirname "$0")/../support/shell.sh"

# A page as text: no font changes, no escapes.
plain() { sed -e 's/\\-/-/g' -e 's/\\e/\\/g' -e 's/\\f[RBPI]//g' -e 's/^\\&//' "docs/man/$1"; }
same() { diff "$1" "$2"; }
# silent COMMAND...: prints nothing; else shows it
silent() {
  local out
  out=$("$@" 2>&1)
  echo "$out"
  [ -z "$out" ]
}

for page in docs/man/*; do
  if command -v groff >/dev/null && groff -man -z /dev/null 2>/dev/null; then
    check "$page, groff" silent groff -ww -man -z "$page"
  else
    skipped "$page, groff" "groff with its man macros is not installed; ./dev packages installs all tools"
  fi
  check "$page, headings" bash -c 'grep -q "^\.TH " "$0" && grep -q "^\.SH NAME" "$0" && grep -q "^\.SH SEE ALSO" "$0"' "$page"
done

# ---- scree(1): the names of all subcommands; `scree man` prints their options

kernels=$("$BUILD/scree" --help | awk '/^subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
check "there are subcommands" [ "$(wc -w <<<"$kernels")" -ge 8 ]
for kernel in $kernels; do
  check "scree(1) names $kernel" grep -qE "^\.BR? ([a-z0-9]+ \", \" )*$kernel( |\$)" docs/man/scree.1
done

# ---- scree(3): every function of the headers, no other; the program of README.md

functions() { grep -ohE '\bscree_[a-z0-9_]+' "$@" | grep -v '^scree__' | sort -u; }
nm -D --defined-only "$BUILD/libscree.so" "$BUILD/libscree-task.so" "$BUILD/libscree-graph.so" | sed 's/@.*//' | awk '$3 ~ /^scree_[^_]/ { print $3 }' | sort -u >"$tmp/exported"
plain scree.3 | functions >"$tmp/named"
check "scree(3) names all functions" silent comm -23 "$tmp/exported" "$tmp/named"
functions include/scree/{,*/}*.h >"$tmp/declared"
check "scree(3) names nothing else" silent comm -13 "$tmp/declared" "$tmp/named"
plain scree.3 | sed -n '/^\.EX/,/^\.EE/p' | sed '1d;$d' >"$tmp/example"
sed -n '/^```c hello.c/,/^```$/p' README.md | sed '1d;$d' >"$tmp/hello"
check "scree(3) has the program of README.md" same "$tmp/hello" "$tmp/example"
check "it is a program" grep -q 'int main' "$tmp/example"
finish

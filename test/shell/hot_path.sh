#!/usr/bin/env bash
# hot_path.sh - the send path stays what docs/hot-path.md says.
#
# The test compiles a loop of sends outside the tree, as a user would, and reads the disassembly. Of each loop it counts
#   all    the instructions of one turn: from the loop's head to the jump back, the cold call not taken
#   store  those from after the compare and its jump up to the store of the item, that included
# and fails on more than the page allows, on a call among them, or if it cannot find its way. The page's table has
# one row for each (compiler, bytes):  | gcc | 8 | all | store |
#   hot_path.sh --print     shows the disassembly and the counts instead of judging them
set -u
. "$(dirname "$0")/../support/shell.sh"
page=docs/hot-path.md

# An operand-free reading of objdump: ADDRESS MNEMONIC OPERANDS, one function.
disassemble() { objdump -d --no-show-raw-insn "$1" | sed -n "/<loop$2>:/,/^$/s/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p"; }

# count: reads that, prints "ALL STORE" or a complaint on standard error.
# The compare is the one with the lane's limit, its second word; the jump after it goes to the call; the store of the
# item is the last store before the jump back to the head.
count() {
  awk '
    { at[NR] = $1; op[NR] = $2; rest[NR] = $3; line[$1] = NR }
    END {
      for (i = 1; i <= NR; i++) if (op[i] ~ /^cmp/ && rest[i] ~ /(^|,)0x8\(/) compare = i
      if (!compare || op[compare + 1] !~ /^j/) { print "no compare and jump" >"/dev/stderr"; exit 1 }
      for (i = compare + 2; i <= NR && !back; i++) {
        if (op[i] == "call") { print "a call after the compare" >"/dev/stderr"; exit 1 }
        if (op[i] == "jmp" || op[i] == "ret") break
        if (op[i] ~ /^mov/ && rest[i] ~ /\)$/) store = i
        if (op[i] ~ /^j/ && line[rest[i]] && line[rest[i]] < compare) back = i
      }
      if (!back || !store) { print "no store and jump back" >"/dev/stderr"; exit 1 }
      for (i = line[rest[back]]; i < compare; i++)
        if (op[i] == "call") { print "a call before the compare" >"/dev/stderr"; exit 1 }
      print back - line[rest[back]] + 1, store - compare - 1
    }'
}

# at_most WHAT FOUND ALLOWED
at_most() { [ "$2" -le "$3" ] || { echo "$1: $2 instructions, $page allows $3" && return 1; }; }

judge() {
  local compiler=$1 bytes=$2 found allowed
  found=$(disassemble "$tmp/$compiler.o" "$bytes" | count) || return 1
  allowed=$(sed -nE "s/^\| *$compiler *\| *$bytes *\| *([0-9]+) *\| *([0-9]+) *\|$/\1 \2/p" "$page")
  [ -n "$allowed" ] || { echo "$page has no row for $compiler, $bytes bytes" && return 1; }
  at_most "one turn" "${found% *}" "${allowed% *}" && at_most "compare to store" "${found#* }" "${allowed#* }"
}

cat >"$tmp/loop.c" <<'C'
#include <scree/scree.h>
typedef struct {
  uint64_t key, value;
} pair;
SCREE_MESSAGE(word, uint64_t);
SCREE_MESSAGE(pair, pair);
void loop8(scree_worker *w, word_type t, const uint32_t *dest, const uint64_t *item, size_t n);
void loop8(scree_worker *w, word_type t, const uint32_t *dest, const uint64_t *item, size_t n) {
  for (size_t i = 0; i < n; i++) word_send(w, t, dest[i], item[i]);
}
void loop16(scree_worker *w, pair_type t, const uint32_t *dest, const pair *item, size_t n);
void loop16(scree_worker *w, pair_type t, const uint32_t *dest, const pair *item, size_t n) {
  for (size_t i = 0; i < n; i++) pair_send(w, t, dest[i], item[i]);
}
C

if [ "$(uname -m)" != x86_64 ]; then
  skipped "send path" "docs/hot-path.md shows x86-64, this is $(uname -m)"
  finish
fi
for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then
    skipped "send path, $compiler" "$compiler is not installed; ./dev packages installs all tools"
    continue
  fi
  check "send loop compiles, $compiler" \
    $compiler -O2 -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -c "$tmp/loop.c" -o "$tmp/$compiler.o"
  for bytes in 8 16; do
    if [ "${1-}" = --print ]; then
      echo "$compiler, $bytes bytes: $(disassemble "$tmp/$compiler.o" $bytes | count)"
      disassemble "$tmp/$compiler.o" $bytes
    else
      check "send path, $compiler, $bytes bytes" judge $compiler $bytes
    fi
  done
done
finish

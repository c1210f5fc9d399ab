#!/usr/bin/env bash
# words.sh - .ci/words finds each term that its list has, and says what to write instead. The tree itself is .ci/run's.
. "$(dirname "$0")/../support/shell.sh"

plain=$(grep -E "^[A-Za-z ':_]+"$'\t' .ci/words.txt | cut -f 1) # those that are not patterns
check "the list has terms" [ "$(wc -l <<<"$plain")" -ge 10 ]
printf 'Nothing here.\n' >"$tmp/good"
printf 'The first line.\nThe second, %s and more.\n' "nothing" >"$tmp/other"
finds() {
  local rc=0
  printf 'The first line.\nThe second, %s and more.\n' "$1" >"$tmp/bad"
  .ci/words "$tmp/good" "$tmp/bad" >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out"
  [ $rc = 1 ] && grep -qxF "$tmp/bad:2:The second, $1 and more." "$tmp/out" &&
    grep -qF "'$1': write $(grep -F "$1"$'\t' .ci/words.txt | head -n 1 | cut -f 2)" "$tmp/out"
}
while IFS= read -r term; do check "finds '$term'" finds "$term"; done <<<"$plain"
check "passes what has none" .ci/words "$tmp/good" "$tmp/other"
finish

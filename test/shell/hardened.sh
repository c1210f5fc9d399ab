#!/usr/bin/env bash
# hardened.sh - a build with optimization is hardened (meson.build): its library and its program check their stacks and the
# sizes of buffers, and resolve all symbols before they run, after which their tables are read-only. What is compiled
# without that is seen.
. "$(dirname "$0")/../support/shell.sh"

# is_hardened FILE
is_hardened() {
  local dynamic headers symbols
  dynamic=$(readelf -dW "$1") headers=$(readelf -lW "$1") symbols=$(readelf --dyn-syms -W "$1") || return 1
  grep -qE '\(FLAGS\).* BIND_NOW' <<<"$dynamic" || { echo "$1 binds its symbols lazily" && return 1; }
  grep -q GNU_RELRO <<<"$headers" || { echo "$1 has no read-only relocations" && return 1; }
  grep -q ' UND __stack_chk_fail@' <<<"$symbols" || { echo "$1 has no stack protector" && return 1; }
  grep -qE ' UND __[a-z]+_chk@' <<<"$symbols" || { echo "$1 has no fortified calls" && return 1; }
}
misses() { ! is_hardened "$2" >"$tmp/why" && cat "$tmp/why" && grep -qxF "$2 $1" "$tmp/why"; }

# plant NAME FLAG...: a library that is hardened but for those flags, which come last
cat >"$tmp/planted.c" <<'C'
#include <stdio.h>
#include <string.h>
void planted(const char *text);
void planted(const char *text) {
  char line[64];
  strcpy(line, text);
  puts(line);
}
C
plant() {
  local name=$1
  shift
  ${CC:-cc} -O2 -fPIC -shared -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now "$@" \
    -o "$tmp/$name.so" "$tmp/planted.c"
}
plant hardened && plant lazy -Wl,-z,lazy && plant writable -Wl,-z,norelro && plant stack -fno-stack-protector &&
  plant plain -U_FORTIFY_SOURCE
check "a library that is hardened" is_hardened "$tmp/hardened.so"
check "one that binds lazily" misses "binds its symbols lazily" "$tmp/lazy.so"
check "one whose relocations stay writable" misses "has no read-only relocations" "$tmp/writable.so"
check "one without a stack protector" misses "has no stack protector" "$tmp/stack.so"
check "one without fortified calls" misses "has no fortified calls" "$tmp/plain.so"

options=$(tr -d '\n ' <"$BUILD/meson-info/intro-buildoptions.json")
if grep -qE '"name":"optimization","value":"(0|plain)"|"name":"b_sanitize","value":"[^n]' <<<"$options"; then
  skipped "the library and the program" "built without optimization or under sanitizers"
else
  check "the library" is_hardened "$BUILD/libscree.so"
  check "the program" is_hardened "$BUILD/scree"
fi
finish

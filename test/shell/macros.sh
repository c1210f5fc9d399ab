#!/usr/bin/env bash
# macros.sh - what the macros of scree/scree.h make of item types: any name will do, and a handler of another type than the
# message's does not compile, in C and C++.
. "$(dirname "$0")/../support/shell.sh"

cat >"$tmp/items.c" <<'C'
#include <scree/scree.h>
#define TYPE(T, bytes)                                                                                                 \
  typedef struct {                                                                                                     \
    char b[bytes];                                                                                                     \
  } T;                                                                                                                 \
  SCREE_MESSAGE(of_##T, T);                                                                                            \
  static void on_##T(scree_worker *worker, const scree_batch *all, const T *item, void *data) {                        \
    (void)worker, (void)all, (void)item, (void)data;                                                                   \
  }                                                                                                                    \
  SCREE_HANDLER(of_##T, T, on_##T)
TYPE(p, 40);
TYPE(l, 41);
TYPE(t, 42);
TYPE(w, 43);
TYPE(v, 44);
TYPE(dest, 45);
TYPE(fan, 46);
TYPE(items, 47);
#ifdef OTHER
SCREE_MESSAGE(other, uint64_t);
static void on_other(scree_worker *worker, const scree_batch *all, const uint32_t *item, void *data) {
  (void)worker, (void)all, (void)item, (void)data;
}
SCREE_HANDLER(other, uint32_t, on_other);
#endif
C
compiles() { $1 -Wall -Wextra -Werror -Iinclude "${@:2}" -c "$tmp/items.c" -o "$tmp/items.o"; }
refused() { ! compiles "$1" -DOTHER; }
for compiler in "gcc -std=c11" "clang -std=c11" "g++ -std=c++11 -xc++" "clang++ -std=c++17 -xc++"; do
  if ! command -v ${compiler%% *} >/dev/null; then
    skipped "items, ${compiler%% *}" "${compiler%% *} is not installed; ./dev packages installs all tools"
    continue
  fi
  check "items that have the names of locals, ${compiler%% *}" compiles "$compiler"
  check "a handler of another type, ${compiler%% *}" refused "$compiler"
done
finish

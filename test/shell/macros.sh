#!/usr/bin/env bash
# macros.sh - what the macros of scree/message.h and scree/task_loop.h make of types: any name of an item will do; a handler or
# body of another type than the declared one, and arguments of tasks and loops that are too long, do not compile, in C and C++.
. "$(dirname "$0")/../support/shell.sh"

cat >"$tmp/items.c" <<'C'
#include <scree/global.h>
#include <scree/task_loop.h>
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
typedef struct {
  char b[SCREE_TASK_ARGS_MAX + TASK_OVER];
} task_args;
SCREE_TASK(a_task, task_args);
typedef struct {
  char b[SCREE_LOOP_ARGS_MAX + LOOP_OVER];
} loop_args;
SCREE_LOOP(a_loop, loop_args);
#ifdef __cplusplus
#include <array>
using pair = std::array<int, 2>; /* a type with a comma, named first as scree/message.h says */
SCREE_MESSAGE(of_pairs, pair);
static void on_pairs(scree_worker *worker, const scree_batch *all, const pair *item, void *data) {
  (void)worker, (void)all, (void)item, (void)data;
}
SCREE_HANDLER(of_pairs, pair, on_pairs);
#endif
#ifdef OTHER
SCREE_MESSAGE(other, uint64_t);
static void on_other(scree_worker *worker, const scree_batch *all, const uint32_t *item, void *data) {
  (void)worker, (void)all, (void)item, (void)data;
}
SCREE_HANDLER(other, uint32_t, on_other);
#endif

typedef struct {
  uint64_t a;
} one;
typedef struct {
  uint64_t a, b;
} two;
#ifndef A_TASK
#define A_TASK one
#define A_LOOP one
#define AN_ARGUMENT one
#define A_VALUE one
#define A_CALL one
#define A_RESULT one
#endif
SCREE_TASK(some_task, one);
static void on_task(scree_task *self, const A_TASK *args) { (void)self, (void)args; }
SCREE_TASK_BODY(some_task, A_TASK, on_task);
SCREE_LOOP(some_loop, one);
static void on_loop(scree_task *self, uint64_t begin, uint64_t end, const A_LOOP *args) {
  (void)self, (void)begin, (void)end, (void)args;
}
SCREE_LOOP_BODY(some_loop, A_LOOP, on_loop);
SCREE_LOOP_REDUCED(some_sum, one, one);
static void on_sum(scree_task *self, uint64_t begin, uint64_t end, const AN_ARGUMENT *args, A_VALUE *value) {
  (void)self, (void)begin, (void)end, (void)args, (void)value;
}
SCREE_LOOP_REDUCED_BODY(some_sum, AN_ARGUMENT, A_VALUE, on_sum, scree_combine_sum_u64);
SCREE_DELEGATE(some_call, one, one);
static void on_call(scree_worker *w, void *object, const A_CALL *args, A_RESULT *result, void *arg) {
  (void)w, (void)object, (void)args, (void)result, (void)arg;
}
SCREE_DELEGATE_BODY(some_call, A_CALL, A_RESULT, on_call);
C
compiles() { $1 -Wall -Wextra -Werror -Iinclude -DTASK_OVER=0 -DLOOP_OVER=0 "${@:2}" -c "$tmp/items.c" -o "$tmp/items.o"; }
explained() { ! compiles "$1" -DSCREE_CHECKED 2>"$tmp/said" && grep -q "the macro is SCREE_CHECK_INLINE" "$tmp/said"; }
refused() { ! compiles "$1" -DOTHER; }
# differs COMPILER MACRO TEXT: the body of another type than the declared one. C has a text, C++ names the types.
differs() {
  local macro types=()
  for macro in A_TASK A_LOOP AN_ARGUMENT A_VALUE A_CALL A_RESULT; do types+=("-D$macro=$([ $macro = "$2" ] && echo two || echo one)"); done
  ! compiles "$1" "${types[@]}" 2>"$tmp/said" && case $1 in
  *++*) grep -q "two" "$tmp/said" ;;
  *) grep -q "$3(some_[a-z]*, ...): two is not that of ${3%_BODY}" "$tmp/said" ;;
  esac
}
too_long() { ! compiles "$1" "-U$2" "-D$2=1" 2>"$tmp/said" && grep -q "arguments of a $3 have 1 to" "$tmp/said"; }
for compiler in "gcc -std=c11" "clang -std=c11" "g++ -std=c++11 -xc++" "clang++ -std=c++17 -xc++"; do
  if ! command -v ${compiler%% *} >/dev/null; then
    skipped "items, ${compiler%% *}" "${compiler%% *} is not installed; ./dev packages installs all tools"
    continue
  fi
  check "items that have the names of locals, ${compiler%% *}" compiles "$compiler"
  check "the macro of former releases is explained, ${compiler%% *}" explained "$compiler"
  check "a handler of another type, ${compiler%% *}" refused "$compiler"
  while read -r macro body; do
    check "$body of another type ($macro), ${compiler%% *}" differs "$compiler" "$macro" "$body"
  done <<'LIST'
A_TASK SCREE_TASK_BODY
A_LOOP SCREE_LOOP_BODY
AN_ARGUMENT SCREE_LOOP_REDUCED_BODY
A_VALUE SCREE_LOOP_REDUCED_BODY
A_CALL SCREE_DELEGATE_BODY
A_RESULT SCREE_DELEGATE_BODY
LIST
  check "arguments of a task that are too long, ${compiler%% *}" too_long "$compiler" TASK_OVER task
  check "arguments of a loop that are too long, ${compiler%% *}" too_long "$compiler" LOOP_OVER loop
done
finish

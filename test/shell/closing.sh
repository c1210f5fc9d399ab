#!/usr/bin/env bash
# closing.sh - MPI is finalised when the last world of a process closes, if scree initialised it, and its thread level is
# examined and reported.
. "$(dirname "$0")/../support/shell.sh"

# prints TEXT RANKS ARGUMENT...: prog_closing ends well, and prints nothing but TEXT
prints() {
  local text=$1 ranks=$2
  shift 2
  timeout 60 test/launch.sh "$BUILD" "$ranks" "$BUILD/test/prog_closing" "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err" && return 1; }
  cat "$tmp/out" "$tmp/err"
  [ "$(sort -u "$tmp/out")" = "$text" ]
}
says() { grep -qF -- "$1" "$tmp/err"; }

for order in 012 021 210; do
  check "worlds closed in order $order, 2 ranks" prints "finalised by the last" 2 $order
done
check "worlds closed in order 120, 1 rank" prints "finalised by the last" 1 120
check "worlds closed in order 102, 3 ranks" prints "finalised by the last" 3 102
check "MPI of the program, 2 ranks" prints "finalised by the program" 2 210 mine
check "openings that fail, 2 ranks" prints refused 2 refused
check "an opening during MPI_Finalize waits, and finds MPI finalised" prints "call not legal in this state" 1 meanwhile
check "and says so" says "scree: scree_open: MPI is finalised, and cannot be initialised again"

check "thread level single is refused" prints "MPI reported an error, no world" 2 level single
check "and named" says 'scree: scree_open: MPI was requested to provide thread level funneled and provides single: use an MPI library'
export SCREE_STATS=json
check "thread level funneled" prints "success, funneled" 1 level funneled
check "in JSON" says '"thread_level":"funneled"'
check "thread level multiple" prints "success, multiple" 1 level multiple
check "in JSON" says '"thread_level":"multiple"'
export SCREE_STATS=table
check "thread level serialized" prints "success, serialized" 1 level serialized
check "in the table" says "  MPI thread level: serialized (requested: funneled: one thread of each rank calls MPI; scree initialised MPI)"
export SCREE_THREAD_LEVEL=serialized
check "the option asks for a level" prints "success, serialized" 1 level serialized
check "in the table" says "  MPI thread level: serialized (requested: serialized: the option thread_level; scree initialised MPI)"
export SCREE_THREAD_LEVEL=multiple
check "less than the option asks for is refused" prints "MPI reported an error, no world" 2 level serialized
check "and named" says "MPI was requested to provide thread level multiple and provides serialized: use an MPI library that was built with support for threads, or set the option thread_level to auto"
export SCREE_THREAD_LEVEL=auto SCREE_THREADS=2
check "less than workers need is refused" prints "MPI reported an error, no world" 2 level funneled
check "and named" says "provides funneled: use an MPI library that was built with support for threads, or set the option threads to 1"
unset SCREE_THREAD_LEVEL SCREE_THREADS
# misused ROW STATUS TEXT: what it returns, and says. A launcher may put a part of a line into the other stream.
misused() {
  timeout 60 test/launch.sh "$BUILD" 1 "$BUILD/test/prog_misuse" "$1" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err" && return 1; }
  cat "$tmp/out" "$tmp/err"
  cat "$tmp/out" "$tmp/err" >"$tmp/all" && grep -q "returned: $2$" "$tmp/all" && grep -qF "$3" "$tmp/all"
}
state="call not legal in this state" invalid="invalid argument"
while IFS='|' read -r row status text; do
  check "misuse: $row" misused "$row" "${!status}" "$text"
done <<'ROWS'
open_in_handler|state|scree: rank 0 of 1: scree_open: called inside a handler or a poll function: open worlds outside
open_on_nothing|invalid|scree: scree_open_mpi: the communicator is MPI_COMM_NULL: only the ranks of a communicator
open_after_the_end|state|scree: scree_open: MPI is finalised, and cannot be initialised again: open worlds before
run_nothing|invalid|scree: rank 0 of 1: scree_run_workers: no function: pass one
close_after_the_end|state|scree: rank 0 of 1: scree_close: MPI is finalised: close all worlds before MPI_Finalize
ROWS
export SCREE_STATS=off

# unread CODE TIMES TEXT MODE: prog_world, which reads no text of its failure, ends with that code, and the text is printed so often
unread() {
  local rc=0
  : >"$tmp/last"
  timeout 60 test/launch.sh "$BUILD" 2 "$BUILD/test/prog_world" "$4" "$tmp/last" >"$tmp/out" 2>"$tmp/err" || rc=$?
  cat "$tmp/last" >>"$tmp/err"
  cat "$tmp/err"
  [ $rc = "$1" ] && [ "$(grep -o "$3" "$tmp/err" | wc -l)" = "$2" ] # a launcher may mix the lines of two ranks
}
# An exception of C++ that leaves a handler.
thrown() {
  timeout 60 test/launch.sh "$BUILD" 1 "$tmp/throw" >"$tmp/out" 2>&1
  cat "$tmp/out"
  grep -qx caught "$tmp/out" && grep -qx "returned: $state" "$tmp/out" && grep -q "called inside the handler of type 'ping'" "$tmp/out"
}
cat >"$tmp/throw.cc" <<'CXX'
#include <scree/scree.h>
#include <stdexcept>
SCREE_MESSAGE(ping, uint64_t);
static void on_ping(scree_worker *, const scree_batch *, const uint64_t *, void *) { throw std::runtime_error("x"); }
SCREE_HANDLER(ping, uint64_t, on_ping);
int main() {
  scree_world *world; ping_type ping;
  if (scree_open(NULL, &world) || ping_register(world, NULL, &ping)) return 9;
  scree_worker *w = scree_worker_of(world, 0);
  if (scree_begin(w)) return 9;
  ping_send(w, ping, 0, 1);
  try { scree_end(w, NULL); } catch (std::exception &) { puts("caught"); }
  printf("returned: %s\n", scree_status_text(scree_end(w, NULL)));
  printf("%s\n", scree_error_text(world));
}
CXX
if command -v g++ >/dev/null; then
  check "a program that throws in a handler compiles" g++ -Iinclude "$tmp/throw.cc" -o "$tmp/throw" "$BUILD/libscree.so" -Wl,-rpath,"$(cd "$BUILD" && pwd)"
  check "the world counts as inside the handler" thrown
else
  skipped "an exception that leaves a handler" "g++ is not installed; ./dev packages installs all tools"
fi

check "a failure that is not read: printed when the world closes" unread 1 1 '^scree: rank 1 of 2: .*as asked$' fail
check "or, if it does not, when the process ends" unread 1 1 '^scree: rank 1 of 2: .*as asked$' leave
check "a world that is open when the process ends" unread 0 2 'scree: rank [01] of 2: the process ends and a world is open: call scree_close' open
finish

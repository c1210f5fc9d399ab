#!/usr/bin/env bash
# descriptors.sh - standard input, output and error may be closed: files of the library have other numbers, so that prints and
# reads of the program meet none of them. The command line reports a closed one that it needs.
. "$(dirname "$0")/../support/shell.sh"

# closed REDIRECTION COMMAND...: runs COMMAND where that descriptor is closed.
closed() { bash -c "exec \"\$@\" $1" - "${@:2}" </dev/null >/dev/null 2>&1; }
# The launcher has its descriptors, each rank lacks one.
launched() { test/launch.sh "$BUILD" 2 bash -c "exec \"\$0\" $1" "$BUILD/test/prog_closed" </dev/null >/dev/null 2>&1; }
for which in '>&-' '<&-' '2>&-' '<&- >&- 2>&-'; do
  check "local ranks, $which" closed "$which" "$BUILD/test/prog_closed" local
  # With more than one closed, MPI's own files have their numbers, and a read of the program is one of these.
  [ "${#which}" -gt 4 ] || check "ranks of a launcher, $which" launched "$which"
  [[ $which = *'>&-'* && $which != '2>&-' ]] || check "the command line writes a file, $which" closed "$which" "$BUILD/scree" bfs kron:6 --ranks 2 --validate --json "$tmp/out"
done

needs_output() { ! bash -c "exec \"\$0\" bfs kron:6 --ranks 2 >&-" "$BUILD/scree" 2>"$tmp/said" && grep -q "Bad file descriptor" "$tmp/said"; }
needs_input() { ! bash -c "exec \"\$0\" bfs - --ranks 2 <&-" "$BUILD/scree" 2>"$tmp/said" && grep -q "Bad file descriptor" "$tmp/said"; }
check "a closed standard output is reported" needs_output
check "a graph from a closed standard input is refused" needs_input
finish

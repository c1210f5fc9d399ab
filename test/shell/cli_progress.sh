#!/usr/bin/env bash
# cli_progress.sh - the line of progress: on a terminal, of each part of a command that takes long; else nothing of it.
cd "$(dirname "$0")/../.."
. test/support/shell.sh

scree=$BUILD/scree
export SCREE_TEST_PROGRESS_MS=0 # what takes long

# on_terminal COMMAND...: what it prints there goes to $tmp/said
on_terminal() {
  /usr/bin/python3 - "$tmp/said" "$@" <<'PY'
import os, pty, sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
with open(sys.argv[1], "wb") as said:
    try:
        while data := os.read(terminal, 65536):
            said.write(data)
    except OSError:  # its other end is closed
        pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}
# says WORDS...: each is in a line of progress
says() {
  local words
  for words in "$@"; do grep -qaE "scree: $words" "$tmp/said" || { echo "$words" && cat -v "$tmp/said" && return 1; }; done
}
silent() { ! grep -aE 'scree: (loading|building|preparing|writing)' "$1"; }

check "one run" on_terminal "$scree" bfs kron:8 --ranks 2 --validate --output "$tmp/levels"
check "its parts" says 'loading \[#{40}\] 100 %' 'building rows, 0 s' 'preparing and solving, 0 s' 'counting, 0 s' 'validating, 0 s' 'writing \[#{40}\] 100 %'
check "iterations" on_terminal "$scree" pagerank kron:8 --ranks 2 --iterations 20
check "their share" says 'preparing and solving \[#{40}\] 100 %'
check "several runs" on_terminal "$scree" sssp kron:8 --ranks 1 --repeat 3 --relabel degree
check "their share, and what is before them" says 'running \[#{40}\] 100 %' 'renumbering, 0 s'
check "a file" on_terminal "$scree" generate kron:8 "$tmp/k.sg" --no-weights --ranks 1
check "it is written" says 'writing, 0 s'
check "--quiet" on_terminal "$scree" bfs kron:8 --ranks 2 --quiet
check "--quiet: nothing" silent "$tmp/said"
"$scree" bfs kron:8 --ranks 2 >"$tmp/out" 2>"$tmp/err"
check "a pipe: nothing" silent "$tmp/err"
SCREE_TEST_PROGRESS_MS=600000
check "what takes no time" on_terminal "$scree" bfs kron:8 --ranks 2
check "what takes no time: nothing" silent "$tmp/said"
finish

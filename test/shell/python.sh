#!/usr/bin/env bash
# python.sh - the Python package: its answers, its records, and the example of docs/python.md.
. "$(dirname "$0")/../support/shell.sh"

unset ${!OMPI_*} ${!PRTE_*} # the package sets what it needs
export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 SCREE=$BUILD/scree
python=/usr/bin/python3
if ! [ -x $python ]; then
  skipped "the Python package" "/usr/bin/python3 is missing; ./dev packages installs all tools"
  finish
fi
check "a sweep" env UCX_TLS=sm "$SCREE" sweep --quiet --scale 4 --ranks 1 --coalesce-bytes 1K,64K --repeat 2 --results "$tmp/sizes.jsonl"
check "the package" $python test/shell/python.py "$SCREE" "$tmp/sizes.jsonl"
check "without numpy and pandas" $python -S test/shell/python.py "$SCREE" "$tmp/sizes.jsonl"
check "the version" grep -qx "version = \"$(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)\"" python/pyproject.toml
example() { sed -n '/^```python notebook.py/,/^```$/p' docs/python.md | sed '1d;$d' | diff - python/examples/notebook.py; }
check "the example of docs/python.md" example
if ! $python -c 'import numpy, pandas' 2>/dev/null; then
  skipped "the example runs" "python3-numpy or python3-pandas is not installed; ./dev packages installs all tools"
elif [ "$(cat "$BUILD/mpi")" != openmpi ] || ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
  skipped "the example runs" "mpirun is not that of this build's MPI"
else
  runs() { $python python/examples/notebook.py "$SCREE" >"$tmp/out" 2>&1; cat "$tmp/out"; grep -q '^400 vertices, the farthest at' "$tmp/out" && grep -qx '\[1024, 65536\]' "$tmp/out" && grep -q '^a path of' "$tmp/out"; }
  check "the example runs" runs
fi

# Messages by ctypes, on ranks of MPI.
messages() { LIBSCREE=$BUILD/libscree.so test/launch.sh "$BUILD" 2 $python examples/messages.py "$@" >"$tmp/out" 2>"$tmp/errors"; }
# A launcher may mix the lines of two ranks.
counted() { messages; cat "$tmp/out" "$tmp/errors"; [ "$(grep -o 'occur [0-9]*' "$tmp/out" | awk '{ n += $2 } END { print NR, n }')" = "2 2000" ]; }
raised() { ! messages raise && cat "$tmp/errors" && [ "$(grep -c "scree_fail: ValueError('16 from rank" "$tmp/errors")" = 1 ]; }
if nm -D "$BUILD/libscree.so" | grep -qE '__(a|t)san'; then
  skipped "messages by ctypes" "this build has a sanitizer"
else
  check "messages by ctypes" counted
  check "a handler that raises fails the world" raised
fi
finish

#!/usr/bin/env bash
# study.sh - the Python package of sweep, tune and report, part by part.
. "$(dirname "$0")/../support/shell.sh"
export PYTHONDONTWRITEBYTECODE=1 BUILD
types() { (cd python && mypy --strict --ignore-missing-imports --follow-imports=silent --cache-dir="$BUILD/types" -p scree.study); }
if command -v mypy >/dev/null; then
  check "its types" types
else
  skipped "its types" "mypy is not installed; ./dev packages installs all tools"
fi
/usr/bin/python3 test/study/run.py test/study/test_*.py || bad=1
finish

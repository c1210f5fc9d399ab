#!/usr/bin/env bash
# study.sh - the Python package of sweep, tune and report, part by part; those that wait for jobs beside the others.
. "$(dirname "$0")/../support/shell.sh"
export PYTHONDONTWRITEBYTECODE=1 BUILD
clean() { (cd python && mypy --strict --ignore-missing-imports --follow-imports=silent --cache-dir="$BUILD/types" -p scree.study); }
types() {
  if command -v mypy >/dev/null; then
    check "its types" clean
  else
    skipped "its types" "mypy is not installed; ./dev packages installs all tools"
  fi
}
jobs() { /usr/bin/python3 test/study/run.py test/study/test_{sweep,tune,child}.py || bad=1; }
modules() { /usr/bin/python3 test/study/run.py $(ls test/study/test_*.py | grep -vE '_(sweep|tune|child).py') || bad=1; }
together types jobs modules
finish

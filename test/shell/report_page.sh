#!/usr/bin/env bash
# report_page.sh - the page of `scree report --html` in a browser, and the types of the package that makes it.
. "$(dirname "$0")/../support/shell.sh"
TMPDIR=$tmp /usr/bin/python3 test/study/run.py test/study/browser.py || bad=1
clean() { (cd python && mypy --strict --ignore-missing-imports --follow-imports=silent --cache-dir="$BUILD/types" -p scree.study); }
if command -v mypy >/dev/null; then
  check "the package's types" clean
else
  skipped "the package's types" "mypy is not installed; ./dev packages installs all tools"
fi
finish

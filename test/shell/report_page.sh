#!/usr/bin/env bash
# report_page.sh - the page of `scree report --html` in a browser.
. "$(dirname "$0")/../support/shell.sh"
TMPDIR=$tmp /usr/bin/python3 test/study/run.py test/study/browser.py || bad=1
finish

#!/usr/bin/env bash
# study.sh - the Python package of sweep, tune and report, part by part; those that wait for jobs beside the others.
. "$(dirname "$0")/../support/shell.sh"
export PYTHONDONTWRITEBYTECODE=1 BUILD
sweeps() { /usr/bin/python3 test/study/run.py test/study/test_sweep.py || bad=1; }
races() { /usr/bin/python3 test/study/run.py test/study/test_{tune,child}.py || bad=1; }
modules() { /usr/bin/python3 test/study/run.py $(ls test/study/test_*.py | grep -vE '_(sweep|tune|child).py') || bad=1; }
together sweeps races modules
finish

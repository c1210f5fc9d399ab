#!/usr/bin/env bash
# report_claims.sh - what reports claim about simulated studies, in all cells: plans, kinds of noise, planted effects.
. "$(dirname "$0")/../support/shell.sh"
export SCREE_STUDY_CELLS=all
TMPDIR=$tmp nice /usr/bin/python3 test/study/run.py test/study/test_claims.py || bad=1
finish

#!/usr/bin/env bash
# coverage.sh - the share of the library's lines that the tests run, file by file.
#   coverage.sh BUILD [MIN]     BUILD was made with -Db_coverage=true, and its tests have run; fails below MIN %
#
# The counts are gcov's. The command line and the benchmarks are not part of the library.
set -eu
cd "$(dirname "$0")/.."
build=$1 min=${2:-85}
objects=$(find "$build" -path '*libscree*' -name '*.gcno')
[ -n "$objects" ] || { echo "coverage.sh: $build was not made with -Db_coverage=true" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcov --no-output $objects >"$work/gcov" 2>/dev/null
awk -v min="$min" '
  /^File / { file = $2; gsub(/\047/, "", file); sub(/^(\.\.\/)*/, "", file) }
  /^No executable lines/ { file = "" }
  /^Lines executed:/ && file ~ /(^|\/)(src|algorithms)\/.*\.c$/ {
    split($0, part, /[:% ]+/); n = $NF; run = part[3] * n / 100
    lines += n; covered += run
    printf "%6.1f %% of %4d  %s\n", part[3], n, file | "sort -n"
    file = ""
  }
  END {
    close("sort -n")
    if (lines) printf "%6.1f %% of %4d  the library\n", 100 * covered / lines, lines
    exit !lines || 100 * covered / lines < min
  }' "$work/gcov"

#!/usr/bin/env bash
# coverage.sh - the shares of the library's lines that the tests run, file by file, and of lines and branches by folder.
#   coverage.sh BUILD [MIN]     BUILD was made with -Db_coverage=true, and its tests have run; fails below MIN % of the lines, or
#                               below a floor of branches; BUILD/branches gets all branches that no test has taken
#
# The counts are gcov's, of an unoptimized build: a branch is one of the ways that leave a condition. What headers define
# counts once, however many objects have it. The command line and the benchmarks are not part of the library.
set -eu
cd "$(dirname "$0")/.."
build=$1 min=${2:-85}
# Branches by folder, in percent: what the brief unit and simulator tests that generated.sh plays take, rounded down.
floors="src/core 89 src/block 93 src/detect 99 src/transport 81 src/task 87 src/global 82"
objects=$(cd "$build" && find . -path '*libscree*' -name '*.gcno')
[ -n "$objects" ] || { echo "coverage.sh: $build was not made with -Db_coverage=true" >&2 && exit 2; }
(cd "$build" && gcov --stdout --branch-probabilities --branch-counts $objects 2>/dev/null) | awk -f test/support/gcov.awk |
  awk -v min="$min" -v floors="$floors" -v list="$build/branches" '
  { place = $2 " " ($1 == "branch" ? $4 : "") }
  !(place in count) { count[place] = 0 }
  { count[place] += $3 }
  function percent(part, all) { return all ? 100 * part / all : 100 }
  END {
    for (place in count) {
      split(place, part, /[: ]/)
      file = folder = part[1]
      sub(/\/[^\/]*$/, "", folder)
      if (folder ~ /^src\/(task|transport)\//) sub(/\/[^\/]*$/, "", folder)
      branch = part[3] != ""
      for (i = 1; i <= 3; i++) {
        key = branch " " (i == 1 ? file : i == 2 ? folder : "library")
        all[key]++
        taken[key] += count[place] > 0
      }
      files[file]; folders[folder]
      if (branch && !count[place]) print part[1] ":" part[2] ": way " part[3] | ("sort -V >" list)
    }
    for (file in files) printf "%6.1f %% of %4d  %s\n", percent(taken["0 " file], all["0 " file]), all["0 " file], file | "sort -n"
    close("sort -n")
    folders["library"]
    for (folder in folders)
      printf "%6.1f %% of %5d lines, %5.1f %% of %5d branches  %s\n", percent(taken["0 " folder], all["0 " folder]),
        all["0 " folder], percent(taken["1 " folder], all["1 " folder]), all["1 " folder], folder == "library" ? "the library" : folder | "sort -k 10"
    close("sort -k 10")
    bad = !all["0 library"] || percent(taken["0 library"], all["0 library"]) < min
    if (bad) print "coverage.sh: the share of lines is below " min " %"
    n = split(floors, floor, " ")
    for (i = 1; i < n; i += 2)
      if (percent(taken["1 " floor[i]], all["1 " floor[i]]) < floor[i + 1]) {
        print "coverage.sh: the share of branches of " floor[i] " is below " floor[i + 1] " %; " list " has those that no test takes"
        bad = 1
      }
    exit bad
  }'

#!/usr/bin/env bash
# cli_options_file.sh - options from a file (--options): precedence, refusals with their line, the JSON report.
. "$(dirname "$0")/../support/shell.sh"
unset ${!SCREE_@}
file=$tmp/some.options
lines() { printf '%s\n' "$@" >"$file"; }
# option_of NAME WORD...: the value of an option of the world and where it is from, as JSON says of a run with these words
figures() { "$scree" sssp kron:6 --json - "$@" | tr -d '\n\t'; }
option_of() { local name=$1 && shift && figures "$@" | sed -E "s/.*\"$name\":\{\"value\":\"([^\"]*)\",\"from\":\"([^\"]*)\".*/\1, \2/"; }
algorithm() { figures "$@" | sed -E 's/.*"configuration":\{[^}]*"algorithm":"([^"]*)".*/\1/'; }
is() { [ "$1" = "$2" ] || { echo "found '$1', expected '$2'" && false; }; }

# ---- which wins

lines '# a comment' '' ' in-flight=8   # after a blank' "$(printf '\tflush-age = 2ms\r')" 'algorithm = dc' 'queue = dary'
check "a value" is "$(option_of in-flight --options "$file")" "8, options file $file"
check "a value in a line that ends by CR" is "$(option_of flush-age --options "$file")" "2ms, options file $file"
check "an option of the command line" is "$(algorithm --options "$file")" dc
check "words after it win" is "$(option_of in-flight --options "$file" --in-flight 16)" "16, command line"
check "words before it lose" is "$(option_of in-flight --in-flight 16 --options="$file")" "8, options file $file"
check "an algorithm after it wins" refuses 2 "$file:6: option '--queue' is for --algorithm dc, dc-hybrid or dc-tasks, and the algorithm is kla" \
  "$scree" sssp kron:6 --options "$file" --algorithm kla
export SCREE_IN_FLIGHT=32 SCREE_SPIN=77
check "the environment loses" is "$(option_of in-flight --options "$file")" "8, options file $file"
check "the environment, where the file is silent" is "$(option_of spin --options "$file")" "77, environment"
check "the default, where all are silent" is "$(option_of batch-max --options "$file")" "8192, default"
unset SCREE_IN_FLIGHT SCREE_SPIN
printf 'in-flight = 2' >"$tmp/second"
check "the second of two files wins" is "$(option_of in-flight --options "$file" --options "$tmp/second")" "2, options file $tmp/second"
check "the first of two files" is "$(option_of flush-age --options "$file" --options "$tmp/second")" "2ms, options file $file"
check "an empty file" is "$(option_of in-flight --options /dev/null)" "4, default"

# ---- flags, values with signs

lines 'no-pruning = on'
pruned() { "$scree" sssp kron:8 --algorithm delta --json - "$@" | tr -d '\n\t ' | sed -E 's/.*"pruned":([0-9]+).*/\1/'; }
check "a flag, on" is "$(pruned --options "$file")" 0
lines 'no-pruning = off'
check "a flag, off" [ "$(pruned --options "$file")" -gt 0 ]
lines "output = $tmp/a#b = c"
run() { "$scree" sssp kron:6 --options "$file" && test -s "$tmp/a#b = c"; }
check "signs within a value" run

# ---- all subcommands, several ranks

lines 'in-flight = 8' 'distribution = hash'
for command in "sssp kron:6" "bfs kron:6" "cc kron:6" "pagerank kron:6" "info kron:6" "generate kron:6 $tmp/a.scree" \
  "convert examples/village.gr $tmp/b.scree" "graph500 --scale 8 --sources 2"; do
  check "scree $command" "$scree" $command --options "$file"
done
lines 'in-flight = 8' 'sources = 3' 'validate = on'
two() { test/launch.sh "$BUILD" 2 "$scree" bfs kron:8 --options "$file" --json "$tmp/two" && grep -q "options file $file" "$tmp/two" && [ "$(grep -c '"valid":.*true' "$tmp/two")" = 3 ]; }
check "two ranks" two
lines 'in-flight = 8' 'queue = dary'
check "two ranks, refused once" refuses 2 "$file:2: option 'queue' is unknown to bfs" \
  test/launch.sh "$BUILD" 2 "$scree" bfs kron:6 --options "$file"

# ---- what is refused

# bad TEXT COMMAND LINE...: the file has the lines
bad() {
  local text=$1 command=$2
  shift 2
  lines "$@"
  check "refused: $command: $*" refuses 2 "$text" "$scree" $command --options "$file"
}
bad "$file:1: option 'queue' is unknown to bfs; it belongs to sssp; " "bfs kron:6" 'queue = dary'
bad "$file:3: option 'quue' is unknown to sssp; the nearest is 'queue'; 'scree sssp --help all' lists" "sssp kron:6" '# one' '' 'quue = dary'
bad "$file:1: option 'queue': 'heap' is not a known word; legal: buckets|dary" "sssp kron:6" 'queue = heap'
bad "$file:2: option 'in-flight': '65' is out of range; legal: 1 to 64" "sssp kron:6" 'spin = 1' 'in-flight = 65'
bad "$file:1: option 'no-pruning': 'yes' is not a known word; legal: off|on" "sssp kron:6" 'no-pruning = yes'
bad "$file:1: 'in-flight 8' is not legal; legal: NAME = VALUE" "sssp kron:6" 'in-flight 8'
bad "$file:1: 'in-flight = ' is not legal; legal: NAME = VALUE" "sssp kron:6" 'in-flight ='
bad "$file:1: '--in-flight = 8' is not legal; legal: NAME = VALUE, the name without dashes" "sssp kron:6" '--in-flight = 8'
bad "$file:3: option 'in-flight' is already given in line 1" "sssp kron:6" 'in-flight = 8' 'spin = 1' 'in-flight = 4'
bad "$file:1: option 'options': an options file cannot include another" "sssp kron:6" "options = $file"
bad "$file:1: option '--delta' is for --algorithm opt, horizon, delta, delta-sort, delta-tasks or auto, and the algorithm is dc" \
  "sssp kron:6 --algorithm dc" 'delta = 2'
check "no such file" refuses 2 "option '--options': cannot read '$tmp/none': No such file" "$scree" sssp kron:6 --options "$tmp/none"
check "a directory" refuses 2 "option '--options': cannot read '$tmp': Is a directory" "$scree" sssp kron:6 --options "$tmp"
printf 'in-flight = 8\n\0' >"$file"
check "no text" refuses 2 "option '--options': '$file' is not a text file" "$scree" sssp kron:6 --options "$file"
check "no name" refuses 2 "option '--options' needs a value: --options FILE" "$scree" sssp kron:6 --options
finish

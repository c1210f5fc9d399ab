#!/usr/bin/env bash
# cli_provenance.sh - where a job ran, in its JSON: machine, MPI, cores of ranks and threads.
#
# The records of several ranks are compared with the output of the system's own tools.
. "$(dirname "$0")/../support/shell.sh"
json() { local ranks=$1 && shift && "$@" test/launch.sh "$BUILD" "$ranks" "$scree" bfs kron:6 --json "$tmp/json"; }
# part NAME: of the object or list of that name at the top
part() { sed -nE "/^	\"$1\":	[[{]/,/^	[]}]|^		}\],$/p" "$tmp/json"; }
# field PART NAME: a number or text
field() { part "$1" | sed -nE "s/^		\"$2\":	\"?([^\"]*[^\",])\"?,?$/\1/p"; }
# of_rank NAME: of each rank in the binding, a line
of_rank() { sed -nE "s/^			\"$1\":	\"?([^\",]*)\"?,?$/\1/p" "$tmp/json"; }
is() { echo "found '$1', expected '$2'" && [ "$1" = "$2" ]; }

for ranks in 1 2 3; do
  check "json on $ranks ranks" json $ranks env
  check "$ranks ranks: each has a place" is "$(of_rank rank | paste -sd ' ')" "$(seq -s ' ' 0 $((ranks - 1)))"
  check "$ranks ranks: their host" is "$(of_rank host | sort -u)" "$(uname -n)"
  check "$ranks ranks: their last cores" is "$(of_rank core | grep -cE '^[0-9]+$')" $ranks
  check "$ranks ranks: none is left out" is "$(grep -c ranks_left_out "$tmp/json")" 0
done

check "machine: host" is "$(field machine host)" "$(uname -n)"
check "machine: kernel" is "$(field machine kernel)" "$(uname -r)"
check "machine: cpu" [ -n "$(field machine cpu)" ]
check "machine: cores" [ "$(field machine cores)" -ge 1 ]
check "machine: hardware threads" [ "$(field machine hardware_threads)" -ge "$(field machine cores)" ]
check "machine: NUMA nodes" [ "$(field machine numa_nodes)" -ge 1 ]
check "machine: memory" is "$(field machine memory_bytes)" "$(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)"
governor=$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null || echo unknown)
check "machine: governor" is "$(field machine governor)" "$governor"
check "machine: load" grep -qE '^		"load":	[0-9.]+' "$tmp/json"
check "versions: MPI" is "$(field versions mpi)" "$(cat "$BUILD/mpi")"
library=$("$scree" --version | sed -nE 's/^mpi: [a-z]+ \((.*)\)$/\1/p')
check "versions: the MPI library, as --version has it" [ -n "$library" -a "$(field versions mpi_library)" = "$library" ]
check "versions: hwloc" [ -n "$(field versions hwloc)" ]
level=$(field mpi thread_level)
check "mpi: thread level" grep -qxE 'funneled|serialized|multiple' <<<"$level"
level_in_statistics() { SCREE_STATS=json test/launch.sh "$BUILD" 1 "$scree" bfs kron:4 2>&1 | grep -F "\"thread_level\":\"$level\",$1"; }
requested='"level_requested":"funneled","level_reason":"one thread of each rank calls MPI; scree initialised MPI"'
check "mpi: the statistics have the same level, the one that was requested, and why" level_in_statistics "$requested"

# All on one core: no thread has another one.
if command -v taskset >/dev/null; then
  one=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
  check "on one core" json 2 taskset -c "$one"
  check "on one core: the ranks' cores" is "$(of_rank cores | sort -u)" "$one"
  check "on one core: their last" is "$(of_rank core | sort -u)" "$one"
  if grep -q '"shares_with"' "$tmp/json"; then
    check "on one core: all threads share it with both" is "$(grep '"shares_with"' "$tmp/json" | sort -u | tr -d '\t')" '"shares_with":[0, 1]'
    check "on one core: the threads' cores" is "$(sed -nE 's/^					"cores?":	"?([^",]*).*/\1/p' "$tmp/json" | sort -u)" "$one"
  else
    skipped "on one core: threads" "this MPI has none beside the main one"
  fi
else
  skipped "on one core" "taskset is not installed"
fi
check "the smallest blocks take it" test/launch.sh "$BUILD" 2 "$scree" bfs kron:6 --memory 4096 --coalesce-bytes 1 --checked on --json "$tmp/json"
check "the smallest blocks take it: places" is "$(of_rank rank | paste -sd ' ')" "0 1"
finish

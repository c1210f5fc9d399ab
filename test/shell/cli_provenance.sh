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
if here=$(git rev-parse --short=12 HEAD 2>/dev/null); then
  check "versions: the commit" grep -qxE "$here(-changed)?" <<<"$(field versions commit)"
  check "--version: the commit" is "$("$scree" --version | sed -n 's/^commit: //p')" "$(field versions commit)"
fi
check "versions: the options of the compiler" grep -q '^-O' <<<"$(field versions build)"

# The commit of a checkout, of a changed one, and of a tarball in the folder of a checkout
commit_of() { packaging/commit.sh "$1" "$tmp/commit.h" && sed -n 's/^#define SCREE_COMMIT "\(.*\)"$/\1/p' "$tmp/commit.h"; }
if command -v git >/dev/null; then
  checkout=$tmp/checkout
  git init -q "$checkout" && mkdir "$checkout/docs" "$checkout/tarball" && touch "$checkout/a.c" "$checkout/docs/a.md"
  (cd "$checkout" && git add -A && git -c user.name=a -c user.email=a@b commit -q -m a)
  short=$(git -C "$checkout" rev-parse --short=12 HEAD)
  check "a checkout" is "$(commit_of "$checkout")" "$short"
  touch -d @1 "$tmp/commit.h"
  check "the same header is not written again" [ "$(commit_of "$checkout" && stat -c %Y "$tmp/commit.h")" = "$short"$'\n'1 ]
  echo text >"$checkout/docs/a.md"
  check "with another page" is "$(commit_of "$checkout")" "$short"
  echo text >"$checkout/a.c"
  check "with another source" is "$(commit_of "$checkout")" "$short-changed"
  check "a tarball in the folder of a checkout" is "$(commit_of "$checkout/tarball")" ""
fi
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

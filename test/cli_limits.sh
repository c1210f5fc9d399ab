#!/usr/bin/env bash
# cli_limits.sh - scree limits from outside: the eager limit, what is told of it, and what it refuses.
#
# Room: the limit itself is the MPI's; that one which is set is found is checked where an MPI lets it be set.
cd "$(dirname "$0")/.."
. test/shell.sh

scree=$BUILD/scree
at() { local ranks=$1 && shift && test/launch.sh "$BUILD" "$ranks" "$scree" limits "$@"; }
eager() { sed -nE 's/^\t"eager_bytes":\t([0-9]+),$/\1/p' "$1"; }
to_json() { at "$1" --json - >"$tmp/json"; }
whole() { [ "$(head -c 1 "$tmp/json")" = "{" ] && [ "$(tail -n 1 "$tmp/json")" = "}" ]; }
sensible() { local n && n=$(eager "$1") && echo "found ${n:-nothing}" && [ "$n" -ge 64 ] && [ "$n" -le 4194304 ]; }

for ranks in 2 3; do
  check "limits on $ranks ranks" to_json $ranks
  check "limits on $ranks ranks: one object" whole
  check "limits on $ranks ranks: the limit" sensible "$tmp/json"
  check "limits on $ranks ranks: the MPI" grep -q "\"mpi\":	\"$(cat "$BUILD/mpi")\"" "$tmp/json"
done
check "limits: what the library tells" [ "$(sed -n '/"told":/,$p' "$tmp/json" | grep -ciE '"[a-z_0-9]*(eager|rndv)[a-z_0-9]*":')" -ge 1 ]
table() { at 2 --json "$tmp/file" >"$tmp/table" && sensible "$tmp/file"; }
check "limits: a table, and JSON to a file" table
check "limits: the table has the same" grep -q "up to $(eager "$tmp/file") bytes" "$tmp/table"
check "limits: the table has what is told" grep -qiE '^  [a-z_0-9]*(eager|rndv)[a-z_0-9]* ' "$tmp/table"

# Twice the default, less the header, whose size is the difference before.
moved() {
  local header
  header=$((4096 - $(eager "$tmp/file")))
  OMPI_MCA_btl=vader,self OMPI_MCA_btl_vader_eager_limit=8192 to_json 2
  echo "header $header, found $(eager "$tmp/json")"
  [ "$(eager "$tmp/json")" = $((8192 - header)) ]
}
if [ "$(cat "$BUILD/mpi")" = openmpi ] && grep -q '"btl_vader_eager_limit":	4096' "$tmp/file" && [ "$(eager "$tmp/file")" -lt 4096 ]; then
  check "limits: a limit that was set" moved
else
  skipped "limits: a limit that was set" "this is not Open MPI, or it does not go by vader"
fi

check "limits on one rank" refuses 2 "this job has one; start it as: mpirun -n 2 scree limits" "$scree" limits
check "limits: no operand" refuses 2 "'kron:8' is too much" "$scree" limits kron:8
check "limits: no other option" refuses 2 "option '--validate' is unknown to limits" "$scree" limits --validate
check "limits: disk full" refuses 1 "'/dev/full' was not written in full" test/launch.sh "$BUILD" 2 "$scree" limits --json /dev/full
finish

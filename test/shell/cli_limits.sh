#!/usr/bin/env bash
# cli_limits.sh - scree limits from outside: the eager limit, the control variables, refusals.
#
# The limit is a property of the MPI; where a variable can set it, the test sets it and expects it to be found.
. "$(dirname "$0")/../support/shell.sh"
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
check "limits: what the library reports" [ "$(sed -n '/"variables":/,$p' "$tmp/json" | grep -ciE '"[a-z_0-9]*(eager|rndv)[a-z_0-9]*":')" -ge 1 ]
table() { at 2 --json "$tmp/file" >"$tmp/table" && sensible "$tmp/file"; }
check "limits: a table, and JSON to a file" table
check "limits: the table has the same" grep -q "up to $(eager "$tmp/file") bytes" "$tmp/table"
check "limits: the table has what the library reports" grep -qiE '^  [a-z_0-9]*(eager|rndv)[a-z_0-9]* ' "$tmp/table"

# limit_with VARIABLE=VALUE: the limit that is found then, by the path on which the variable acts
limit_with() {
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self env "$1" test/launch.sh "$BUILD" 2 "$scree" limits --json "$tmp/set" >"$tmp/table" &&
    eager "$tmp/set"
}
# moved LOW HIGH MORE: with the setting HIGH it is larger by that than with LOW
moved() {
  local low high
  low=$(limit_with "$1") && high=$(limit_with "$2")
  echo "found ${low:=0} and ${high:=0}"
  [ $((high - low)) = "$3" ]
}
if grep -q '"btl_vader_eager_limit":' "$tmp/file"; then
  check "limits: one that is set" moved OMPI_MCA_btl_vader_eager_limit=4096 OMPI_MCA_btl_vader_eager_limit=8192 4096
elif [ "$(cat "$BUILD/mpi")" = mpich ] && mpichversion 2>/dev/null | grep -q 'Device:.*ucx'; then
  check "limits: one that is set" moved UCX_RNDV_THRESH=2000 UCX_RNDV_THRESH=4096 2096
else
  skipped "limits: one that is set" "it is not known how to set it for this MPI"
fi

check "limits on one rank" refuses 2 "the job has one; start it as: mpirun -n 2 scree limits" "$scree" limits
check "limits: no operand" refuses 2 "unexpected argument 'kron:8'" "$scree" limits kron:8
check "limits: no other option" refuses 2 "option '--validate' is unknown to limits" "$scree" limits --validate
check "limits: disk full" refuses 1 "'/dev/full' was not written in full" test/launch.sh "$BUILD" 2 "$scree" limits --json /dev/full
finish

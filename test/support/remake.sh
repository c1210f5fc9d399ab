# remake.sh - makes again what a change of a source affects, by the commands of a build directory, and counts verdicts; sourced by
# weak.sh, mutants.sh and generated.sh, which set `work`, and `build` where something is made.

# know OBJECTS TARGET...: what those targets are made by, and from which sources those of their objects whose names match OBJECTS
know() {
  ninja -C "$build" -t commands "${@:2}" >"$work/commands"
  ninja -C "$build" -t deps | awk -v objects="$1" '
    NR == FNR { if (match($0, / -o [^ ]+ -c /)) made[substr($0, RSTART + 4, RLENGTH - 8)]; next }
    /^[^ ]/ { object = $1; sub(/:$/, "", object); keep = object ~ objects && object in made }
    keep && $1 ~ /^\.\.\// { print object, substr($1, 4) }' "$work/commands" - >"$work/deps"
}
# objects_with FILE: those that have FILE in them
objects_with() { awk -v file="$1" '$2 == file { print $1 }' "$work/deps"; }

# remake TREE OBJECT FLAG...: OBJECT, from the sources that TREE has
remake() {
  local tree=$1 object=$2 command top
  shift 2
  command=$(grep -F -- "-o $object " "$work/commands" | head -n 1)
  command=${command#ccache }
  for top in src algorithms; do [ ! -d "$tree/$top" ] || command=${command//..\/$top/$tree\/$top}; done
  command=${command/-o $object/-o $tree\/${object//\//_}}
  command=$(sed -E 's/ -M(D|Q [^ ]+|F [^ ]+)//g' <<<"$command")
  (cd "$build" && eval "$command -w ${*@Q}") || return
  echo "$object" >>"$tree/objects"
}
# relink TREE PROGRAM: with what was made again
relink() {
  local object command
  command=$(grep -F -- "-o test/$2 " "$work/commands" | head -n 1)
  for object in $(cat "$1/objects"); do command=${command/ $object / $1\/${object//\//_} }; done
  (cd "$build" && eval "${command/-o test\/$2/-o $1\/$2}")
}

# sum_verdicts: of the 0 and 1 in verdicts, for the file TALLY too; 0 if none has failed
sum_verdicts() {
  local passed failed
  passed=$(grep -c '^0$' "$work/verdicts") failed=$(grep -c '^1$' "$work/verdicts")
  echo "$passed passed, $failed failed"
  [ -z "${TALLY-}" ] || echo "$passed $failed 0" >>"$TALLY"
  [ "$failed" = 0 ]
}

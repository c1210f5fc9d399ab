#!/usr/bin/env bash
# generated.sh - changes drawn places of the library's sources, one at a time, and sees that unit and simulator tests notice.
#   ./dev mutants --generated N [--seed S] [FOLDER]   N changes, drawn by S, default the commit, from FOLDER, default src
#   ./dev mutants --generated N --known [--seed S]    N of those that test/mutants/generated.txt lists as caught, each with its test
#
# places.awk lists the changes: comparisons, negations, && and ||, 0 and 1, + and -, dropped statements; weaker memory orders are those of
# weak.sh, which plays them. One that does not compile, or leaves all objects the same, is drawn again. The brief unit and simulator
# tests that reach its line meet it, those first that take least processor time; which ones these are a build for coverage shows, once for
# each program that it makes. A test may take three times what it takes there, which is slower, and 5 s, but 60 s of processor time at most:
# then it has not ended, and the change is caught. It can write only in its own folder, and what it starts ends with it. Tests are seeded, so what fails with one
# seed is caught; only unit tests have threads, and must fail twice.
# A survivor is a failure, unless generated.txt shows that it is equal. .ci/run draws four --known ones: they were caught, so that one that
# survives there is a test that has become weaker, never a place that no test has met; and they need no build for coverage.
set -u
cd "$(dirname "$0")/.."
mkdir -p build
work=$(mktemp -d "$PWD/build/mutants.XXXXXX") # not in /tmp, in place of which a mutant sees a folder of its own
trap 'rm -rf "$work"' EXIT
. test/support/signals.sh
. test/support/remake.sh
. test/support/mpi.sh
on_signals end_started
build=$PWD/build coverage=$PWD/build-coverage cache=$PWD/build/generated list=test/mutants/generated.txt
most=60 # seconds of processor time
die() { echo "mutants: $*" >&2 && exit 2; }

# later COMMAND...: in the background, as many at once as there are cores
later() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  "$@" &
}

# ---- what is asked for ----

number=${1?how many?} seed= known= folder=
[[ $number =~ ^[1-9][0-9]*$ ]] || die "--generated $number: this is no number of mutants"
shift
while [ $# -gt 0 ]; do
  case $1 in
    --seed) seed=${2?which seed?} && shift ;;
    --known) known=1 ;;
    -*) die "unknown option $1" ;;
    *) folder=${1%/} ;;
  esac
  shift
done
seed=${seed:-$(git rev-parse HEAD)} folder=${folder:-src}
files=$(find "$folder" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort) # a seed draws the same in every clone
[ -n "$files" ] || die "no sources in $folder"
[ -n "$known" ] || [ -z "$(git status --porcelain)" ] ||
  die "there are uncommitted changes: commit them first, because a seed draws the same changes only from the same sources"

# ---- programs: tests that are linked with the libraries as a shared one, of which each mutant has its own ----

# Tests of algorithms are long and meet only changes of algorithms: the library below has other tests.
test_names() {
  local others='weak|^(sim|unit)_(graph|irregular|kernels|property|relaxations|savings|sssp_ways|tsan_algorithms|work(_mpi)?$)'
  [[ $folder != algorithms* ]] || others=weak
  ninja -C "$build" -t query unit-tests sim-tests | sed -nE 's,^ +(\| )?test/(unit|sim)_,\2_,p' | grep -vE "$others" | sort -u
}
# inputs ARCHIVE...: the objects that they consist of
inputs() { ninja -C "$build" -t query "$@" | sed -nE 's,^ +(\| )?([^ ]*\.o)$,\2,p' | sort -u; }
# replaced TREE OBJECT...: those of TREE in place of those of the build
replaced() {
  local object all=" ${*:2} "
  for object in $(cat "$1/objects"); do all=${all/ $object / $1\/${object//\//_} }; done
  echo "$all"
}
# link_library TREE
link_library() {
  (cd "$build" && ${CC:-cc} -shared -Wl,-S -Wl,-soname,libmutant.so -o "$1/libmutant.so" $(replaced "$1" $members) -latomic_ops)
}
# after FILE OTHER...: whether FILE is there and was made later than the others
after() {
  local other
  for other in "${@:2}"; do [ "$1" -nt "$other" ] || return 1; done
}
# prepare TEST...: links tests with the unchanged library, if they are newer than what it linked before; with --known, in each run
whole=$work/whole
[ -n "$known" ] || whole=$cache/programs
prepare() {
  local name
  after "$whole/libmutant.so" "$build"/{test/libtested,libscree-graph,libirregular}.a || rm -rf "$whole"
  mkdir -p "$whole" "$work/base" && cp -r src algorithms "$work/base"
  know '^(lib|test/)' unit-tests sim-tests
  sed -i -E '/libweak_|^libscree(-task)?\.(a|so)/d; / (src|algorithms)\//!d' "$work/deps"
  sed -i -E "/ -o test\/[a-z_0-9]+ /!b; s, (test/libtested|libscree)\.a , $whole/libmutant.so ,; s, (test/libtested|lib(irregular|scree|scree-graph|scree-task))\.a,,g; s, -o test/, -Wl\,-S&," "$work/commands"
  members=$(inputs test/libtested.a libscree-graph.a libirregular.a) harness=$(inputs test/libharness.a)
  if [ ! -e "$whole/libmutant.so" ]; then
    : >"$whole/objects" && : >"$whole/lame"
    link_library "$whole" || die "the libraries do not link as a shared one"
  fi
  for name; do after "$whole/$name" "$build/test/$name" || { rm -f "$whole/$name.sound" && later relink "$whole" "$name"; }; done
  wait
}
# sound TEST: whether it passes without a mutant; those that do not are `lame`
sound() {
  local own=$work/sound-$1-$BASHPID
  [ ! -e "$whole/$1.sound" ] || return 0
  if shut_in "$own" passes "$whole" "$1" "$most"; then
    touch "$whole/$1.sound"
  else
    echo "left out: $1 does not pass without a mutant here$(said "$own/log")"
    echo "$1" >>"$whole/lame"
    return 1
  fi
}

# ---- running one test ----

# shut_in OWN COMMAND...: runs it where OWN, which is made, alone can be written, and where all that it has started ends with it
user=$([ "$(id -u)" = 0 ] || echo --map-root-user)
shut_in() {
  mkdir -p "$1/tmp"
  OWN=$1 OUTSIDE=$work/written env $mark=1 unshare $user --mount --pid --fork --kill-child --mount-proc bash -c '
    exec 2>/dev/null
    mapfile -t mounts </proc/self/mounts
    mount --bind "$OWN" "$OWN" && mount --bind "$OWN/tmp" /tmp && mount -t tmpfs -o size=4g tmpfs /dev/shm || exit 120
    for mount in "${mounts[@]}"; do
      read -r _ at kind _ <<<"$mount"
      case $kind,$at in proc,* | sysfs,* | cgroup* | dev*,* | *,/dev/shm | *,/tmp) ;; *) mount -o remount,bind,ro "$at" ;; esac
    done
    ! : >"$OUTSIDE" || exit 120
    "$@"' - "${@:2}"
}
# passes TREE TEST SECONDS: whether it passes with the library of TREE within so much processor time
passes() {
  local program=$whole/$2 rc=0
  [ ! -e "$OWN/$2" ] || program=$OWN/$2
  rm -f "$OWN/result"
  (
    ulimit -c 0 -t "$3"
    LD_LIBRARY_PATH=$1 TMPDIR=$OWN/tmp SCREE_TEST_RESULT=$OWN/result SCREE_TEST_TIMEOUT=45 SCREE_TEST_FULL=brief exec timeout -k 5 300 "$program"
  ) </dev/null >"$OWN/log" 2>&1 || rc=$?
  case $rc in
    0) grep -q '^harness: .* done, .* 0 failed' "$OWN/result" ;;
    124 | 137 | 152) echo "harness: the test hung on its limit" >>"$OWN/log" && return 1 ;;
    *) return 1 ;;
  esac
}
# meet TREE: the tests of TREE/tests, until one has caught the mutant; links again what has other objects than the library's
meet() {
  local name limit object
  while read -r name limit; do
    for object in $(grep -E '^test/' "$1/objects"); do
      grep -F -- "-o test/$name " "$work/commands" | grep -qF -- " $object " || continue
      relink "$1" "$name" 2>>"$1/log" || break 2
      break
    done
    if passes "$1" "$name" "$limit"; then continue; fi
    [[ $name != unit_* ]] || ! passes "$1" "$name" "$limit" || continue
    echo "$name" >"$1/caught"
    break
  done <"$1/tests"
}
export whole work build
export -f passes meet relink

# ---- which tests reach a line ----

# costs/TEST, lines/TEST, and lines that have instructions, as FILE:LINE OBJECT, in instrumented
rows() { (cd "$coverage" && gcov --stdout "$@" 2>/dev/null) | awk -f test/support/gcov.awk; }
# reach TEST: one that takes more than 100 s of processor time in this build is left out
reach() {
  local own=$work/cover/$1 folder
  mkdir -p "$own/tmp"
  (
    TIMEFORMAT='%U %S'
    ulimit -c 0 -t 100
    export GCOV_PREFIX=$own GCOV_PREFIX_STRIP=$(tr -cd / <<<"$coverage" | wc -c) TMPDIR=$own/tmp SCREE_TEST_RESULT=$own/result SCREE_TEST_FULL=brief
    time env $mark=1 timeout 600 "$coverage/test/$1" </dev/null >/dev/null 2>&1
  ) 2>&1 | awk -v name="$1" 'END { printf "%.2f %s\n", $1 + $2, name }' >"$cache/costs/$1"
  (cd "$own" && find . -name '*.gcda' -printf '%h\n' | sort -u) | while read -r folder; do ln -sf "$coverage/$folder"/*.gcno "$own/$folder"; done
  rows $(find "$own" -name '*.gcda') | awk '$3 { print $2 }' | sort -u >"$own/lines" && mv "$own/lines" "$cache/lines/$1"
  rm -rf "$own"
}
find_reach() {
  local name
  if ! after "$cache/instrumented" "$coverage"/lib{scree*,irregular}.a; then
    rm -rf "$cache"/*
    mkdir -p "$cache"/{costs,lines}
    (cd "$coverage" && find . -name '*.gcno' | sed 's,^\./,,' | grep -E '^(lib|test/)' | grep -v weak) | while read -r name; do
      rows "$name" | awk -v object="${name%gcno}o" '{ print $2, object }'
    done >"$work/instrumented" && mv "$work/instrumented" "$cache"
  fi
  for name in $names; do after "$cache/lines/$name" "$coverage/test/$name" || later reach "$name"; done
  wait
}
# tests_of FILE LINE: each with its limit, cheapest first. A line without instructions of its own belongs to its whole file.
tests_of() {
  local lines=(-x -F "$1:$2")
  grep -qF -- "$1:$2 " "$cache/instrumented" || lines=(-E "^$1:")
  (cd "$cache/lines" && grep -l "${lines[@]}" -- $names) | grep -vxFf "$whole/lame" |
    awk -v most=$most 'NR == FNR { here[$1]; next } $2 in here { limit = int(5 + 3 * $1); print $2, (limit < most ? limit : most), $1 }' - "$cache"/costs/* |
    sort -k3n | cut -d' ' -f1,2
}
# objects_of FILE LINE: those that may change
objects_of() {
  if [ -z "$known" ] && [[ $1 == *.h ]] && grep -qF -- "$1:$2 " "$cache/instrumented"; then
    grep -F -- "$1:$2 " "$cache/instrumented" | cut -d' ' -f2 | sed -E 's,^libscree[^/]*/(src_),test/libtested.a.p/.._\1,' | sort -u | grep -xFf <(objects_with "$1")
  else
    objects_with "$1"
  fi
}

# ---- mutants ----

# The changes, as FILE, LINE, old, new and, if it is known, its test.
changes() {
  awk -f test/mutants/places.awk $files
  [ -n "$known" ] || test/weak.sh --drawable | awk -F: -v OFS='\t' -v under="$folder/" 'index($1, under) == 1 { print $1, $2, $3, $4, "weak" }'
}
# key FILE OLD NEW
key() { echo "$1: $2 => $3"; }
# known_changes: of the changes those that the list has as caught, where their line is the only one of its kind in the file
known_changes() {
  changes | awk -F'\t' -v OFS='\t' '
    NR == FNR { if (/^caught by /) { split($0, part, " "); test[substr($0, length(part[3]) + 12)] = part[3] } next }
    { key = $1 ": " $3 " => " $4 }
    $1 ~ /\.c$/ && key in test { times[key]++; row[key] = $0 }
    END { for (key in row) if (times[key] == 1) print row[key], test[key] }' "$list" - | sort
}
# base_object OBJECT: as it is without a mutant
base_object() {
  flock 7
  [ -e "$work/base/${1//\//_}" ] || remake "$work/base" "$1" -g0 "-ffile-prefix-map=$work/base/="
}
# make_mutant NUMBER FILE LINE NEW: in a folder of that number, which goes if it does not compile or is the same
make_mutant() {
  local tree=$work/$1 file=$2 line=$3 object
  mkdir "$tree" && cp -r src "$tree" && : >"$tree/objects"
  [[ $file == src/* ]] || cp -r algorithms "$tree"
  NEW=$4 awk -v line="$line" 'FNR == line { match($0, /^ */); $0 = substr($0, 1, RLENGTH) ENVIRON["NEW"] } { print }' "$file" >"$tree/$file"
  for object in $(objects_of "$file" "$line"); do
    remake "$tree" "$object" -g0 "-ffile-prefix-map=$tree/=" 2>"$tree/log" || { rm -rf "$tree" && return; }
    base_object "$object" 7>>"$work/lock"
    ! cmp -s "$tree/${object//\//_}" "$work/base/${object//\//_}" || sed -i '$d' "$tree/objects"
  done
  rm -rf "$tree/src" "$tree/algorithms"
  [ -s "$tree/objects" ] || { rm -rf "$tree" && return; }
  if grep -q '^test/libharness' "$tree/objects"; then
    (cd "$build" && ar csrDT "$tree/test_libharness.a" $(replaced "$tree" $harness))
    echo test/libharness.a >>"$tree/objects"
  fi
  link_library "$tree" 2>"$tree/log" || rm -rf "$tree"
}
# draw: makes `number` mutants from the changes in queue, and puts those into drawn, each with its number
draw() {
  local next=1 kept=0 count at file line old new by
  count=$(wc -l <"$work/queue") && : >"$work/drawn"
  while [ $kept -lt "$number" ] && [ $next -le "$count" ]; do
    sed -n "$next,$((next + number - kept - 1))p" "$work/queue" | awk -v at=$next -v OFS='\t' '{ print at++, $0 }' >"$work/batch"
    while IFS=$'\t' read -r at file line old new by; do
      if [ "$by" = weak ]; then mkdir "$work/$at"; else later make_mutant "$at" "$file" "$line" "$new"; fi
    done <"$work/batch"
    wait
    while IFS= read -r line; do [ ! -d "$work/${line%%$'\t'*}" ] || echo "$line" >>"$work/drawn"; done <"$work/batch"
    next=$((next + number - kept)) kept=$(wc -l <"$work/drawn")
  done
}

# verdict WORD WHAT TEXT: WORD is caught, equal, survived or unreached
verdict() {
  echo "$2: $3"
  echo "$1" >>"$work/words"
  case $1 in caught | equal) echo 0 ;; *) echo 1 ;; esac >>"$work/verdicts"
}
said() { sed -nE 's/^check failed: ([^,]*),[^:]*:[0-9]+: (.*)/ in \1: \2/p; s/^harness: (.* hung) on.*/: \1/p' "$1" | head -n 1 | cut -c1-120; }
hunt() {
  local tree=$work/$1 file=$2 line=$3 old=$4 new=$5 by=${6-} what caught='' equal=''
  what="$file:$line: $old => $new"
  if [ "$by" = weak ]; then
    if TALLY= test/weak.sh --mutant "$file:$line:$old:$new" >"$tree/log" 2>&1; then
      verdict caught "$what" "$(grep -m 1 -oE 'caught by .*' "$tree/log")"
    else
      verdict survived "$what" "SURVIVED: $(grep -m 1 -oE 'FAILED: .*' "$tree/log")"
    fi
    return
  fi
  grep -qxF -- "equal $(key "$file" "$old" "$new")" "$list" && equal=1
  if [ -n "$by" ]; then echo "$by $most" >"$tree/tests"; else tests_of "$file" "$line" >"$tree/tests"; fi
  # The build for coverage sees neither invariants nor what a test reaches that crashes: then the list may name a test.
  [ -s "$tree/tests" ] || sed -n "s/^caught by \([^ ]*\) .*/\1 $most/p" <(grep -F -- " $(key "$file" "$old" "$new")" "$list") >"$tree/tests"
  while shut_in "$tree" meet "$tree"; caught=$(cat "$tree/caught" 2>/dev/null) && ! sound "$caught"; do
    rm "$tree/caught"
    sed -i "/^$caught /d" "$tree/tests"
  done
  case ${caught:+caught}$equal in
    caught)
      verdict caught "$what" "caught by $caught$(said "$tree/log")"
      grep -q '^harness: .* hung on' "$tree/log" || echo "caught by $caught $(key "$file" "$old" "$new")" >>"$work/list" # the others take long
      ;;
    caught1) verdict survived "$what" "FAILED: caught by $caught, but $list says that it is equal" ;;
    1) verdict equal "$what" "survived: equal" ;;
    *) if [ -s "$tree/tests" ]; then verdict survived "$what" "SURVIVED $(wc -l <"$tree/tests") tests"; else verdict unreached "$what" "SURVIVED: no test reaches it"; fi ;;
  esac
  rm -rf "$tree"
}
number_of() { grep -c "^$1\$" "$work/words"; }

shut_in "$work/try" true || {
  echo "skipped - generated mutants # namespaces, in which a mutant writes only in its folder, cannot be made here"
  [ -z "${TALLY-}" ] || echo "0 0 1" >>"$TALLY"
  exit 0
}
if [ -n "$known" ]; then
  known_changes | shuf -n "$number" --random-source=<(yes "$seed") >"$work/queue"
  prepare $(cut -f5 "$work/queue" | sort -u)
else
  names=$(test_names)
  find_reach
  (cd "$cache/lines" && grep -q "^$folder/" -- *) || die "no unit or simulator test reaches a line of $folder"
  changes | shuf --random-source=<(yes "$seed") >"$work/queue"
  prepare $names
fi
: >"$work/words" && : >"$work/verdicts"
draw
while IFS=$'\t' read -r -a fields; do later hunt "${fields[@]}"; done <"$work/drawn"
wait
echo "$(wc -l <"$work/drawn") mutants of $folder, drawn by $seed: $(number_of caught) caught, $(number_of equal) equal, $(number_of survived) survived, $(number_of unreached) in lines that no test reaches"
if [ -s "$work/list" ] && [ -z "$known" ]; then
  sort "$work/list" >"$cache/caught-${folder//\//_}-$seed"
  echo "lines for $list: $cache/caught-${folder//\//_}-$seed"
fi
sum_verdicts

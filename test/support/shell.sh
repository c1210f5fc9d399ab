# shell.sh - what shell tests share; sourced. BUILD is the build directory; the current directory becomes the checkout.
# One check is one line of output, which one.sh counts.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
umask 022 # modes of files are tested, and images that the group may write are not mapped
BUILD=${BUILD:-$PWD/build} scree=${BUILD:-$PWD/build}/scree
bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. test/support/mpi.sh

# check WHAT COMMAND...: passes if the command returns 0; else shows what it printed
check() {
  local what=$1
  shift
  if "$@" >"$tmp/check.log" 2>&1; then
    echo "ok - $what"
  else
    echo "not ok - $what"
    sed 's/^/    /' "$tmp/check.log"
    bad=1
  fi
}
# together COMMAND...: functions that check, at once, for those that wait more than they work; each with a $tmp of its own, where its
# launcher keeps its files too: two of Open MPI's that start at once cannot share a folder
together() {
  local part parts=()
  for part; do
    (tmp=$(mktemp -d "$tmp/XXXXXX") && export TMPDIR=$tmp && bad=0 && $part; finish) >"$tmp/$part.log" &
    parts+=($!)
  done
  for part in "${parts[@]}"; do wait "$part" || bad=1; done
  for part; do cat "$tmp/$part.log"; done
}
# wait_for COMMAND...: polls until it returns 0; gives up after a minute
wait_for() {
  local i
  for i in $(seq 600); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  return 1
}
# refuses CODE TEXT COMMAND...: passes if it ends with that code, prints nothing, and says the text once on stderr
refuses() {
  local code=$1 text=$2 rc=0
  shift 2
  "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
  { [ "$rc" = "$code" ] && [ "$(grep -cF -- "$text" "$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ]; } && return
  echo "code $rc, expected $code; standard error, which should say once: $text"
  cat "$tmp/err" "$tmp/out"
  return 1
}
# bad TEXT ARGUMENT...: the command line refuses them with code 2 and the text
bad() {
  local text=$1
  shift
  check "refused: scree ${*/#$tmp\//}" refuses 2 "$text" "$scree" "$@"
}
# prints TEXT COMMAND...: passes if it succeeds and its standard output, which stays in $tmp/out, contains the text
prints() {
  local text=$1
  shift
  "$@" >"$tmp/out" && grep -qF -- "$text" "$tmp/out" || { cat "$tmp/out" && return 1; }
}
# prints_all TEXT COMMAND...: passes if it succeeds and its standard output is the text
prints_all() {
  printf '%b' "$1" >"$tmp/expected"
  shift
  "$@" >"$tmp/got" && diff "$tmp/expected" "$tmp/got"
}
equal() { local what=$1 && shift && check "$what" prints_all "$@"; }
# at RANKS ARGUMENT...: the command line on so many ranks; without an MPI's launcher, which takes half a second
at() { SCREE_TEST_LAUNCHER=${SCREE_TEST_LAUNCHER-local} test/launch.sh "$BUILD" "$1" "$scree" "${@:2}"; }
# skipped WHAT REASON: the reason in the same words wherever it is the same
skipped() { echo "skipped - $1 # $2"; }
# plotted WHAT COMMAND...: checks a command that draws figures; skips it where matplotlib is missing
plotted() {
  if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    check "$@"
  else
    skipped "$1" "python3-matplotlib is not installed; ./dev packages installs all tools"
  fi
}
no_data="real graphs are missing: CONTRIBUTING.md has their sources, SCREE_TEST_DATA is their directory"
finish() { exit "$bad"; }

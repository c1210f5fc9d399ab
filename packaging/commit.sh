#!/bin/sh
# commit.sh SOURCES OUTPUT - writes a header with the commit of a checkout, followed by "-changed" if its sources differ from
# that commit. The text is empty in a tarball, or without git. An unchanged header keeps its time, so nothing is rebuilt.
set -eu
git() { command git -C "$sources" "$@" 2>/dev/null; }
sources=$1 commit=
if [ "$(git rev-parse --show-toplevel)" = "$(cd "$1" && pwd -P)" ] && commit=$(git rev-parse --short=12 HEAD); then
  git diff --quiet HEAD -- . ':!docs' ':!test' || commit=$commit-changed
fi
text="#define SCREE_COMMIT \"$commit\""
[ "$(cat "$2" 2>/dev/null)" = "$text" ] || echo "$text" >"$2"

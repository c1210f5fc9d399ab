#!/usr/bin/env bash
# dist.sh - the tarball of `meson dist` configures where there is no git, and has every file; with --full it builds
# and passes its tests.
. "$(dirname "$0")/../support/shell.sh"

version=$(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)
check "CITATION.cff has the version" grep -qx "version: $version" CITATION.cff
check "there are release notes" grep -q "^# scree $version" "docs/releases/$version.md"
if ! git rev-parse HEAD >/dev/null 2>&1; then
  skipped "the tarball" "this is not a checkout of git, which 'meson dist' takes the files from"
  finish
fi
mkdir "$tmp/bin" "$tmp/tree"
git=$(command -v git)
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/git" && chmod +x "$tmp/bin/git"
check "the tree configures, to make a tarball of it" meson setup "$tmp/build" -Dcli=false -Dtests=disabled
check "meson dist" meson dist -C "$tmp/build" --no-tests --allow-dirty --formats gztar
unpack() { tar -xzf "$tmp/build/meson-dist/scree-$version.tar.gz" -C "$tmp/tree"; }
check "it unpacks" unpack
cd "$tmp/tree/scree-$version" || finish
export PATH=$tmp/bin:$PATH
if [ "${SCREE_TEST_FULL:-0}" = 0 ]; then
  check "it has every file" diff <(find . -type f | sed 's|^\./||' | sort) <(cd "$OLDPWD" && "$git" ls-files | sort)
  check "it configures without git" meson setup -Doptimization=0 build
else
  check "it builds without git" bash -c 'meson setup -Doptimization=0 build && ninja -C build all tests'
  check "it passes its tests" ./dev test -C build --brief --suite unit,doc
  check "words" .ci/words
fi
finish

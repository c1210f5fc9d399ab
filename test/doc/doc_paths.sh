#!/usr/bin/env bash
# doc_paths.sh - files that the documentation and comments name exist; links between pages lead somewhere.
#
# A word counts as a path if it begins with a folder of the checkout. On a page paths are in backticks; in code they
# have the suffix of a source or text file. Words in upper case (NAME) and * match anything. Tests of layers plant
# sources of their own, and are left out.
. "$(dirname "$0")/../support/shell.sh"

folders='\.ci|src|include|algorithms|cli|test|bench|docs|examples|fuzz'
pages=$(find README.md CONTRIBUTING.md SECURITY.md docs -name '*.md')

# missing: prints those lines PLACE PATH of standard input whose path does not exist. A path may also be relative to
# src/ or include/, and bench/NAME may mean bench/NAME.c.
missing() {
  local place path glob root lost=0
  local -A seen=()
  while read -r place path; do
    [ -z "${seen[$path]-}" ] || continue
    seen[$path]=1
    glob=$path
    while [[ $glob =~ [A-Z][A-Z_]+ ]]; do glob=${glob/"${BASH_REMATCH[0]}"/*}; done
    for root in . src include; do
      [ ! -e "$root/$glob" ] && ! compgen -G "$root/$glob" >/dev/null || continue 2
    done
    [ -e "$path.c" ] && continue
    echo "$place names $path, which does not exist"
    lost=1
  done
  return $lost
}

# On pages: `PATH`, relative to the checkout or to src/.
page_paths() {
  grep -noE "\`($folders|base|block|transport|core|open)/[A-Za-z0-9_./*-]*\`" $pages /dev/null |
    sed -E 's/^([^:]*:[0-9]*):`(.*)`$/\1 \2/'
}

# In code: a path after a blank, a quote or a bracket. The compiler checks includes.
code_paths() {
  find include src algorithms cli bench test examples fuzz packaging dev .ci/run meson.build -type f \( -name '*.[ch]' -o \
    -name '*.sh' -o -name '*.py' -o -name '*.mjs' -o -name dev -o -name run -o -name meson.build \) \
    ! -path 'test/mutants/*' ! -path test/doc/doc_paths.sh ! -path 'test/shell/calls.sh' ! -path 'test/shell/layers.sh' -exec grep -nHE '' {} + |
    grep -vE ':[0-9]+: *#include' |
    grep -oE "^[^:]*:[0-9]+:|(^|[ '\"\`(])($folders)/[A-Za-z0-9_./*-]+\.(c|h|sh|md|py|gr|sweep)\b" |
    awk '/^[^ ]+:[0-9]+:$/ { place = $0; next } { gsub(/^[ \047"`(]/, ""); print place, $0 }'
}

# Links of a page, except those to the web, relative to the page.
links() {
  local page
  for page in $pages; do
    grep -oE '\]\([^)#: ]+' "$page" | sed "s|^](|$page: $(dirname "$page")/|"
  done
}

# The anchors of a page's headings: lower case, without marks, with - for blanks.
anchors() {
  awk '/^```/ { code = !code } /^#/ && !code' "$1" | sed -E 's/^#+ +//; s/\]\([^)]*\)//g; s/[^A-Za-z0-9_ -]//g; s/ /-/g' |
    tr '[:upper:]' '[:lower:]'
}
# Links to a heading, as PAGE TARGET ANCHOR.
anchored() {
  local page
  for page in $pages; do
    grep -oE '\]\([^):# ]*#[^) ]+' "$page" | sed -E 's/^..//; s/#/ /' | awk -v page="$page" -v folder="$(dirname "$page")" \
      '{ print page, NF == 1 ? page : folder "/" $1, $NF }'
  done
}
# lost_anchors: prints those lines of standard input whose target has no such heading
lost_anchors() {
  local page target anchor lost=0
  while read -r page target anchor; do
    anchors "$target" | grep -qx -- "$anchor" && continue
    echo "$page: $target has no heading $anchor"
    lost=1
  done
  return $lost
}

# Questions of a newcomer (questions.txt): the section of the heading, up to the next one of its level, has the words.
section() {
  awk -v anchor="$2" '/^```/ { code = !code }
    /^#/ && !code {
      depth = match($0, /[^#]/); name = tolower($0); gsub(/^#+ +|\]\([^)]*\)/, "", name)
      gsub(/[^a-z0-9_ -]/, "", name); gsub(/ /, "-", name)
      if (name == anchor) inside = depth; else if (inside && depth <= inside) exit
    }
    inside { printf "%s ", $0 }' "$1"
}
unanswered() {
  local place words question text word lost=0
  while IFS=';' read -r place words question; do
    text=$(section "${place%#*}" "${place#*#}")
    while read -r word; do
      [[ $text != *"$word"* ]] || continue
      echo "$place has no \"$word\":$question"
      lost=1
    done < <(sed 's/, */\n/g' <<<"${words# }")
  done < <(grep -v '^#' "$1")
  return $lost
}

check "paths on the pages" missing < <(page_paths)
code_paths >"$tmp/code"
check "paths in the code" missing <"$tmp/code"
check "links between the pages" missing < <(links)
check "links to headings" lost_anchors < <(anchored)
check "questions of a newcomer are answered" unanswered test/doc/questions.txt
echo "docs/howto.md#how-to; no such word; why?" >"$tmp/asked"
lost_answer() { ! unanswered "$1" >/dev/null; }
check "an answer that is missing is found" lost_answer "$tmp/asked"
check "there are such links" bash -c '[ "$0" -gt 10 ]' "$(anchored | wc -l)"
lost() { ! lost_anchors <<<"docs/threads.md docs/threads.md no-such-heading"; }
check "a heading that does not exist is found" lost
check "there are paths" bash -c '[ "$0" -gt 60 ]' "$( (page_paths; cat "$tmp/code"; links) | wc -l)"
none=no_such_file
echo "docs/$none.md:1: src/core/$none.c" >"$tmp/planted"
found() { ! missing <"$1"; }
check "a path that does not exist is found" found "$tmp/planted"

# An upgrade to another soname must leave the library of programs that are installed: its name is in the package's.
version=$(sed -nE "s/^project\('scree', 'c', version: '([^']*)'.*/\1/p" meson.build)
case $version in 0.*) soname=${version%.*} ;; *) soname=${version%%.*} ;; esac
named() { grep -qxF "Package: libscree$soname" packaging/debian/control && grep -qF "libscree$soname (= " packaging/debian/control &&
  [ -e "packaging/debian/libscree$soname.install" ] && [ "$(grep -c '^Package: libscree[0-9]' packaging/debian/control)" = 1 ]; }
check "Debian's package of the library is named after the soname $soname" named
finish

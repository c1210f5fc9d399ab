#!/usr/bin/env bash
# doc_commands.sh - the command lines in README.md and docs/*.md do what the page says.
#
# A page marks what is run by the first line of the fence:
#   ```data FILE         a file, as the lines below find it
#   ```sh try            lines, in their order, in a directory of the page's own: COMMAND, or
#     COMMAND # prints TEXT       code 0, and TEXT is in what it prints, as whole words
#     COMMAND # refused: TEXT     code 2, and TEXT is on standard error
# `scree` and `build/scree` are the program that was built, `mpirun -n N` a launcher that works here. A line that goes
# on after a backslash is not for this.
. "$(dirname "$0")/../support/shell.sh"

# blocks PAGE: writes the files of a page to the directory, and its lines to the file `lines` there
blocks() {
  mkdir -p "$tmp/$1"
  awk -v dir="$tmp/$1" '
    /^```/ && file { close(file); file = ""; next }
    file { print >>file; next }
    /^```data / { if (seen[$2]++) { print FILENAME ":" FNR ": a second file " $2; exit 1 } file = dir "/" $2; next }
    /^```sh try$/ { file = dir "/lines"; next }
    /^```./ { file = "/dev/null" }' "$1" && touch "$tmp/$1/lines"
}

export scree=$BUILD/scree launch=$PWD/test/launch.sh BUILD

# shows COMMAND CODE WHERE TEXT: runs it in the page's directory; TEXT, if any, is on WHERE (1 or 2)
shows() {
  local code=0 line
  line=$(sed -E 's|\bmpirun -n ([0-9]+) |"$launch" "$BUILD" \1 |; s|(^\| )(build/)?scree |\1"$scree" |' <<<"$1")
  (cd "$here" && timeout 600 bash -c "$line" >out1 2>out2 </dev/null) || code=$?
  [ "$code" = "$2" ] && { [ -z "$4" ] || grep -qwF -- "$4" "$here/out$3"; } && return
  echo "code $code, expected $2${4:+ and: $4}"
  cat "$here/out1" "$here/out2"
  return 1
}

lines=0
for page in README.md docs/*.md; do
  check "blocks of $page" blocks "$page"
  here=$tmp/$page
  [ -s "$here/lines" ] && ln -s "$PWD/examples" "$here/examples" && mkdir "$here/build"
  while IFS= read -r line <&3; do
    command=$(sed -E 's/ +# (prints|refused:) .*//' <<<"$line")
    case $line in
      *" # refused: "*) check "$page: $command" shows "$command" 2 2 "${line##* # refused: }" ;;
      *" # prints "*) check "$page: $command" shows "$command" 0 1 "${line##* # prints }" ;;
      ?*) check "$page: $command" shows "$command" 0 1 "" ;;
    esac
    lines=$((lines + 1))
  done 3<"$here/lines"
done
check "the commands of README.md leave files in build/ alone" diff - <(ls "$tmp/README.md") <<<$'build\nexamples\nlines\nout1\nout2'
check "there are commands" [ "$lines" -ge 30 ]
finish

# apply.awk - makes the change NAME of known.diff to the sources in the current directory, and prints the names of the files it changes:
#   awk -v name=NAME [-v dry=1] -f apply.awk known.diff     dry: only sees that it can be made
# The lines of a change that stay or go must be in the file exactly once, wherever that is.
function change(  i, j, found, at) {
  if (!olds) return
  for (i = 1; i <= n - olds + 1; i++) {
    for (j = 1; j <= olds && line[i + j - 1] == old[j]; j++) continue
    if (j > olds) { found++; at = i }
  }
  if (found != 1) { print file " has it in " found + 0 " places: " old[1]; failed = 1; exit }
  for (j = 0; j < olds; j++) put[at + j] = j ? "" : new
  olds = 0
  new = ""
}
function leave(  i) {
  change()
  for (i = 1; file && !dry && i <= n; i++) printf "%s", i in put ? put[i] : line[i] "\n" >file
  if (file) { close(file); print file }
  split("", put)
  file = ""
}
function enter(path) {
  leave()
  file = path
  for (n = 0; (getline text <file) > 0; ) line[++n] = text
  close(file)
}
/^[a-z]/ { leave(); here = $1 == name; if (here) { known = 1; enter(substr($2, 1, length($2) - 1)) } }
!here { next }
/^@ / { enter($2) }
/^@$/ { change() }
/^[ -]/ { old[++olds] = substr($0, 2) }
/^[ +]/ { new = new substr($0, 2) "\n" }
END { if (!failed) leave(); exit failed || !known }

# calls.awk - reads which symbols the objects of the sources define and use, and prints what breaks the rules of
# layers.txt: a source uses only symbols of its own layer and of those below it, and not in a cycle of folders.
#   awk -v list=test/support/layers.txt -f layers_list.awk -f calls.awk OBJECTS SYMBOLS
#     OBJECTS: lines `OBJECT SOURCE`    SYMBOLS: what `nm -A -g -P OBJECT...` prints
# Returns 1 if it printed anything.

BEGIN { read_list() }

NR == FNR { source[$1] = $2; next }

{
  sub(/:$/, "", $1)
  if ($3 == "U" || $3 == "w") uses[source[$1], $2]
  else if (!($2 in definer) || rank_of(source[$1]) < rank_of(definer[$2])) definer[$2] = source[$1]
}

function judge(from, symbol,   to, up) {
  to = definer[symbol]
  up = rank_of(to) - rank_of(from)
  found++
  if (up < 0 || folder_of(to) == folder_of(from) || permitted("allow-call", folder_of(from), symbol)) return
  if (up) complain(from ": uses " symbol " of " to ", which is in a layer above it")
  else link(folder_links, folder_of(from), folder_of(to))
}

END {
  for (use in uses) {
    split(use, pair, SUBSEP)
    if (pair[2] in definer) judge(pair[1], pair[2])
  }
  for (node in folder_links) if (!state["folders", node]) visit(folder_links, node, "folders", node)
  complain_unused("allow-call")
  if (!found) complain("no calls were found")
  exit bad
}

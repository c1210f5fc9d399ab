# layers.awk - reads all #include lines of the files that it gets and prints what breaks the rules of layers.txt.
#   awk -v list=test/support/layers.txt -f layers_list.awk -f layers.awk FILE...   FILE: paths from the root of the checkout
# Returns 1 if it printed anything.

# The path of what a file includes by that name, or "" if it is not of this tree.
function resolve(from, name, quoted,   i, path) {
  path = folder_of(from) "/" name
  if (quoted && path in exists) return path
  for (i = 1; i <= root_count; i++) if ((path = roots[i] "/" name) in exists) return path
  return ""
}

# A module is a header and the source of its name.
function module_of(path) { sub(/\.[ch]$/, "", path); return path }

function judge(from, line, to,   place) {
  place = from ":" line ": includes " to
  if (rank_of(from) && rank_of(to) && rank_of(to) > rank_of(from)) complain(place ", which is in a layer above it")
  if (part_of(from) == part_of(to) || folder_of(to) in opened) return
  if (!permitted("allow", from, to)) complain(place ", which is private to " part_of(to) "/")
}

# The lines of some files are at most so many.
function judge_lines(bound, names,   i, n, list_of, sum) {
  n = split(names, list_of)
  for (i = 1; i <= n; i++) sum += lines[list_of[i]]
  if (sum > bound || !sum) complain(substr(names, 2) ": " sum + 0 " lines, legal 1 to " bound)
}

BEGIN {
  read_list()
  for (i = 1; i < ARGC; i++) { exists[ARGV[i]] = 1; folder = folder_of(ARGV[i]); files[folder]++ }
  for (folder in files) {
    if (files[folder] > limit) complain(folder ": " files[folder] " files, more than " limit)
  }
  for (i = 1; i < ARGC; i++) {
    if (ARGV[i] ~ /\.(c|h)$/) sources[folder_of(ARGV[i])] = 1
    else ARGV[i] = "" # awk passes over it
  }
  for (folder in sources) if (!rank[folder]) complain(folder ": is not in " list)
}

{ lines[FILENAME] = FNR }
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
  sub(/[">].*/, "", name)
  if (name ~ /(^|\/)\.\.?\//) complain(FILENAME ":" FNR ": includes " name ", a path that does not begin at a root")
  to = resolve(FILENAME, name, $0 ~ /"/)
  if (to != "") {
    judge(FILENAME, FNR, to)
    link(file_links, FILENAME, to)
    if (node_of(FILENAME) != node_of(to)) link(folder_links, node_of(FILENAME), node_of(to))
    if (folder_of(FILENAME) == folder_of(to) && module_of(FILENAME) != module_of(to)) link(module_links, module_of(FILENAME), module_of(to))
    found++
  } else if ($0 ~ /"/ && name !~ /\.inc$/) complain(FILENAME ":" FNR ": includes " name ", which is not there")
}

END {
  for (node in file_links) if (!state["files", node]) visit(file_links, node, "files", node)
  for (node in folder_links) if (!state["folders", node]) visit(folder_links, node, "folders", node)
  for (node in module_links) if (!state["modules", node]) visit(module_links, node, "modules", node)
  for (i = 1; i <= bound_count; i++) judge_lines(bounds[i], bounded[i])
  complain_unused("allow")
  complain_unused("allow-cycle")
  if (!found) complain("no includes were found")
  exit bad
}

# layers.awk - reads all #include lines of the files that it gets and prints what breaks the rules of layers.txt.
#   awk -v list=test/support/layers.txt -f layers.awk FILE...     FILE: paths from the root of the checkout
# Returns 1 if it printed anything.

function complain(text) { print text; bad = 1 }
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function part_of(path) { sub(/\/.*/, "", path); return path }
function rank_of(path) { return path in rank ? rank[path] : rank[folder_of(path)] }

function read_list(   line, words, n, i, layers) {
  while ((getline line <list) > 0) {
    n = split(line, words)
    if (n == 0 || words[1] ~ /^#/) continue
    else if (words[1] == "root") roots[++root_count] = words[2]
    else if (words[1] == "limit") limit = words[2]
    else if (words[1] == "open") for (i = 2; i <= n; i++) opened[words[i]] = 1
    else if (words[1] == "layer") { layers++; for (i = 2; i <= n; i++) rank[words[i]] = layers }
    else if (words[1] == "allow" && n > 3) allowed[words[2] " " words[3]] = 1
    else complain(list ": not understood: " line)
  }
  if (!layers) complain(list ": no layers")
}

# The path of what a file includes by that name, or "" if it is not of this tree.
function resolve(from, name, quoted,   i, path) {
  path = folder_of(from) "/" name
  if (quoted && path in exists) return path
  for (i = 1; i <= root_count; i++) if ((path = roots[i] "/" name) in exists) return path
  return ""
}

function judge(from, line, to,   place) {
  place = from ":" line ": includes " to
  if (rank_of(from) && rank_of(to) && rank_of(to) > rank_of(from)) complain(place ", which is in a layer above it")
  if (part_of(from) == part_of(to) || folder_of(to) in opened) return
  if ((from " " to) in allowed) used[from " " to] = 1
  else complain(place ", which is private to " part_of(to) "/")
}

function link(links, from, to) {
  if (index(" " links[from] " ", " " to " ") == 0) links[from] = links[from] " " to
}

# visit LINKS NODE KIND PATH: depth first; a node on the path that is met again closes a cycle
function visit(links, node, kind, path,   next_nodes, n, i) {
  state[kind, node] = "open"
  n = split(links[node], next_nodes)
  for (i = 1; i <= n; i++) {
    if (state[kind, next_nodes[i]] == "open")
      complain("a cycle of " kind ": " substr(path " -> ", index(" " path " -> ", " " next_nodes[i] " -> ")) next_nodes[i])
    else if (!state[kind, next_nodes[i]]) visit(links, next_nodes[i], kind, path " -> " next_nodes[i])
  }
  state[kind, node] = "done"
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

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
  sub(/[">].*/, "", name)
  if (name ~ /(^|\/)\.\.?\//) complain(FILENAME ":" FNR ": includes " name ", a path that does not begin at a root")
  to = resolve(FILENAME, name, $0 ~ /"/)
  if (to != "") {
    judge(FILENAME, FNR, to)
    link(file_links, FILENAME, to)
    if (folder_of(FILENAME) != folder_of(to)) link(folder_links, folder_of(FILENAME), folder_of(to))
    found++
  } else if ($0 ~ /"/ && name !~ /\.inc$/) complain(FILENAME ":" FNR ": includes " name ", which is not there")
}

END {
  for (node in file_links) if (!state["files", node]) visit(file_links, node, "files", node)
  for (node in folder_links) if (!state["folders", node]) visit(folder_links, node, "folders", node)
  for (pair in allowed) if (!(pair in used)) complain(list ": allow " pair " is not needed")
  if (!found) complain("no includes were found")
  exit bad
}

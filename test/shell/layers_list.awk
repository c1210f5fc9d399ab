# layers_list.awk - reads the rules of layers.txt, for layers.awk and calls.awk.

function complain(text) { print text; bad = 1 }
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function part_of(path) { sub(/\/.*/, "", path); return path }
# Its layer's name for it: a header that is named by itself is not in its folder's layer.
function node_of(path) { return path in rank ? path : folder_of(path) }
function rank_of(path) { return rank[node_of(path)] }

function read_list(   line, words, n, i, layers) {
  while ((getline line <list) > 0) {
    n = split(line, words)
    if (n == 0 || words[1] ~ /^#/) continue
    else if (words[1] == "root") roots[++root_count] = words[2]
    else if (words[1] == "limit") limit = words[2]
    else if (words[1] == "lines") { bounds[++bound_count] = words[2]; for (i = 3; i <= n; i++) bounded[bound_count] = bounded[bound_count] " " words[i] }
    else if (words[1] == "open") for (i = 2; i <= n; i++) opened[words[i]] = 1
    else if (words[1] == "layer") { layers++; for (i = 2; i <= n; i++) rank[words[i]] = layers }
    else if (words[1] ~ /^allow(-call|-cycle)?$/ && n > 3) allowed[words[1], words[2] " " words[3]] = 1
    else complain(list ": not understood: " line)
  }
  if (!layers) complain(list ": no layers")
}

# permitted KIND FROM WHAT: whether a line of that kind, `allow`, `allow-call` or `allow-cycle`, permits that
function permitted(kind, from, what) {
  if (!((kind, from " " what) in allowed)) return 0
  used[kind, from " " what] = 1
  return 1
}

# complains of the permissions of that kind that nothing used
function complain_unused(kind,   key, parts) {
  for (key in allowed) {
    split(key, parts, SUBSEP)
    if (parts[1] == kind && !(key in used)) complain(list ": " kind " " parts[2] " is not needed")
  }
}

function link(links, from, to) {
  if (index(" " links[from] " ", " " to " ") == 0) links[from] = links[from] " " to
}

# visit LINKS NODE KIND PATH: depth first; a node on the path that is met again closes a cycle
function visit(links, node, kind, path,   next_nodes, n, i) {
  state[kind, node] = "open"
  n = split(links[node], next_nodes)
  for (i = 1; i <= n; i++) {
    if (state[kind, next_nodes[i]] == "open" && !permitted("allow-cycle", folder_of(node), kind))
      complain("a cycle of " kind ": " substr(path " -> ", index(" " path " -> ", " " next_nodes[i] " -> ")) next_nodes[i])
    else if (!state[kind, next_nodes[i]]) visit(links, next_nodes[i], kind, path " -> " next_nodes[i])
  }
  state[kind, node] = "done"
}

# places.awk - every small change of the given C files that generated.sh may draw, one a line: FILE, LINE, the line, what it becomes,
# without indentation and separated by tabs. A statement that is dropped becomes ";". Comments, texts and invariants stay as they are.

# Comments and the insides of texts and characters become \001, so that columns stay.
function masked(text,  i, c, two, out) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    two = substr(text, i, 2)
    if (inside == "" && (two == "/*" || two == "//")) inside = two
    else if (inside == "" && (c == "\"" || c == "'")) { inside = c; out = out c; continue }
    else if (inside == "/*" && two == "*/") { out = out "\001\001"; i++; inside = ""; continue }
    else if (inside == c && inside != "") { inside = ""; out = out c; continue }
    if ((inside == "\"" || inside == "'") && c == "\\") { out = out "\001"; i++ }
    out = out (inside == "" ? c : "\001")
  }
  if (inside != "/*") inside = ""
  return out
}
function emit(new,  old) {
  old = $0
  sub(/^ +/, "", old)
  sub(/^ +/, "", new)
  if (new != old) print FILENAME "\t" FNR "\t" old "\t" new
}
function put(at, size, new) { emit(substr($0, 1, at - 1) new substr($0, at + size)) }

# Each match of a pattern in the code; the first SKIP and the last KEEP characters of it stay.
function each(pattern, new, skip, keep,  from, rest) {
  for (from = 1; match(rest = substr(code, from), pattern); from += RSTART + RLENGTH - 1 - keep)
    put(from + RSTART - 1 + skip, RLENGTH - skip - keep, new)
}
function balanced(text) { return gsub(/\(/, "", text) == gsub(/\)/, "", text) }

# if (...) and while (...) on one line, unless another change does the same
function negate(word,  at, i, depth, c, what) {
  at = index(code, word " (")
  if (!at || (at > 1 && substr(code, at - 1, 1) ~ /[A-Za-z0-9_]/)) return
  for (i = at + length(word) + 1; i <= length(code); i++) {
    c = substr(code, i, 1)
    depth += (c == "(") - (c == ")")
    if (!depth) break
  }
  what = substr(code, at, i - at + 1)
  if (depth || (what ~ / [=!<>]=? |\(!/ && what !~ /&&|\|\|/)) return
  put(at, i - at + 1, word " (!" substr($0, at + length(word) + 1, i - at - length(word)) ")")
}
function drop(  text) {
  text = code
  if (!sub(/^  +/, "", text) || before !~ /[;{})]$|^$/ || text !~ /;$/ || !balanced(text)) return
  if (text ~ /^else /) return
  if (text ~ /^(if \(.*|return;|break;|continue;|[a-z_][A-Za-z0-9_.>\[\]-]*\(.*\);|[*(]*[a-z_][A-Za-z0-9_.>\[\]()-]* [-+|&]?= .*;|[^ ]*(\+\+|--);)$/ &&
      text !~ /^return .|^for \(/) emit(";")
}

FNR == 1 { inside = before = "" }
{
  code = masked($0)
  if (code ~ /^ *#/ && code !~ /^#define [A-Za-z_0-9]+(\([^)]*\))? +[^ ]/ || code ~ /_Static_assert|SCREE__INVARIANT/ || code ~ /^[ \001]*$/) next
  each(" == ", "!=", 1, 1); each(" != ", "==", 1, 1)
  each(" <= ", "<", 1, 1); each(" >= ", ">", 1, 1)
  each(" < ", "<=", 1, 1); each(" > ", ">=", 1, 1)
  each(" && ", "||", 1, 1); each(" \\|\\| ", "&&", 1, 1)
  each("![A-Za-z_(]", "", 0, 1)
  each(" \\+ ", "-", 1, 1); each(" - ", "+", 1, 1)
  each(" \\+= ", "-=", 1, 1); each(" -= ", "+=", 1, 1)
  if (code !~ /for \(/) { each("\\+\\+", "--", 0, 0); each("--", "++", 0, 0) }
  each("[^A-Za-z0-9_.]0[^A-Za-z0-9_.]", "1", 1, 1); each("[^A-Za-z0-9_.]1[^A-Za-z0-9_.]", "0", 1, 1)
  each("[^A-Za-z0-9_]true[^A-Za-z0-9_]", "false", 1, 1); each("[^A-Za-z0-9_]false[^A-Za-z0-9_]", "true", 1, 1)
  negate("if"); negate("while")
  drop()
  sub(/[ \001]+$/, "", code)
  before = code
}

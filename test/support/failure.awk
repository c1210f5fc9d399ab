# failure.awk - what a failed test printed, its complaints first; what passed is left out.
#   awk -v most=LINES -f failure.awk LOG
# A complaint is a line `not ok`, `check failed`, `harness: ... hung` or `[  FAILED  ]`, with the indented lines below it.
function keep(line) { rest[++kept] = line }
/^(ok - |skipped - |\[ RUN      \]|\[       OK \]|harness: skipped )/ { inside = 0; next }
/^not ok|^check failed|^harness: .* (hung|gives up)|^\[  FAILED  \]/ { complaint[++found] = $0; inside = 1; detail = 0; next }
inside && /^    / { if (++detail <= 20) complaint[++found] = $0; else if (detail == 21) complaint[++found] = "    ..."; next }
{ inside = 0; keep($0) }
END {
  for (i = 1; i <= found && i <= most; i++) print complaint[i]
  if (found > most) print "... " found - most " more lines of complaints"
  first = kept > most ? kept - most + 1 : 1
  if (found && kept) print "-- other output" (first > 1 ? ", the last " most " of " kept " lines" : "") ":"
  for (i = first; i <= kept; i++) print rest[i]
}

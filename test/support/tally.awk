# tally.awk - sums the file TALLY: what was skipped, what took long, what failed, and the count as the last line.
#   awk [-v head=TEXT] -f tally.awk FILE     TEXT is before the count; the code is 1 if anything failed or nothing passed
# A line is `PASSED FAILED SKIPPED`; from one.sh it continues, after tabs, with seconds, name, and for a failed test how to run
# it again; or with `skipped`, name, reason.
BEGIN { FS = "\t" }
{ split($1, n, " "); p += n[1]; f += n[2]; s += n[3] }
$2 == "skipped" { count[$4]++; if (!seen[$3, $4]++) where[$4] = where[$4] (where[$4] == "" ? "" : ", ") $3; next }
NF > 1 { print $2 " s " $3 | slowest }
$4 != "" { failed[++failures] = "failed: " $3 "; again: " $4 }
BEGIN { slowest = "sort -rn | head -n 10 | paste -s -d ';' | sed 's/^/slowest: /; s/;/; /g'" }
END {
  for (why in count) printf "skipped: %d x %s (%s)\n", count[why], why, where[why] | "sort"
  close("sort")
  close(slowest)
  for (i = 1; i <= failures; i++) print failed[i]
  printf "%s%d passed, %d failed", head, p, f
  print s ? ", " s " skipped" : ""
  exit f > 0 || p == 0
}

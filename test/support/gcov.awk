# gcov.awk - turns what `gcov --stdout --branch-probabilities --branch-counts` prints of src and algorithms into rows:
#   line FILE:LINE COUNT
#   branch FILE:LINE COUNT NUMBER      how often the way of that number was taken, of those that leave the line
/^ *-: +0:Source:/ { file = $0; sub(/^[^:]*: *0:Source:/, "", file); gsub(/^(\.\.\/)+/, "", file); ours = file ~ /^(src|algorithms)\// }
!ours { next }
/^ *([0-9]+\*?|[#=]+): *[1-9][0-9]*:/ {
  split($0, part, ":")
  line = part[2] + 0
  print "line", file ":" line, part[1] + 0
}
/^branch +[0-9]+ / { print "branch", file ":" line, $3 == "taken" ? $4 + 0 : 0, $2 }

#!/usr/bin/env bash
# cli_report.sh - scree report from outside: table, words, CSV, plots and comparison, on constructed results.
#
# The report must show what was planted in the results; test/study/test_report.py checks the arithmetic and comparisons.
. "$(dirname "$0")/../support/shell.sh"
report() { "$scree" report "$@"; }

# planted FACTOR: results of a sweep in which
#   - along coalesce-bytes dc is fastest at 4K, flat from 1K to 16K and slower at both ends, and delta only falls
#   - delta takes 1.5 times as long as dc; coalesce-bytes=4K of dc takes FACTOR times as long as it would
#   - chaotic=64 fails once, in the second of three runs; kla always runs out of time
planted() {
  awk -v factor="$1" '
    function value(i) { return i == 1 ? "64" : i == 2 ? "1K" : i == 3 ? "4K" : i == 4 ? "16K" : "64K" }
    function noise() { return 1 + 0.01 * (rand() - 0.5) }
    function add(algorithm, size, repetition, control, seconds, status, work) {
      printf "{\"step\":%d,\"key\":\"kernel=sssp algorithm=%s coalesce-bytes=%s\",", step++, algorithm, size
      printf "\"configuration\":{\"kernel\":\"sssp\",\"algorithm\":\"%s\",\"coalesce-bytes\":\"%s\"},", algorithm, size
      printf "\"repetition\":%d,\"control\":%s,\"status\":\"%s\",", repetition, control, status
      if (status == "ok")
        printf "\"seconds\":%.9f,\"teps\":%.3f,\"work\":{%s},\"validated\":true,", seconds, 1e5 / seconds, work
      else
        printf "\"message\":\"first \\\"line\\\", of the hang report\\nsecond line\","
      printf "\"started\":\"2026-01-01T00:00:00Z\",\"wall_seconds\":1.5,\"exit\":0,\"threads_exceed_cores\":%s,",
        (algorithm == "delta" ? "true" : "false")
      print "\"result\":{\"machine\":{\"host\":\"node, 7\",\"cores\":8}}}"
    }
    function work(i) { # blocks fall and relaxations grow with the size
      return sprintf("\"messages\":%d,\"direct\":0,\"useful\":500,\"blocks\":%d,\"bytes\":%d,\"epochs\":3",
        i == 5 ? 1800 : 1000, 1000 / i, 16000)
    }
    BEGIN {
      srand(1)
      split("2 1.02 1 1.03 1.4", dc)
      split("2 1.6 1.5 1.45 1.4", delta)
      print "{\"scree_sweep\":2,\"title\":\"planted\",\"plan\":\"kernel = sssp\\nalgorithm = kla, dc, delta\\ncoalesce-bytes = 64, 1K\\n\",\"words\":{},\"started\":\"\",\"steps\":40}"
      add("dc", "4K", 0, "true", 9, "ok", work(3))
      for (r = 1; r <= 3; r++) {
        for (i = 1; i <= 5; i++) add("dc", value(i), r, "false", 0.02 * dc[i] * noise() * (i == 3 ? factor : 1), "ok", work(i))
        for (i = 1; i <= 5; i++) add("delta", value(i), r, "false", 0.03 * delta[i] * noise(), "ok", work(i))
        add("kla", "64", r, "false", 0, "timeout", "")
        add("dc", "4K", r, "true", 0.02 * noise(), "ok", work(3))
      }
    }'
}
planted 1 >"$tmp/a.jsonl"
planted 1.2 >"$tmp/b.jsonl"

says() { grep -qE -- "$1" "$2" || { echo "not said: $1" && cat "$2" && return 1; }; }

# ---- one file ----
check "report" report "$tmp/a.jsonl"
report "$tmp/a.jsonl" >"$tmp/out"
for text in \
  'planted, .*a.jsonl: 11 configurations, 37 of 40 runs, 3 without a result' \
  '^common settings: kernel=sssp .3 runs of each.' \
  '^where: node, 7, 8 cores' \
  '^ *algorithm +coalesce-bytes +n +time +95 % +MTEPS +cost +relaxations +useful +epochs +answer$' \
  '^\* +dc +4K +3 +(20.0|19.9|20.1) ms .* 1.00 +1000 +50 % +3 +valid$' \
  '^ +kla +64 +0/3 +- .*timeout$' \
  '^algorithm=kla coalesce-bytes=64: timeout, 3 of 3 runs' \
  '^    first "line", of the hang report$' \
  '^The best is algorithm=dc coalesce-bytes=4K: .* MTEPS.$' \
  '^Along coalesce-bytes, with algorithm=dc, 4K is the fastest number, and 1K to 16K are within 5 % of it' \
  'The smallest, 64, takes 2.0[0-9]? .*times as long as 4K; there .*blocks grow to 3x' \
  'The largest, 64K, takes 1.(39|40|41) .*relaxations sent grow to 1.8x, blocks fall to 0.6' \
  'Of all 2 curves along coalesce-bytes, .* the fastest numbers are 4K to 64K' \
  'algorithm: the best has dc. With all else equal, .*algorithm=delta is 2.2[0-9]x slower' \
  '(algorithm|coalesce-bytes) matters most: with all else equal, its slowest value takes [0-9.]+ times as long as its fastest' \
  '^The control ran 3 times, in .* to .*: spread [0-9]+ %, last third' \
  'threads exceeded cores in 5 configurations' \
  'Warning: 3 runs ended without a result: 3 timeout.' \
  'the sweep is incomplete: 37 of 40 runs'; do
  check "says: $text" says "$text" "$tmp/out"
done

check "rows in the order of the plan" diff <(printf '%s\n' kla dc delta) <(sed -nE 's/^[ *]  (kla|dc|delta) .*/\1/p' "$tmp/out" | uniq)
sed 's/"host":"node, 7"/"host":"node, 8"/' "$tmp/a.jsonl" | tail -n 1 >"$tmp/elsewhere"
{ sed '$d' "$tmp/a.jsonl" && cat "$tmp/elsewhere"; } >"$tmp/moved.jsonl"
report "$tmp/moved.jsonl" >"$tmp/out"
check "says that the place changed" says "host is 'node, 7' in one and 'node, 8' in another" "$tmp/out"

# ---- wrong answers, few runs ----
# wrong ALGORITHM SIZE: the results with a wrong answer there, in the second run of it
wrong() {
  awk -v key="algorithm=$1 coalesce-bytes=$2\"" 'index($0, key) && /"control":false/ && /"repetition":2/ {
    sub(/"status":"ok".*"validated":true,/, "\"status\":\"invalid\",\"message\":\"wrong\",") } 1' "$tmp/a.jsonl"
}
wrong dc 4K >"$tmp/wrong.jsonl"
report "$tmp/wrong.jsonl" >"$tmp/out"
check "wrong: not the best" says '^The best is algorithm=dc coalesce-bytes=(1K|16K)' "$tmp/out"
check "wrong: no point of a curve" says 'Along coalesce-bytes, with algorithm=dc, (1K|16K) is the fastest number' "$tmp/out"
check "wrong: no time relative to the best" says 'coalesce-bytes=4K gave a wrong answer' "$tmp/out"
check "wrong: a warning" says 'Warning: 1 configuration gave a WRONG answer' "$tmp/out"
check "few runs: a warning" says 'Warning: 10 configurations had fewer than five runs: their intervals are little more' "$tmp/out"
report "$tmp/a.jsonl" "$tmp/wrong.jsonl" >"$tmp/out"
check "wrong: of two files" says '^  algorithm=dc coalesce-bytes=4K .the other has: invalid.' "$tmp/out"
check "wrong: a warning for two files" says 'Warning: after, 1 configuration gave a WRONG answer' "$tmp/out"
check "few runs: a warning for two files" says 'Warning: before, 10 configurations had fewer than five runs' "$tmp/out"
sed '/=delta coalesce-bytes=64K".*"repetition":3/d' "$tmp/a.jsonl" >"$tmp/twice.jsonl"
check "two runs: cannot tell" says '^too few runs .fewer than three. to compare: 1' <(report "$tmp/twice.jsonl" "$tmp/a.jsonl")

grep -E 'scree_sweep|"repetition":1,"control":false' "$tmp/a.jsonl" >"$tmp/once.jsonl"
report "$tmp/once.jsonl" >"$tmp/out"
cannot="; fewer than three runs of a configuration cannot tell whether it is the best"
check "once: cannot tell the best" says "^The fastest seen is algorithm=dc coalesce-bytes=4K: .* MTEPS$cannot.$" "$tmp/out"
check "once: cannot tell what matters" says '^Which axis matters most cannot be determined from fewer than three runs' "$tmp/out"
check "once: cannot tell the best value" says "^algorithm: the fastest has dc$cannot. With all else equal, .*algorithm=delta is" "$tmp/out"
check "once: claims nothing" [ -z "$(grep -E 'is the best|The best is|the best has|matters most: with' "$tmp/out" | grep -v 'cannot tell whether it is the best')" ]
grep -E 'scree_sweep|"repetition":[12],"control":false' "$tmp/a.jsonl" >"$tmp/two.jsonl"
check "two runs: cannot tell the best" says "$cannot" <(report "$tmp/two.jsonl")
check "once: no word on noise" [ -z "$(grep -E '(beyond|within) the noise' "$tmp/out")" ]
sed 's/"dc"/"kla"/; s/=dc /=kla /; s/"kla"\(.*\)"64K"/"kla"\1"auto"/; s/\(=kla .*\)=64K/\1=auto/; /auto/s/"seconds":[0-9.]*/"seconds":0.001/' "$tmp/a.jsonl" >"$tmp/auto.jsonl"
check "a word is the fastest" says 'Along coalesce-bytes, with algorithm=kla, 4K is the fastest number' <(report "$tmp/auto.jsonl")
alike() { sed -E 's/"seconds":[0-9.]+/"seconds":0.01/' "$1"; }
alike "$tmp/a.jsonl" >"$tmp/alike.jsonl"
check "all alike: a tie" says 'A tie: 9 others are statistically indistinguishable from the best: ' <(report "$tmp/alike.jsonl")
check "all alike: nothing matters" says '^No axis matters: with all else equal, none' <(report "$tmp/alike.jsonl")
# dc is slow with small sizes, delta with large ones, and a tenth slower than dc
awk '!/=64K"/ { x = 0.01; if (/=dc.*=(64|1K)"/ || /=delta.*=(4K|16K)"/) x *= 2; if (/=delta/) x *= 1.1
  sub(/"seconds":[0-9.]+/, "\"seconds\":" x); print }' "$tmp/a.jsonl" >"$tmp/together.jsonl"
report "$tmp/together.jsonl" >"$tmp/out"
check "they act together" says '^algorithm matters most: with all else equal, its slowest value takes 2.01 .* over 4 sets .*; then coalesce-bytes by 2.00 .2 sets.' "$tmp/out"
head -n 1 "$tmp/a.jsonl" >"$tmp/header.jsonl"
check "only a header" says '^No run is recorded yet' <(report "$tmp/header.jsonl")

# ---- several problems ----
# sized SCALE FACTOR: a size of its own; all takes FACTOR times as long
sized() {
  awk -v scale="$1" -v factor="$2" '!/scree_sweep/ { sub(/kernel=sssp/, "& scale=" scale); sub(/"kernel":"sssp"/, "&,\"scale\":\"" scale "\"")
    if (match($0, /"seconds":[0-9.]+/)) sub(/"seconds":[0-9.]+/, "\"seconds\":" factor * substr($0, RSTART + 10, RLENGTH - 10))
    print }' "$tmp/a.jsonl"
}
# of scale 11 dc with 4K takes twice as long, so that 1K or 16K is the best there
{ head -n 1 "$tmp/a.jsonl" && sized 10 1 && sized 11 10 |
  awk '/=dc.*=4K"/ { match($0, /"seconds":[0-9.]+/); sub(/"seconds":[0-9.]+/, "\"seconds\":" 2 * substr($0, RSTART + 10, RLENGTH - 10)) } 1'; } >"$tmp/sizes.jsonl"
report "$tmp/sizes.jsonl" >"$tmp/out"
for text in \
  '^The best at scale=10 is algorithm=dc coalesce-bytes=4K: (20.0|19.9|20.1) ms' \
  '^The best at scale=11 is algorithm=dc coalesce-bytes=(1K|16K): 20[0-9] ms' \
  '^The best settings differ between the problems: those of scale=11 are not the best in 1 other problem, where they take up to 1.0[1-4] times as long' \
  '^algorithm at scale=11: the best has dc. .*=delta is 2.*x slower' \
  '^[a-z-]* matters most at scale=10' \
  '^From scale=10 to 11, with algorithm=dc coalesce-bytes=(1K|16K), time grows by a factor of (10.0|9.9)' \
  '^\* .* 4K .* 1.00 ' '^\* .* (1K|16K) .* 1.00 '; do
  check "several problems: $text" says "$text" "$tmp/out"
done
check "several problems, once: cannot tell" says "^The fastest seen at scale=10 is .*$cannot" \
  <(report <(grep -E 'scree_sweep|"repetition":1,"control":false' "$tmp/sizes.jsonl"))
check "several problems: a mark for each" [ "$(grep -c '^\*' "$tmp/out")" = 2 ]
check "several problems: the size is not to choose" [ -z "$(grep -E '^scale|scale (matters|is|with)|^The best is' "$tmp/out")" ]
for i in 1 2 3 4 5 6 7 8 9 10; do sized "$i" "$i"; done | cat <(head -n 1 "$tmp/a.jsonl") - >"$tmp/many.jsonl"
report "$tmp/many.jsonl" >"$tmp/out"
check "many problems: eight lines" [ "$(grep -c '^The best at' "$tmp/out")" = 8 ]
check "many problems: the largest too" says '^The best at scale=10 is' "$tmp/out"
check "many problems: a count" says '^The table shows the best of 2 more problems' "$tmp/out"
check "many problems: alike" [ -z "$(grep 'settings differ' "$tmp/out")" ]

# ---- CSV ----
check "csv" report "$tmp/a.jsonl" --csv "$tmp/a.csv"
check "csv: a line for each record of data" [ "$(grep -c '^[0-9]*,sssp,.*,data,' "$tmp/a.csv")" = 33 ]
check "csv: no other" [ "$(grep -c '^[0-9]*,sssp,' "$tmp/a.csv")" = 33 ]
report "$tmp/a.jsonl" --csv - --all-runs >"$tmp/all.csv"
check "csv of all runs" [ "$(grep -c '^[0-9]*,sssp,' "$tmp/all.csv")" = 37 ]
check "csv of all runs: controls" [ "$(grep -c ',control,' "$tmp/all.csv")" = 3 ]
check "csv of all runs: the warm-up" [ "$(grep -c ',warmup,' "$tmp/all.csv")" = 1 ]
check "csv: numbers" grep -q '^[0-9]*,sssp,dc,64K,65536,1,data,ok,' "$tmp/a.csv"
check "csv: heading" grep -qx 'step,kernel,algorithm,coalesce-bytes,coalesce-bytes_number,repetition,role,status,seconds,teps,messages,.*,wall_seconds,started,host,scree_version,mpi_library,thread_level,options,message' "$tmp/a.csv"
check "csv: quotes" grep -q '"node, 7",,,,,"first ""line"", of the hang report$' "$tmp/a.csv"
report "$tmp/a.jsonl" --csv - >"$tmp/standard.csv"
check "csv alone on standard output" cmp "$tmp/a.csv" "$tmp/standard.csv"
report "$tmp/a.jsonl" "$tmp/b.jsonl" --csv - >"$tmp/two.csv"
check "csv of two files: both" [ "$(grep -c 'b.jsonl,[0-9]*,sssp,' "$tmp/two.csv")" = 33 ]
cp "$tmp/a.jsonl" "$tmp/mine.jsonl"
report "$tmp/mine.jsonl" --csv "$tmp/mine.jsonl" 2>"$tmp/out" >"$tmp/standard"
check "csv: no other file" says "option '--csv': '.*/mine.jsonl' exists and is not the CSV of a report" "$tmp/out"
check "csv: is left as it is" cmp "$tmp/a.jsonl" "$tmp/mine.jsonl"
check "csv: again" report "$tmp/a.jsonl" --csv "$tmp/a.csv"
check "csv: of two over one" report "$tmp/a.jsonl" "$tmp/b.jsonl" --csv "$tmp/a.csv"
check "csv: of one over two" report "$tmp/a.jsonl" --csv "$tmp/a.csv"
# a text that begins as a formula does gets an apostrophe, a number does not
sed 's/"coalesce-bytes":"64"/"coalesce-bytes":"=1+2"/; s/"4K"/"-5"/; s/"1K"/"-5+cmd"/; s/"16K"/"@f"/; s/"64K"/"+.5e3"/; s/"kernel":/"=k":/; s/node, 7/-n/' \
  "$tmp/a.jsonl" >"$tmp/formulas.jsonl"
report "$tmp/formulas.jsonl" --csv - >"$tmp/formulas.csv"
for text in "^step,'=k,algorithm,coalesce-bytes," "dc,'=1[+]2,.*,'-n,,,,,$" "dc,-5,1,data" "dc,'-5[+]cmd,1,data" "dc,'@f,1,data" "dc,[+][.]5e3,1,data"; do
  check "csv: formulas: $text" says "$text" "$tmp/formulas.csv"
done
check "csv where it cannot be" bash -c '"$0" report "$1" --csv /nowhere/x 2>&1 | grep -q "cannot be written"' "$scree" "$tmp/a.jsonl"

# ---- two files, and three ----
check "two files" report "$tmp/a.jsonl" "$tmp/b.jsonl"
report "$tmp/a.jsonl" "$tmp/b.jsonl" >"$tmp/out"
check "two files: what changed" says '^algorithm=dc coalesce-bytes=4K .* 1.(19|20|21)' "$tmp/out"
check "two files: and nothing else" says '^no difference beyond the noise: 9$' "$tmp/out"
check "two files: faster" says '^faster: 0$' "$tmp/out"
check "two files: slower" says '^slower: 1$' "$tmp/out"
check "two files: control" says '^Control configuration: after / before is (1.00|0.99|1.01)' "$tmp/out"
grep -v 'algorithm=delta coalesce-bytes=1K' "$tmp/a.jsonl" >"$tmp/less.jsonl"
report "$tmp/less.jsonl" "$tmp/b.jsonl" >"$tmp/out"
check "two files: only in one" says '^  algorithm=delta coalesce-bytes=1K$' "$tmp/out"
report "$tmp/a.jsonl" "$tmp/b.jsonl" "$tmp/less.jsonl" >"$tmp/out"
check "three files: three tables" [ "$(grep -c '^common settings' "$tmp/out")" = 3 ]

# ---- texts that a terminal or a shell would obey ----
# obeyed FILE: it has a byte that a terminal obeys
obeyed() { grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1"; }
sed 's/"node, 7"/"\\u001b]0;node\\u0007 \\u009b2J"/; s/first \\"line/\\u001b[31mfirst \\"line/' "$tmp/a.jsonl" >"$tmp/"$'escape\e[2J.jsonl'
check "escapes: report" report "$tmp/"$'escape\e[2J.jsonl' --csv "$tmp/escapes.csv"
report "$tmp/"$'escape\e[2J.jsonl' >"$tmp/out"
check "escapes: are not printed" eval '! obeyed "$tmp/out"'
check "escapes: are not in the CSV" eval '! obeyed "$tmp/escapes.csv"'
check "escapes: the rest is" says '^planted, .*escape[?]\[2J.jsonl: 11 configurations' "$tmp/out"
sed 's/"title":"planted/&\\u001b[2J/' "$tmp/a.jsonl" >"$tmp/title.jsonl"
check "escapes: in a title" refuses 2 "line 1: a setting, key or title has a control character" report "$tmp/title.jsonl"
check "escapes: in the name of no file" refuses 2 "results '$tmp/none?[2J'" report "$tmp/"$'none\e[2J'

# ---- plots: test/study/test_figures.py has the others ----
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  sed "s|\"result\":{|&\"binding\":[{\"cores\":\"0\\\\n!x\"}],|" "$tmp/a.jsonl" >"$tmp/cores.jsonl"
  check "plots" report "$tmp/cores.jsonl" --plots "$tmp/plots"
  check "plots: of each axis, of times and messages" [ "$(cd "$tmp/plots" && echo *.svg)" = "algorithm-messages.svg algorithm.svg coalesce-bytes-messages.svg coalesce-bytes.svg" ]
  report --quiet "$tmp/a.jsonl" "$tmp/b.jsonl" --x algorithm --plots "$tmp/two"
  check "plots: of two files" [ -s "$tmp/two-1/algorithm.svg" -a -s "$tmp/two-2/algorithm.png" ]
  # a name of an axis that is a path
  sed 's|"coalesce-bytes":|"../x":|' "$tmp/a.jsonl" >"$tmp/axis.jsonl"
  check "plots: names of files" report --quiet "$tmp/axis.jsonl" --plots "$tmp/names"
  check "plots: in their directory" [ -s "$tmp/names/_x.svg" -a ! -e "$tmp/x.svg" ]
  (umask 0 && report "$tmp/a.jsonl" --plots "$tmp/mask") >"$tmp/out" 2>&1
  check "plots: others may not write to a new directory" [ "$(stat -c %a "$tmp/mask")" = 755 ]
  mkdir "$tmp/theirs"
  if chown 12345 "$tmp/theirs" 2>/dev/null; then
    check "plots: in a directory of another user" refuses 2 "belongs to another user (12345)" report --quiet "$tmp/a.jsonl" --plots "$tmp/theirs"
  else
    skipped "plots: in a directory of another user" "only root can make one"
  fi
else
  skipped plots "python3-matplotlib is not installed; ./dev packages installs all tools"
fi
# a Python that has no libraries, and cannot start again as the system's
lacks() { python3 -S -E python/scree/study/__main__.py report "$@"; }
check "without libraries" lacks "$tmp/a.jsonl"

# ---- incomplete files, and files of other kinds ----
head -c 4000 "$tmp/a.jsonl" >"$tmp/torn.jsonl"
report "$tmp/torn.jsonl" >"$tmp/out"
check "a torn line is mentioned" says 'the last line of .*torn.jsonl is incomplete' "$tmp/out"
report "$tmp/torn.jsonl" "$tmp/a.jsonl" >"$tmp/out"
check "a torn line of one of two" says 'the last line of .*torn.jsonl is incomplete' "$tmp/out"
check "no results" refuses 2 "README.md" "$scree" report README.md
check "no file" refuses 2 "$tmp/none" "$scree" report "$tmp/none"
check "no operand" refuses 2 "report" "$scree" report
finish

#!/usr/bin/env bash
# cli_usage.sh - the command line from outside, where no job runs: launchers, hints, help.
. "$(dirname "$0")/../support/shell.sh"

# gives TEXT COMMAND...: it succeeds and prints the text
gives() {
  local text=$1
  shift
  "$@" >"$tmp/said" 2>&1 && grep -qF -- "$text" "$tmp/said" && return
  cat "$tmp/said"
  return 1
}

# ---- launchers: one rank is a plain process, whoever started it

echo '{"scree_sweep":2,"title":"","plan":"","words":{},"started":"","steps":0}' >"$tmp/none.jsonl"
for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE PMIX_SIZE MV2_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS FLUX_JOB_SIZE; do
  check "report as the only process of a launcher, $variable" gives "none.jsonl" \
    env $variable=1 PMIX_RANK=0 "$scree" report "$tmp/none.jsonl"
  check "report as one of several, $variable" refuses 2 "as one of 2 ranks ($variable)" \
    env $variable=2 "$scree" report "$tmp/none.jsonl"
done
check "a plan within an allocation" gives "Runs: " env SLURM_NTASKS=8 PMI_SIZE=1 PMI_RANK=0 \
  "$scree" sweep --scale 8 --dry-run --results "$tmp/new.jsonl"

# ---- nodes: allocations, and what launchers get

# plans TEXT VARIABLE=VALUE... -- WORDS...: the dry run has the text
plans() {
  local text=$1 variables=()
  shift
  while [ "$1" != -- ]; do variables+=("$1") && shift; done
  shift
  gives "$text" env "${variables[@]}" "$scree" sweep --scale 8 --dry-run --results "$tmp/new.jsonl" "$@"
}
printf 'n1\nn1\nn1\nn2\nn2\nn2\n' >"$tmp/nodefile"
printf '# hosts\nn1 slots=4\n\nn2 slots=4\n' >"$tmp/hostfile"
printf 'n1:4\nn2:4\n' >"$tmp/hydrafile"
if [ "$(cat "$BUILD/mpi")" = openmpi ]; then per3="-n 6 --map-by ppr:3:node --bind-to core"; else per3="-n 6 -ppn 3 -bind-to core"; fi
check "slurm" plans "$per3" SLURM_JOB_NUM_NODES=2 "SLURM_TASKS_PER_NODE=4(x2)" -- --nodes 2 --ranks-per-node 3
check "slurm, uneven nodes" plans "$per3" SLURM_JOB_NUM_NODES=3 "SLURM_JOB_CPUS_PER_NODE=4(x1),2" -- --ranks 6 --ranks-per-node 3
check "slurm, cores are those of the allocation" plans "ranks  1, 24" SLURM_JOB_NUM_NODES=3 SLURM_NTASKS=24 -- --ranks 1,cores
check "PBS" plans "$per3" PBS_NODEFILE="$tmp/nodefile" -- --nodes 2 --ranks 6
for variable in OMPI_MCA_orte_default_hostfile PRTE_MCA_prte_default_hostfile; do
  check "a hostfile of Open MPI, $variable" plans "$per3" "$variable=$tmp/hostfile" -- --nodes 2 --ranks-per-node 3
done
check "a hostfile of Hydra" plans "$per3" HYDRA_HOST_FILE="$tmp/hydrafile" -- --nodes 2 --ranks-per-node 3
check "no warning of cores where the allocation has slots" eval '! grep -q "threads exceed" "$tmp/said"'
small_allocation() {
  env -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=4 "$@"
}
sweeps() { "$scree" sweep --scale 8 --dry-run --results "$tmp/new.jsonl" "$@"; }
check "more ranks than slots" refuses 2 "the allocation (SLURM_JOB_NUM_NODES) has 4 slots" small_allocation "$scree" sweep --scale 8 --dry-run --ranks 5
remedy=$(sed -nE 's/.*allow it by ([A-Z][A-Za-z_]*=[^ ]*)$/\1/p' "$tmp/err")
check "unless what the text says is done" gives "-n 5 --bind-to none" small_allocation env "${remedy:?}" \
  "$scree" sweep --scale 8 --dry-run --ranks 5 --results "$tmp/new.jsonl" --bind none
check "more nodes than there are" refuses 2 "axis 'nodes': 2, but this machine alone has 1" sweeps --nodes 2
check "numbers that do not fit" refuses 2 "7 ranks are not 3 on each of 2 nodes" sweeps --nodes 2 --ranks-per-node 3 --ranks 7
check "a template" gives "env -N 4 --per 3 -n 12 " sweeps --nodes 4 --ranks-per-node 3 --launcher "env -N {nodes} --per {ppn} -n {ranks}"
check "a template without {ranks}" gives "env -N 4 --per 3 " sweeps --nodes 4 --ranks-per-node 3 --launcher "env -N {nodes} --per {ppn}"
check "a template that lacks the ranks" refuses 2 "lacks {ranks}" sweeps --nodes 4 --launcher "env -N {nodes}"

# ---- hints: what was probably meant, never taken

# hints TEXT WORDS...: the option is refused, and the text follows its name
hints() {
  local text=$1
  shift
  refuses 2 "is unknown to $1; $text'scree $1 --help all' lists all options" "$scree" "$@"
}
check "an unambiguous prefix" hints "the nearest is '--algorithm'; " sssp kron:4 --algo dc
check "a letter too few" hints "the nearest is '--validate'; " sssp kron:4 --valdate
check "an option of another subcommand" hints "it belongs to sssp; " bfs kron:4 --queue dary
# kernels AWK: the names of the kernels whose line of usage the condition of awk holds for, each with a comma behind it
kernels() {
  local name
  for name in $("$scree" --help | awk '/^ +generate / { exit } on { print $1 } /^subcommands:/ { on = 1 }'); do
    "$scree" $name --help | awk -v name=$name "NR == 1 && $1 { printf \"%s, \", name }"
  done
}
check "an option of the jobs" hints "it belongs to $(kernels 1)generate, convert, info, path, graph500, bench, limits; " report --memory 1G
check "nothing near" hints "" sssp kron:4 --zebra
check "an ambiguous prefix" hints "" sssp kron:4 --un
by_tests="only tests of the library set it, by the variable SCREE_TEST_POOL_BLOCKS"
check "an option of earlier releases" hints "$by_tests; " sssp kron:4 --pool-blocks 1
check "an axis of earlier releases" refuses 2 "option '--pool-blocks' is unknown to sssp; $by_tests; " "$scree" sweep --scale 8 --pool-blocks 1
check "a variable of earlier releases" gives "SCREE_POOL_BLOCKS names no option; $by_tests" env SCREE_POOL_BLOCKS=1 "$scree" bfs kron:4
check "a variable for tests, a bad value" refuses 2 "option 'test-pool-blocks': 'x' (from SCREE_TEST_POOL_BLOCKS) is not a whole number; legal: 0 to 1048576" \
  env SCREE_TEST_POOL_BLOCKS=x "$scree" bfs kron:4
check "an axis, by its prefix" refuses 2 "option '--algo' is unknown to sssp; the nearest is '--algorithm'" "$scree" sweep --scale 8 --algo dc
check "an axis, nothing near" refuses 2 "option '--zebra' is unknown to sssp; 'scree sssp --help all' lists" "$scree" sweep --scale 8 --zebra 1
check "a variable, nothing near" gives "SCREE_ZEBRA names no option" env SCREE_ZEBRA=1 "$scree" bfs kron:4
check "without a hint" bash -c '! grep -q "ZEBRA.*nearest" "$0"' "$tmp/said"

# ---- help

check "a mistyped generator" refuses 2 "no file and no generator has the name 'kronn:10'; the nearest is 'kron'; known are: kron:SCALE" "$scree" bfs kronn:10
check "a URL" refuses 2 "'http://x/y.gr': scree reads no URLs; download the file, or pipe it" "$scree" bfs http://x/y.gr
check "--help and another word" refuses 2 "'everything' follows --help; legal: all" "$scree" sssp --help everything
check "the help of algorithms is whole" gives "not too large; or opt" eval '"$scree" sssp --help | tr -s " \n" " "'
check "the help of kernels has examples" gives "scree sssp edges.csv --undirected --columns 1,2,3" "$scree" sssp --help
check "-h" cmp <("$scree" -h) <("$scree" --help)
check "sssp -h" cmp <("$scree" sssp -h) <("$scree" sssp --help)
check "help sssp" cmp <("$scree" help sssp) <("$scree" sssp --help)
check "help sssp all" cmp <("$scree" help sssp all) <("$scree" sssp -h all)
check "--help and a subcommand" cmp <("$scree" --help sssp) <("$scree" sssp --help)
check "--help, a subcommand and all" cmp <("$scree" --help sssp all) <("$scree" sssp --help all)
check "--help and no subcommand" refuses 2 "unknown subcommand 'everything'" "$scree" --help everything
check "help all" cmp <("$scree" help all) <("$scree" --help all)
check "-V" cmp <("$scree" -V) <("$scree" --version)
check "help of nothing known" refuses 2 "unknown subcommand 'zebra'" "$scree" help zebra
check "one dash" refuses 2 "unknown option '-s'; options begin with two dashes" "$scree" sssp -s
mkdir "$tmp/dashes"
printf '0 1\n1 2\n' | tee "$tmp/dashes/--help" >"$tmp/dashes/-"
cp "$tmp/none.jsonl" "$tmp/dashes/--quiet"
in_dashes() { (cd "$tmp/dashes" && "$@"); }
scree=$(realpath "$scree")
check "--: a graph" gives "3, ids 0 to 2" in_dashes "$scree" info --directed -- --help
cp "$tmp/dashes/-" "$tmp/dashes/a:b"
check "a graph with a colon in its name" gives "3, ids 0 to 2" in_dashes "$scree" info --directed a:b
check "--: the options end" refuses 2 "only one graph is accepted: '--directed' follows '--help'" in_dashes "$scree" info -- --help --directed
check "--: results" gives "--quiet: 0 configurations" in_dashes "$scree" report -- --quiet
check "--: a graph of a sweep" gives "sssp ./--help " in_dashes "$scree" sweep --graph --help --directed on --dry-run --results new.jsonl
for command in $("$scree" --help | awk '/^subcommands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
  "$scree" $command --help all >"$tmp/$command.help"
done
"$scree" --help all >"$tmp/all"
# fits LINES [SUBCOMMAND]: the short help is on a screen, and leaves nothing out without saying where it is
fits() {
  "$scree" ${2-} --help >"$tmp/short" && [ "$(wc -l <"$tmp/short")" -le $1 ] && ! grep -E '.{81}' "$tmp/short" &&
    ! grep -qE -- '--(detector|spin|dedup|alpha) ' "$tmp/short" && grep -q "${2-SUBCOMMAND} --help.*all" "$tmp/short"
}
check "the help fits a screen, with a line for each kernel" fits $((37 + $(kernels 1 | wc -w)))
check "it has what users set" [ "$(grep -cE '^  --(memory|threads|transport|stats) .*default' "$tmp/short")" = 4 ]
for command in "$tmp"/*.help; do
  command=$(basename "$command" .help)
  check "the help of $command fits a screen" fits 56 $command
done
lists_world() { diff <("$scree" man options | sed 's/\\//g' | sed -nE 's/^\.B (--[a-z-]+), SCREE_.*/\1/p') <(sed -n '/^options of the library/,/^$/s/^  \(--[a-z-]*\).*/\1/p' "$1"); }
check "scree-options(7) and --help all have the same options of the library" lists_world "$tmp/all"
check "sssp --help all too" lists_world "$tmp/sssp.help"
# The second column of options: the text begins in column 28, after at least one blank, or on the next line.
misaligned() {
  awk '/^[a-z]/ { on = /^options/ } on' "$tmp"/*.help | grep -E '^(  -|    )' |
    grep -vE '^(  -.{23} [^ ]| {27}[^ ]|  -.{24,}$)' | tee "$tmp/bad" | grep .
}
check "the columns of options align" eval '! misaligned'
# Each option of the library says what is legal and what is usual, to the end.
all_defaults() {
  sed -n '/^options of the library/,/^$/p' "$tmp/sssp.help" >"$tmp/world"
  [ "$(grep -c '^  --' "$tmp/world")" = "$(tr -s ' \n' ' ' <"$tmp/world" | grep -oE '; default [^ )]+\)' | wc -l)" ]
}
check "no help is cut off" all_defaults
check "forms of papers are named as such" bash -c 'grep -q "^  hybrid .*as published" "$0" && grep -q "^  dc-hybrid .*as published" "$1"' "$tmp/bfs.help" "$tmp/sssp.help"
check "generate lists what it takes" bash -c '! grep -E -- "--(columns|directed|undirected|base|vertices) " "$0"' "$tmp/generate.help"
check "and refuses the rest" hints "it belongs to $(kernels '/ GRAPH/')convert, info, path; " generate kron:4 "$tmp/k.gr" --columns 1,2
for preset in python/scree/study/presets/*.sweep; do
  check "sweep lists the preset $preset" grep -qE "^  $(basename "$preset" .sweep) +[a-z]" "$tmp/sweep.help"
done
for name in kernel graph scale ranks nodes ranks-per-node mpi bind env.VARIABLE; do
  check "sweep and tune name the axis $name" [ $(grep -lE "(^| )$name(,| )" "$tmp"/{sweep,tune}.help | wc -l) = 2 ]
done

# ---- completion, manual pages

completes() { # EXPECTED WORD...: what bash offers for the last word
  local expected=$1
  shift
  COMP_WORDS=(scree "$@") COMP_CWORD=$#
  _scree
  [ "${COMPREPLY[*]}" = "$expected" ] || { echo "offered: ${COMPREPLY[*]}" && return 1; }
}
check "completion for bash" eval '"$scree" completion bash >"$tmp/bash" && . "$tmp/bash"'
check "a subcommand" completes "sssp stencil sweep" s
check "an option of it" completes "--algorithm" sssp --al
check "an algorithm" completes "auto opt horizon dc dc-hybrid delta delta-sort kla chaotic dc-tasks delta-tasks chaotic-tasks" sssp --algorithm ""
check "a word of the library's options" completes "shm" sssp kron:4 --transport s
check "a format to write" completes "matrix-market metis" generate path:3 --format m
check "a format to read" completes "auto" sssp --format a
check "files elsewhere" completes "" sssp --output ""
for command in "$tmp"/*.help; do
  command=$(basename "$command" .help)
  offered() { diff <(sed -nE 's/^  (-h, )?(--[a-z-]+).*/\2/p' "$tmp/$command.help" | sort -u) <(_scree_words $command "" | tr ' ' '\n' | sort -u); }
  check "all options of $command" offered
done
if command -v zsh >/dev/null; then
  check "completion for zsh" zsh -f -c 'autoload -Uz compinit && compinit -u -D && . "$1" && [ "$(_scree_words sssp --queue)" = "buckets dary" ]' - <("$scree" completion zsh)
else
  skipped "completion for zsh" "zsh is not installed; ./dev packages installs all tools"
fi
check "another shell" refuses 2 "name one shell" "$scree" completion fish
"$scree" man counters | sed -nE 's/^\.SH (scree_)/\1/p; s/^\.B //p' >"$tmp/counters"
grep -ohE '^  uint64_t [^;]*;' include/scree/{stats,reduced,task,global,algorithm}.h | tr -cs a-z_0-9 '\n' | sort -u >"$tmp/fields"
check "scree-counters(7) names fields of the structs" [ -z "$(grep -v ^scree_ "$tmp/counters" | sed 's/^lock_//' | sort -u | comm -23 - "$tmp/fields")" ]
of_job() { sed -E '/^scree_(lane|reduced)_stats/,/^scree_lock/{/^scree_lock/!d}' "$tmp/counters"; }
check "docs/sweeps.md names all counters of a job" [ -z "$(comm -23 <(of_job | sort -u) <(tr -cs a-z_0-9 '\n' <docs/sweeps.md | sort -u) | grep -v '^scree_work$')" ]
check "scree report knows the counters of work" [ "$(sed -n '/^scree_work$/,$p' "$tmp/counters" | sed 1d | xargs)" = \
  "$(PYTHONPATH=python python3 -c 'from scree.study.record import WORKS; print(*WORKS[:-3])')" ]
check "there are counters" [ "$(of_job | wc -l)" -ge 70 ]
page() { "$scree" man $1 >"$tmp/page" && [ -z "$(groff -ww -man -z "$tmp/page" 2>&1)" ] && grep -q '^\.B \\-\\-options' "$tmp/page"; }
if command -v groff >/dev/null && groff -man -z /dev/null 2>/dev/null; then
  for command in sssp pagerank graph500 generate; do check "the page of $command" page $command; done
  check "the page of the counters" [ -z "$("$scree" man counters | groff -ww -man -z 2>&1)" ]
  check "the page of the options" [ -z "$("$scree" man options | groff -ww -man -z 2>&1)" ]
fi
check "a page for each subcommand is installed" diff <(ls "$BUILD"/packaging/pages/*.1 | sed -E 's/.*scree-(.*)\.1/\1/' | sort) \
  <(ls "$tmp"/*.help | sed -E 's/.*\/(.*)\.help/\1/' | sort)

# ---- outputs: a command that fails leaves the file that was there

kept() { # FILE COMMAND...: the command fails, and the file is as before, and nothing is beside it
  local file=$1
  shift
  echo "what was there" >"$file"
  ! "$@" >"$tmp/said" 2>&1 && [ "$(cat "$file")" = "what was there" ] && ! compgen -G "$file.*" && return
  cat "$tmp/said" "$file"
  return 1
}
# small COMMAND...: no file gets larger than 1 KiB
small() { bash -c 'ulimit -f 1 && trap "" XFSZ && "$@"' - "$@"; }
results() {
  echo '{"scree_sweep":2,"title":"","plan":"","words":{},"started":"","steps":40}'
  for i in $(seq 0 39); do
    echo "{\"step\":$i,\"key\":\"ranks=$((i % 4))\",\"configuration\":{\"ranks\":\"$((i % 4))\"},\"repetition\":$((1 + i / 4)),\"control\":false,\"status\":\"ok\",\"seconds\":1.5,\"teps\":7}"
  done
}
results >"$tmp/results.jsonl"
check "a source that is not there, --output" kept "$tmp/keep.txt" "$scree" sssp kron:8 --source 999 --output "$tmp/keep.txt"
check "a source that is not there, --json" kept "$tmp/keep.txt" "$scree" sssp kron:8 --source 999 --json "$tmp/keep.txt"
check "a full disk, an image" kept "$tmp/keep.scree" small "$scree" generate kron:8 "$tmp/keep.scree"
page() { printf '<!doctype html>' >"$tmp/page.html" && ! small "$scree" report "$tmp/results.jsonl" --html "$tmp/page.html" && [ "$(cat "$tmp/page.html")" = '<!doctype html>' ]; }
plotted "a full disk, a page" page
table() { echo step, >"$tmp/table.csv" && ! small "$scree" report "$tmp/results.jsonl" --csv "$tmp/table.csv" && [ "$(cat "$tmp/table.csv")" = step, ]; }
check "a full disk, CSV" table
linked() {
  ln -sf table.csv "$tmp/link.csv" && chmod 640 "$tmp/table.csv" &&
    "$scree" report "$tmp/results.jsonl" --csv "$tmp/link.csv" >"$tmp/said" &&
    [ -L "$tmp/link.csv" ] && [ "$(wc -l <"$tmp/table.csv")" = 41 ] && [ "$(stat -c %a "$tmp/table.csv")" = 640 ]
}
check "CSV behind a link, its mode kept" linked
check "CSV to a device" gives ranks "$scree" report "$tmp/results.jsonl" --csv /dev/null
check "the device is still one" [ -c /dev/null ]
piped() {
  mkfifo "$tmp/pipe.csv" && { timeout 20 cat "$tmp/pipe.csv" >"$tmp/piped" & } &&
    "$scree" report "$tmp/results.jsonl" --csv "$tmp/pipe.csv" >"$tmp/said" && wait $! && cmp "$tmp/piped" "$tmp/table.csv"
}
check "CSV to a pipe" piped

# ---- standard output by its name; --quiet

plotted "a page on standard output is a page" cmp <("$scree" report "$tmp/results.jsonl" --html -) \
  <("$scree" report "$tmp/results.jsonl" --html "$tmp/whole.html" >"$tmp/said" && cat "$tmp/whole.html")
check "a page and CSV both" refuses 2 "'--csv' and '--html' both use standard output" \
  "$scree" report "$tmp/results.jsonl" --html - --csv -
# silent COMMAND...: succeeds and prints nothing at all
silent() { "$@" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] || { cat "$tmp/said" && return 1; }; }
check "report --quiet" silent "$scree" report "$tmp/results.jsonl" --quiet --csv "$tmp/table.csv"
check "sssp --quiet" silent "$scree" sssp kron:4 --quiet --output "$tmp/answer.txt"
check "generate --quiet" silent "$scree" generate kron:4 "$tmp/k.gr" --quiet --unit-weights
check "sweep --quiet" silent "$scree" sweep --scale 4 --ranks 1 --repeat 1 --quiet --results "$tmp/quiet.jsonl"
check "errors are said" refuses 2 "has no vertex 999" "$scree" sssp kron:4 --quiet --source 999

# ---- options that do not go together

check "an algorithm refuses a progress thread" refuses 2 "progress=full: the handlers of the algorithm 'direction' are not made for a progress thread: set the option progress to none" \
  "$scree" bfs kron:6 --progress full
check "an algorithm takes one" "$scree" sssp kron:6 --algorithm dc-hybrid --progress full --validate
check "from the environment too" env SCREE_PROGRESS=full "$scree" sssp kron:6 --algorithm dc-hybrid --validate
finish

#!/usr/bin/env bash
# mutants.sh - breaks core and algorithms in known ways and sees that the tests notice.
#   mutants.sh [NAME...]           all of test/mutants/known.diff, or those
#   mutants.sh --check             only that all can be made
#   mutants.sh --drawn N [SEED]    N of them, drawn by SEED, default the commit; of the others, only that they can be made, and that
#                                  the programs that would hunt them link
# Each begins with a line NAME FILE: WHAT IT BREAKS, after which lines that stay, go and come are marked as in a patch; a line @ is between
# two places, and @ FILE before another file. Places are found by their lines (apply.awk). It is compiled with the random
# programs of test/traffic, which are run seed by seed until one goes wrong: a wrong ledger, a hang, or a crash. The number of
# programs that it took is printed. A mutant that survives, or that cannot be made any more, is a failure; and
# the core as it is must survive some of them. The mutants mpi_* break the code for MPI, and meet the same programs over a
# simulated MPI. The simulator runs one rank at a time, so it cannot show what the mutants threads_*, lock_*, shared_* and funnel_* break:
# these meet a test under the thread sanitizer. Other kinds meet one test too (test_of), or random programs that are full of tasks, objects,
# loops or global memory (hunt_task, hunt_loops, hunt_global); kind_of has the exceptions. descriptors_* meet prog_closed.c on ranks without
# a launcher.
# planted_option meets the random programs in all their drivers: simulator, simulated MPI, real ranks (mpi_traffic), soak.
# Environment: SCREE_TEST_SEEDS (default 8000 seeds, each without and with faults), CC.
set -u
cd "$(dirname "$0")/.."
seeds=${SCREE_TEST_SEEDS:-8000} at_once=$(nproc) table=$PWD/test/mutants
limit=60 # seconds without a check after which a program hangs: it may be slow until it is known to be right
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/support/signals.sh
. test/support/remake.sh
on_signals end_started

# ---- compiling: what a mutant does not change is compiled once for all of its kind ----

# The sources of the message layer that need no MPI, without the simulator's worlds, and with them.
common() { echo src/{base,io,thread,block,trace,core,detect,reduce,observe,route,sort}/*.c src/sim/{endpoint,token}.c src/open/{features,resolve}.c; }
task_layer() { echo src/task/*.c src/task/sync/*.c; }
message_layer() { echo $(common) src/transport/{chaos,fault,idle}.c src/transport/shm/{shm,segment}.c src/sim/run.c; }
sources_of() {
  case $1 in
    programs | task | loops | global) message_layer && task_layer && echo src/{node,global}/*.c ;; # programs have tasks and words of global memory too
    mpi) ls $(common) $(task_layer) src/{node,global}/*.c src/transport/{*,funnel/*,shm/*}.c src/open/{compare,local*,mpi*,open}.c | grep -vE 'src/(thread/(thread|sockets)|reduce/cost)\.c' ;; # the simulated MPI has its own
    mpi_errors) sources_of mpi ;;
    ranks | soak | descriptors | local) find src -name '*.c' ;;
    steals) message_layer && task_layer ;;
    task_misuse | global*) echo $(sources_of steals) src/{node,global}/*.c ;;
    funnel) echo $(common) src/transport/{*,funnel/*,shm/*}.c ;;
    irregular) sources_of global && find algorithms -name "*.c" ;;
    readers) sources_of algorithms && echo algorithms/kernel/registry.c ;;
    algorithms | shared) message_layer && task_layer && echo src/node/*.c && find algorithms -name "*.c" | grep -vE "kernel/registry.c|irregular/" ;; # the tests have their own
    *) message_layer ;;
  esac
}
# The test that hunts mutants of a kind, if it is one program.
test_of() {
  case $1 in
    threads) echo unit/unit_inbox ;;
    funnel) echo unit/unit_tsan_funnel ;;
    route | reduce | irregular | mpi_errors | global_words | global_loops | global_replies | global_rules | global_checked | task_misuse) echo "sim/sim_$1" ;;
    steals) echo sim/sim_task_loops ;;
    routes) echo unit/unit_route ;;
    readers) echo unit/unit_graph_text ;;
    local | lock | global_memory) echo "unit/unit_$1" ;;
    shared) echo unit/unit_tsan_algorithms ;;
    algorithms) echo sim/sim_property ;;
  esac
}
harness() { echo test/$(test_of "$1").c test/support/{capture,harness,harness_watchdog}.c; }
# The sources of tests; those of mpi define the functions of MPI themselves.
traffic() { ls test/traffic/*.c algorithms/graph/distribution.c | grep -v over_ranks; }
tests_of() {
  case $1 in
    programs | task | loops | global) echo test/mutants/hunt.c $(traffic) ;;
    mpi) echo $(tests_of programs) test/sim_mpi/*.c ;;
    mpi_errors) echo $(harness mpi_errors) test/sim_mpi/*.c $(traffic) test/support/traced_run.c ;;
    ranks) echo test/mpi/{mpi_traffic,interpose}.c bench/support/ranks.c $(traffic) test/traffic/over_ranks.c test/support/{harness,harness_mpi,harness_watchdog,joined}.c ;;
    descriptors) echo test/shell/prog_closed.c ;;
    soak) echo test/soak/*.c test/mpi/interpose.c bench/support/ranks.c $(traffic) test/traffic/over_ranks.c ;;
    funnel) echo test/unit/unit_tsan_funnel.c test/support/{harness,harness_watchdog}.c ;;
    threads) echo $(harness threads) test/unit/threads_transport.c ;;
    task_misuse | global_replies | global_rules | global_checked) echo $(harness "$1") test/rules/rules.c ;;
    global_words) echo $(harness global_words) test/support/{drawn_world,global_litmus}.c ;;
    irregular) echo $(harness irregular) test/support/irregular_case.c ;;
    shared) echo $(harness shared) test/unit/threads_transport.c test/kernels/*.c bench/yardstick/*.c ;;
    algorithms) echo $(harness algorithms) test/kernels/*.c bench/yardstick/*.c ;;
    *) harness "$1" ;;
  esac
}
flags_of() {
  case $1 in
    programs | reduce | route | routes | task | task_misuse | loops | steals | global*) echo -O2 ;;
    ranks | soak | descriptors | local) echo -O0 -Itest/mpi -Itest/soak -Ibench/support && { pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich; } ;;
    mpi | mpi_errors) echo -O2 -Itest/sim_mpi && { pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich; } ;;
    irregular) echo -O2 && { pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich; } ;;
    threads | lock) echo -O1 -g -fsanitize=thread ;;
    funnel) echo -O1 -g -fsanitize=thread && { pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich; } ;;
    shared) echo -O1 -g -D_FILE_OFFSET_BITS=64 -fsanitize=thread -Ibench -Itest/kernels ;;
    algorithms | readers) echo -O1 -Ibench -Itest/kernels ;;
    linked) echo -O0 -Ibench -Itest/kernels && flags_of mpi && flags_of soak ;;
  esac
}
libraries_of() {
  case $1 in
    mpi | soak | descriptors) pkg-config --libs ompi-c 2>/dev/null || pkg-config --libs mpich ;; # for the objects that its header names
    threads | lock | reduce | route | routes | task_misuse | steals | global_*) echo -lcmocka ;;
    mpi_errors) echo -lcjson -lm && libraries_of ranks ;;
    funnel | ranks | local) echo -lcmocka && { pkg-config --libs ompi-c 2>/dev/null || pkg-config --libs mpich; } ;;
    irregular) echo -lcmocka -lz -lzstd -lxxhash -lnettle -lm && { pkg-config --libs ompi-c 2>/dev/null || pkg-config --libs mpich; } ;;
    shared) echo -lcmocka -lz -lzstd -lxxhash -lm -Wl,--wrap=mmap64,--wrap=munmap ;;
    algorithms | readers) echo -lcmocka -lz -lzstd -lxxhash -lm ;;
  esac
}

object() { echo "$1/${2//\//_}.o"; }
# compile KIND TREE OBJECTS FILE...: FILE in TREE, or here if it is a test's
compile() {
  local kind=$1 tree=$2 objects=$3 file from
  local -a flags
  shift 3
  read -ra flags <<<"$(flags_of "$kind" | tr '\n' ' ')"
  mkdir -p "$objects"
  for file in "$@"; do
    case $file in src/* | algorithms/*) from=$tree/$file ;; *) from=$file ;; esac
    ${CC:-cc} -std=c11 -D_GNU_SOURCE= -w -I"$tree/include" -I"$tree/src" -I"$tree/algorithms" -Itest/rules -Itest/support -Itest/traffic "${flags[@]}" \
      -c -o "$(object "$objects" "$file")" "$from" || return
  done
}
# The objects of build/, unless something is not built there, or for another MPI: what is for no sanitizer is taken from there.
declare -A built
of_build() {
  local mpi=mpich file object
  ! pkg-config --exists ompi-c || mpi=openmpi
  [ "$(cat build/mpi 2>/dev/null)" = $mpi ] && ninja -C build -n all tests | grep -q 'no work to do' || return 0
  while read -r file object; do built[$file]=$PWD/build/$object; done < <(ninja -C build -t compdb c_COMPILER |
    awk -F'"' '/"command":/ { plain = !/-fsanitize|--coverage/ } /"file":/ { file = $4 } /"output":/ && plain { sub("^../", "", file); print file, $4 }')
}
# prepare KIND [OBJECTS [FILE...]]
prepare() {
  local kind=$1 objects=${2-$work/$1.objects} file flags
  local -a files=("${@:3}") rest=()
  [ $# -gt 2 ] || files=($(sources_of "$kind") $(tests_of "$kind"))
  flags=$(flags_of "$kind")
  mkdir -p "$objects"
  for file in "${files[@]}"; do
    if [[ ${built[$file]-} && $flags != *-fsanitize* ]]; then
      ln -sf "${built[$file]}" "$(object "$objects" "$file")"
    else
      rest+=("$file")
    fi
  done
  compile "$kind" . "$objects" "${rest[@]}"
}
# link KIND TREE [FILE...]: makes TREE/hunt, with the objects of TREE for those files
link() {
  local kind=$1 tree=$2 file
  local -a objects=()
  for file in $(sources_of "$kind") $(tests_of "$kind"); do
    case " ${*:3} " in
      *" $file "*) objects+=("$(object "$tree/objects" "$file")") ;;
      *) objects+=("$(object "$work/$kind.objects" "$file")") ;;
    esac
  done
  ${CC:-cc} $(flags_of "$kind" | grep -o -- '-fsanitize=thread') -o "$tree/hunt" "${objects[@]}" $(libraries_of "$kind") -latomic_ops -lpthread
}
# make_hunt KIND TREE FILE...: with those files changed; if one is a header, all is compiled
make_hunt() {
  local changed=${*:3}
  case $changed in *.h*) changed=$(echo $(sources_of "$1") $(tests_of "$1")) ;; esac
  compile "$1" "$2" "$2/objects" $changed && link "$1" "$2" $changed
}

# ---- hunting ----

hunt_mpi() { hunt_programs "$@"; }
hunt_lock() { hunt_threads "$@"; }
hunt_funnel() { hunt_threads "$@"; }
hunt_shared() { hunt_threads "$@"; }

# hunt_programs TREE SEEDS: 0, and prints what went wrong; 1 if nothing did
hunt_programs() {
  local out rc=0
  out=$(env $mark=1 SCREE_TEST_SHRINK=0 timeout 300 "$1/hunt" 1 "$2" ${words-} 2>/dev/null) || rc=$?
  case $rc in
    0) out=${out#caught } && echo "caught by program ${out%% *}: ${out#* }" ;;
    1) echo "$out" && return 1 ;;
    124) echo "neither caught nor done in 300 s" && return 1 ;;
    *) echo "caught by a crash (code $rc)" ;;
  esac
}

# hunt_threads TREE SEEDS [TRIES]: a race that no sanitizer sees needs threads that meet, which is luck
hunt_threads() {
  local rc=0 try
  for try in $(seq "${3-1}"); do
    TSAN_OPTIONS=halt_on_error=1 SCREE_TEST_TIMEOUT=$limit env $mark=1 timeout 300 "$1/hunt" >"$1/log" 2>&1 || rc=$?
    [ $rc = 0 ] || break
  done
  [ $rc != 0 ] || { echo "survived the threads" && return 1; }
  sed -nE 's/.*ThreadSanitizer: (.*) \(pid=.*/caught: \1/p; s/^check failed: ([^,]*),[^:]*:[0-9]+: (.*)/caught in \1: \2/p
           s/^harness: (.* hung) on.*/caught: \1/p; $s/.*/caught by a crash/p' "$1/log" | head -n 1
}

# hunt_algorithms TREE SEEDS: 0, and prints what went wrong in which case; 1 if nothing did
hunt_algorithms() {
  local rc=0
  SCREE_TEST_SEEDS=$(($2 < 800 ? $2 : 800)) SCREE_TEST_TIMEOUT=$limit env $mark=1 timeout 300 "$1/hunt" >"$1/log" 2>&1 || rc=$?
  [ $rc != 0 ] || { echo "survived sim_property" && return 1; }
  sed -nE 's/^check failed: [^:]*:[0-9]+: (.*); to replay: SCREE_TEST_SEED=([0-9]+) .*/caught by sim_property, case \2: \1/p
           s/^crashed; to replay: SCREE_TEST_SEED=([0-9]+) .*/caught by sim_property, case \1: a crash/p' "$1/log" |
    head -n 1 | grep . || echo "caught by a crash (code $rc)"
}

# by_launcher TREE: lets launch.sh and soak.sh take TREE for a build directory
by_launcher() { mkdir -p "$1/test" && cp "$1/hunt" "$1/test/soak" && if pkg-config --exists ompi-c; then echo openmpi; else echo mpich; fi >"$1/mpi"; }
hunt_ranks() {
  by_launcher "$1" && SCREE_TEST_TIMEOUT=60 env $mark=1 timeout 300 test/launch.sh "$1" 3 "$1/hunt" >"$1/log" 2>&1
  ! grep -qE '^harness: .* done, 3 ranks, [1-9][0-9]* passed, 0 failed' "$1/log" || { echo "survived mpi_traffic" && return 1; }
  sed -nE 's/^check failed: [^:]*:[0-9]+: (.*)/caught by mpi_traffic: \1/p; s/^harness: (.* hung) on.*/caught by mpi_traffic: \1/p' "$1/log" |
    head -n 1 | grep . || echo "caught by a crash"
}
# Until a program of the soak has lost something.
hunt_soak() {
  by_launcher "$1" && test/soak.sh $(($2 > 100 ? 120 : 5)) --seed 2 --ranks 2 --local --build "$1" >"$1/log" 2>&1 && echo "survived the soak" && return 1
  sed -nE 's/^ *soak: (program .*) ended on .*/caught by the soak, \1/p' "$1/log" | head -n 1 | grep . || echo "caught by a crash"
}

# Ranks without a launcher, one standard descriptor of which is closed.
hunt_descriptors() {
  local which
  for which in '<&-' '>&-' '2>&-'; do
    env $mark=1 timeout 60 bash -c "exec \"\$0\" local $which" "$1/hunt" </dev/null >/dev/null 2>&1 ||
      { echo "caught by prog_closed with $which" && return; }
  done
  echo "survived prog_closed" && return 1
}

hunt_task() { words="tasks=2 loops=0 objects=1 types=3 depth=2 roots=4" hunt_programs "$@"; }
hunt_loops() { words="tasks=2 loops=1 types=3 depth=2 roots=4 threads=3" hunt_programs "$@"; }
hunt_global() { words="tasks=1 global=1 bytes=1 types=3 depth=3 roots=8 epochs=2 checked=default" hunt_programs "$@"; }

# hunt KIND TREE SEEDS [TRIES]: 0, and prints the first check that failed; 1 if none did
hunt() {
  local test rc=0 kind=$1
  shift
  if declare -F "hunt_$kind" >/dev/null; then "hunt_$kind" "$@" && return || return; fi
  test=$(test_of "$kind")
  SCREE_TEST_TIMEOUT=$limit env $mark=1 timeout 300 "$1/hunt" >"$1/log" 2>&1 || rc=$?
  [ $rc != 0 ] || { echo "survived ${test#*/}" && return 1; }
  sed -nE 's/^check failed: ([^,]*),[^:]*:[0-9]+: (.*)/caught in \1: \2/p; s/^harness: (.* hung) on.*/caught: \1/p' "$1/log" |
    head -n 1 | grep . || echo "caught by a crash (code $rc)"
}

# copy TREE
copy() { mkdir "$1" && cp -r include src algorithms "$1"; }

# verdict NAME WORDS 0|1 [SECONDS]
verdict() {
  printf '%-42s %s%s\n' "$1" "$2" "${4:+; $4 s}"
  echo "$3" >>"$work/verdicts"
}

# mutate NAME [-v dry=1]: in the sources of the current directory
mutate() { awk -v name="$1" "${@:2}" -f "$table/apply.awk" "$table/known.diff"; }

hunt_mutant() {
  local name=$1 tree=$work/$1 kind begin out what kinds changed
  kinds=$(kind_of "$name")
  copy "$tree"
  changed=$(cd "$tree" && mutate "$name") || { verdict "$name" "FAILED: cannot be made: $changed" 1 && return; }
  for kind in $kinds; do
    what="$name$([ "$kind" = "$kinds" ] || echo ", $kind")" begin=$SECONDS
    rm -rf "$tree/objects"
    make_hunt $kind "$tree" $changed 2>"$tree.log" || {
      verdict "$what" "FAILED: does not compile: $(head -n 1 "$tree.log")" 1 && continue
    }
    if out=$(hunt $kind "$tree" "$seeds" 5); then verdict "$what" "$out" 0 $((SECONDS - begin)); else verdict "$what" "FAILED: $out" 1; fi
  done
  rm -rf "$tree"
}

whole() {
  local out
  mkdir "$work/$1"
  link "$1" "$work/$1" || { verdict "no mutant, $1" "FAILED: does not compile" 1 && return; }
  if out=$(hunt "$1" "$work/$1" $((seeds < 100 ? seeds : 100))); then
    verdict "no mutant, $1" "FAILED: $out" 1
  else
    verdict "no mutant, $1" "$out" 0
  fi
}

# all_link KIND...: what is compiled as for no sanitizer links
all_link() {
  local kind half files
  files=$(for kind; do sources_of "$kind" && tests_of "$kind"; done | tr ' ' '\n' | sort -u)
  for half in 0 1; do prepare linked "$work/linked.objects" $(awk "NR % 2 == $half" <<<"$files") & done
  wait
  for kind; do
    mkdir "$work/$kind" && ln -s linked.objects "$work/$kind.objects"
    if link "$kind" "$work/$kind" 2>"$work/$kind.log"; then
      verdict "no mutant, $kind" "links" 0
    else
      verdict "no mutant, $kind" "FAILED: does not link: $(grep -m 1 -E 'error|undefined' "$work/$kind.log")" 1
    fi
  done
}

kind_of() {
  case $1 in
    route_wrong_class | route_ring_two_classes) echo routes ;;
    route_overflow) echo route ;;
    reduce_filter_epochs_come_again) echo reduce ;;
    task_canary_never_read) echo task_misuse ;;
    loops_lifeline_forgotten) echo steals ;;
    global_loops_*) echo global_loops ;;
    global_memory_*) echo global_memory ;;
    global_checked_*) echo global_checked ;;
    global_rules_* | global_direct_out_of_bounds) echo global_rules ;;
    global_fence_passes) echo global_words ;;
    global_replies_* | global_generation_ignored | global_asked_generation) echo global_replies ;;
    mpi_errors_*) echo mpi_errors ;;
    planted_option) echo programs mpi ranks soak ;;
    irregular_* | readers_* | local_* | loops_* | global_* | task_* | descriptors_* | threads_* | lock_* | shared_* | funnel_* | algorithms_* | mpi_*) echo "${1%%_*}" ;;
    *) echo programs ;;
  esac
}
all() { sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$table/known.diff"; }
kinds_of() { for name; do kind_of "$name"; done | tr ' ' '\n' | sort -u; }
# can_be_made NAME...: a verdict on each that cannot
can_be_made() {
  local name said
  for name; do said=$(mutate "$name" -v dry=1) || verdict "$name" "FAILED: cannot be made: $said" 1; done
}
# draw N SEED: N names in names; the others can be made
draw() {
  names=$(all | shuf -n "$1" --random-source=<(yes "$2"))
  echo "drawn by $2: " $names
  can_be_made $(all | grep -vxF "$names")
}

case ${1-} in
  '') names=$(all) ;;
  --check) can_be_made $(all); [ ! -e "$work/verdicts" ]; exit ;;
  --drawn) draw "${2?how many?}" "${3-$(git rev-parse HEAD)}" ;;
  *) names=$* ;;
esac
kinds=$(kinds_of $names)
of_build
[ "${1-}" != --drawn ] || all_link $(kinds_of $(all) | grep -vxF "$kinds")
for kind in $kinds; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  prepare "$kind" &
done
wait
# A simulator takes one core, so there are as many hunts at once as cores; but threads want all of them.
for kind in $kinds; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  case $kind in
    threads | lock | shared | funnel | ranks | soak) wait && whole "$kind" ;;
    *) whole "$kind" & ;;
  esac
done
wait
limit=5
for name in $names; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  case $name in
    threads_* | lock_* | shared_* | funnel_*) wait && hunt_mutant "$name" ;;
    *) hunt_mutant "$name" & ;;
  esac
done
wait
sum_verdicts

#!/usr/bin/env bash
# cli_bench.sh - scree bench from outside: OSU's columns, JSON, one size, kernels of sweeps, refusals. No time is judged.
. "$(dirname "$0")/../support/shell.sh"
bench() { "$scree" bench "$@" --rounds 1; }
by_mpi() { test/launch.sh "$BUILD" 2 "$scree" bench "$@" --rounds 1; }

# columns HEAD SIZES...: $tmp/osu has one comment, that head, and a line of positive numbers with two digits for each size
columns() {
  local head=$1
  shift
  head -n 1 "$tmp/osu" | grep -qE '^# scree [0-9.]+ bench [a-z]+: 2 ranks, transport (shm|mpi)$' &&
    [ "$(sed -n 2p "$tmp/osu")" = "$head" ] && [ "$(sed 1,2d "$tmp/osu" | awk '{ print $1 }' | tr '\n' ' ')" = "$(printf '%s ' "$@")" ] &&
    sed 1,2d "$tmp/osu" | awk -v n="$(sed 's/([A-Za-z/]*)//g; s/^# //' <<<"$head" | wc -w)" \
      'NF != n || length($0) != 10 + 18 * (n - 1) { bad = 1 } { for (i = 2; i <= NF; i++) if ($i !~ /^[0-9]+\.[0-9][0-9]$/ || $i <= 0) bad = 1 } END { exit bad }' &&
    return
  cat -A "$tmp/osu" && return 1
}
osu() { bench "$@" --format osu >"$tmp/osu"; }
check "latency" osu latency
check "latency: columns of osu_latency" columns '# Size          Latency (us)' 8 64 256 1024
check "latency of one size" osu latency --bytes 2K
check "latency of one size: its row alone" columns '# Size          Latency (us)' 2048
check "bandwidth" osu bandwidth
check "bandwidth: columns of osu_bw, each size once" columns '# Size      Bandwidth (MB/s)' 1024 2048 4096 8192 16384 32768 65536 262144 1048576
check "rate" osu rate
check "rate: columns of osu_mbw_mr" columns '# Size                  MB/s        Messages/s' 8 16
check "rate: bytes are messages times their size" awk 'NR > 2 && ($2 < 0.999 * $1 * $3 / 1e6 || $2 > 1.001 * $1 * $3 / 1e6) { bad = 1 } END { exit bad || NR < 3 }' "$tmp/osu"
check "epoch" osu epoch
check "epoch: the column of osu_barrier" eval '[ "$(sed -n 2p "$tmp/osu")" = "# Avg Latency(us)" ] && sed -n 3p "$tmp/osu" | grep -qxE " +[0-9]+\.[0-9]{2}" && [ "$(wc -l <"$tmp/osu")" = 3 ]'

# ---- by MPI: its rows too
check "latency by a launcher" eval 'by_mpi latency --bytes 64 >"$tmp/table"'
check "its table compares with MPI" [ "$(grep -cE '^ *64  (MPI|scree mpi|scree shm) ' "$tmp/table")" = 3 ]
check "the transport chooses the rows" eval 'by_mpi latency --bytes 64 --transport mpi --format osu --json "$tmp/json" >"$tmp/osu"'
check "it is named" grep -q 'transport mpi$' "$tmp/osu"
value() { sed -nE "s/.*\"$1\":[[:space:]]*([0-9.e+-]+).*/\1/p" "$tmp/json"; } # of JSON, each
check "JSON: the run is the row of that transport" [ "$(value seconds | head -n 1)" = "$(grep -A1 '"scree mpi"' "$tmp/json" | sed -nE 's/.*"seconds":[[:space:]]*([0-9.e+-]+).*/\1/p')" ]
check "JSON: options and where they were set" eval 'tr -d "\n\t" <"$tmp/json" | grep -q "\"transport\":{\"value\":\"mpi\",\"from\":\"command line\"}"'
check "one rank of a launcher" refuses 2 "needs 2 ranks, not 1" test/launch.sh "$BUILD" 1 "$scree" bench latency

# ---- options reach the worlds
check "an option of the library" eval 'bench epoch --detector flat --quiet --json - >"$tmp/stdout"'
check "JSON: nothing else on standard output" eval '[ "$(head -c 1 "$tmp/stdout")" = "{" ] && [ "$(tail -n 1 "$tmp/stdout")" = "}" ]'
check "the worlds get it" eval '! by_mpi epoch --progress comm >"$tmp/table" 2>"$tmp/err" && grep -q "set the option threads to 1 and progress to none" "$tmp/err"'
check "the environment" refuses 2 "SCREE_FLUSH_AGE" env SCREE_FLUSH_AGE=never "$scree" bench epoch

# ---- kernels of sweeps
printf 'kernel = latency, bandwidth, rate, epoch\nbytes = 64 if kernel = latency | rate\nbytes = 1K if kernel = bandwidth\nranks = 2\nrounds = 1\nrepeat = 1\n' >"$tmp/all.sweep"
check "a sweep of all four" "$scree" sweep --quiet "$tmp/all.sweep" --results "$tmp/all.jsonl"
check "each has a time, and its items were checked" [ "$(grep '"role":"data"' "$tmp/all.jsonl" | grep -c '"status":"ok".*"validated":true')" = 4 ]
check "its report" eval '"$scree" report "$tmp/all.jsonl" >"$tmp/report" && [ "$(grep -cE " (latency|bandwidth|rate|epoch) .* valid$" "$tmp/report")" = 4 ]'
check "the dry run names what needs two ranks" prints "bandwidth needs 2 ranks, not 1" "$scree" sweep "$tmp/all.sweep" --ranks 1,2 --dry-run --results "$tmp/none.jsonl"
check "the control is one that can run" grep -qxE 'kernel=latency bytes=64 ranks=2 rounds=1  \(the control\)' "$tmp/out"
bad "latency reads no graph; leave it out" sweep --kernel latency --scale 4 --dry-run

# ---- refusals
bad "'' is not a benchmark; name one: scree bench latency, bandwidth, rate or epoch" bench
bad "'zebra' is not a benchmark" bench zebra
bad "bench latency needs 2 ranks, not 1: use --ranks 2" bench latency --ranks 1
bad "'24' is not legal; legal for latency: 8, 64, 256, 1024" bench latency --bytes 24
bad "epoch sends no items; leave it out" bench epoch --bytes 8
bad "the ranks of scree bench have one worker each" bench latency --threads 2
bad "transport=mpi needs MPI, and these ranks have none" bench rate --transport mpi
check "disk full" refuses 1 "'/dev/full' was not written in full" "$scree" bench epoch --rounds 1 --quiet --json /dev/full
finish

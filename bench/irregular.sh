#!/usr/bin/env bash
# irregular.sh - the runs that give the figures of docs/irregular.md#measured.
#   bench/irregular.sh [BUILD]      BUILD: build directory, default build; tables go to standard output
#
# Each kernel is measured in turns with what it is compared with, 5 times, 2 ranks bound to cores, by shared memory and
# over MPI; medians. It needs an otherwise idle machine of two cores or more, and about nine minutes. Programs of other
# projects are looked for in $SCREE_PEERS/bin; what is missing is named in place of its row.
set -eu
build=${1:-build}
case $(ldd "$build/bench/irregular") in
*libmpich*) bound=(mpiexec.hydra -bind-to core -n 2) ;;
*)
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  bound=(mpirun.openmpi --bind-to core -n 2)
  ;;
esac

two() {
  echo "## $*"
  timeout 300 "${bound[@]}" "$build/bench/irregular" "$@" --rounds 5 2>&1 || echo "## ended with $?"
  echo
}

# Million items a second, of the output of scree --json, NAS or Grappa.
rate() {
  awk '/"harmonic_mean":/ { print $2 / 1e6; exit } /Mop\/s total/ { print $NF; exit }
    / UPS in / { sub(/ UPS in .*/, ""); print $NF / 1e6; exit }'
}
# turns NAME=COMMAND...: the median rate of each, and its ratio to that of the last
turns() {
  local turn one
  local -A rates=()
  for turn in 1 2 3 4 5; do
    for one in "$@"; do rates[$one]+=" $(${one#*=} 2>/dev/null | rate)"; done
  done
  for one in "$@"; do
    printf '%s %s\n' "${one%%=*}" "$(tr ' ' '\n' <<<"${rates[$one]# }" | sort -g | sed -n 3p)"
  done | awk '{ name[NR] = $1; rate[NR] = $2 } END { for (i = 1; i <= NR; i++)
    printf "%-12s %8.1f M/s %6.2f of %s\n", name[i], rate[i], rate[NR] ? rate[i] / rate[NR] : 0, name[NR] }'
  echo
}
shm="$build/scree" by="--ranks 2 --transport shm --json - --quiet"
mpi="${bound[*]} $build/scree" over="--transport mpi --json - --quiet"

two uts --tree 0
two uts --tree 1
two gups
two walk
two walk --scale 17
two hashmap
two stencil
# beside PROGRAM NAME=COMMAND...: turns, if $SCREE_PEERS has that program
beside() {
  if [ -x "${SCREE_PEERS-}/bin/$1" ]; then turns "${@:2}"; else printf '%s is missing in $SCREE_PEERS/bin\n\n' "$1"; fi
}
echo "## intsort B beside NAS's own code (NPB 3.3)"
class="intsort --class B --global-direct off"
beside is.B.2 "shm=$shm $class $by" "mpi=$mpi $class $over" "NAS=${bound[*]} ${SCREE_PEERS-}/bin/is.B.2"
echo "## gups 2^21 beside Grappa's"
words="gups --words 2M --coalesce-bytes 8K --global-direct off"
beside gups4.exe "shm=$shm $words $by" "mpi=$mpi $words $over" \
  "Grappa=${bound[*]} ${SCREE_PEERS-}/bin/gups4.exe --sizeA=2097152 --sizeB=8388608"
echo "## bfs, pagerank, kron:18"
for run in "bfs kron:18 --sources 4,level --pruning off" "pagerank kron:18 --iterations 20,push --sums off"; do
  graph=${run%%,*} other=${run#*,}
  turns "tasks=$shm $graph --algorithm tasks $by" "${other%% *}=$shm $graph --algorithm $other $by"
  turns "tasks=$mpi $graph --algorithm tasks $over" "${other%% *}=$mpi $graph --algorithm $other $over"
done
two uts --tree 2
two uts --tree 3

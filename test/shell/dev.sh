#!/usr/bin/env bash
# dev.sh - which packages ./dev installs or names: by the MPI that is wanted, the one that is here, and the system; and what .ci/run
# makes of its parts.
#
# The commands of the system are here, less those of MPI; apt-get, meson and ninja are scripts that note their arguments.
. "$(dirname "$0")/../support/shell.sh"

mpi=$(cat "$BUILD/mpi")
other=$(if [ "$mpi" = openmpi ]; then echo mpich; else echo openmpi; fi)
wrapper=$(command -v mpicc.$mpi || command -v mpicc)
mkdir "$tmp/path" "$tmp/pc"
for folder in /bin /usr/bin; do
  for program in "$folder"/*; do case ${program##*/} in mpi* | sudo) ;; *) ln -sf "$program" "$tmp/path/" ;; esac; done
done
for folder in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
  for name in "$folder"/*.pc; do case ${name##*/} in *mpi* | '*.pc') ;; *) ln -sf "$name" "$tmp/pc/" ;; esac; done
done

# script NAME TEXT: a program of that path
script() {
  rm -f "$tmp/path/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$tmp/path/$1"
  chmod +x "$tmp/path/$1"
}
script meson 'echo "$*" >"$CONFIGURED"'
script ninja 'echo "ninja: no work to do."'
script sudo 'exec "$@"'
script apt-cache 'exit 0'
script apt-get 'case " $* " in *" --simulate "*) ;; *" install "*) echo "$*" >>"$ASKED"; exit 100 ;; esac'
export ASKED=$tmp/asked CONFIGURED=$tmp/configured

# dev WORD...: ./dev on such a machine; its output is in $tmp/out
dev() {
  : >"$ASKED"
  PATH=${path-$tmp/path} PKG_CONFIG_LIBDIR=$tmp/pc ./dev "$@" >"$tmp/out" 2>&1
  local rc=$?
  cat "$tmp/out" "$ASKED"
  return $rc
}
# installs "PACKAGE..." WORD...: ./dev WORD... requests these of the packages of an MPI from apt-get, and stops because apt-get fails
installs() {
  ! dev "${@:2}" && [ "$(grep -oE '[a-z-]*mpi[a-z-]*' "$ASKED" | paste -sd ' ')" = "$1" ]
}
installs_none() { dev "$@" && [ ! -s "$ASKED" ]; }

open="openmpi-bin libopenmpi-dev" ch="mpich libmpich-dev"
check "no MPI: Open MPI" installs "$open" build "$tmp/a"
check "-Dmpi=mpich: MPICH" installs "$ch" build "$tmp/a" -Dmpi=mpich
check "-Dmpi=openmpi: Open MPI" installs "$open" build "$tmp/a" -Doptimization=1 -Dmpi=openmpi
check "another MPI is refused" eval '! dev build "$tmp/a" -Dmpi=lam && grep -q "it is auto, openmpi or mpich" "$tmp/out" && [ ! -s "$ASKED" ]'
check "all packages: both" installs "$open $ch" packages

script mpicc 'exit 1'
check "an mpicc that does not work: Open MPI" installs "$open" build "$tmp/a"
script mpicc "exec $wrapper \"\$@\""
check "an mpicc that works, and that pkg-config does not know" installs_none build "$tmp/a"
WERROR= check "a user's build does not turn warnings into errors" eval 'dev build "$tmp/a" && grep "^setup" "$CONFIGURED" && ! grep werror "$CONFIGURED"'
WERROR=1 check "WERROR=1 turns warnings into errors" eval 'dev build "$tmp/a" && grep -e "^setup --werror" "$CONFIGURED"'
check "it is of the MPI that is wanted" installs_none build "$tmp/a" "-Dmpi=$mpi"
case $other in mpich) check "it is not: the other one" installs "$ch" build "$tmp/a" -Dmpi=mpich ;; esac
check "all packages: no second MPI beside it" eval '! grep -q mpi <(dev packages)'
rm "$tmp/path/mpicc"
script craycc "exec $wrapper \"\$@\""
CC=craycc check "a compiler that knows MPI, as on Cray" installs_none build "$tmp/a"

# ---- other users and systems

# names "ID..." COMMAND: on a system of that os-release, ./dev names these packages and fails
names() {
  printf '%s\n' $1 >"$tmp/os-release"
  ! SCREE_OS_RELEASE=$tmp/os-release dev build "$tmp/a" && grep -qxF "  $2" "$tmp/out"
}
script id 'echo 1000'
rm "$tmp/path/sudo" "$tmp/path/objdump"
check "a user without sudo: one line for run and test" eval 'names "ID=debian" "apt-get install --no-install-recommends $open binutils" &&
  grep "please install it as root, then" "$tmp/out" && [ ! -s "$ASKED" ]'
ln -sf "$(command -v objdump)" "$tmp/path/objdump"

cp -a "$tmp/path" "$tmp/bare" && rm "$tmp"/bare/{meson,ninja,pkg-config,objdump,groff,ip,pgrep}
all=$(. packaging/packages.sh && printf '%s ' $base $openmpi $tests | sed -E 's/=[^ ]*//g; s/gcc libc6-dev //; s/ $//')
path=$tmp/bare check "if only gcc and git are here, it is complete" names "ID=debian" "apt-get install --no-install-recommends $all"
check "it names what graphs and the command line are linked with" eval '(for name in libxxhash libzstd zlib1g libcjson libhwloc nettle libatomic-ops; do
  grep -q " $name-dev " "$tmp/out" || exit 1; done)'

rm "$tmp/path/apt-get" "$tmp/pc"/*atomic_ops.pc "$tmp/pc"/hwloc.pc
check "Fedora" names "ID=fedora" "dnf install libatomic_ops-devel hwloc-devel openmpi openmpi-devel"
check "it names the module and the folder of its MPI" grep -F "module load mpi/openmpi-$(uname -m)' or 'export PATH=/usr/lib64/openmpi/bin:" "$tmp/out"
check "its relatives" names 'ID="almalinux" ID_LIKE="rhel"' "dnf install libatomic_ops-devel hwloc-devel openmpi openmpi-devel"
check "openSUSE" names 'ID="opensuse-tumbleweed"' "zypper install libatomic_ops-devel hwloc-devel openmpi4 openmpi4-devel"
check "it names the folder of its MPI" grep -F "export PATH=/usr/lib64/mpi/gcc/openmpi4/bin:" "$tmp/out"
check "Alpine is refused at once" eval '! names "ID=alpine" none && grep "musl" "$tmp/out" && [ "$(wc -l <"$tmp/out")" = 1 ]'
check "Arch" names "ID=arch" "pacman -S libatomic_ops hwloc openmpi"
check "another" names "ID=other" \
  "these packages of Debian, or what holds the same: libatomic-ops-dev libhwloc-dev openmpi-bin libopenmpi-dev"
check "no modules are spoken of" eval '! grep module "$tmp/out"'
module() { :; }
export -f module
check "where there are modules, one is to be loaded" eval 'names "ID=fedora" "dnf install libatomic_ops-devel hwloc-devel openmpi openmpi-devel" && grep -q "load an MPI (module avail" "$tmp/out"'
script mpicc "exec $wrapper \"\$@\""
check "a loaded one counts" eval 'names "ID=fedora" "dnf install libatomic_ops-devel hwloc-devel" && ! grep module "$tmp/out"'
# ---- .ci/run with ./dev and test/systems.sh that only note what they are asked for

mkdir -p "$tmp/ci/.ci" "$tmp/ci/test" "$tmp/ci/build"
cp .ci/run "$tmp/ci/.ci/" && cp -r test/support "$tmp/ci/test/" && echo "$mpi" >"$tmp/ci/build/mpi"
# fake FILE TEXT: a script there, which gets TALLY and WERROR from .ci/run
fake() { printf '#!/bin/bash\necho "${0##*/} $*" >>"$ASKED"\n%s\n' "$2" >"$tmp/ci/$1" && chmod +x "$tmp/ci/$1"; }
counts='case $1 in test | weak | mutants | model) echo "1 0 0" >>"$TALLY" ;; esac; '
rare=" attack configure dev install report_page slurm soak"
# ci CODE LAST [TEXT]: it returns CODE, and LAST is its last line, as a pattern; TEXT: the first tests of ./dev, by default rare ones
ci() {
  local rc=0
  : >"$ASKED"
  "$tmp/ci/.ci/run" >"$tmp/out" 2>&1 || rc=$?
  cat "$tmp/out" "$ASKED"
  [ $rc = "$1" ] && tail -n 1 "$tmp/out" | grep -qE "^$2\$" && [ "$(grep -m 1 "^dev test" "$ASKED")" = "dev test${3-$rare}" ]
}
fake dev "$counts"
fake test/systems.sh 'exit 1'
check ".ci/run without a bare Debian says so in its last line, and tests here" \
  ci 0 '[0-9]+ passed, 0 failed; all tests ran on this host, because no bare Debian 13 could be made here \(.*\)' ""
fake test/systems.sh '[ $1 = --make ] || printf "%b" "2 0 2\t1\ta\t\n0 0 0\tskipped\ta\tg++ is not installed\n0 0 0\tskipped\ta\tno data
3 0 0\t1\tab\t\n1 0 1\t1\tc\t\n0 0 0\tskipped\tc\tno data\n1 0 1\t1\td-2\t\n0 0 0\tskipped\td-2\tthe other MPI is not installed\n" >>"$TALLY"'
check "with one, what lacks a package there is tested here, and is not counted as skipped" ci 0 '[0-9]+ passed, 0 failed, 1 skipped' " a d-2$rare"
fake test/systems.sh '[ $1 = --make ] || echo "3 0 0" >>"$TALLY"'
check "all is built here if nothing was lacking" eval 'ci 0 "[0-9]+ passed, 0 failed" && grep -qx "dev build build all tests" "$ASKED"'
fake test/systems.sh '[ $1 = --make ]'
check "tests that end before they count are a failure" ci 1 '[0-9]+ passed, 1 failed'
fake dev "$counts"'[ "$WERROR $1 $2" != "1 build build-clang" ]'
fake test/systems.sh 'exit 1'
check "so is a build that warns" ci 1 '[0-9]+ passed, 1 failed; .*' ""
finish

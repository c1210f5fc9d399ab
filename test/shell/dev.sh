#!/usr/bin/env bash
# dev.sh - which packages ./dev installs or names: by the MPI that is wanted, the one that is here, and the system.
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
  PATH=$tmp/path PKG_CONFIG_LIBDIR=$tmp/pc ./dev "$@" >"$tmp/out" 2>&1
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
finish

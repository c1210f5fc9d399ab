# packages.sh - the packages that building and testing need, and how what is missing is installed or named; sourced by dev.

# Each entry: Debian's package and how to see that it (or the same from elsewhere) is here: a command, a file, a pkg-config name.
base="gcc=gcc libc6-dev=/usr/include/stdio.h meson=meson ninja-build=ninja pkgconf=pkg-config
  libatomic-ops-dev=pc:atomic_ops zlib1g-dev=pc:zlib libzstd-dev=pc:libzstd libxxhash-dev=pc:libxxhash libcjson-dev=pc:libcjson
  libhwloc-dev=pc:hwloc nettle-dev=pc:nettle libcmocka-dev=pc:cmocka"
openmpi="openmpi-bin=mpirun.openmpi,mpirun libopenmpi-dev=pc:ompi-c"
mpich="mpich=mpiexec.hydra libmpich-dev=pc:mpich"
tests="binutils=objdump groff-base=groff iproute2=ip procps=pgrep"
skippable="g++=g++ cmake=cmake zsh=zsh man-db=man slurm-wlm=slurmctld,/usr/sbin/slurmctld munge=munged,/usr/sbin/munged
  clang=clang chromium=chromium chromium-driver=chromedriver
  python3-selenium=/usr/lib/python3/dist-packages/selenium
  mypy=mypy python3-jsonschema=/usr/lib/python3/dist-packages/jsonschema python3-numpy=/usr/lib/python3/dist-packages/numpy
  python3-scipy=/usr/lib/python3/dist-packages/scipy
  python3-pandas=/usr/lib/python3/dist-packages/pandas python3-matplotlib=/usr/lib/python3/dist-packages/matplotlib" # tests skip what needs these where they are missing
format="clang-format=clang-format"
fuzzer="clang=clang libclang-rt-dev=/usr/lib*/clang/*/lib/*/libclang_rt.fuzzer*"
systems="debootstrap=debootstrap,/usr/sbin/debootstrap"
compiler_cache="ccache=ccache"
model="spin=spin gcc=gcc libc6-dev=/usr/include/stdio.h"

# The same elsewhere, where the name differs: Debian, Fedora, openSUSE, Arch. Of the others, Debian's names are printed.
elsewhere="
libc6-dev          glibc-devel          glibc-devel         glibc
ninja-build        ninja-build          ninja               ninja
pkgconf            pkgconf-pkg-config   pkgconf-pkg-config  pkgconf
libatomic-ops-dev  libatomic_ops-devel  libatomic_ops-devel libatomic_ops
zlib1g-dev         zlib-devel           zlib-devel          zlib
libzstd-dev        libzstd-devel        libzstd-devel       zstd
libxxhash-dev      xxhash-devel         xxhash-devel        xxhash
libcjson-dev       cjson-devel          cJSON-devel         cjson
libhwloc-dev       hwloc-devel          hwloc-devel         hwloc
nettle-dev         nettle-devel         libnettle-devel     nettle
libcmocka-dev      libcmocka-devel      libcmocka-devel     cmocka
openmpi-bin        openmpi              openmpi4            openmpi
libopenmpi-dev     openmpi-devel        openmpi4-devel      openmpi
libmpich-dev       mpich-devel          mpich-devel         mpich
libclang-rt-dev    compiler-rt          clang               compiler-rt
groff-base         groff-base           groff               groff
iproute2           iproute              iproute2            iproute2
procps             procps-ng            procps              procps-ng
g++                gcc-c++              gcc-c++             gcc
man-db             man-db               man                 man-db"

here() {
  case $1 in
    pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
    /*) compgen -G "$1" >/dev/null ;;
    *,*) here "${1%%,*}" || here "${1#*,}" ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing_of() {
  local entry
  for entry in $*; do here "${entry#*=}" || printf '%s ' "${entry%%=*}"; done
}

# ---- MPI: Debian's, or whichever is here ----------------------------------------------------------------------------

# family COMPILER: openmpi, or mpich for all that descend from it, if it makes a program of MPI
family() {
  local dir name=
  dir=$(mktemp -d)
  printf '#include <mpi.h>\n#ifdef OPEN_MPI\nconst char name[] = "family openmpi";\n#else\nconst char name[] = "family mpich";
#endif\nint main(void) { return MPI_Init(0, 0) + name[7]; }\n' >"$dir/mpi.c"
  if $1 "$dir/mpi.c" -o "$dir/mpi" 2>/dev/null; then name=$(grep -aoE 'family (openmpi|mpich)' "$dir/mpi" | head -n 1); fi
  rm -rf "$dir"
  [ -n "$name" ] && echo "${name#family }"
}

# mpi_here auto|openmpi|mpich: the family of the MPI that the compiler itself or mpicc makes programs of, if it is wanted.
# meson looks in the same order.
mpi_here() {
  local compiler found
  for compiler in "${CC:-cc}" "mpicc.$1" mpicc; do
    found=$(family "$compiler") || continue
    case $1 in auto | "$found") echo "$found" && return ;; esac
  done
  return 1
}

# need_mpi WHY OPTION|ENTRY...: those entries and what building needs, with the MPI of the option -Dmpi=NAME, else the one
# that is here, else Open MPI. Sets mpi.
need_mpi() {
  local why=$1 word entries=$base wanted=auto
  shift
  for word in "$@"; do
    case $word in -Dmpi=*) wanted=${word#-Dmpi=} ;; -*) ;; *) entries+=" $word" ;; esac
  done
  case $wanted in auto | openmpi | mpich) ;; *) echo "dev: -Dmpi=$wanted: it is auto, openmpi or mpich" >&2 && exit 2 ;; esac
  if ! mpi=$(mpi_here "$wanted"); then
    if [ "$wanted" = auto ]; then mpi=openmpi; else mpi=$wanted; fi
    entries+=" ${!mpi}"
  fi
  need "$why" "$entries"
}

# Whether two MPIs can be here at once: beside one that is not Debian's none is installed.
both_mpis() {
  local found
  found=$(mpi_here auto) || return 0
  command -v "mpicc.$found" >/dev/null
}

# ---- installing -----------------------------------------------------------------------------------------------------

# size_of PACKAGE...: how much installing them would bring, as "12 packages, 34 MB to download, 120 MB on disk"
size_of() {
  local names
  names=$(LC_ALL=C apt-get install --simulate --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
  apt-cache show --no-all-versions $names 2>/dev/null | awk '
    /^Package:/ { n++ } /^Installed-Size:/ { disk += $2 / 1e3 } /^Size:/ { size += $2 / 1e6 }
    END { printf "%d packages, %.0f MB to download, %.0f MB on disk", n, size, disk }'
}

# system: prints the names of this system and of its relatives; SCREE_OS_RELEASE is for tests
system() { (. "${SCREE_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo " ${ID-} ${ID_LIKE-} "); }

# name_packages PACKAGE...: the command that installs them on this system
name_packages() {
  local system command column=1
  system=$(system)
  case $system in
    *" debian "*) command="apt-get install --no-install-recommends" ;;
    *" fedora "* | *" rhel "*) command="dnf install" column=2 ;;
    *suse*) command="zypper install" column=3 ;;
    *" arch "*) command="pacman -S" column=4 ;;
    *) command="these packages of Debian, or what holds the same:" ;;
  esac
  printf '%s\n' "$@" | awk -v column=$column -v table="$elsewhere" -v command="  $command" '
    BEGIN { n = split(table, lines, "\n"); for (i = 1; i <= n; i++) { split(lines[i], w, " +"); name[w[1]] = w[column] } }
    { p = $1 in name ? name[$1] : $1; if (!seen[p]++) command = command " " p } END { print command }'
}

# mpi_may_be_here PACKAGE...: how that MPI is found where its packages keep it off PATH
mpi_may_be_here() {
  local name=openmpi
  case " $* " in *" mpich "*) name=mpich ;; esac
  echo "dev: an MPI that is installed already is found by its mpicc: put that on PATH"
  case $(system) in
    *" fedora "* | *" rhel "*)
      echo "dev: Fedora and RHEL keep it off PATH until 'module load mpi/$name-$(uname -m)' or 'export PATH=/usr/lib64/$name/bin:\$PATH'" ;;
    *suse*)
      [ $name = mpich ] || name=openmpi4
      echo "dev: openSUSE keeps it off PATH until 'export PATH=/usr/lib64/mpi/gcc/$name/bin:\$PATH'" ;;
  esac
  if type module >/dev/null 2>&1 || [ -n "${MODULESHOME-}" ]; then
    echo "dev: this machine has environment modules: load an MPI (module avail, module load NAME)"
  fi
}

# need WHY ENTRY...: installs what is not here, WHY says for what
need() {
  local why=$1 missing sudo=
  shift
  case $(system) in *" alpine "*)
    echo "dev: this is Alpine, whose C library is musl: scree needs glibc (getcontext, makecontext); use a system with glibc" >&2
    exit 1
    ;;
  esac
  missing=$(missing_of "$*")
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || sudo=sudo
  if ! command -v apt-get >/dev/null || { [ -n "$sudo" ] && ! command -v sudo >/dev/null; }; then
    missing=$(missing_of "$* $tests") # those of run and test in one line
    echo "dev: $why needs what is missing here; please install it$(command -v apt-get >/dev/null && echo " as root"), then run this again:" >&2
    name_packages $missing >&2
    case $missing in *mpi*) mpi_may_be_here $missing >&2 ;; esac
    exit 1
  fi
  [ -z "$sudo" ] || sudo true # prompts for the password before output is redirected to a file
  step "reading the package lists" $sudo apt-get update -q || :
  echo "dev: $why needs ${missing% }; with what they depend on: $(size_of $missing)" >&2
  step "installing ${missing% }" $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends $missing || exit 1
  missing=$(missing_of "$*")
  [ -z "$missing" ] || { echo "dev: still not found after installing: $missing" >&2 && exit 1; }
}

#!/bin/sh
# installed.sh LIBDIR - run at the end of `meson install`: prints what is still missing before compilers and programs
# find the library in LIBDIR, as lines for a shell; nothing if nothing is missing.
[ -z "${DESTDIR-}" ] || exit 0 # the library goes elsewhere later
libdir=$1
if [ "$(pkg-config --variable=pcfiledir scree 2>/dev/null)" != "$libdir/pkgconfig" ]; then
  pc="export PKG_CONFIG_PATH=$libdir/pkgconfig\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}"
fi
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
case :${LD_LIBRARY_PATH-}: in
  *:"$libdir":*) ;;
  *)
    if ! $ldconfig -p 2>/dev/null | grep -q " $libdir/libscree\.so\."; then
      if $ldconfig -v -N 2>/dev/null | grep -q "^$libdir:"; then
        ld="ldconfig # as root"
      else
        ld="export LD_LIBRARY_PATH=$libdir\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
      fi
    fi ;;
esac
[ -n "${pc-}${ld-}" ] || exit 0
# Some releases of meson read the output of such a script and drop it: then it goes where meson's own output goes.
of_meson=/proc/$PPID/fd/1
if [ -n "${MESON_INSTALL_PREFIX-}" ] && [ "$(readlink $of_meson)" != "$(readlink /proc/$$/fd/1)" ]; then
  exec >>$of_meson 2>/dev/null || exit 0
fi
echo "scree is installed in $libdir, which is not searched yet; use:"
[ -z "${pc-}" ] || echo "  $pc"
[ -z "${ld-}" ] || echo "  $ld"

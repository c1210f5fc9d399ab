"""Spack's recipe for scree. From a checkout:

    spack repo add packaging/spack
    spack install scree@main ^mpich
"""
import os

from spack.package import *


class Scree(MesonPackage):
    """Active messages over MPI, and graph algorithms on them."""

    # The checkout that this recipe is in.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("MIT")
    version("main", branch="main")

    variant("cli", default=True, description="the command line")

    depends_on("c", type="build")
    depends_on("meson@0.61:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("libatomic-ops@7.6.12:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("xxhash@0.8:")
    depends_on("cjson", when="+cli")
    depends_on("hwloc", when="+cli")
    depends_on("nettle", when="+cli")
    depends_on("python@3.9:", type="run", when="+cli")

    def setup_build_environment(self, env):
        # mpi.h is found by the compiler itself, so no pkg-config file of another MPI is taken.
        env.set("CC", self.spec["mpi"].mpicc)

    def meson_args(self):
        cli = self.spec.satisfies("+cli")
        return ["-Dtests=disabled", f"-Dcli={'true' if cli else 'false'}"]

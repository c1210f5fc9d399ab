"""Command lines of configurations: launchers of both MPIs, variables, all refusals. Launchers and programs of other
MPIs are scripts in a directory that is the whole PATH; the program in $BUILD checks the options."""

import os
from contextlib import suppress

import case
from case import RECORDED, SCREE

from scree.study import launch
from scree.study.launch import Checker
from scree.study.plan import Configuration, make
from scree.study.texts import Refused, expand


class Case(case.Case):
    def setUp(self):
        super().setUp()
        os.environ["PATH"] = self.folder
        for name, text in (("mpirun.openmpi", ""), ("mpiexec.hydra", ""), ("open", "echo scree 1; echo mpi: openmpi 4"),
                           ("open5", "echo scree 1; echo 'mpi: openmpi (Open MPI v5.0.7, package: Open MPI)'"),
                           ("mpich", "echo scree 1; echo mpi: mpich 4")):
            self.script(name, text)
        self.open()

    def open(self):
        self.checker = Checker(SCREE)
        self.addCleanup(self.checker.close)
        self.launcher = launch.Launcher(self.checker)

    def script(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\necho run >>{self.folder}/asked\n{text}\n")
        os.chmod(path, 0o755)

    def configuration(self, text):
        return Configuration(dict(one.split("=", 1) for one in text.replace("DIR", self.folder).split("|")))

    def command(self, text, default="mpirun"):
        self.launcher.default = default
        return self.launcher.command(self.configuration(text))

    def words(self, text, default="mpirun"):
        words = " ".join(self.command(text, default).full(False))
        return words.replace(self.folder, "DIR").replace(SCREE, "THIS")

    def refuses(self, text, part, default="mpirun"):
        with self.subTest(text), self.assertRaises(Refused) as caught:
            self.command(text, default)
        self.assertIn(part, str(caught.exception))


class Words(Case):
    def test_both(self):
        for text, expected in RECORDED["command lines"]:
            self.assertEqual(self.words(text), expected)

    def test_local(self):
        self.assertEqual(self.words("mpi=DIR/open|scale=8|ranks=3", "local"),
                         "DIR/open sssp kron:8 --ranks 3 --warmup 1 --json -")
        self.refuses("scale=8|bind=core", "axis 'bind' cannot be combined with launcher 'local'", "local")
        self.refuses("scale=8|nodes=1", "axis 'nodes' cannot be combined with launcher 'local'", "local")

    def test_ranks_and_cores(self):
        ranks = self.checker.slots + 1
        self.assertIn("--oversubscribe --bind-to none", self.words(f"mpi=DIR/open|scale=8|ranks={ranks}"))
        self.assertIn("--oversubscribe --bind-to core:overload-allowed",
                      self.words(f"mpi=DIR/open|scale=8|ranks={ranks}|bind=core"))
        self.refuses(f"scale=8|ranks={ranks}|bind=core:2", "ranks with 2 cores each need")
        if self.checker.slots < 2:
            self.skipTest("one core")
        self.assertIn("--map-by slot:PE=2 --bind-to core DIR", self.words("mpi=DIR/open|scale=8|ranks=1|bind=core:2"))
        self.assertIn("-bind-to core:2 DIR", self.words("mpi=DIR/mpich|scale=8|ranks=1|bind=core:2"))

    def test_variables(self):
        command = self.command("mpi=DIR/open|scale=8|ranks=1|env.SCREE_SPIN=0|env.OMPI_MCA_x=two words|env.A1=")
        words = " ".join(command.full(True)).replace(self.folder, "DIR")
        self.assertEqual(words, "DIR/mpirun.openmpi -n 1 --bind-to core -x SCREE_SPIN -x A1 DIR/open sssp kron:8 "
                         "--warmup 1 --validate --json -")
        self.assertEqual([command.environment[name] for name in ("SCREE_SPIN", "OMPI_MCA_x", "A1")],
                         ["0", "two words", ""])

    def test_threads_and_cores(self):
        cores = self.checker.slots

        def too_many(program, ranks, more=""):
            bind = "" if "bind" in more else "|bind=none"
            return self.command(f"mpi=DIR/{program}|scale=8{bind}|ranks={ranks}{more}").too_many

        if cores > 1:
            self.assertIn("--map-by slot:PE=2 --bind-to core ", self.words("mpi=DIR/open|scale=8|ranks=1|threads=2"))
            self.assertTrue(too_many("open", 1, "|threads=2|bind=core:1"))
        self.assertIn("--bind-to none ", self.words(f"mpi=DIR/open|scale=8|ranks={cores}|threads=2"))
        self.assertFalse(too_many("mpich", cores))
        self.assertTrue(too_many("mpich", cores + 1))
        self.assertTrue(too_many("mpich", cores, "|env.MPIR_CVAR_ASYNC_PROGRESS=1"))
        self.assertFalse(too_many("open", cores, "|env.MPIR_CVAR_ASYNC_PROGRESS=1"))
        # threads of scree: workers, and its own for progress
        self.assertTrue(too_many("open", cores, "|progress=full|algorithm=dc-hybrid"))
        self.assertTrue(too_many("open", cores, "|threads=2"))
        self.script("srun", "")
        self.assertFalse(self.command("scale=8|ranks=100000", "srun {ranks}").too_many)

    def test_cannot_run(self):
        """Found without a run, in the words of the job."""
        self.assertIn("the handlers of the algorithm 'dc' are not made for a progress thread",
                      self.command("scale=8|algorithm=dc|progress=full").cannot)
        self.assertIn("nothing travels by MPI", self.command("scale=8|progress=comm").cannot)
        self.assertIn("transport=mpi needs MPI", self.command("scale=8|transport=mpi", "local").cannot)
        self.assertEqual(self.command("scale=8|algorithm=dc-hybrid|progress=full").cannot, "")
        self.assertEqual(self.command("scale=8|progress=comm|transport=mpi").cannot, "")

    def test_slots(self):
        """The message names the variable that the Open MPI obeys, and that one alone allows more."""
        os.environ.update(SLURM_JOB_NUM_NODES="1", SLURM_NTASKS="2")
        self.open()
        rows = (("open", "OMPI_MCA_rmaps_base_oversubscribe", "1", "0"),
                ("open5", "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", "slot:nooversubscribe"))
        for (program, name, value, no), other in zip(rows, reversed(rows)):
            text = f"mpi=DIR/{program}|scale=8|ranks=3"
            remedy = f"has 2 slots; use fewer, or allow it by {name}={value}"
            self.refuses(text, remedy)
            os.environ[other[1]] = other[2]
            self.refuses(text, remedy)
            os.environ[name] = no
            self.refuses(text, remedy)
            os.environ[name] = value
            self.assertIn(" -n 3 --bind-to none ", self.words(text))
            del os.environ[name], os.environ[other[1]]

    def test_nodes(self):
        os.environ.update(SLURM_JOB_NUM_NODES="2", SLURM_NTASKS="8")
        self.open()
        self.assertIn(" -n 4 -ppn 2 -bind-to core ", self.words("mpi=DIR/mpich|scale=8|ranks=4|nodes=2"))

    def test_default_launcher(self):
        def of(text):
            return launch.default_launcher(make(f"scale = 8\n{text}", "s", (), {}), self.checker)

        for text in ("mpi = mpich", "bind = none", "nodes = 1", "ranks-per-node = 2", "transport = mpi",
                     "progress = comm", "env.MPIR_CVAR_ASYNC_PROGRESS = 1", "env.SCREE_TRANSPORT = mpi"):
            self.assertEqual(of(text), "mpirun", text)
        for text in ("", "transport = auto", "transport = shm", "progress = full", "env.SCREE_SPIN = 0"):
            self.assertEqual(of(text), "local", text)
        os.environ["SCREE_TRANSPORT"] = "mpi"
        self.assertEqual(of("ranks = 2"), "mpirun")
        del os.environ["SCREE_TRANSPORT"]
        os.environ["PMI_RANK"] = "0"
        self.open()
        self.assertEqual(of(""), "mpirun")

    def test_which(self):
        self.assertIn(" THIS sssp kron:8", self.words(f"scale=8|ranks=1|mpi={self.checker.mpi}"))
        other = "openmpi" if self.checker.mpi == "mpich" else "mpich"
        self.script(f"scree-{other}", "")
        self.assertIn("scree", self.words(f"scale=9|ranks=1|mpi={other}"))
        with suppress(FileNotFoundError):  # a build directory beside that of the program may have one for that MPI
            os.unlink(os.path.join(self.folder, "asked"))
        self.script("once", "echo scree 9; echo mpi: mpich")
        for _ in range(3):
            self.assertIn("mpiexec.hydra", self.words("mpi=DIR/once|scale=8|ranks=1"))
        with open(os.path.join(self.folder, "asked")) as file:
            self.assertEqual(file.read(), "run\n")

    def test_says_nothing_of_mpi(self):
        self.script("silent", "echo scree of mpichx and openmpi4, xmpich")
        self.assertIn("mpirun.openmpi", self.words("mpi=DIR/silent|scale=8|ranks=1"))
        self.script("broken", "echo no library >&2; exit 3")
        self.refuses("mpi=DIR/broken|scale=8", "--version' ended with code 3: no library")

    def test_not_scree(self):
        """Any program that prints JSON: its axes are those that its template names."""
        self.script("bench", "")
        self.assertEqual(self.words("program=bench --bytes {bytes} -n {ranks}|bytes=64|ranks=1|mpi=DIR/open"),
                         "DIR/mpirun.openmpi -n 1 --bind-to core DIR/bench --bytes 64 -n 1")
        self.refuses("program=bench|bytes=64", "axis 'bytes': the program 'bench' has no {bytes}")
        self.refuses("program=nosuch", "'nosuch' is not an executable program")

    def test_eager(self):
        self.script("limits", 'e=4040; [ "${2##*/}" != mpich ] || e=16; echo noise; echo "{\\"eager_bytes\\":\t$e}"')

        def measure(text):
            return self.launcher.measure_eager(self.configuration(text).settings)

        self.assertEqual(measure("launcher=limits {ranks}"), 4040)
        self.assertEqual(measure("launcher=limits {ranks}|mpi=DIR/mpich"), 16)
        self.script("limits", "echo cannot >&2; exit 1")
        with self.assertRaisesRegex(Refused, "ended with code 1: cannot"):
            measure("launcher=limits {ranks}")

    def test_template(self):
        self.script("srun", "")
        self.assertEqual(self.words("mpi=DIR/open|scale=8|ranks=3", "srun -n {ranks} --label='a {ranks}' x{ranks}"),
                         "DIR/srun -n 3 --label=a 3 x3 DIR/open sssp kron:8 --warmup 1 --json -")
        for launcher, part in RECORDED["parts of errors of launchers"]:
            self.refuses("scale=8", part, launcher)
        self.refuses("scale=8|bind=none", "axis 'bind' cannot be combined with launcher", "srun -n {ranks}")

    def test_words(self):
        os.environ.update(A="x y", B="/bi[n] /*", HOME="/home/me*")
        for text, words in RECORDED["words of templates"]:
            self.assertEqual(expand(text), words, text)
        self.assertEqual((os.environ["B"], os.environ["HOME"]), ("/bi[n] /*", "/home/me*"))

    def test_axes(self):
        for text, part in RECORDED["parts of errors of axes"]:
            self.refuses(text, part)
        plan = make("scale = 8\nranks = 1\nspin = 1, no", "s", (), {})
        with self.assertRaisesRegex(Refused, "configuration 'scale=8 ranks=1 spin=no': .*spin"):
            launch.check(plan, self.launcher)
        os.environ["PATH"] = "/nosuch::"
        self.refuses("scale=8|ranks=1", "is on PATH; install ")

"""test_sweep.py - sweeps: how jobs end, what is refused, files that are resumed and grow, dry runs, real jobs."""

import fcntl
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time
from unittest import mock

import case
from case import BUILD, HERE, SCREE, concludes, until

from scree.study import child
from scree.study.launch import Checker


def result(ranks=2, valid=True):
    return json.dumps({"configuration": {"ranks": ranks}, "peak_memory_bytes": {"max": 4096}, "runs": [
        {"seconds": 0.25, "teps": 1e6, "valid": valid, "work": {"messages": 7}},
        {"seconds": 0.75, "teps": 3e6, "valid": True, "work": {"messages": 8}}]}, indent=1) + "\n"


# How a job ends, the status of its record, and how the message begins.
ENDS = {
    "good": ({"out": "a launcher's line\n" + result(), "perf": {"cycles": 4e6, "instructions": 6e6}}, "ok", ""),
    "failed": ({"exit": 3, "err": "scree: warning: few cores\nscree: no luck\nsome banner\n"}, "failed",
               "exit code 3: scree: no luck\nscree: warning: few cores\nscree: no luck\nsome banner"),
    "signal": ({"exit": 139}, "failed", "exit code 139, as of signal 11"),
    "invalid": ({"exit": 1, "out": result(valid=False)}, "invalid", "the answer of run 1 is wrong"),
    "ranks": ({"out": result(1)}, "ranks", "the job had 1 rank instead of 2"),
    "separate": ({"out": result(1) * 3}, "ranks", "the launcher started 3 separate jobs of 1 rank instead of one of 2"),
    "zero": ({"out": result().replace("0.25", "0").replace("0.75", "0")}, "failed", "the JSON of the job lacks "
                "configuration.ranks or runs with seconds"),
    "silent": ({"out": "nothing to see\n"}, "failed",
               "exit code 0, but standard output has no JSON object: 'nothing to see'"),
    "hangs": ({"exit": 9, "timed_out": True, "err": "scree: report of rank 0\n"}, "timeout",
              "not finished after 1 s (option timeout)\nscree: report of rank 0"),
    "refused": ({"exit": 2, "err": "scree: roads.gr: line 3: no number\n"}, "failed", "exit code 2: scree: roads.gr"),
    **{f"own{i}": ({"exit": 2, "err": f"scree: option --delta: own{i} is not a width\n"}, "failed", "exit code 2")
       for i in (1, 2, 3)},
}


class Case(case.Case):
    """Most jobs are a function, which answers by the axis env.FAKE. A file stands for their program."""

    def setUp(self):
        super().setUp()
        self.jobs, self.waits, self.fake, self.file = [], None, self.path("fake"), self.path("a.jsonl")
        self.write(self.fake, "#!/bin/sh\n")

    def write(self, name, text):
        with open(name, "a", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o755)

    def run_job(self, words, environment, *_):
        if words[-1] == "--version":
            return child.Outcome(0, out="scree 0 (openmpi)")
        self.jobs.append(words)
        if self.waits and environment.get("FAKE") == "waits":
            self.waits()
            return child.Outcome(stopped=True)
        end = ENDS.get(environment.get("FAKE", ""), ENDS["good"])[0]
        return child.Outcome(**{"exit": 0, "seconds": 0.01, "err": "", **end})

    def main(self, *words, code=0, real=False):
        """NAME=VALUES and options; what it says."""
        known = ["--axis=" + word if "=" in word and word[:2] != "--" else word for word in words]
        with mock.patch("scree.study.child.run", child.run if real else self.run_job):
            return "".join(self.command("sweep", ["--program", SCREE, "--results", self.file, *known], code))

    def sweep(self, fakes, *words, **more):
        return self.main("launcher=env RANKS={ranks}", "mpi=" + self.fake, "kernel=sssp", "scale=8", "ranks=2",
                         "env.FAKE=" + fakes, *words, **more)

    def grows(self, jobs, *words, **more):
        """So many jobs run, and each step has one record."""
        before = len(self.jobs)
        said = self.sweep("good", *words, **more)
        self.assertEqual(len(self.jobs) - before, jobs)
        return said

    def records(self):
        header, lines = self.lines(self.file)
        self.assertEqual(header["title"], "")
        return header, lines

    def complete(self):
        header, lines = self.records()
        self.assertEqual(sorted(line["step"] for line in lines), list(range(header["steps"])))
        return lines


class Jobs(Case):
    def test_how_they_end(self):
        kinds = ",".join(name for name in ENDS if name not in ("refused", "own1", "own2", "own3"))
        said = self.sweep(kinds, "repeat=1", "timeout=1s", code=1)
        for text in ("#1: failed: exit code 3: scree: no luck", "scree report " + self.file, "MTEPS"):
            self.assertIn(text, said)
        for line in self.complete():
            fake = line["configuration"]["env.FAKE"]
            _, status, message = ENDS[fake]
            self.assertEqual((line["status"], line.get("message", "")[:len(message)]), (status, message), fake)
            if fake == "good":
                self.assertEqual((line["seconds"], line["teps"], line["work"]["messages"], line["peak_memory_bytes"],
                                  line["result"]["configuration"]), (0.5, 1.5e6, 7.5, 4096, {"ranks": 2}))
                self.assertNotIn("message", line)
                self.assertEqual(line["perf"], {"cycles": 4000000, "instructions": 6000000})
                said, _ = self.command("report", [self.file, "--metric", "perf.instructions/perf.cycles"])
                self.assertRegex(said, "perf.instructions/perf.cycles  answer\n(.*\n)*.* 1.5  ")
        self.assertEqual(sum("--validate" in job for job in self.jobs),
                         sum(line["repetition"] < 2 for line in self.complete()))
        count = len(self.jobs)
        self.assertIn("MTEPS", self.sweep(kinds, "repeat=1", "timeout=1s", "--resume", code=1))
        self.assertEqual(len(self.jobs), count)

    def test_refused_input(self):
        """Three configurations that are refused for one reason end the sweep; own reasons fail alone, and once."""
        said = self.sweep("refused", "repeat=9", "in-flight=1,2,3,4,5", code=2)
        self.assertIn("scree: roads.gr: line 3: no number", said)
        self.assertLessEqual(len(self.jobs), 5)
        self.file = self.path("b.jsonl")
        for more in ((), ("--resume",)):
            self.sweep("own1,own2,own3,good", "repeat=2", *more, code=1)
            fakes = [line["configuration"]["env.FAKE"] for line in self.records()[1] if line["role"] == "data"]
            self.assertEqual((sum(fake != "good" for fake in fakes) + 1, fakes.count("good")), (3, 2))
        self.file = self.path("c.jsonl")
        self.sweep("refused", "repeat=9", code=2)

    def test_a_failed_run_is_run_again(self):
        """With --retry-failed; its record is replaced, and what had a result is kept."""
        axes = ("launcher=env RANKS={ranks}", "mpi=" + self.fake, "kernel=sssp", "scale=8", "ranks=2",
                "env.FAKE=good,failed,own1", "repeat=2")
        self.main(*axes, code=1)
        lines = self.records()[1]
        kept = sum(line["status"] == "ok" for line in lines)
        self.assertEqual(kept + 3, len(lines))
        with mock.patch.dict(ENDS, failed=ENDS["good"], own1=ENDS["good"]):
            said = self.main(*axes, "--retry-failed")
        self.assertIn("3 runs without a result in ", said)
        self.assertEqual({line["status"] for line in self.complete()}, {"ok"})
        self.assertEqual(len({line["session"] for line in self.complete()}), 2)
        before = self.read(self.file)
        self.assertIn("so no run is repeated", self.main(*axes, "--retry-failed"))
        again = [json.loads(line) for line in self.read(self.file).splitlines()[1:]]
        self.assertEqual([{**line, "step": 0} for line in again],
                         [{**json.loads(line), "step": 0} for line in before.splitlines()[1:]])

    def test_refused_configurations_are_counted_once(self):
        """A finished sweep is not incomplete, and progress ends at the number of its runs."""
        said = self.sweep("own1,own2,good", "repeat=3", code=1)
        count = len(self.records()[1])
        self.assertIn(f"[{count}/{count}, 0 s left]", said)
        self.assertNotIn("incomplete", self.command("report", [self.file])[0])
        self.assertIn(f"{count} of {count} runs", self.command("report", [self.file])[0])

    def test_the_plan_of_a_record_is_repeated(self):
        self.sweep("good", "repeat=2", "in-flight=2,4")
        first, self.file = self.file, self.path("b.jsonl")
        self.main("--from-record", first)
        self.assertEqual(self.lines(first)[0]["plan"], self.lines(self.file)[0]["plan"])
        self.assertEqual(sorted(line["key"] for line in self.lines(first)[1]), sorted(line["key"] for line in self.complete()))
        for i, (line, why) in enumerate((("{damaged\n", "not a result file of scree sweep"), ("", "found an empty file"),
                                         (self.read(first).splitlines()[0], "found half a line"),
                                         ('{"scree_sweep":2,"steps":1}\n', "the header lacks plan or steps"),
                                         ('{"scree_sweep":2,"plan":7,"steps":1}\n', "the header lacks plan or steps"),
                                         ('{"scree_sweep":2,"plan":"kernel = nothing\\n","steps":1}\n', "nothing"),
                                         ('{"scree_sweep":2,"plan":"","steps":1}\n', "there is nothing to run"))):
            self.write(self.path(f"bad{i}"), line)
            self.assertIn(why, self.main("--from-record", self.path(f"bad{i}"), code=2))

    def test_a_precision_ends_a_sweep(self):
        """Equal times reach it in six rounds; never more than `repeat` are run."""
        said = self.sweep("good", "repeat=9", "in-flight=2,4", "--precision", "5%")
        self.assertIn("precision 5 % was reached: 0.0 % after 6 rounds", said)
        self.assertEqual(max(line["repetition"] for line in self.records()[1] if line["role"] == "data"), 6)
        self.assertNotIn("incomplete", self.command("report", [self.file])[0])
        self.file = self.path("b.jsonl")
        self.assertIn("not reached: unknown below 6 runs after 2 rounds",
                      self.sweep("good", "repeat=2", "in-flight=2,4", "--precision", "5%"))
        self.assertIn("'--precision': '0' is not legal", self.sweep("good", "--precision", "0", code=2))

    def test_records_name_the_machine(self):
        with mock.patch.dict(os.environ, UCX_TLS="sm", OMPI_MCA_btl="self", UCX_SECRET_KEY="x"):
            self.sweep("good", "repeat=1")
        line = self.records()[1][0]
        self.assertEqual(line["mpi_environment"], {"OMPI_MCA_btl": "self", "UCX_TLS": "sm"})
        self.assertTrue(set(line["machine"]) & {"cpu_family", "huge_pages", "governor"} or not line["machine"])
        self.assertRegex(line["session"], r"^\d+$")

    def test_cannot_run(self):
        axes = ("scale=6", "ranks=2", "algorithm=dc,dc-hybrid", "progress=none,full", "repeat=2")
        said = self.main(*axes, "--dry-run")
        self.assertIn("1 of 4 configurations cannot run: progress=full: the handlers of the algorithm 'dc'", said)
        self.assertRegex(said, "\nscale=6 ranks=2 algorithm=dc progress=full.*\n.*\n  cannot run: progress=full")
        self.main(*axes, code=1)
        ends = [line for line in self.records()[1] if "cannot run: progress=full" in line.get("message", "")]
        self.assertEqual([line["wall_seconds"] for line in ends], [0])

    def test_options_that_change_the_work_are_known(self):
        """An option of a kernel changes the number of its items if the kernel's table says so, and is in the header."""
        checker = Checker(SCREE)
        self.addCleanup(checker.close)
        for kernel, small, others in (("gups", "words=64", "words=128 tasks=2 lookahead=8"),
                                      ("puts", "tasks=2 steps=2", "tasks=4 steps=4 task-live=8"),
                                      ("walk", "vertices=64 steps=2 degree=2", "vertices=128 steps=4 degree=4"),
                                      ("hashmap", "pool=64 tasks=2 steps=2", "tasks=4 steps=4 pool=128"),
                                      ("stencil", "edge=4 steps=2", "edge=6 steps=4"),
                                      ("intsort", "class=tiny", "class=S"), ("uts", "tree=short-geometric", "tree=short-binomial")):
            def items(more=""):
                words = [word for one in (*small.split(), *more.split()) for word in ("--" + one).split("=")]
                ended = subprocess.run([SCREE, kernel, "--ranks", "1", "--quiet", "--json", "-", *words], check=True,
                                       stdout=subprocess.PIPE)
                return json.loads(ended.stdout)["runs"][0]["traversed_edges"]

            usual = items()
            for other in others.split():
                name = other.split("=")[0]
                self.assertEqual(items(other) != usual, name in checker.kernels[kernel]["work"], (kernel, other))
        self.sweep("good", "repeat=1")
        self.assertEqual(self.lines(self.file)[0]["work_options"], {"sssp": []})

    @concludes
    def test_the_command(self):
        """Options as the program scree passes them on; flags need no value."""
        known = os.path.join("test", "study", "recorded", "report.jsonl")
        dry = ("--ranks", "1", "--dry-run", "--results", self.file)
        for words, text in (
                (("sweep", "--graph", "examples/village.gr", "--undirected", *dry), " --undirected "),
                (("sweep", "--scale", "8", "--no-pruning", "on,off", "--control", "no-pruning=off", "--mix", *dry),
                 "no-pruning=off ranks=1  (the control)"),
                (("sweep", "--axis", "scale=8", "--repeat", "3", "--timeout", "2m", *dry), "3 times in rounds"),
                (("report", known, "--csv", "-", "--all-runs"), ",warmup,"),
                (("report", known, "--where", "kernel=sssp", "--markdown", "-", "--metric", "bytes"), "| bytes"),
                (("report", known, "--reference", known, "--tolerance", "5%"), "0 configurations worse")):
            ended = subprocess.run([SCREE, *words], cwd=os.path.join(HERE, "..", ".."), capture_output=True, text=True)
            self.assertEqual((ended.returncode, text in ended.stdout), (0, True), ended.stdout + ended.stderr)


class Files(Case):
    def test_refused(self):
        self.sweep("good", "repeat=1")
        for text, *words in (("the file exists; --resume continues it", "repeat=1"),
                             ("belong to another plan", "in-flight=1", "repeat=1", "timeout=9", "--resume"),
                             ("make one sweep for each", "mpi=openmpi", "coalesce-bytes=eager", "--dry-run")):
            self.assertIn(text, self.sweep("good", *words, code=2))
        for text, *words in (("'scalin' is neither a sweep file nor a preset; the nearest preset is 'scaling'",
                              "scalin"), ("a sweep takes one plan: 'b' follows 'a'", "a", "b"), ("no plan given",)):
            self.assertIn(text, self.main(*words, "--dry-run", code=2))
        self.file = os.path.join(HERE, "..", "..", "examples", "village.gr")
        self.assertIn("line 1: not a result file", self.sweep("good", "--resume", code=2))

    def test_an_empty_file_is_filled(self):
        """With and without --resume; a file that another sweep holds, or that a link leads to, is not."""
        for more in ((), ("--resume",), ("--mix",)):
            pathlib.Path(self.file).write_bytes(b"")
            self.assertNotIn("which exists", self.sweep("good", "repeat=1", "--dry-run", *more))
            self.sweep("good", "repeat=1", *more)
            self.complete()
        self.assertIn("the file exists; --resume continues it", self.sweep("good", "repeat=1", code=2))
        self.file = self.path("held.jsonl")
        with open(self.file, "wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertIn("another sweep is writing to this file", self.sweep("good", "repeat=1", code=2))
        target, self.file = self.file, self.path("link.jsonl")
        os.symlink(target, self.file)
        self.assertIn("the file exists", self.sweep("good", "repeat=1", code=2))
        self.assertEqual(self.read(target), "")

    def test_a_sweep_file_names_the_results(self):
        self.write(self.path("named.sweep"), "title = eager\nkernel = sssp\nscale = 8 # eager\nranks = 2\nrepeat = 3\n")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.file = ""
        self.main("--dry-run", "named.sweep")
        self.main("named.sweep")
        self.assertIn("from the 4 runs in 'named.jsonl'", self.main("named.sweep", "--dry-run"))
        self.assertIn('"title":"eager"', self.read("named.jsonl"))

    def test_dry_run(self):
        said = self.sweep("good,failed", "repeat=4", "--dry-run")
        for text in ("^2 configurations, each run 4 times", r"^Runs: \d+\. Estimated time: \d+ s, assuming 1.5 s per",
                     r"^ +env\.FAKE +good, failed$", f"^  FAKE=failed .*env RANKS=2 {self.fake} sssp kron:8 "):
            self.assertRegex(said, re.compile(text, re.MULTILINE))
        self.assertFalse(self.jobs or os.path.exists(self.file))
        self.assertIn("1 configuration, each run 1 time in rounds", self.sweep("good", "repeat=1", "--dry-run"))
        crowd = "in 1 of 2 configurations there are more threads than"
        self.assertIn(crowd, self.main("scale=8", "ranks=2,1000", "--dry-run"))
        self.assertNotIn(crowd, self.sweep("good", "ranks=2,100000", "--dry-run"))  # a template may go elsewhere
        self.assertIn("legal: N|auto: processes that the command starts, 1 to 1024", self.main("scale=8", "ranks=1025", "--dry-run", code=2))
        self.sweep("good", "env.N=cores", "repeat=1")
        file = pathlib.Path(self.file)
        file.write_text(re.sub('"cores":[0-9]*', '"cores":777', file.read_text("utf-8"), count=1), "utf-8")
        said = self.sweep("good,failed", "env.N=cores", "timeout=9", "--dry-run")  # not the words of another plan
        self.assertIn("which exists: --resume continues it", said)
        self.assertNotRegex(said, "env.N  *777")

    def test_disk_full(self):
        axes, limits = ("in-flight=1,2", "repeat=9"), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, limits[1]))
        try:
            self.assertIn("the disk is full", self.sweep("good", *axes, code=1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(self.read(self.file)[-1], "\n")
        self.sweep("good", *axes, "--resume")
        self.complete()

    def test_stopped(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            def waits(number=number):
                said = self.sweep("good,waits", "repeat=2", "--resume", code=2)
                self.assertIn("another sweep is writing to this file", said)
                os.kill(os.getpid(), number)

            self.waits = waits
            self.assertIn("the sweep was stopped after", self.sweep("good,waits", "repeat=2", "--resume", code=130))
        self.waits = None
        self.sweep("good,waits", "repeat=2", "--resume")
        self.complete()


class Growth(Case):
    def test_a_finished_study_grows(self):
        self.grows(7, "in-flight=1,2", "repeat=2")  # a warm-up, 4, 2 of the control
        for jobs, *words in ((2, "in-flight=1,2", "repeat=3"), (4, "in-flight=1,2,3", "repeat=3"),
                             (10, "in-flight=1,2,3", "repeat=3", "spin=256,0"),  # 256 is what was run
                             (0, "in-flight=1,2,3", "repeat=3", "spin=256,0")):
            self.grows(jobs, *words, "--resume")
            data = [line for line in self.complete() if line["role"] == "data"]
        self.assertEqual(sum(line["configuration"].get("spin") == "256" for line in data), 9)
        self.assertEqual(sum("spin" not in line["configuration"] for line in data), 0)
        self.assertIn("belong to another plan", self.sweep("good", "in-flight=1,2", "repeat=3", "--resume", code=2))

    def test_another_order_of_runs(self):
        """Of results of an earlier release: their records get the steps of this one."""
        self.grows(7, "in-flight=1,2", "repeat=2")
        header, lines = self.records()
        os.unlink(self.file)
        for line in (header, *lines):
            self.write(self.file, json.dumps({**line, "step": 6 - line["step"]} if "step" in line else line) + "\n")
        self.grows(0, "in-flight=1,2", "repeat=2", "--resume")
        self.assertEqual([line["key"] for line in self.complete()], [line["key"] for line in lines])

    def test_who_ran_it(self):
        """Runs of another program or environment are refused, or kept apart."""
        self.grows(5, "in-flight=1,2", "repeat=1")
        for line in self.complete():
            self.assertRegex(line["identity"].pop("hash"), "^[0-9a-f]{16}$")
            for name, value in (("program", self.fake), ("host", os.uname().nodename), ("mpi", "openmpi")):
                self.assertEqual(line["identity"][name], value)
        self.write(self.fake, "# another build\n")
        said = self.grows(0, "in-flight=1,2,3", "repeat=1", "--resume", code=2)
        self.assertRegex(said, "run 0 was made under other conditions: hash [0-9a-f]+ there, [0-9a-f]+ here")
        self.grows(5, "in-flight=1,2", "repeat=1", "--mix")
        self.assertIn("4 configurations, 10 runs", self.command("report", [self.file])[0])
        self.file = self.path("b.jsonl")
        self.grows(5, "in-flight=1,2", "repeat=1")
        text = self.read(self.file)
        for what, mine, other in (("mpi", "openmpi", "mpich"), ("host", os.uname().nodename, "elsewhere")):
            pathlib.Path(self.file).write_text(text.replace(f'"{what}":"{mine}"', f'"{what}":"{other}"'), "utf-8")
            said = self.grows(0, "in-flight=1,2,3", "repeat=1", "--resume", code=2)
            self.assertIn(f"conditions: {what} {other} there, {mine} here", said)
        pathlib.Path(self.file).write_text(text, "utf-8")
        with mock.patch.dict(os.environ, SCREE_SPIN="3"):
            said = self.grows(0, "in-flight=1,2,3", "repeat=1", "--resume", code=2)
            self.assertIn("option spin of the environment unset there, 3 here", said)
        self.grows(1, "in-flight=1,2,3", "repeat=1", "--resume")


    def test_each_configuration_has_a_program_of_its_own(self):
        """With which its records are compared."""
        other = "mpi=" + self.path("other")
        self.write(self.path("other"), "#!/bin/sh\n# of another MPI\n")
        self.grows(5, other, "repeat=1")
        self.grows(2, other, "repeat=2", "--resume")
        self.assertEqual(len({line["identity"]["hash"] for line in self.complete()}), 2)


class Killed(Case):
    def start(self, file):
        words = "--scale 8,9 --ranks 1,2 --algorithm dc,delta,kla,opt --repeat 4".split()  # 74 runs of 0.03 s or more
        words += ["--results", file, "--resume", "--mpi", self.fake, "--launcher", "env RANKS={ranks}"]
        return subprocess.Popen([SCREE, "sweep", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, study):
        """It has not ended, and leaves no process."""
        study.kill()
        self.assertEqual(study.wait(), -signal.SIGKILL)
        until(lambda: subprocess.run(["pgrep", "-f", "--", self.fake], stdout=subprocess.DEVNULL).returncode)

    def steps(self, file):
        header, lines = self.lines(file)
        found = sorted((line["step"], line["repetition"], line["control"], line["key"]) for line in lines)
        self.assertEqual([step for step, *_ in found], list(range(header["steps"])))
        return sorted(one[1:] for one in found)  # each session has its own order

    def test_ten_times(self):
        """A sweep that is killed and resumed leaves the same records as one that is not. Its job ends with it."""
        self.write(self.fake, f"""[ "$1" != --version ] || {{ echo "scree 0 (openmpi)" && exit; }}
[ ! -e {self.folder}/hang ] || {{ touch {self.folder}/hangs; sleep 1000; }}
sleep 0.03
printf '{{"configuration":{{"ranks":%s}},"runs":[{{"seconds":0.25,"teps":1e6,"valid":true}}]}}' "$RANKS"
""")
        self.assertEqual(self.start(self.path("whole")).wait(), 0)
        seed = os.environ.get("SEED") or str(time.time())
        draw = random.Random(seed)
        with self.subTest(f"SEED={seed}"):
            for _ in range(10):
                study = self.start(self.file)
                time.sleep(draw.uniform(0, 0.35))
                self.kill(study)
        pathlib.Path(self.path("hang")).touch()
        study = self.start(self.file)
        until(lambda: os.path.exists(self.path("hangs")))
        self.kill(study)
        os.unlink(self.path("hang"))
        self.assertEqual(self.start(self.file).wait(), 0)
        self.assertEqual(self.steps(self.file), self.steps(self.path("whole")))


class Real(Case):
    def test_scree(self):
        self.main("scale=8", "ranks=2", "algorithm=dc,delta", "launcher=local,mpirun", "repeat=1", real=True)
        for line in self.complete():
            self.assertEqual(line["status"], "ok", line.get("message"))
            self.assertTrue(line["validated"] or line["repetition"] > 1)
        self.file = self.path("b.jsonl")
        self.main("scale=14", "ranks=2", "warmup=100000", "timeout=1s", "repeat=1", real=True, code=1)
        self.assertRegex(self.records()[1][0]["message"], "(?s)(?=.*rank 0 of 2)(?=.*report of rank 1 of 2)")

    def test_other_programs(self):
        self.write(self.path("bench"), '#!/bin/sh\n[ $1 = --bytes ] && echo "{\\"runs\\":[{\\"seconds\\":0.00$2}]}"\n')
        self.main(f"program={self.path('bench')} --bytes {{bytes}}", "launcher=env N={ranks}", "bytes=1,2", "ranks=1",
                  "repeat=3", real=True)
        times = [line["seconds"] for line in self.complete() if line["configuration"]["bytes"] == "2"]
        self.assertEqual(times, [0.002] * 3)

    def test_a_benchmark_of_plain_mpi(self):
        compiler = shutil.which("mpicc." + pathlib.Path(BUILD, "mpi").read_text("utf-8").strip())  # of Debian
        if not compiler:
            self.skipTest("mpicc of this build's MPI is not installed; ./dev packages installs all tools")
        source = os.path.join(HERE, "..", "..", "examples", "study", "own_benchmark.c")
        subprocess.run([compiler, "-O2", source, "-o", self.path("own")], check=True)
        self.main(f"program={self.path('own')} {{bytes}}", "bytes=8,512", "ranks=2", "repeat=2", real=True)
        self.assertEqual([(line["status"], line["result"]["configuration"]["ranks"]) for line in self.complete()],
                         [("ok", 2)] * 7)

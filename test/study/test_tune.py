"""tune: the cost of the rungs, candidates drawn, races whose times are planted, and one on scree itself."""

import contextlib
import io
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import types
import unittest
from unittest import mock

from case import SCREE, Case

from scree.study import child, plan, progress, tune
from scree.study.__main__ import run as main
from scree.study.launch import Checker
from scree.study.plan import make
from scree.study.texts import Refused

AXES = ("frequency=8,16,32,64,128", "lock=mutex,ticket,priority", "spin=0,256")
LOCKS = "lock=mutex,ticket,priority"


class Rungs(unittest.TestCase):
    def test_sources_and_jobs(self):
        cost = progress.Cost(1, 0.5, 2, first=2, max=10)
        self.assertEqual([cost.sources(rung) for rung in (1, 2, 3, 30)], [2, 6, 10, 10])
        self.assertEqual([cost.jobs(rung) for rung in (1, 2, 3, 30)], [1, 1, 2, progress.ROUNDS])
        self.assertEqual([progress.promoted(n) for n in (9, 10)], [3, 4])

    def test_seconds(self):
        cost = progress.Cost(1, 0.5, 2, first=2, max=100)
        # 9 and the default with 2 sources: 10 jobs of 2 s; 3 validated; 3 and the default, 5 rounds of 6 sources: 4 s
        self.assertEqual(cost.race(9), 10 * 2 + 3 * 2 + 4 * 5 * 4)
        self.assertEqual(cost.race(3), 3 * 2 + 4 * 5 * 2)  # the last rung alone
        self.assertEqual(cost.size(106, 9), 9)
        self.assertLess(cost.size(105.9, 9), 9)
        self.assertEqual([cost.size(1e9, 243), cost.size(1, 243)], [243, 0])

    def test_values_occur_equally_often(self):
        made = make("a = 1, 2, 3, 4\nb = p, q\nc = x, y, z if a = 1\nd = 1, 2, 3, 4, 5, 6\ne = 1, 2, 3", "s", (),
                           {})
        draws = 60
        settings = list(itertools.islice(plan.covering(made), draws))
        self.assertEqual(len({str(one) for one in settings}), draws)
        for axis, values in made.axes.items():
            for value in values:
                times, even = sum(one.get(axis) == value for one in settings), draws / len(values)
                least, most = (3, even) if axis == "c" else (0.7 * even, 1.3 * even)
                self.assertTrue(least <= times <= most, f"{axis}={value}: {times} of {even}")
        self.assertEqual(len({str(one) for one in plan.covering(made)}), len(made.configurations))


class Spaces(Case):
    def setUp(self):
        super().setUp()
        self.checker = Checker(SCREE)
        self.addCleanup(self.checker.close)

    def space(self, *options):
        return tune.Space(("graph=kron:6",) + options, self.checker)

    def test_each_kernel(self):
        for kernel in ("sssp", "bfs", "cc", "pagerank"):
            with self.subTest(kernel):
                one = self.space("kernel=" + kernel, "ranks=2")
                one.find(0.125)
                one.draw(40)
                self.assertEqual((one.illegal, len(one.candidates)), (0, 41))
                self.assertTrue(all(candidate.settings for candidate in one.candidates[1:]))

    def test_illegal(self):
        """Values that all combinations refuse are errors; combinations alone are passed over."""
        one = self.space("algorithm=dc,delta", "queue=buckets,dary")
        one.find(0)
        one.draw(10)
        self.assertEqual((one.illegal, len(one.candidates)), (1, 4))  # the default, dc, delta, dc with dary
        bad = self.space("queue=dary,heap", "algorithm=dc")
        bad.find(0)
        with self.assertRaisesRegex(Refused, "option 'queue': 'heap' is not a known word; legal: buckets.dary"):
            bad.draw(10)

    def test_defaults(self):
        defaults = {"in-flight": "4", "coalesce-bytes": "auto", "flush-age": "1000us", "no-pruning": "off",
                    "algorithm": "auto", "distribution": "block"}
        self.assertEqual(self.checker.ask({"graph": "kron:6", **defaults}).defaults, list(defaults))
        others = {"in-flight": "8", "no-pruning": "on", "flush-age": "1us"}
        self.assertEqual(self.checker.ask({"graph": "kron:6", **others}).defaults, [])

    def test_command(self):
        one = self.space("ranks=3", "algorithm=kla", "no-pruning=on", "huge-pages=off", "bind=none")
        self.assertEqual(tune.command_of(one, one.candidates[0], "my file"), "mpirun -n 3 scree sssp kron:6 "
                         "--algorithm kla --no-pruning --huge-pages off --options 'my file'")
        one = self.space("launcher=srun -n {ranks} -c 1")
        self.assertEqual(tune.command_of(one, tune.Candidate({"ranks": "4"}), "f"),
                         "srun -n 4 -c 1 scree sssp kron:6 --options f")


def fails(text, code=3):
    return {"exit": code, "err": f"scree: {text}\n"}


class World(Case):
    """A function is the world: it says what a job does, by its options. Time passes as the jobs say."""

    def setUp(self):
        super().setUp()
        self.found, self.records = self.path("found"), self.path("records")

    def tune(self, world, *axes, budget=600.0, code=0):
        self.jobs, self.out, self.err, now = [], io.StringIO(), io.StringIO(), [0.0]

        def run_job(words, *_):
            self.jobs.append(" ".join(words))
            known = {"frequency": "32", "queue": "buckets", "lock": "mutex", "spin": "256", "sources": "1"}
            given = {name[2:]: value for name, value in zip(words, words[1:]) if name[2:] in known}
            one = types.SimpleNamespace(**{**known, **given}, validate="--validate" in words)
            end = world(one) or {}
            runs = [{"seconds": end.get("seconds", 1e-4), "teps": 1.0,
                     **({"valid": end.get("valid", True)} if one.validate else {})}] * int(one.sources)
            ranks = next(int(word[6:]) for word in words if word.startswith("RANKS="))
            out = {"configuration": {"ranks": ranks}, "graph": {"vertices": 64}, "runs": runs}
            wall = end.get("wall", 0.005 + sum(one["seconds"] for one in runs))
            now[0] += wall
            return child.Outcome(end.get("exit", 0), end.get("hangs", False), False, wall, json.dumps(out) if "err" not in end else "",
                                 end.get("err", ""))

        words = ["--program", SCREE, "--write", self.found, "--results", self.records, "--budget", str(budget)]
        words += [f"--axis={one}" for one in ("graph=kron:6", "algorithm=dc", "launcher=env RANKS={ranks}", *axes)]
        for name in (self.found, self.records):
            pathlib.Path(name).unlink(missing_ok=True)
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err), \
                mock.patch("scree.study.child.run", run_job), \
                mock.patch("scree.study.tune.time.monotonic", lambda: now[0]):
            self.assertEqual(main("tune", words), code, self.err.getvalue())

    def finds(self, *settings, said=(), **more):
        """The settings that were written, and what the program says on standard output, or in the file."""
        text = self.read(self.found)
        self.assertEqual(sorted(line for line in text.splitlines() if line[:1] != "#"), sorted(settings))
        for part in said:
            self.assertIn(part, self.out.getvalue() + self.err.getvalue() + text)


class Races(World):
    def test_the_planted_optimum(self):
        """Frequency 16 and lock ticket; spin does not matter but for 0, which fails with ticket."""
        def world(one):
            if (one.lock, one.spin) == ("ticket", "0"):
                return fails("no spin for ticket")
            return {"seconds": 1e-6 * {"ticket": 10, "mutex": 14}.get(one.lock, 20)
                    * {"16": 10, "8": 12, "32": 12}.get(one.frequency, 17)}

        self.tune(world, *AXES)
        self.finds("frequency = 16", "lock = ticket", said=(
            "5 jobs failed; the first: ", "no spin for ticket", f"written to {self.found}; to use it: env RANKS=2 "
            f"scree sssp kron:6 --algorithm dc --options {self.found}", "# Time relative to the default: 0.595 (97.7 % "
            "interval 0.595 to 0.595)", "# Tried: 29 of 30 combinations, 5 failed", "The last rung: 10 jobs of each.",
            "rung 2: 10 candidates and the default", "the last: 2 candidates and the default"))
        self.assertTrue(any("--frequency 16 --lock ticket" in job and "--validate" in job for job in self.jobs))
        self.assertEqual([line["step"] for line in self.lines(self.records)[1]], list(range(len(self.jobs))))
        subprocess.run([SCREE, "sssp", "kron:6", "--algorithm", "dc", "--options", self.found], check=True,
                       stdout=subprocess.DEVNULL)

    def test_wrong_answers(self):
        self.tune(lambda one: {"seconds": {"ticket": 1e-4, "priority": 2e-4}.get(one.lock, 3e-4),
                               "valid": one.lock != "ticket"}, LOCKS)
        self.finds("lock = priority")
        self.tune(lambda one: {"valid": False, "seconds": 5e-5} if one.lock != "mutex" else None, LOCKS)
        self.finds(said=("no finalist gave a correct answer; the default is kept", "no time",
                         "# Tried: 2 of 3 combinations, 2 failed", "# No options: no finalist gave a correct answer"))

    def test_the_default_fails_once(self):
        def world(one):
            default = (one.lock, one.frequency, one.spin) == ("mutex", "32", "256")
            if default and not one.validate and len(self.jobs) > 2 and not failed:
                return failed.append(1) or fails("now and then", 4)

        failed = []
        self.tune(world, *AXES)
        self.finds(said=("# Tried: 29 of 30 combinations, 0 failed", "nothing is faster than the default beyond"))
        self.assertTrue(failed)

    def test_axes_of_its_own(self):
        self.tune(lambda one: {"seconds": 1e-4 if one.queue == "dary" else 2e-4}, "coalesce-bytes=4K", "flush-age=1ms",
                  "batch-max=8192", "in-flight=4", "relabel=none", "distribution=block")
        self.assertIn("of 18 combinations", self.err.getvalue())
        self.assertIn("queue = dary\n", self.read(self.found))
        self.tune(lambda one: None, "no-pruning=on,off", "ranks=1,2")

    def test_budgets(self):
        self.tune(lambda one: {"wall": 0.1}, *AXES, budget=3.0)
        self.assertTrue(2 < len(self.jobs) <= 31, len(self.jobs))
        self.tune(lambda one: {"wall": 0.6}, *AXES, budget=1.0, code=1)
        self.assertIn("scree: the budget of 1 s is too short for a comparison", self.err.getvalue())
        self.assertFalse(os.path.exists(self.found))

    def test_stopped(self):
        def stop(now):
            return os.kill(os.getpid(), signal.SIGINT) if now else None

        self.tune(lambda one: stop(len(self.jobs) == 6), *AXES, code=130)
        self.assertIn("stopped in rung 1 after 5 jobs", self.err.getvalue())
        self.assertFalse(os.path.exists(self.found))
        last = []

        def world(one):
            last.extend([1] if "the last" in self.err.getvalue() else [])
            stop(len(last) == 16)
            return {"seconds": 5e-5 if one.lock == "ticket" else 1e-4}

        self.tune(world, LOCKS, code=130)
        self.finds("lock = ticket")

    def test_failures(self):
        self.tune(lambda one: fails("no such lock today", 1) if one.lock != "mutex" else None, "lock=ticket,priority",
                  code=1)
        self.assertIn("no such lock today", self.err.getvalue())
        self.tune(lambda one: fails("never", 1), "lock=ticket,priority", code=1)
        self.assertIn("scree: the job fails with default settings: exit code 1: scree: never", self.err.getvalue())


class Landscapes(World):
    """Planted: what a race finds depends on the landscape alone, and on the budget."""

    def noise(self, seed, spread=0.05):
        draw = random.Random(seed)
        return lambda: 1 + spread * draw.random()

    def test_valley(self):
        """The optimum lies between two slopes, and the axes do not act together."""
        slope = {"8": 1.6, "16": 1.3, "32": 1.15, "64": 1.0, "128": 1.4}
        for seed in range(3):
            noise = self.noise(seed)
            self.tune(lambda one: {"seconds": 1e-4 * slope[one.frequency] * (1 + 0.5 * (one.lock == "mutex"))
                                   * (1 + 0.2 * (one.lock == "priority")) * noise()}, *AXES[:2])
            self.finds("frequency = 64", "lock = ticket")

    def test_needle(self):
        """One of 96 combinations is fast, and nothing leads to it: all are tried, in heats where the first has no space."""
        axes = ("frequency=" + ",".join(map(str, range(8, 32))), "lock=mutex,ticket", "spin=0,256")

        def world(one):
            needle = (one.frequency, one.lock, one.spin) == ("23", "ticket", "0")
            return {"seconds": 1e-4 * (0.5 if needle else 1), "wall": 0.5 if len(self.jobs) < 3 else 0.02}

        self.tune(world, *axes, budget=60.0)
        self.finds("frequency = 23", "lock = ticket", "spin = 0", said=("another heat", "# Tried: 96 of 96 combinations"))

    def test_null(self):
        """Where nothing matters, the default is kept in all but a few of the races."""
        named = 0
        for seed in range(20):
            noise = self.noise(seed, 0.3)
            self.tune(lambda one: {"seconds": 1e-4 * noise()}, *AXES[:2])
            named += "nothing is faster than the default beyond the noise" not in self.out.getvalue()
        self.assertLessEqual(named, 3)

    def test_level(self):
        """Two values are equally fast: the race that chooses one names the other."""
        noise = self.noise(1)
        self.tune(lambda one: {"seconds": 1e-4 * noise() * (2 if one.lock == "mutex" else 1)}, LOCKS)
        found = {name for name in ("ticket", "priority") if f"lock = {name}\n" in self.read(self.found)}
        other, = {"ticket", "priority"} - found
        self.finds(*(f"lock = {name}" for name in found), said=(
            f"lock={other} is level with lock={''.join(found)}; another race may choose it", f"# Level with it: lock={other}."))

    def test_hanging(self):
        """A value that hangs costs two jobs at most, and the race goes on without it."""
        self.tune(lambda one: {"hangs": True, "wall": 10.0, "err": ""} if one.lock == "ticket" else
                  {"seconds": 1e-4 * (1 + (one.frequency != "16") + (one.lock != "mutex") + (one.spin == "0"))}, *AXES)
        self.assertLessEqual(sum("--lock ticket" in job for job in self.jobs), 2)
        self.finds("frequency = 16", said=("lock=ticket hangs; combinations with it are not tried any more",))
        self.tune(lambda one: {"hangs": True, "wall": 10.0, "err": ""} if (one.lock, one.spin) == ("ticket", "0") else
                  {"seconds": 1e-4 * (1 if one.lock == "ticket" else 2)}, *AXES[1:])
        self.finds("lock = ticket")

    def test_drift(self):
        """The machine gets 1.4 times slower: what is twice as fast is found, and nothing else is named."""
        for gain, settings in ((2.0, ["lock = ticket"]), (1.0, [])):
            noise = self.noise(2)
            self.tune(lambda one: {"seconds": 1e-4 * noise() * (1 + 0.4 * min(len(self.jobs) / 60, 1))
                                   / (gain if one.lock == "ticket" else 1)}, LOCKS)
            self.finds(*settings)


class Program(Case):
    """scree tune itself."""

    def run_tune(self, *words):
        return subprocess.run([SCREE, "tune", *words], capture_output=True, text=True)

    def test_refused(self):
        mine, job = self.path("mine"), "--kernel sssp --graph kron:6 "
        pathlib.Path(mine).write_text("mine\n", "utf-8")
        for why, text in (
                ("option '--kernel': 'graph500' is not legal; legal: sssp (the default), bfs, cc", "--kernel graph500"),
                ("option '--graph': 2 values given, but tune works on one job", "--kernel sssp --graph kron:6,kron:7"),
                ("name a graph", "--kernel sssp"),
                ("option '--sources' is not available in tune", job + "--sources 1,2"),
                ("option '--repeat' is not available in tune", job + "--repeat 4"),
                ("option 'budget': '0s' is not legal; legal: TIME: total time from 1s to 24h", job + "--budget 0s"),
                ("option 'in-flight': '65' is out of range; legal: 1 to 64", job + "--in-flight 4,65"),
                ("all values equal the defaults", job + "--coalesce-bytes auto,0"),
                (f"'{mine}' exists and was not written by scree tune", job + "--write " + mine),
                ("option '--write': cannot write '/no/file': No such file", job + "--write /no/file")):
            words = text.split()
            more = () if "--write" in words else ("--write", self.path("none"))
            with self.subTest(why):
                ended = self.run_tune(*words, *more)
                self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count(why)), (2, "", 1), ended.stderr)
        self.assertEqual(os.listdir(self.folder), ["mine"])

    def test_a_race(self):
        found, records = self.path("found"), self.path("records")
        ended = self.run_tune("--kernel", "bfs", "--graph", "kron:8", "--ranks", "1", "--launcher", "env N={ranks}",
                              "--alpha", "2,15", "--budget", "1m", "--write", found, "--results", records)
        self.assertIn(f"written to {found}; to use it: env N=1 scree bfs kron:8 --options {found}", ended.stdout)
        lines = self.lines(records)[1]
        self.assertGreaterEqual(sum(line["repetition"] == 1 for line in lines), 6)
        self.assertEqual({line["status"] for line in lines}, {"ok"})
        subprocess.run([SCREE, "bfs", "kron:8", "--options", found], check=True, stdout=subprocess.DEVNULL)

"""tune: the cost of the rungs, candidates drawn, what counts as the default, the command that uses what was found."""

import os
import unittest

from scree.study import race, tune
from scree.study.program import Checker
from scree.study.plan import Source, make
from scree.study.texts import Refused

SCREE = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "scree")


class Rungs(unittest.TestCase):
    def test_sources_and_jobs(self):
        cost = race.Cost(1, 0.5, 2, first=2, max=10)
        self.assertEqual([cost.sources(rung) for rung in (1, 2, 3, 30)], [2, 6, 10, 10])
        self.assertEqual([cost.jobs(rung) for rung in (1, 2, 3, 30)], [1, 1, 2, race.ROUNDS])
        self.assertEqual([race.promoted(n) for n in (9, 10)], [3, 4])

    def test_seconds(self):
        cost = race.Cost(1, 0.5, 2, first=2, max=100)
        # 9 and the default with 2 sources: 10 jobs of 2 s; 3 validated; 3 and the default, 3 rounds of 6 sources: 4 s
        self.assertEqual(cost.race(9), 10 * 2 + 3 * 2 + 4 * 3 * 4)
        self.assertEqual(cost.race(3), 3 * 2 + 4 * 3 * 2)  # the last rung alone
        self.assertEqual(cost.size(74, 9), 9)
        self.assertLess(cost.size(73.9, 9), 9)
        self.assertEqual([cost.size(1e9, 243), cost.size(1, 243)], [243, 0])


class Cover(unittest.TestCase):
    def test_values_occur_equally_often(self):
        plan = make(Source("a = 1, 2, 3, 4\nb = p, q\nc = x, y, z if a = 1\nd = 1, 2, 3, 4, 5, 6\ne = 1, 2, 3", "s", (),
                           {}))
        cover, draws = race.Cover(plan, 1), 60
        drawn = [cover.draw() for _ in range(draws)]
        self.assertEqual(len(set(drawn)), draws)
        settings = [plan.configurations[index].settings for index in drawn]
        for axis, values in plan.axes.items():
            for value in values:
                times, even = sum(one.get(axis) == value for one in settings), draws / len(values)
                if axis == "c":
                    self.assertGreaterEqual(times, 3)
                else:
                    self.assertTrue(0.7 * even < times < 1.3 * even, f"{axis}={value}: {times} of {even}")

    def test_all(self):
        plan = make(Source("a = 1, 2, 3\nb = 1, 2", "s", (), {}))
        cover = race.Cover(plan, 1)
        self.assertEqual({cover.draw() for _ in range(6)}, set(range(6)))
        self.assertIsNone(cover.draw())


class Spaces(unittest.TestCase):
    def setUp(self):
        for name in [name for name in os.environ if name.startswith("SCREE_")]:
            self.addCleanup(os.environ.__setitem__, name, os.environ.pop(name))
        self.checker = Checker(SCREE)
        self.addCleanup(self.checker.close)

    def space(self, *options):
        return race.Space(("graph=kron:6",) + options, self.checker)

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
        with self.assertRaisesRegex(Refused, "option '--queue': 'heap' is not legal; legal: buckets, dary"):
            bad.draw(10)

    def test_defaults(self):
        defaults = self.checker.ask({"graph": "kron:6", "in-flight": "4", "coalesce-bytes": "auto",
                                     "flush-age": "1000us", "no-pruning": "off", "algorithm": "auto",
                                     "distribution": "block"}).defaults
        self.assertEqual(defaults,
                         {"in-flight", "coalesce-bytes", "flush-age", "no-pruning", "algorithm", "distribution"})
        others = self.checker.ask({"graph": "kron:6", "in-flight": "8", "no-pruning": "on",
                                   "flush-age": "1us"}).defaults
        self.assertEqual(others, set())

    def test_command(self):
        one = self.space("ranks=3", "algorithm=kla", "no-pruning=on", "huge-pages=off", "bind=none")
        self.assertEqual(tune.command_of(one, one.candidates[0], "my file"), "mpirun -n 3 scree sssp kron:6 "
                         "--algorithm kla --no-pruning --huge-pages off --options 'my file'")
        one = self.space("launcher=srun -n {ranks} -c 1")
        self.assertEqual(tune.command_of(one, race.Candidate({"ranks": "4"}), "f"),
                         "srun -n 4 -c 1 scree sssp kron:6 --options f")

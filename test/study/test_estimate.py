"""test_estimate.py - the estimated time of a sweep: assumed until something has run, then learned from the runs."""

import unittest

from scree.study.plan import Source, make
from scree.study.progress import ROUGH_SECONDS, Progress

STUDY = "algorithm = dc, delta\nscale = 8, 20\nranks = 1, 2\nrepeat = 10\n"


def seconds_of(settings):
    """What a run of the study takes here: mostly the graph decides."""
    return 0.1 * (60 if settings["scale"] == "20" else 1) * (1.5 if settings["algorithm"] == "delta" else 1)


class Estimate(unittest.TestCase):
    def setUp(self):
        plan = make(Source(STUDY, "a.sweep", (), {}))
        self.steps = plan.steps()
        self.count = len(self.steps)
        self.progress = Progress(plan, self.steps, True)
        self.settings = [plan.configurations[step.configuration].settings for step in self.steps]
        self.truth = [seconds_of(one) for one in self.settings]

    def learn(self, places, done=True):
        for at in places:
            self.progress.learn(at, {"status": "ok", "seconds": 0.001, "wall_seconds": self.truth[at]}, done)

    def test_from_no_run_to_all(self):
        """After one round of ten, what is left is known, though the assumption was wrong by a factor."""
        self.assertEqual(self.progress.left(), (ROUGH_SECONDS * self.count, 0))
        round_ends = 1 + next(at for at, step in enumerate(self.steps) if step.repetition == 2 and not step.control)
        self.learn(range(round_ends))
        rest = sum(self.truth[round_ends:])
        self.assertAlmostEqual(self.progress.left()[0], rest, delta=0.02 * rest)
        self.assertGreater(abs(ROUGH_SECONDS * (self.count - round_ends) - rest), 0.5 * rest)
        self.learn(range(round_ends, self.count))
        self.assertEqual(self.progress.left(), (0, self.count))
        self.setUp()  # an earlier session: its runs are not done again, but what they took is known
        self.learn(range(self.count), done=False)
        self.assertAlmostEqual(self.progress.left()[0], sum(self.truth), delta=0.01 * sum(self.truth))
        for at in range(self.count):
            self.progress.drop(at)
        self.assertEqual(self.progress.left()[0], 0)

    def test_what_has_not_run_is_as_what_is_most_alike(self):
        """One run on each graph: configurations without any take the time of the runs on theirs."""
        chosen = [next(at for at, one in enumerate(self.settings) if one["scale"] == scale) for scale in ("8", "20")]
        self.learn(chosen)
        for at, one in enumerate(self.settings):
            if at not in chosen and one["scale"] == "20":
                self.progress.drop(at)
        rest = sum(truth for at, truth in enumerate(self.truth) if at not in chosen and truth < 1)
        left, runs = self.progress.left()
        self.assertTrue(runs == 2 and 0.6 * rest < left < 1.6 * rest, (left, rest))

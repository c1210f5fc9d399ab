"""Plans: the language of sweep files, keys, canonical text, the order of runs. recorded/plans.json has what the program
answered before plans were read in Python."""

import unittest
from unittest import mock

from case import RECORDED

from scree.study import plan, values
from scree.study.progress import ROUGH_SECONDS, Progress
from scree.study.texts import Refused

CONSTANTS = {"cores": 2, "fit": 18, "eager": 4040}


def make(text, *options, **constants):
    return plan.make(text, "s", options, {**CONSTANTS, **constants})


def keys(text, *options):
    return "; ".join(one.key for one in make(text, *options).configurations)


class Recorded(unittest.TestCase):
    def test_errors(self):
        for *words, why in RECORDED["errors of files"] + [
                ("a = 1", option, why) for option, why in RECORDED["errors of options"]]:
            with self.subTest(words), self.assertRaises(Refused) as caught, \
                    mock.patch.object(plan, "CHOICES_MAX", 200000):  # takes less time
                make(*words)
            self.assertEqual(str(caught.exception), why)

    def test_values(self):
        for text, expected in RECORDED["lists"]:
            with self.subTest(text):
                self.assertEqual("|".join(make(f"\n  x = {text}\r\n").axes["x"]), expected)
        for text, expected in RECORDED["keys"]:
            with self.subTest(text):
                self.assertEqual(keys(text), expected)

    def test_numbers(self):
        for text, value in RECORDED["numbers"]:
            self.assertEqual(values.number(text), value, text)


class Options(unittest.TestCase):
    def test_replacing(self):
        for text, options, expected in RECORDED["keys with options"]:
            self.assertEqual(keys(text, *options), expected)

    def test_the_last_wins(self):
        one = make("repeat = 9\na = 1, 2\ntimeout = 1\ntitle = t", "control=a=2", "repeat=2", "repeat = 3",
                   "timeout=2h")
        self.assertEqual((one.repeat, one.timeout, one.title, one.control), (3, 7200, "t", 1))

    def test_settings(self):
        one = make('title = a "b" = c, d # no\na = 1, 2\nb = x, y\nrepeat = 7\ntimeout=5m\ncontrol = b=x a=2')
        self.assertEqual((one.title, one.repeat, one.timeout, one.control), ('a "b" = c, d', 7, 300, 2))
        replaced = "scale = 4, 6\nb = x, y\ncontrol = scale=6 b=y"
        for more, expected in ((), 3), (("scale=8, 9",), 1), (("graph=g",), 1), (("scale=5, 6",), 3):
            self.assertEqual(make(replaced, *more).control, expected)
        self.assertEqual(make("a = 2, default\nb = 1\ncontrol = b=1").control, 1)  # the whole key, not a part of one

    def test_constants_in_use(self):
        for text, used in (('title = eager\nenv.eager_limit = 1\na = "eager", eagerly # eager', []),
                           ("a = cores, eager-64", ["cores", "eager"]), ("a = 2..fit*2", ["fit"]),
                           ("a = 1, 2\nb = 1 if a < eager", ["eager"])):
            self.assertEqual(make(text).constants_used, used)

    def test_text_is_canonical(self):
        one = make('title = t\na=1..cores*2 , 64..1K*4 # x\nlauncher = local, "srun -n {ranks}"\nb = "x y", "default", '
                   "default if a=1 | 64 and a<65\ntimeout = 1.5m\nskip if a = 2\n")
        self.assertEqual(one.text, 'a = 1, 2, 64, 256, 1K\nlauncher = local, "srun -n {ranks}"\n'
                         'b = "x y", "default", default if a = 1|64 and a < 65\nskip if a = 2\nrepeat = 5\n'
                         'timeout = 90s\ncontrol = a=1 launcher=local b="x y"\n')
        again = make(one.text)
        self.assertEqual((again.text, [c.key for c in again.configurations]),
                         (one.text, [c.key for c in one.configurations]))

    def test_text_tells_plans_apart(self):
        texts = ["a = 1, 2", "a = 2, 1", "a = 1, 2, 3", "b = 1, 2", "a = 1, 2\nrepeat = 4", "a = 1, 2\ntimeout = 10",
                 "a = 1, 2\ncontrol = a=2", "a = 1, 2, 3\nskip if a = 3", "a = 1, 2\nb = 1 if a = 2",
                 "a = 1, 2\nb = 1 if a != 2"]
        self.assertEqual(len({make(text).text for text in texts}), len(texts))
        self.assertEqual(make("title = x\na = 1..2+1").text, make("\na=1,cores").text)

    def test_keys_are_unique(self):
        one = make('a = 1..30+1\nb = "x", "x c=1", "y", x=1, "x|y"\nc = default, 1 if b = x')
        self.assertEqual(len({c.key for c in one.configurations}), len(one.configurations))
        self.assertEqual(len(one.configurations), 180)


class Steps(unittest.TestCase):
    def test_rounds_and_controls(self):
        for count in (1, 2, 3, 8, 9, 40):
            for repeat in (1, 2, 5):
                steps = make(f"a = 1..{count}+1\nrepeat = {repeat}\ncontrol = a={count}").steps()
                data = [one for one in steps if one.repetition and not one.control]
                self.assertEqual((steps[0].configuration, steps[0].repetition), (count - 1, 0))
                for turn in range(repeat):
                    round_ = data[turn * count:(turn + 1) * count]
                    self.assertEqual(sorted(one.configuration for one in round_), list(range(count)))
                    self.assertEqual({one.repetition for one in round_}, {turn + 1})
                controls = [one.repetition for one in steps if one.control]
                self.assertEqual(controls, list(range(1, len(controls) + 1)))
                self.assertEqual(len(controls), 0 if count == 1 else (count * repeat + 7) // 8 + 1)
                self.assertEqual(steps[-1].control, count > 1)

    def test_order(self):
        """Another one in each round and for each seed, the same each time; each position once in a cycle of rounds."""
        def rounds(seed):
            steps = make("a = 1..5+1\nrepeat = 10").steps(seed)
            return [[s.configuration for s in steps if s.repetition == turn and not s.control] for turn in range(1, 11)]

        self.assertEqual(rounds(7), rounds(7))
        self.assertEqual(len({str(rounds(seed)) for seed in range(20)}), 20)
        for made in (rounds(seed) for seed in range(20)):
            for cycle in (made[:5], made[5:]):
                self.assertEqual([sorted(column) for column in zip(*cycle)], [[0, 1, 2, 3, 4]] * 5)


class Presets(unittest.TestCase):
    def test_all_are_plans(self):
        known = plan.presets()
        self.assertGreaterEqual(len(known), 10)
        for name, text in known.items():
            for cores in (1, 2, 16):
                with self.subTest(name, cores=cores):
                    self.assertTrue(text.startswith(f"# {name} - "))
                    one = make(text, cores=cores)
                    self.assertTrue(one.title and one.repeat >= 3 and 1 < len(one.configurations) <= 100)
                    for axis in ("kernel", "ranks"):
                        self.assertTrue(all(axis in c.settings for c in one.configurations), axis)
                    graphs = [c for c in one.configurations
                              if c.settings["kernel"] in ("sssp", "bfs", "cc", "pagerank")]
                    self.assertTrue(all("scale" in c.settings for c in graphs))

    def test_threads_and_ranks_stand_side_by_side(self):
        """In amer-fig14; where threads send, dangling requests are counted."""
        found = [one.settings for one in make(plan.presets()["amer-fig14"]).configurations]
        for one in found:
            self.assertEqual("lock-sample" in one, one["ranks"] == "2", one)
        self.assertEqual([sorted({one["ranks"] for one in found if one["algorithm"] == name})
                          for name in ("hybrid", "level")], [["1", "2"]] * 2)


class Estimate(unittest.TestCase):
    """The estimated time of a sweep: assumed until something has run, then learned from the runs."""

    def test_from_no_run_to_all(self):
        """The time of a configuration is that of its runs, else of runs on its graph, else of all."""
        made = make("algorithm = dc, delta\nscale = 8, 20, 30\nrepeat = 10\n")
        steps = made.steps()
        settings = [made.configurations[step.configuration].settings for step in steps]
        one = Progress(made, steps, True)
        self.assertEqual(one.left(), (ROUGH_SECONDS * len(steps), 0))
        walls = {("dc", "8"): 0.1, ("dc", "20"): 6.0, ("delta", "20"): 8.0}
        for key, wall in walls.items():
            at = next(i for i, of in enumerate(settings) if (of["algorithm"], of["scale"]) == key)
            one.learn(at, {"wall_seconds": wall}, False)
        learned = {**walls, ("delta", "8"): 0.1, ("dc", "30"): 4.7, ("delta", "30"): 4.7}
        left = sum(learned[of["algorithm"], of["scale"]] for of in settings)
        self.assertEqual((round(one.left()[0], 6), one.left()[1]), (round(left, 6), 3))
        for at in range(len(steps)):
            one.drop(at)
        self.assertEqual(one.left()[0], 0)

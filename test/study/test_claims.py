"""test_claims.py - what reports claim about simulated studies whose truth is known: nothing where there is nothing, what
was planted, intervals with the level that is printed. SCREE_STUDY_CELLS=all simulates all cells, not three, and more of each."""

import os
import random
import unittest

from case import SCREE, Reports, run

from scree.study import plan, record, stats
from scree.study.launch import Checker

try:
    import claims_data as data
    import numpy as np

    from scree.study import claims
except ImportError:
    data = None

ALL = os.environ.get("SCREE_STUDY_CELLS") == "all"
SEEDS = range(1, 51 if ALL else 11)


def findings(*study, **more):
    records = [record.Record(line, "planted") for line in data.study(*study, **more)]
    results = record.Results("planted", {}, records, False, "", "", 0)
    return claims.find(stats.make_table(results), lambda table, group: "")


@unittest.skipUnless(data, "numpy or scipy is not installed; ./dev packages installs all tools")
class Claims(Reports):
    def test_nothing_is_found_where_nothing_is(self):
        """Of reports of null data at most 16 % (of few: 20 %) of a cell, and 6.25 % (10 %) of all cells, name an axis or a
        value."""
        cells = [(plan, noise) for plan in data.PLANS for noise in data.NOISES] if ALL else [
            ("8", "drift"), ("8", "bimodal"), ("28", "burst")]
        found = {cell: sum(findings(*cell, seed).named for seed in SEEDS) for cell in cells}
        print(f"# reports of null data that name something, of {len(SEEDS)}: {found}", flush=True)
        self.assertLessEqual(max(found.values()), 8 if ALL else 2, found)
        self.assertLessEqual(sum(found.values()), 75 * len(cells) / 24 if ALL else 3, found)

    def check_planted(self, plan, noise, factor, least, most=9.0):
        seen = []
        for seed in SEEDS if ALL else SEEDS[:5]:
            named = [one for one in findings(plan, noise, seed, factor, 0.03).claims if one.named and one.axis == "a"]
            self.assertFalse([one for one in named if not one.whole and one.factor.low <= 1 <= one.factor.high], seed)
            seen += [max(one.factor.median for one in named)] if named else []
        print(f"# {factor} planted, {plan} configurations, {noise}: found {len(seen)}, as "
              f"{min(seen, default=0):.3f} to {max(seen, default=0):.3f}", flush=True)
        self.assertGreaterEqual(len(seen), least if ALL else (least - 5) // 10, (plan, noise, factor))
        self.assertLessEqual(max(seen, default=0), most)

    def test_what_was_planted_is_found(self):
        for plan in ("8", "28") if ALL else ("28",):
            for noise in ("normal 10", "drift", "burst"):
                with self.subTest(f"{plan}, {noise}"):
                    self.check_planted(plan, noise, 1.15, 45)
                    self.check_planted(plan, noise, 1.3, 50 if noise != "burst" else 45)
                    self.check_planted(plan, noise, 1.05, 0, 1.1)

    def test_intervals_have_their_level(self):
        draw = np.random.default_rng(1)
        kinds = {"normal": (draw.normal, 0.0), "log-normal": (draw.lognormal, 1.0), "exponential": (
            draw.exponential, float(np.log(2))), "uniform": (draw.random, 0.5), "student": (
            lambda size: draw.standard_t(3, size), 0.0)}
        for n in range(3, 31):
            for kind, (values, truth) in kinds.items():
                drawn = np.sort(values(size=(4000, n)), axis=1)
                low, _, high, _, level = stats.median(range(n))  # the places of both ends
                covered = float(np.mean((drawn[:, low] <= truth) & (truth <= drawn[:, high])))
                self.assertLess(abs(covered - level), 0.01 + 0.006, (n, kind, covered, level))
        for n, m in ((3, 3), (5, 5), (4, 9), (12, 12)):
            tops, bottoms = np.exp(draw.normal(size=(4000, n))), np.exp(draw.normal(size=(4000, m)))
            found = [stats.ratio(list(a), list(b)) for a, b in zip(tops, bottoms)]
            covered = float(np.mean([one.low <= 1 <= one.high for one in found]))
            self.assertLess(abs(covered - found[0].level), 0.01 + 0.006, (n, m, covered, found[0].level))

    def test_presets_after_papers(self):
        """Each value of an axis of a preset has a planted rate; the number of items follows from the options. Reports give
        the direction and, within 20 %, the ratio of the rates."""
        checker = Checker(SCREE)
        self.addCleanup(checker.close)
        for name in ("gmt-fig5", "grappa-fig5", "grappa-fig6"):
            draw, rates, records = random.Random(1), {}, []
            made = plan.make(plan.presets()[name], name, [], {**checker.constants, "eager": 4096})
            work = {kernel: checker.kernels[kernel]["work"] for kernel in made.axes["kernel"]}
            for repetition, one in ((r, one) for r in range(1, 6) for one in made.configurations):
                pairs = list(one.settings.items())
                rate = 1e6 * np.prod([rates.setdefault(pair, np.exp(draw.uniform(-1, 1))) for pair in pairs])
                items = np.prod([1 + len(value) for axis, value in pairs if axis in work[one.settings["kernel"]]])
                line = run(dict(one.settings), float(items / rate) * draw.lognormvariate(0, 0.02), repetition)
                records.append({**line, "teps": float(items) / line["seconds"]})
            table = stats.make_table(record.read_file(self.file("a.jsonl", records, work_options=work)))
            found = claims.find(table, lambda table, group: "")
            self.assertTrue(all(family.whole.rate and family.whole.named for family in found.families) and found.families)
            for family, claim in ((one, claim) for one in found.families for claim in one.pairs):
                factor = rates[claim.axis, claim.reference] / rates[claim.axis, claim.value]
                for axis in stats.followers(table, family.groups, family.axis):
                    of = {group.settings[claim.axis]: group.settings[axis] for group in family.groups}
                    factor *= rates[axis, of[claim.reference]] / rates[axis, of[claim.value]]
                self.assertTrue(abs(np.log(claim.factor.median / factor)) < np.log(1.2), (name, claim, factor))

    def test_holm(self):
        self.assertEqual([round(one, 6) for one in claims.holm([0.01, 0.04, 0.03])], [0.03, 0.06, 0.06])
        self.assertEqual(claims.holm([0.01, 0.5], 10), [0.1, 1.0])

    def test_the_order_of_records_does_not_matter(self):
        lines = list(data.study("8", "drift", 3, 1.15, 0.03))
        random.Random(1).shuffle(lines)
        shuffled = claims.find(self.table(lines), lambda table, group: "")
        self.assertEqual([(one.axis, one.value, one.p) for one in shuffled.claims],
                         [(one.axis, one.value, one.p) for one in findings("8", "drift", 3, 1.15, 0.03).claims])

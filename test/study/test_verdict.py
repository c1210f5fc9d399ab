"""test_verdict.py - the verdict on the machine, of sweeps on a virtual machine of 2 cores: 21 while all else was stopped,
20 beside compilers and other tests. recorded/machines.json has of each run its configuration, repetition, whether it is the
control, seconds, wall seconds, processor seconds of other programs, and load."""

import json
import os
import pathlib

from case import HERE, Reports, run

from scree.study import verdict


class Verdict(Reports):
    def judged(self, rows):
        records = []
        for key, repetition, control, seconds, wall, others, load in rows:
            settings = dict(pair.split("=") for pair in key.split())
            one = run(settings, seconds, repetition, bool(control), wall_seconds=wall,
                      perf={"cpu_seconds": 0.3, "other_cpu_seconds": others})
            one["result"]["machine"].update(cores=2, load=load)
            records.append(one)
        return verdict.of(self.table(records))

    def test_recorded_machines(self):
        kinds = json.loads(pathlib.Path(os.path.join(HERE, "recorded", "machines.json")).read_text("utf-8"))
        found = {kind: [self.judged(rows).state for rows in kinds[kind]] for kind in kinds}
        self.assertEqual(found["disturbed"], ["unusable"] * 20)
        # One quiet sweep has a control that spreads by 172 %.
        self.assertEqual((found["quiet"].count("usable"), found["quiet"].count("doubtful")), (20, 1))

    def test_reasons_are_named(self):
        calm = [["a=1", i, 1, 0.01 * (1 + 0.3 * i), 1.0, 0.02, 0.5] for i in range(1, 6)]
        self.assertEqual(self.judged(calm).reasons, ["the control's times spread by 63 %"])
        busy = self.judged([["a=1", 1, 0, 0.01, 1.0, 1.9, 9.0]])
        self.assertEqual((busy.state, busy.reasons),
                         ("unusable", ["other programs kept 95 % of the processor time of all cores"]))
        self.assertEqual(self.judged([]).state, "usable")

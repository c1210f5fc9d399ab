"""test_report.py - what `scree report` says about planted records, and in which forms."""

import csv
import io
import json
import os
import pathlib
import sys
from unittest import mock

from case import HERE, Reports, concludes, run, runs

from scree import _records
from scree.study import record, stats, texts
from scree.study.texts import Refused

HEADER = {"scree_sweep": 2, "version": "0.3.0", "title": "t", "plan": "x = 1\n", "words": {}, "started": "", "steps": 3}
RUN = {**run({"x": "1"}, 0.5), "teps": 2.0, "work": {"messages": 7}, "step": 1}


class Reading(Reports):
    """Files of results, and medians."""

    def written(self, *lines, end="\n"):
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        pathlib.Path(self.path("r")).write_text(text + end, "utf-8")
        return self.path("r")

    def test_fields(self):
        failed = {**RUN, "status": "failed", "message": "no\x1bluck", "repetition": 0}
        results = record.read_file(self.written(HEADER, RUN, failed))
        one, other = results.records
        self.assertEqual((results.title, results.plan, results.steps, results.torn), ("t", "x = 1\n", 3, False))
        self.assertEqual((one.settings, one.seconds, one.teps, one.work["messages"], one.work["bytes"]),
                         ({"x": "1"}, 0.5, 2.0, 7.0, 0.0))
        self.assertEqual((one.role, one.validated, other.role, other.seconds), ("data", True, "warmup", 0.0))
        self.assertEqual(other.message, "no?luck")

        results = record.read_file(self.written(HEADER, RUN, '{"key": "x=', end=""))
        self.assertEqual((results.torn, len(results.records)), (True, 1))

    def test_refused(self):
        status = "status is not one of ok, invalid, failed, timeout, ranks"
        exact = "a setting, key or title has a control character, so scree did not write this file"
        for text, *lines in (
                ("1: not a result file of scree sweep", "[]"), ("1: not a result file of scree sweep", "c comment"),
                ("1: of a newer release of scree; read it with that one", {**HEADER, "scree_sweep": 3}),
                ("1: the header lacks plan or steps", {**HEADER, "steps": -1}),
                ("2: not a JSON object", HEADER, "{"), ("3: " + status, HEADER, RUN, {**RUN, "status": "x"}),
                ("2: key, step or repetition is missing", HEADER, {**RUN, "step": None}),
                ("2: status is ok, but seconds is not a number above 0", HEADER, {**RUN, "seconds": 0}),
                ("2: a value of the configuration is not text", HEADER, {**RUN, "configuration": {"x": 1}}),
                ("2: " + exact, HEADER, {**RUN, "key": "x\x1b"}), ("1: found an empty file, expected results of 'scree sweep --results FILE'",),
                ("1: found half a line, expected results of 'scree sweep --results FILE'", "{")):
            with self.assertRaises(Refused) as caught:
                record.read_file(self.written(*lines, end="" if "half a line" in text or not lines else "\n"))
            self.assertEqual(str(caught.exception), f"results '{self.path('r')}', line {text}")
        with self.assertRaisesRegex(Refused, "^results '/nowhere': No such file or directory$"):
            record.read_file("/nowhere")

    def test_medians(self):
        """Their intervals are those of the sign test, with its level."""
        self.assertEqual(stats.median([3, 1, 2]), (1, 2, 3, 3, 0.75))
        self.assertEqual(stats.median([1, 2, 3, 4, 5])[:4] + (round(stats.median([1, 2, 3, 4, 5]).level, 4),),
                         (1, 3, 5, 5, 0.9375))
        self.assertEqual(stats.median(list(range(8)))[:4], (1, 3.5, 6, 8))  # 93.0 %, while the range has 99.2 %
        self.assertEqual(stats.median([4]), (4, 4, 4, 1, 0.0))
        self.assertTrue(all(0.92 < stats.median(range(n)).level < 0.985 for n in range(6, 500)))

    def test_ratios_of_samples(self):
        """Their level is that of Mann and Whitney's statistic, as scipy.stats computes it."""
        self.assertEqual(stats.ratio([2, 2, 2], [1, 1, 1])[:4], (2, 2, 2, 3))
        self.assertEqual(stats.ratio([4.0], [2.0]), (2, 2, 2, 1, 0.0))
        self.assertEqual(stats.ratio([1, 2, 3, 4, 5], [1, 1, 1, 1, 1]).level, 1 - 2 * 7 / 252)
        self.assertEqual(stats.ratio(list(range(1, 2501)), [1.0] * 2500).level, 0.95)


@concludes
class Conclusions(Reports):
    """Values of an axis are compared only between configurations that are equal in all else."""

    def locks(self):
        """Ticket exists for two ranks with two threads alone, where it takes as long as mutex."""
        base = {"kernel": "bfs"}
        records = []
        for ranks, transport, threads, lock, seconds in (("1", "auto", "1", "mutex", 1.17e-3),
                                                         ("1", "auto", "2", "mutex", 1.3e-3),
                                                         ("2", "mpi", "1", "mutex", 1.5e-3),
                                                         ("2", "mpi", "2", "mutex", 1.38e-3),
                                                         ("2", "mpi", "2", "ticket", 1.37e-3)):
            records += runs({**base, "ranks": ranks, "transport": transport, "threads": threads, "lock": lock}, seconds)
        return self.file("locks.jsonl", records)

    def test_equal_locks_are_not_told_apart_by_threads(self):
        text = self.report(self.locks())
        self.says(text, r"lock=ticket is 1\.01x faster \(1\.01\.\.1\.01\), 93\.8 % interval of 5 pairs\.$")
        self.assertNotIn("1.17x slower", text)
        self.says(text, r"^The values of ranks are not comparable, since transport always differs too\.$",
                  "^threads matters in combination with other axes: no value of it is slower with all of them.$")

    def test_a_parameter_belongs_to_its_value(self):
        records = runs({"algorithm": "dc"}, 1.0)
        records += runs({"algorithm": "delta", "delta": "1"}, 3.0) + runs({"algorithm": "delta", "delta": "10"}, 2.0)
        for more in ([], runs({"algorithm": "delta"}, 2.5)):  # where no width is given, the default is
            self.says(self.report(self.file("a.jsonl", records + more)),
                      r"algorithm=delta is 2\.00x slower .*, at its best delta=10\.$")

    def test_growth_has_its_direction(self):
        def said(*last):
            small = runs({"scale": "8", "algorithm": "dc"}, 4.0) + runs({"scale": "8", "algorithm": "delta"}, 5.0)
            large = [run({"scale": "10", "algorithm": name}, seconds, i + 1)
                     for name in ("dc", "delta") for i, seconds in enumerate(last)]
            return self.report(self.file("a.jsonl", small + large))

        self.says(said(16.0, 16.1, 16.2, 16.3, 16.4),
                  "^From scale=8 to 10, .* grows by a factor of 4.0. .*, from 4.02 s")
        self.says(said(0.04, 0.041, 0.0402, 0.0401, 0.0403), r"^From scale=8 to 10, .* falls by a factor of (99|100)\.")
        self.says(said(0.04, 40.0, 3.0, 5.0, 0.1), "^From scale=8 to 10, .* no change of the time can be told from the")

    def test_only_values_within_5_percent_are_said_to_be(self):
        """A value far off between others is named so, though its interval is wide."""
        wide = [run({"bytes": "2K"}, seconds, i + 1) for i, seconds in enumerate((0.9, 33.6, 40.0, 35, 34))]
        near = [one for size in ("1K", "4K", "8K") for one in runs({"bytes": size}, 1.0 + (size == "4K") / 50)]
        text = self.report(self.file("a.jsonl", wide + near + runs({"bytes": "1M"}, 9.0)))
        self.says(text, r"1K is the fastest number, and the values next to it are more than 5 % slower; 1K to 8K are "
                  r"within 5 % or the noise, and take up to 33\.\d times as long\.")

    def test_unequal_work_is_compared_by_rate(self):
        """Sixteen times the tasks take five times as long: the rate rises, and that is what is said."""
        records = [one for tasks, rate in (("16", 1e6), ("256", 3e6)) for size in ("8", "128")
                   for one in runs({"kernel": "puts", "tasks": tasks, "bytes": size}, int(tasks) * 1024 / rate)]
        for one in records:
            one["teps"] = int(one["configuration"]["tasks"]) * 1024 / one["seconds"]
        text = self.report(self.file("a.jsonl", records))
        self.says(text, "^The configurations do unequal work, so they are compared by rate",
                  r"tasks=16 has a rate 3\.00x lower")
        self.assertNotRegex(text, "tasks=(16|256) is|tasks=256 has")
        for one in records:
            one["teps"] = 1e5 / one["seconds"]  # the items are equal, but the header says what changes the work
        self.says(self.report(self.file("a.jsonl", records, work_options={"puts": ["tasks", "steps"]})),
                  r"^The configurations do unequal work \(tasks changes it\), so they are compared by rate")
        for one in records:  # the work of an item is the same, and the steps of a task follow from its size
            one["configuration"]["steps"] = {"8": "100", "128": "10"}[one["configuration"]["bytes"]]
            one["teps"] *= 3 if one["configuration"]["bytes"] == "8" else 1
        self.says(self.report(self.file("a.jsonl", records, work_options={"puts": ["tasks", "steps"]})),
                  r"^bytes: the best has 8\. With all else equal, bytes=128 has a rate 3\.00x lower .*; steps, which changes "
                  r"the work, differs with it\.$")
        self.says(self.report(self.file("a.jsonl", records, work_options={"puts": ["tasks"]})),
                  "^The values of bytes are not comparable, since steps always differs too")
        for one in records:
            one["configuration"]["steps"], one["teps"] = "1", 1e5 / one["seconds"]
        for options in ({"puts": ["steps"]}, {"gups": ["tasks"]}, {}, {"puts": 7}):
            self.assertNotIn("unequal", self.report(self.file("a.jsonl", records, work_options=options)))
        for one in records:
            one["teps"] = 0
        self.says(self.report(self.file("a.jsonl", records)), "^Nothing can be concluded: the records of 4 of 4 "
                  "configurations have no items of work")

    def test_weak_scaling_has_an_efficiency(self):
        records = [{**one, "teps": ranks * 1e5 / one["seconds"]} for ranks, seconds in ((1, 1.0), (2, 1.25), (4, 2.0))
                   for one in runs({"ranks": str(ranks), "kernel": "uts"}, seconds)]
        self.says(self.report(self.file("a.jsonl", records)), "^Weak scaling.* is 1: 100 %, 2: 80 %, 4: 50 %.$")

    def test_sessions_are_not_compared(self):
        """What was added in another session, when the machine was slower, is not called slower."""
        records = [{**one, "session": "1"} for a in "123" for one in runs({"a": a, "b": "1"}, 1.0)]
        records += [{**one, "session": "2"} for one in runs({"a": "4", "b": "1"}, 1.2)]
        text = self.report(self.file("a.jsonl", records))
        self.assertNotIn("a=4", text.split("The machine was")[1])
        old = [{**one, "started": "2026-01-01T00:00:00Z"} for a in "123" for one in runs({"a": a, "b": "1"}, 1.0)]
        old += [{**one, "started": "2026-01-02T00:00:00Z"} for one in runs({"a": "4", "b": "1"}, 1.2)]
        self.assertNotIn("a=4", self.report(self.file("a.jsonl", old)).split("The machine was")[1])
        back = [{**one, "started": "2025-12-31T23:59:59Z"} for one in records]
        self.says(self.report(self.file("a.jsonl", back)), "Nothing can be concluded")

    def test_too_little_to_conclude(self):
        for records, why in ((runs({"a": "1"}, 1.0, 1) + runs({"a": "2"}, 2.0, 1), "two runs of each configuration"),
                             (runs({"a": "1"}, 1.0) + [run({"a": "2"}, 0, status="failed")], "no two configurations"),
                             (runs({"a": "1"}, 1.0) + runs({"a": "2"}, 1.0), "spread 0 %")):
            text = self.report(self.file("a.jsonl", records))
            self.says(text, "^Nothing can be concluded: .*" + why)
            self.assertNotRegex(text, "slower|faster|[Bb]est ")

    def test_odd_files(self):
        """What a report says of each, and that its data are JSON without NaN."""
        def pair(**more):
            return runs({"a": "1"}, 1.0, **more) + runs({"a": "2"}, 1.5, **more)

        def control(seconds, **more):
            return pair() + [run({"a": "1"}, seconds, i, True, **more) for i in range(1, 5)]

        def started(*texts):
            return [{**one, "started": text} for one, text in zip(pair(), texts)]

        slower = r"^a: the best has 1\. With all else equal, a=2 is 1\.50x slower"
        wild = ("2026-99-99T00:00:00Z", "", "x", "1969-01-01T00:00:00Z", "9999-12-31T23:59:59Z") * 2
        for name, records, *said in (
                ("one configuration", runs({"a": "1"}, 1.0), r"^The time of a=1: 1\.00 s 1\.00\.\.1\.01"),
                ("one run", runs({"a": "1"}, 1.0, 1), r"^The time of a=1: 1\.00 s, 0\.10 MTEPS\.$", "^Warning: .* only once"),
                ("one round", runs({"a": "1"}, 1.0, 1) + runs({"a": "2"}, 1.5, 1), "^Nothing can be concluded: two runs"),
                ("a control that fails", control(0, status="failed", message="no"), "^The machine was doubtful: none of "
                 "the 4 runs of the control has a time", "^No run of the control configuration has a result", slower),
                ("a control of a moment", control(1e-300), "^The control ran 4 times, in 1.00 ns to 1.00 ns", slower),
                ("all is refused", [run({"a": a}, 0, status="failed", exit=2, message="exit code 2: no") for a in "123"],
                 "^No configuration finished with a correct answer", "^Nothing can be concluded: ", "^Warning: 3 runs"),
                ("a clock that goes back", started(*(f"2026-01-01T00:{59 - i}:00Z" for i in range(10))), slower),
                ("a wild clock", started(*wild), "^Nothing can be concluded: no two configurations"),
                ("negative durations", pair(wall_seconds=-5, perf={"other_cpu_seconds": -3}), slower),
                ("negative rates", pair(teps=-1e5), "^Nothing can be concluded: the records of 2 of 2 configurations have no"),
                ("centuries", [{**one, "seconds": 1e300} for one in pair()], r"^The (best|fastest seen) is a=.: 1e\+300 s ")):
            with self.subTest(name):
                text = self.report(self.file("a.jsonl", records), "--json", self.path("a.json"))
                self.says(text, *said)
                json.loads(self.read(self.path("a.json")), parse_constant=self.fail)
        for value in (0, -1, True, None, "1", float("nan"), float("inf")):
            with self.subTest(f"{value} seconds"):
                lines = pair() + [{**run({"a": "1"}, 1.0), "seconds": value}]
                self.says(self.report(self.file("a.jsonl", lines), code=2), "line 12: (status is ok, but seconds is not "
                          "a number above 0|not a JSON object)$")

    def test_files_of_other_versions(self):
        for version, why in ((1, "of scree before 0.2"), (3, "of a newer release"), (2.5, "of a newer release"),
                             *((one, "not a result file of scree sweep") for one in (0, -1, "2", None, True, [2]))):
            with self.subTest(version):
                name = self.file("a.jsonl", runs({"a": "1"}, 1.0), scree_sweep=version)
                self.says(self.report(name, code=2), "line 1: " + why)

    def test_claims_are_data(self):
        records = [one for a, seconds in (("1", 1.0), ("2", 1.5)) for b in "xy" for one in runs({"a": a, "b": b}, seconds)]
        self.report(self.file("a.jsonl", records), "--json", self.path("a.json"))
        found = json.loads(self.read(self.path("a.json")))["files"][0]
        self.assertEqual((found["verdict"], [(one["axis"], one.get("value"), one["named"]) for one in found["claims"]]),
                         ("usable", [("a", None, True), ("a", "2", True), ("b", None, False), ("b", "y", False)]))
        try:
            import jsonschema

            schema = json.loads(self.read(os.path.join(HERE, "..", "..", "docs", "schema", "report.json")))
            jsonschema.validate(json.loads(self.read(self.path("a.json"))), schema)
        except ImportError:
            pass
        value = found["claims"][1]
        self.assertEqual((value["reference"], round(value["factor"], 2), value["pairs"], round(value["level"], 3)),
                         ("1", 1.5, 10, 0.979))
        self.assertTrue(value["p"] <= value["corrected_p"] < 0.05)
        self.says(self.report(self.file("a.jsonl", records), "--json", self.path("a.jsonl"), code=2), "not the JSON of a")

    def test_an_unusable_machine(self):
        """Its conclusions are printed only with --force."""
        for perf in ({"cpu_seconds": 1.0, "other_cpu_seconds": 2.0}, {"cpu_seconds": 1.0, "other_cpu_seconds": 0.01}):
            records = [{**one, "perf": perf} for a, seconds in (("1", 1.0), ("2", 9.0)) for b in "xy"
                       for one in runs({"a": a, "b": b}, seconds)]
            for one in records:
                one["result"]["machine"]["cores"] = 2
            name, busy = self.file("a.jsonl", records), perf["other_cpu_seconds"] > 1
            text = self.report(name)
            self.says(text, "^The machine was " + ("unusable: other programs kept 67 %" if busy else "usable."))
            self.assertEqual("slower" in text, not busy)
            self.assertIn("slower", self.report(name, "--force"))


class Differences(Reports):
    """Two files and more: what differs is named."""

    @concludes
    def test_options_and_facts_are_named_with_their_sources(self):
        before = self.file("a.jsonl",
                           runs({"x": "1"}, 1.0) + [run({"x": "1"}, 1.0, 1, True), run({"x": "1"}, 1.01, 2, True)])
        other = {"options": {"flush-age": ("10us", "environment")},
                 "facts": {"mpi_library": "MPICH 4.0.2", "host": "node8"}}
        after = self.file("b.jsonl",
                          runs({"x": "1"}, 1.7, **other) + [run({"x": "1"}, 1.7, i, True, **other) for i in (1, 2)])
        text = self.report(before, after)
        self.says(text, r"^  host: node7 before, node8 after$",
                  r"^  mpi_library: Open MPI v4.1.4 before, MPICH 4.0.2 after$",
                  r"^  option flush-age: 1ms \(default\) before, 10us \(environment\) after$", r"^slower: 0$",
                  "^Control configuration: after / before is 1.69 .* The ratios below are divided by it")
        self.assertNotIn("then the machine did", text)
        self.says(self.report(before, before), "^what differs: nothing that is recorded$")

    def test_a_caption_has_all_values(self):
        records = runs({"x": "1"}, 1.0) + runs({"x": "2"}, 1.0, facts={"thread_level": "multiple"})
        text = self.report(self.file("a.jsonl", records))
        self.says(text, r"^where: node7, .*thread level funneled \(5 runs\) or multiple \(5 runs\)")
        records = runs({"x": "1"}, 1.0) + runs({"x": "2"}, 1.0, facts={"mpi_library": "MPICH 4.0.2"})
        self.says(self.report(self.file("a.jsonl", records)),
                  "Warning: the runs were made in different environments: mpi_library is 'Open")

    @concludes
    def test_a_file_to_which_runs_of_another_program_were_added(self):
        """By --mix: each configuration has the runs of both, which are compared."""
        other = {"facts": {"mpi_library": "MPICH 4.0.2"}}
        records = runs({"x": "1"}, 1.0) + runs({"x": "1", "identity": "mpi mpich"}, 2.0, **other)
        self.says(self.report(self.file("a.jsonl", records, "", 5)), "2 configurations, 10 runs$",
                  r"identity=mpi mpich is 2\.00x slower", "The best is identity=of the first run: ")

    def test_a_failed_run_shows_its_error(self):
        message = "exit code 2: scree: rank 0 of 2: 4 threads: they take turns\n" * 2
        message += "scree: rank 0 of 2: progress=comm has nothing to move\n----\nPrimary job terminated normally"
        records = runs({"x": "1"}, 1.0) + [run({"x": "2"}, 0, status="failed", message=message)]
        text = self.report(self.file("a.jsonl", records))
        self.says(text, "^    exit code 2: scree: rank 0 of 2: progress=comm has nothing to move$")
        self.assertNotIn("take turns", text)


class Forms(Reports):
    """CSV, tables for papers, metrics, selections, the judgement against a reference."""

    def sizes(self, factor=1.0):
        records = []
        for algorithm in ("dc", "de_lta"):
            for size, seconds in (("64", 2.0), ("1K", 1.0)):
                slower = factor if (algorithm, size) == ("dc", "1K") else 1
                records += runs({"algorithm": algorithm, "bytes": size}, seconds * slower,
                                options={"route": ("mesh", "environment")})
        return self.file(f"{factor}.jsonl", records)

    def test_csv_has_where_it_was_made(self):
        rows = list(csv.DictReader(io.StringIO(self.report(self.sizes(), "--csv", "-", "--metric", "bytes/messages"))))
        for name, value in {"host": "node7", "mpi_library": "Open MPI v4.1.4", "thread_level": "funneled",
                            "role": "data", "options": "route=mesh (environment)", "scree_version": "0.3.0",
                            "bytes/messages": "16"}.items():
            self.assertEqual(rows[0][name], value)

    def test_old_names(self):
        """Counters of results before scree 0.3 have the names of today."""
        old = {"rounds": 5, "blocks": 6, "sampled_sends": 7, "lock_wait_seconds": 0.25, "passed": 8}
        records = runs({"x": "1"}, 1.0, work={"messages": 9, "rounds": 3, "blocks": 4})
        for one in records:
            one["result"] = {**one["result"], "counters": old}
        name = self.file("old.jsonl", records)
        names = ("detection_rounds", "created", "lock_sampled_sends", "lock_wait_ns", "passed")
        metrics = [word for one in names for word in ("--metric", "counters." + one)]
        row = list(csv.DictReader(io.StringIO(self.report(name, "--csv", "-", *metrics))))[0]
        self.assertEqual([row["counters." + one] for one in names], ["5", "6", "7", "250000000", "8"])
        self.assertEqual([row[one] for one in ("messages", "detection_rounds", "blocks")], ["9", "3", "4"])
        self.assertEqual([_records._row(one)["detection_rounds"] for one in record.read_file(name).records], [3] * 5)

    def test_any_field_is_a_metric(self):
        text = self.report(self.sizes(), "--metric", "peak_memory_bytes.max", "--metric", "bytes/messages")
        self.says(text, r"epochs  peak_memory_bytes.max  bytes/messages  answer$", r"3 +4096 +16  valid$")

    def test_tables_for_papers(self):
        latex = self.report(self.sizes(), "--latex", "-")
        self.says(latex, r"^\\begin\{tabular\}\{ll.*l\}$", r"^algorithm & bytes & n & time & 93.8 \\% ",
                  r"^de\\_lta & 64 & 5 & 2\.01 s & 2\.00--2\.02")
        self.says(self.report(self.sizes(), "--markdown", "-"), r"^\| algorithm \| bytes \|", r"^\|---\|",
                  r"^\| de\\_lta \| 64 \| 5 \| 2\.01 s \|")

    def test_a_library_that_is_missing_is_named(self):
        with mock.patch.dict(sys.modules, matplotlib=None), mock.patch.object(texts, "_SYSTEM", sys.executable):
            self.says(self.report(self.sizes(), "--html", self.path("a.html"), code=2), "option '--html' needs the "
                      r"Python library matplotlib, which is not installed; .*\(Debian: python3-matplotlib\)")

    def test_where_selects(self):
        text = self.report(self.sizes(), "--where", "algorithm=dc", "--where", "bytes=64,1K")
        self.says(text, "2 configurations", "algorithm=dc")
        self.assertNotIn("de_lta", text)
        self.says(self.report(self.sizes(), "--where", "algorithm=kla", code=2),
                  "'--where': no run of .* has algorithm=kla; it has dc, de_lta")

    @concludes
    def test_reference(self):
        old, same, slow = self.sizes(), self.sizes(1.02), self.sizes(1.2)
        self.says(self.report(same, "--reference", old, "--tolerance", "5%"), "0 configurations worse of 4 compared")
        self.says(self.report(slow, "--reference", old, "--tolerance", "5%", code=1),
                  r"^slower: algorithm=dc bytes=1K: 1\.20")
        self.says(self.report(slow, "--reference", old, "--tolerance", "0.25"), "0 configurations worse")
        failed = self.file("failed.jsonl", [run({"algorithm": "dc", "bytes": "1K"}, 0, status="failed", message="no")])
        self.says(self.report(failed, "--reference", old, code=1), "^without a correct result: .*: failed$",
                  "only in the reference: 3")
        other = self.file("other.jsonl", runs({"x": "1"}, 1))
        self.says(self.report(other, "--reference", old, code=2), "no configuration in common")
        self.says(self.report(slow, "--reference", old, "--tolerance", "x", code=2),
                  "option '--tolerance': 'x' is not legal")
        self.says(self.report(code=2), "no result files given")
        self.says(self.report(self.sizes(), "--csv", "-", "--latex", "-", code=2), "both use standard output")


class Recorded(Reports):
    """Table and CSV are those of scree 0.3 in C, which wrote test/study/recorded/report.txt and report.csv."""

    recorded = os.path.join(HERE, "recorded", "report.")

    def test_table(self):
        text = self.report(self.recorded + "jsonl")
        lines, known = text.splitlines(), self.read(self.recorded + "txt").splitlines()
        known[3] = known[3].replace("95 %", "75 %")  # the level of the range of three runs
        self.assertEqual(lines[1:2] + lines[3 : len(known)], known[1:2] + known[3:])
        for part in known[2].split(", "):
            self.assertIn(part, lines[2])

    def test_csv(self):
        text = self.report(self.recorded + "jsonl", "--csv", "-", "--all-runs")
        rows, known = (list(csv.DictReader(io.StringIO(one))) for one in (text, self.read(self.recorded + "csv")))
        self.assertEqual(list(rows[0])[:28], list(known[0])[:28])
        self.assertEqual([{name: row[name] for name in known[0]} for row in rows], known)

"""test_report.py - what `scree report` says about planted records, and in which forms."""

import csv
import io
import json
import os
import pathlib
import sys
from unittest import mock

from case import HERE, Reports, run, runs

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
                ("2: status is ok, but seconds is missing", HEADER, {**RUN, "seconds": 0}),
                ("2: a value of the configuration is not text", HEADER, {**RUN, "configuration": {"x": 1}}),
                ("2: " + exact, HEADER, {**RUN, "key": "x\x1b"}), ("1: no complete line; remove the file",)):
            with self.assertRaises(Refused) as caught:
                record.read_file(self.written(*lines, end="\n" if lines else ""))
            self.assertEqual(str(caught.exception), f"results '{self.path('r')}', line {text}")
        with self.assertRaisesRegex(Refused, "^results '/nowhere': No such file or directory$"):
            record.read_file("/nowhere")

    def test_medians(self):
        for n in (1, 2, 3, 6, 9, 44, 101):
            self.assertAlmostEqual(sum(chance for _, _, chance in stats._chances(n)), 1, places=5)
        self.assertEqual(stats.median([3, 1, 2]), (1, 2, 3, 3))
        # of 9 values: 5 of 9 draws among the smallest two have a chance of 3.0 %, among the smallest alone of 0.1 %
        self.assertEqual(stats.median(list(range(9))), (1, 4, 7, 9))
        self.assertEqual(stats.ratio([2, 2, 2], [1, 1, 1]), (2, 2, 2, 3))
        self.assertEqual(stats.ratio([4.0], [2.0]).n, 1)
        self.assertEqual(stats.median([1, 3]), (1, 2, 3, 2))


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
        self.says(text, r"lock=ticket is 1\.01x faster \(.*with ranks=2 threads=2 transport=mpi\.$")
        self.assertNotIn("1.17x slower", text)
        self.says(text, r"ranks=2 is not comparable, since transport always differs too")

    def test_a_parameter_belongs_to_its_value(self):
        records = runs({"algorithm": "dc"}, 1.0)
        records += runs({"algorithm": "delta", "delta": "1"}, 3.0) + runs({"algorithm": "delta", "delta": "10"}, 2.0)
        for more in ([], runs({"algorithm": "delta"}, 2.5)):  # where no width is given, the default is
            self.says(self.report(self.file("a.jsonl", records + more)),
                      r"algorithm=delta is 2\.00x slower .*, at its best delta=10( .*)?\.$")

    def test_weights_are_over_sets_that_differ_in_nothing_else(self):
        made = stats.make_table(record.read_file(self.locks()))
        found = stats.weight(made, made.groups, made.axis("threads"))
        self.assertEqual((found.sets, found.beyond_noise), (2, 2))
        self.assertAlmostEqual(found.factor, (1.3 / 1.17 + 1.5 / 1.38) / 2, places=3)
        self.assertEqual(stats.weight(made, made.groups, made.axis("ranks")).sets, 0)

    def test_growth_has_its_direction(self):
        def said(*last):
            small = runs({"scale": "8", "algorithm": "dc"}, 4.0) + runs({"scale": "8", "algorithm": "delta"}, 5.0)
            large = [run({"scale": "10", "algorithm": name}, seconds, i + 1)
                     for name in ("dc", "delta") for i, seconds in enumerate(last)]
            return self.report(self.file("a.jsonl", small + large))

        self.says(said(16.0, 16.1, 16.2, 16.3, 16.4),
                  "^From scale=8 to 10, .* grows by a factor of 4.0. .*, from 4.02 s")
        self.says(said(0.04, 0.041, 0.0402, 0.0401, 0.0403), r"^From scale=8 to 10, .* falls by a factor of (99|100)\.")
        self.says(said(0.04, 40.0, 3.0, 5.0, 0.1), "time falls by a factor of 1.[0-9]+ .*, within the noise, from ")

    def test_only_values_within_5_percent_are_said_to_be(self):
        """A value far off between others is named so, whether it ran once or its interval is wide."""
        once = [run({"bytes": size}, seconds) for size, seconds in (("1K", 1.0), ("2K", 1.5), ("4K", 5.0))]
        controls = [run({"bytes": "1K"}, seconds, i + 1, True) for i, seconds in enumerate((1.0, 2.0, 90.0))]
        for records in (once, once + controls):
            text = self.report(self.file("a.jsonl", records))
            self.says(text, r"1K is the fastest number, and the values next to it are more than 5 % slower\.")
        wide = [run({"bytes": "2K"}, seconds, i + 1) for i, seconds in enumerate((0.9, 33.6, 40.0))]
        near = [one for size in ("1K", "4K", "8K") for one in runs({"bytes": size}, 1.0 + (size == "4K") / 50, 3)]
        for more in ([], [run({"bytes": "1M"}, 9.0)]):
            text = self.report(self.file("a.jsonl", wide + near + more))
            self.says(text, r"1K is the fastest number, and the values next to it are more than 5 % slower; 1K to 8K(, "
                      r"all of its range,)? are within 5 % or the noise, and take up to 33\.5 times as long\.")


class Differences(Reports):
    """Two files and more: what differs is named."""

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
                  r"^  option flush-age: 1ms \(default\) before, 10us \(environment\) after$", r"^slower: 1$")
        self.assertNotIn("then the machine did", text)
        self.says(self.report(before, before), "^what differs: nothing that is recorded$")

    def test_a_caption_has_all_values(self):
        records = runs({"x": "1"}, 1.0) + runs({"x": "2"}, 1.0, facts={"thread_level": "multiple"})
        text = self.report(self.file("a.jsonl", records))
        self.says(text, r"^where: node7, .*thread level funneled \(5 runs\) or multiple \(5 runs\)")
        records = runs({"x": "1"}, 1.0) + runs({"x": "2"}, 1.0, facts={"mpi_library": "MPICH 4.0.2"})
        self.says(self.report(self.file("a.jsonl", records)),
                  "Warning: the runs were made in different environments: mpi_library is 'Open")

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

    def test_any_field_is_a_metric(self):
        text = self.report(self.sizes(), "--metric", "peak_memory_bytes.max", "--metric", "bytes/messages")
        self.says(text, r"epochs  peak_memory_bytes.max  bytes/messages  answer$", r"3 +4096 +16  valid$")

    def test_tables_for_papers(self):
        latex = self.report(self.sizes(), "--latex", "-")
        self.says(latex, r"^\\begin\{tabular\}\{ll.*l\}$", r"^algorithm & bytes & n & time & 95 \\% ",
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
        self.assertEqual(lines[1:2] + lines[3 : len(known)], known[1:2] + known[3:])
        for part in known[2].split(", "):
            self.assertIn(part, lines[2])

    def test_csv(self):
        text = self.report(self.recorded + "jsonl", "--csv", "-", "--all-runs")
        rows, known = (list(csv.DictReader(io.StringIO(one))) for one in (text, self.read(self.recorded + "csv")))
        self.assertEqual(list(rows[0])[:28], list(known[0])[:28])
        self.assertEqual([{name: row[name] for name in known[0]} for row in rows], known)

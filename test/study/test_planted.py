"""test_planted.py - `scree report` of a study whose answers are known: what it says, its CSV, two files.

Along coalesce-bytes, dc is fastest at 4K, level from 1K to 16K and slower at both ends, and delta only falls; delta is
slower than dc; kla always runs out of time.
"""

import os
import re
import signal
import subprocess
import sys

from case import Reports, concludes, run

from scree.study import __main__

PYTHON = os.path.dirname(os.path.dirname(os.path.dirname(__main__.__file__)))
SIZES = ("64", "1K", "4K", "16K", "64K")
TIMES = {"dc": (2, 1.02, 1, 1.03, 1.4), "delta": (3, 2.4, 2.25, 2.175, 2.1)}


def records(change=None, scale=None, factor=1.0):
    """Those of the study. `change` alters a record in place, or removes it by returning True."""
    found = []

    def add(algorithm, size, repetition, control=False, time=None):
        place = SIZES.index(size)
        settings = {"kernel": "sssp", **({"scale": scale} if scale else {}), "algorithm": algorithm,
                    "coalesce-bytes": size}
        work = {"messages": 1800 if place == 4 else 1000, "direct": 0, "useful": 500, "blocks": 1000 // (place + 1),
                "bytes": 16000, "epochs": 3}
        end = {} if time else {"status": "timeout", "message": 'first "line", of the hang report\nsecond line'}
        one = run(settings, 0.02 * factor * (time or 0) * (1 + 0.004 * (repetition - 2)), repetition, control,
                  threads_exceed_cores=algorithm == "delta", facts={"host": "node, 7"}, **{"work": work, **end})
        if not (change and change(one)):
            found.append(one)

    add("dc", "4K", 0, True, 400)
    for repetition in (1, 2, 3):
        for algorithm, times in TIMES.items():
            for size, time in zip(SIZES, times):
                add(algorithm, size, repetition, False, time)
        add("kla", "64", repetition)
        add("dc", "4K", repetition, True, 1)
    return found


def of(one, algorithm, *sizes):
    settings = one["configuration"]
    return settings["algorithm"] == algorithm and settings["coalesce-bytes"] in sizes and not one["control"]


def times(factor, algorithm, *sizes):
    """A change: those take so many times as long."""
    def change(one):
        one["seconds"] *= factor if of(one, algorithm, *sizes) else 1
        one["teps"] = 1e5 / (one["seconds"] or 1)
    return change


class Planted(Reports):
    def file_of(self, name, change=None):
        plan = "kernel = sssp\nalgorithm = kla, dc, delta\ncoalesce-bytes = 64, 1K\n"
        return self.file(name, records(change), plan, 40)

    def of_change(self, change=None):
        return self.report(self.file_of("a.jsonl", change))

    @concludes
    def test_all_that_was_planted_is_said(self):
        text = self.of_change()
        self.says(text, "planted, .*a.jsonl: 11 configurations, 37 of 40 runs, 3 without a result",
                  "^common settings: kernel=sssp .3 runs of each.", "^where: node, 7, ",
                  r"^ *algorithm +coalesce-bytes +n +time +75 % +MTEPS +cost +relaxations +useful +epochs +answer$",
                  r"^\* +dc +4K +3 +20.0 ms .* 1.00 +1000 +50 % +3 +valid$", r"^ +kla +64 +0/3 +- .*timeout$",
                  "^algorithm=kla coalesce-bytes=64: timeout, 3 of 3 runs", '^    first "line", of the hang report$',
                  r"^The best is algorithm=dc coalesce-bytes=4K: .* MTEPS \(median and its 75 % interval\)\.$",
                  "^Along coalesce-bytes, with algorithm=dc, 4K is the fastest number, and 1K to 16K are within 5 %",
                  "The smallest, 64, takes 2.0.*times as long as 4K; there .*blocks grow to 3x",
                  "The largest, 64K, takes 1.40 .*relaxations sent grow to 1.8x, blocks fall to 0.6",
                  "Of all 2 curves along coalesce-bytes, .* the fastest numbers are 4K to 64K",
                  "algorithm: the best has dc. With all else equal, algorithm=delta is 2.11x slower .1.50..2.25., 96.5 % "
                  "interval of 15 pairs, in 5 sets 1.5 to 2.35 times as long; algorithm=kla has no time",
                  "algorithm matters most: with all else equal, its slowest value takes 2.11 .* times as long as its",
                  r"^The control ran 3 times, in 19.9 ms to 20.1 ms: spread 1 %, .* \(spread: the range of its",
                  "threads exceeded cores in 5 configurations", "Warning: 3 runs ended without a result: 3 timeout.",
                  "10 configurations had fewer than five runs: their intervals are little more than the range",
                  "the sweep is incomplete: 37 of 40 runs")
        self.assertNotIn("U-shaped", text)
        self.assertEqual(list(dict.fromkeys(re.findall("^[ *]  (kla|dc|delta) ", text, re.M))), ["kla", "dc", "delta"])

    @concludes
    def test_wrong_answers_take_part_in_nothing(self):
        def wrong(one):
            if of(one, "dc", "4K") and one["repetition"] == 2:
                one.update(status="invalid", message="wrong")

        self.says(self.of_change(wrong), "^The best is algorithm=dc coalesce-bytes=1K",
                  "Along coalesce-bytes, with algorithm=dc, 1K is the fastest number", "=4K gave a wrong answer",
                  "Warning: 1 configuration gave a WRONG answer")
        self.says(self.report(self.file_of("b.jsonl"), self.file_of("a.jsonl", wrong)),
                  "^  algorithm=dc coalesce-bytes=4K .the other has: invalid.",
                  "Warning: after, 1 configuration gave a WRONG",
                  "Warning: before, 10 configurations had fewer than five")

    @concludes
    def test_few_runs_conclude_nothing(self):
        text = self.of_change(lambda one: one["repetition"] > 1 or one["control"])
        self.says(text, "^Nothing can be concluded: two runs of each configuration or more are needed")
        self.assertNotRegex(text, "is the best|The best is|the best has|matters|slower|faster")
        less = self.file_of("b.jsonl", lambda one: of(one, "delta", "64K") and one["repetition"] == 3)
        self.says(self.report(less, self.file_of("a.jsonl")), "^too few runs .fewer than three. to compare: 1")

    @concludes
    def test_ties_words_and_axes_that_act_together(self):
        self.says(self.of_change(lambda one: one.update(seconds=0.01, teps=1e7)),
                  "^Nothing can be concluded: spread 0 %, the smallest factor that would have been seen is 1.$")

        def crossed(one):
            slow = of(one, "dc", "64", "1K") or of(one, "delta", "4K", "16K")
            one["seconds"] = 0.01 * (1 + slow) * (1 + 0.1 * of(one, "delta", *SIZES))
            one["teps"] = 1e5 / one["seconds"]
            return of(one, "dc", "64K") or of(one, "delta", "64K")

        self.says(self.of_change(crossed), "^algorithm matters most: with all else equal, its slowest value takes 2.01 "
                  ".* over 4 sets .*; then coalesce-bytes by 2.00 .2 sets.")

        def auto(one):
            if of(one, "dc", "64K"):
                one["configuration"]["coalesce-bytes"], one["seconds"], one["teps"] = "auto", 0.001, 1e8
                one["key"] += "auto"

        self.says(self.of_change(auto), "Along coalesce-bytes, with algorithm=dc, 4K is the fastest number")
        self.says(self.report(self.file("none.jsonl", [])), "^No run is recorded yet")

    @concludes
    def test_problems_have_conclusions_of_their_own(self):
        large = records(times(2, "dc", "4K"), "11", 10)
        text = self.report(self.file("a.jsonl", records(None, "10") + large))
        self.says(text, "^At scale=10:\nThe best at scale=10 is algorithm=dc coalesce-bytes=4K: 20.0 ms",
                  "^At scale=11:\nThe best at scale=11 is algorithm=dc coalesce-bytes=1K: 204 ms",
                  "^The fastest settings seen differ between the problems: those of scale=11 were not the fastest in 1 "
                  "other problem, where they take up to 1.02 times as long",
                  "^algorithm at scale=11: the best has dc. .*=delta is 1.50x slower",
                  "^[a-z-]* matters most at scale=10", "^From scale=10 to 11, with algorithm=dc coalesce-bytes=1K, time"
                  " grows by a factor of 10.0", r"^\* .* 4K .* 1.00 ", r"^\* .* 1K .* 1.00 ")
        self.assertEqual(len(re.findall(r"^\*", text, re.M)), 2)
        self.assertNotRegex(text, re.compile("^scale|scale (matters|is|with)|^The best is", re.M))
        once = [one for one in records(None, "10") + large if one["repetition"] == 1 and not one["control"]]
        self.says(self.report(self.file("b.jsonl", once)), "^Nothing can be concluded: two runs")
        many = [one for scale in range(1, 11) for one in records(None, str(scale), scale)]
        text = self.report(self.file("c.jsonl", many))
        self.assertEqual(len(re.findall("^The best at", text, re.M)), 8)
        self.says(text, "^The best at scale=10 is", "^The table shows the best of 2 more problems")
        self.assertNotIn("settings differ", text)

    def test_csv(self):
        name = self.file_of("a.jsonl")
        text = self.report(name, "--csv", "-")
        self.says(text, "^step,kernel,algorithm,coalesce-bytes,coalesce-bytes_number,repetition,role,status,seconds,"
                  "teps,messages,.*,wall_seconds,started,host,scree_version,mpi_library,thread_level,options,message$",
                  "^[0-9]*,sssp,dc,64K,65536,1,data,ok,", ',"node, 7",.*,"first ""line"", of the hang report$')
        every = self.report(name, "--csv", "-", "--all-runs")
        for role, count, total in (("data", 33, 33), ("control", 0, 3), ("warmup", 0, 1)):
            self.assertEqual((text.count(f",{role},"), every.count(f",{role},")), (count, total))
        path = self.path("a.csv")
        for names in ((name,), (name, self.file_of("b.jsonl")), (name,)):  # over its own kind
            self.report(*names, "--csv", path)
        self.assertEqual(self.read(path), text)
        both = self.report(name, self.path("b.jsonl"), "--csv", "-")
        self.assertEqual(len(re.findall(r"b.jsonl,\d*,sssp,", both)), 33)
        self.says(self.report(name, "--csv", name, code=2),
                  "option '--csv': '.*' exists and is not the CSV of a report")
        self.says(self.report(name, "--csv", "/nowhere/x", code=2), "cannot be written")

    def test_csv_has_no_formulas(self):
        names = dict(zip(SIZES, ("=1+2", "-5+cmd", "-5", "@f", "+.5e3")))

        def change(one):
            settings = one["configuration"]
            settings.update({"coalesce-bytes": names[settings["coalesce-bytes"]], "=k": settings.pop("kernel")})
            one["result"]["machine"]["host"] = "-n"

        self.says(self.report(self.file_of("a.jsonl", change), "--csv", "-"), "^step,algorithm,coalesce-bytes,'=k,",
                  "dc,'=1[+]2,.*,'-n,", "dc,-5,sssp,1,data", "dc,'-5[+]cmd,sssp,1,data", "dc,'@f,sssp,1,data",
                  "dc,[+][.]5e3,sssp,1,data")

    @concludes
    def test_two_files_and_three(self):
        a, b = self.file_of("a.jsonl"), self.file_of("b.jsonl", times(1.2, "dc", "4K"))
        text = self.report(a, b)
        self.says(text, "^algorithm=dc coalesce-bytes=4K .* 1.20", "^no difference beyond the noise: 9$", "^faster: 0$",
                  "^slower: 1$", "^Control configuration: after / before is 1.00")
        less = self.file_of("less.jsonl", lambda one: of(one, "delta", "1K"))
        self.says(self.report(less, b), "^  algorithm=delta coalesce-bytes=1K$")
        self.assertEqual(self.report(a, b, less).count("\ncommon settings"), 3)
        torn = self.file_of("torn.jsonl")
        os.truncate(torn, os.path.getsize(torn) - 10)
        for names in ((torn,), (torn, a)):
            self.says(self.report(*names), "the last line of .*torn.jsonl is incomplete")

    def test_no_terminal_obeys_a_text(self):
        def change(one):
            one["result"]["machine"]["host"] = "\x1b]0;node\x07 \x9b2J"
            if "message" in one:
                one["message"] = "\x1b[31m" + one["message"]

        name, path = self.file_of("escape\x1b[2J.jsonl", change), self.path("a.csv")
        text = self.report(name, "--csv", path)
        self.says(text, r"^planted, .*escape[?]\[2J.jsonl: 11 configurations")
        self.assertNotRegex(text + self.read(path), "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        title = self.file("a.jsonl", [], title="planted\x1b[2J")
        self.says(self.report(title, code=2), "line 1: a setting, key or title has a control character")
        self.says(self.report("none\x1b[2J", code=2), r"results 'none\?\[2J'")

    def test_without_libraries(self):
        words = [sys.executable, "-S", "-E", __main__.__file__, "report", self.file_of("a.jsonl")]
        text = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.says(text, r"^\*  dc +4K", "^No conclusions: these need the Python libraries numpy and scipy; install them "
                  r"\(Debian: python3-numpy python3-scipy\)\.$")
        self.assertNotIn("matters most", text)
        ended = subprocess.run([*words, "--reference", words[-1]], stderr=subprocess.PIPE, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("option '--reference' needs the Python library scipy, which is not installed", ended.stderr)

    def test_a_signal_leaves_no_unfinished_file(self):
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name)
            ends = f"import os, signal; os.replace = lambda *_: os.kill(os.getpid(), {int(number)})"
            write = "from scree.study.texts import write_output; write_output('csv', 'new.csv', 'x', ('x',), 'kind')"
            ended = subprocess.run([sys.executable, "-c", f"{ends}; {write}"], cwd=self.folder, stderr=subprocess.PIPE,
                                   env={**os.environ, "PYTHONPATH": PYTHON})
            self.assertEqual((ended.returncode, ended.stderr, os.listdir(self.folder)), (-number, b"", []))
            ignored = subprocess.run(["nohup", sys.executable, "-c", f"{ends}; {write}"], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     env={**os.environ, "PYTHONPATH": PYTHON})
            self.assertEqual(os.listdir(self.folder), [])
            self.assertEqual(ignored.returncode, 0 if name == "SIGHUP" else -number)

    def test_ctrl_c_ends_a_report_without_a_traceback(self):
        main = __main__.__file__
        text = (f"import json, os, runpy, signal, sys; sys.argv = [{main!r}, 'report', {self.file_of('a.jsonl')!r}]; "
                "json.loads = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT); "
                f"signal.signal(signal.SIGINT, signal.default_int_handler); runpy.run_path({main!r}, run_name='__main__')")
        ended = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((ended.returncode, ended.stderr, ended.stdout), (-signal.SIGINT, b"", b""))

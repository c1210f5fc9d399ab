"""Files of results, read."""

import json
import os
import tempfile
import unittest

from scree.study import record
from scree.study.texts import Refused

HEADER = {"scree_sweep": 2, "version": "0.3.0", "title": "t", "plan": "x = 1\n", "words": {}, "started": "", "steps": 3}
RUN = {"key": "x=1", "configuration": {"x": "1"}, "numbers": {"x": 1}, "status": "ok", "seconds": 0.5, "teps": 2.0,
       "work": {"messages": 7}, "validated": True, "step": 1, "repetition": 1, "control": False, "role": "data"}


class Reading(unittest.TestCase):
    def setUp(self):
        handle, self.path = tempfile.mkstemp()
        os.close(handle)
        self.addCleanup(os.unlink, self.path)

    def write(self, *lines, end="\n"):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + end)

    def test_fields(self):
        self.write(HEADER, RUN, {**RUN, "status": "failed", "message": "no\x1bluck", "repetition": 0})
        results = record.read_file(self.path)
        one, other = results.records
        self.assertEqual((results.title, results.plan, results.steps, results.torn), ("t", "x = 1\n", 3, False))
        self.assertEqual((one.settings, one.seconds, one.teps, one.work["messages"], one.work["bytes"]),
                         ({"x": "1"}, 0.5, 2.0, 7.0, 0.0))
        self.assertEqual((one.role, one.validated, other.role, other.seconds), ("data", True, "warmup", 0.0))
        self.assertEqual(other.message, "no?luck")

    def test_torn(self):
        self.write(HEADER, RUN, '{"key": "x=', end="")
        results = record.read_file(self.path)
        self.assertTrue(results.torn)
        self.assertEqual(len(results.records), 1)

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
            self.write(*lines, end="\n" if lines else "")
            with self.assertRaises(Refused) as caught:
                record.read_file(self.path)
            self.assertEqual(str(caught.exception), f"results '{self.path}', line {text}")
        with self.assertRaisesRegex(Refused, "^results '/nowhere': No such file or directory$"):
            record.read_file("/nowhere")

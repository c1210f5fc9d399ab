"""Results files and sweep files that are damaged at random are read, or refused with a reason: SEEDS of each."""

import contextlib
import io
import os
import pathlib
import random
import tempfile
import unittest

from scree.study import plan
from scree.study.__main__ import run
from scree.study.texts import Refused

SEEDS = int(os.environ.get("SCREE_TEST_SEEDS") or (20000 if os.environ.get("SCREE_TEST_FULL") else 300))
HERE = os.path.dirname(os.path.abspath(__file__))
CONSTANTS = {"cores": 2, "fit": 18, "eager": 4040}
HOSTILE = [b"\0", b"\x1b[2J", b"\xff\xfe", b'"', b"\\", b"{", b"}", b"[", b"null", b"1e999", b"-1", b"9" * 400, b"NaN",
           b"=", b",", b"..", b"*", b"\n", b"@", b"#", b"when", b"if", b"\xc3\xa9", b"true", b"{}", b"0.5"]


def damaged(draw: random.Random, text: bytes) -> bytes:
    """One to six times: bytes are removed, repeated or replaced, or others are put there."""
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(text) + 1)
        end = min(len(text), at + draw.choice((0, 1, 1, 4, 40, 400)))
        new = draw.choice((b"", draw.choice(HOSTILE), text[at:end] * 2, bytes(draw.randrange(256) for _ in range(3))))
        text = text[:at] + new + text[end:]
    return text


class Damage(unittest.TestCase):
    def each(self, name, texts, read):
        """Counts those that are read; another exception than those that `read` allows ends the test, with its seed."""
        whole = 0
        for seed in range(SEEDS):
            draw = random.Random(seed)
            text = damaged(draw, draw.choice(texts))
            try:
                whole += read(text)
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}: {error!r}") from error
        self.assertGreater(whole, SEEDS // 100)
        self.assertLess(whole, SEEDS)

    def test_plans(self):
        def read(text):
            try:
                plan.make(text.decode("utf-8", "replace"), "s", [], CONSTANTS)
                return 1
            except Refused as error:
                self.assertTrue(str(error))
                return 0

        self.each("plan", [text.encode() for text in plan.presets().values()], read)

    def test_results(self):
        lines = pathlib.Path(HERE, "recorded", "report.jsonl").read_bytes().splitlines(keepends=True)
        texts = [b"".join(lines[:1] + lines[i:i + 3]) for i in range(1, len(lines), 3)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results")

            def read(text):
                pathlib.Path(path).write_bytes(text)
                said = io.StringIO()
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
                    code = run("report", [path])
                self.assertIn(code, (0, 2))
                self.assertTrue(code == 0 or said.getvalue())
                return code == 0

            self.each("results", texts, read)

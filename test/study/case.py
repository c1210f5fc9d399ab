"""case.py - what tests of the study have in common: a folder, an environment without launchers and options of scree."""

import contextlib
import io
import itertools
import json
import os
import pathlib
import re
import signal
import tempfile
import time
import unittest
from unittest import mock

from scree.study import __main__, record, stats

try:
    import numpy  # noqa: F401
    import scipy  # noqa: F401
except ImportError:
    scipy = None

BUILD, HERE = os.path.abspath(os.environ.get("BUILD", "build")), os.path.dirname(os.path.abspath(__file__))
SCREE = os.path.join(BUILD, "scree")
FOREIGN = ("SLURM_", "PBS_", "PMI", "OMPI_", "PRTE_", "SCREE_", "MPIR_", "MPICH_", "HYDRA_")
RECORDED = json.loads(pathlib.Path(HERE, "recorded", "plans.json").read_text("utf-8"))
WORK = {"messages": 1000, "direct": 0, "useful": 500, "blocks": 100, "bytes": 16000, "epochs": 3}

# A test of conclusions
concludes = unittest.skipUnless(scipy, "numpy or scipy is not installed; ./dev packages installs all tools")


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("not within a minute")
        time.sleep(0.02)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        patch = mock.patch.dict(os.environ, clear=True,
                                values={name: os.environ[name] for name in os.environ if not name.startswith(FOREIGN)})
        patch.start()
        self.addCleanup(patch.stop)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXFSZ, signal.SIGPIPE):
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, command, words, code=0):
        """What a subcommand prints to standard output and to standard error."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            found = __main__.run(command, list(words))
        self.assertEqual(found, code, errors.getvalue() + out.getvalue())
        return out.getvalue(), errors.getvalue()

    def read(self, path):
        return pathlib.Path(path).read_text("utf-8")

    def lines(self, path):
        """Header and records of a file of results."""
        header, *lines = map(json.loads, self.read(path).splitlines())
        return header, lines

    def says(self, text, *patterns):
        for pattern in patterns:
            self.assertRegex(text, re.compile(pattern, re.MULTILINE))


def run(settings, seconds, repetition=1, control=False, **more):
    """A record with these fields; `result` holds what the job printed, `options` those that were set otherwise."""
    key = " ".join(f"{name}={value}" for name, value in settings.items())
    options = {"flush-age": {"value": "1ms", "from": "default"}}
    options.update({name: {"value": value, "from": source}
                    for name, (value, source) in more.pop("options", {}).items()})
    facts = {"host": "node7", "mpi_library": "Open MPI v4.1.4", "thread_level": "funneled", **more.pop("facts", {})}
    result = {"machine": {"host": facts["host"]}, "versions": {"scree": "0.3.0", "mpi_library": facts["mpi_library"]},
              "mpi": {"thread_level": facts["thread_level"]}, "configuration": {"options": options},
              "peak_memory_bytes": {"max": 4096}}
    line = {"step": 0, "key": key, "configuration": settings, "repetition": repetition, "control": control,
            "status": "ok", "seconds": seconds, "teps": 1e5 / (seconds or 1), "work": WORK, "validated": True,
            "wall_seconds": 1.5, "started": "2026-01-01T00:00:00Z", "result": result}
    return {**line, **more}


def runs(settings, seconds, count=5, **more):
    """Several of them, within 1 % of the time."""
    return [run(settings, seconds * (1 + 0.002 * i), i + 1, **more) for i in range(count)]


def crossed(seconds, count=1, /, **axes):
    """Runs of all combinations of values, each of which takes seconds(VALUE, ...)."""
    return [one for values in itertools.product(*axes.values())
            for one in runs(dict(zip(axes, values)), seconds(*values), count)]


class Reports(Case):
    """Files of results, and reports on them."""

    def file(self, name, records, plan="", steps=0, title="planted", **more):
        header = {"scree_sweep": 2, "title": title, "plan": plan, "words": {}, "started": "", "steps": steps, **more}
        text = "".join(json.dumps(line) + "\n" for line in [header, *records])
        pathlib.Path(self.path(name)).write_text(text, "utf-8")
        return self.path(name)

    def table(self, records):
        return stats.make_table(record.read_file(self.file("a.jsonl", records)))

    def report(self, *words_, code=0):
        """What it prints to standard output, or to standard error if it is refused."""
        out, errors = self.command("report", words_, code)
        return errors if code == 2 else out

"""run.py - runs tests of the package scree.study: `run.py FILE...`, one line for each, as test/one.sh counts them."""

import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))


class Lines(unittest.TestResult):
    """Prints `ok - TEST` or `not ok - TEST` with the reason."""

    def _say(self, test, verdict, reason=""):
        print(f"{verdict} - {test.id()}", *reason.splitlines(), sep="\n    ", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say(test, "ok")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say(test, "not ok", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self._say(test, "not ok", self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skipped - {test.id()} # {reason}", flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self._say(subtest, "not ok", self._exc_info_to_string(err, test))


def main(*paths):
    result = Lines()
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    return 0 if result.wasSuccessful() and result.testsRun else 1


sys.exit(main(*sys.argv[1:]))

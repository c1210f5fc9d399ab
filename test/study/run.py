"""run.py - runs tests of the package scree.study: `run.py FILE...`, one line for each, as test/one.sh counts them."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, "..", "..", "python"), HERE]


class Lines(unittest.TestResult):
    """Prints `ok - TEST` or `not ok - TEST` with the reason."""

    def addSuccess(self, test):
        print(f"ok - {test.id()}", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(f"not ok - {test.id()}", *self.failures[-1][1].splitlines(), sep="\n    ", flush=True)

    addError = addFailure

    def addSkip(self, test, reason):
        print(f"skipped - {test.id()} # {reason}", flush=True)

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(subtest, err)


loaded = unittest.defaultTestLoader.loadTestsFromNames(os.path.basename(path)[:-3] for path in sys.argv[1:])
result = loaded.run(Lines())
sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)

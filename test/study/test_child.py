"""One job as a process: its output, its end, its deadlines, and what becomes of it when the study ends."""

import os
import signal
import tempfile
import threading
import unittest
from unittest import mock

from case import until

from scree.study import child


def run(script, timeout=60.0, stop=None, **environment):
    return child.run(["/bin/sh", "-c", script], environment, timeout, stop)


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


class Counts(unittest.TestCase):
    """What the kernel counts; a virtual machine lacks counters of hardware."""

    def test_processes_of_the_job(self):
        few, many = run(":").perf, run("(for i in $(seq 50); do sleep 0.001; done)").perf
        self.assertGreaterEqual(many["context_switches"], few["context_switches"] + 50)
        self.assertGreater(many["cpu_seconds"], few["cpu_seconds"])
        self.assertGreater(many["page_faults"], few["page_faults"])

    def test_what_is_missing(self):
        with mock.patch.dict(child.EVENTS, {"nothing": 999999}, clear=True):
            self.assertEqual((run("exit 3").exit, len(run(":").perf)), (3, 5))
            self.assertEqual(list(child.missing_counters()), ["nothing"])
        with mock.patch("platform.machine", lambda: "vax"):
            self.assertEqual(child.missing_counters()["cycles"], "Function not implemented")

    def test_descriptors_are_closed(self):
        before = os.listdir("/proc/self/fd")
        run(":")
        child.missing_counters()
        self.assertEqual(os.listdir("/proc/self/fd"), before)


class Ends(unittest.TestCase):
    def test_output_code_and_environment(self):
        one = run("echo out; echo err >&2; exit 3")
        self.assertEqual((one.exit, one.out, one.err, one.timed_out, one.stopped), (3, "out\n", "err\n", False, False))
        self.assertGreater(one.peak_memory, 0)
        self.assertEqual(run("kill -SEGV $$").exit, 128 + signal.SIGSEGV)
        one = child.run(["/no/such"], {}, 5)
        self.assertEqual((one.exit, one.err), (-1, "'/no/such' could not be started: No such file or directory"))
        self.assertEqual(run('echo "$A"; cat; echo end', A="two words").out, "two words\nend\n")

    def test_much_output(self):
        one = run(f"head -c {child.OUT_MOST + 1000} /dev/zero; head -c {child.ERR_MOST} /dev/zero >&2; echo end >&2")
        self.assertEqual((one.exit, len(one.out), len(one.err)), (0, child.OUT_MOST, child.ERR_MOST))
        self.assertTrue(one.err.endswith("end\n"))

    def test_signals_are_not_inherited(self):
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, signal.SIG_IGN))
        self.assertEqual(run("kill -TERM $$; sleep 1000").exit, 128 + signal.SIGTERM)

    def test_what_a_job_leaves_behind(self):
        one = run("sleep 1000 & echo $!")
        until(lambda: gone(int(one.out)))

    def test_report(self):
        one = run('trap "echo report >&2; exit 9" USR1; while :; do sleep 0.02; done', 0.5)
        self.assertEqual((one.timed_out, one.exit, one.err), (True, 9, "report\n"))

    def test_one_that_heeds_nothing(self):
        with mock.patch.multiple(child, REPORT_SECONDS=0.2, TERM_SECONDS=0.2):
            one = run('trap "" USR1 TERM; while :; do sleep 0.02; done', 0.5)
        self.assertEqual((one.timed_out, one.exit), (True, 128 + signal.SIGKILL))

    def test_stop(self):
        stop, name = child.Stop(), tempfile.mktemp()
        self.addCleanup(os.unlink, name)
        threading.Thread(target=lambda: until(lambda: os.path.exists(name)) or setattr(stop, "requested", True)).start()
        one = run(f"echo $$; : >{name}; exec sleep 1000", 60, stop)
        self.assertTrue(one.stopped and gone(int(one.out)))

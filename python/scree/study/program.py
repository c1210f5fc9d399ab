"""Programs that run jobs: what the program scree says of configurations, which program runs a job, its identity."""

import argparse
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from scree.study import child
from scree.study.texts import Refused, printable


def parser(command: str) -> argparse.ArgumentParser:
    """Of what the program scree passes on to a subcommand that runs jobs."""
    made = argparse.ArgumentParser(prog="scree " + command, allow_abbrev=False)
    made.add_argument("--program", required=True, help="the scree program, which checks configurations")
    for name in ("--axis", "--set"):
        made.add_argument(name, dest="options", action="append", default=[], metavar="NAME=VALUES")
    made.add_argument("--results", default="")
    made.add_argument("--quiet", action="store_true")
    made.add_argument("operands", nargs="*")
    return made


@dataclass
class Answer:
    """Of a configuration: why it is not legal, or the words of its job."""

    why: str = ""
    cannot: str = ""  # legal, but its job would be refused for this reason
    words: List[str] = field(default_factory=list)
    defaults: List[str] = field(default_factory=list)  # axes whose values are the default
    threads: int = 1  # that are busy in each rank


class Checker:
    """The running program. Its attributes are what it reports of itself and of this machine."""

    def __init__(self, program: str) -> None:
        self.program = program
        try:
            self._process = subprocess.Popen([program, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise Refused(f"'{program}' could not be started: {error.strerror}") from None
        about = self._read()
        if about.get("why"):
            raise Refused(about["why"])
        self.version: str = about["version"]
        self.mpi: str = about["mpi"]  # openmpi, mpich
        self.mpi_library: str = about["mpi_library"]
        self.kernels: List[str] = about["kernels"]
        self.environment: Dict[str, str] = about["environment"]  # options that it sets
        self.nodes: int = about["nodes"]  # of the allocation of a batch system
        self.slots: int = about["slots"]  # ranks that these provide for
        self.allocation: str = about["allocation"]  # the variable that says so, or ""
        self.launched: bool = about["launched"]  # a launcher has started this process
        self.cores: int = about["cores"]  # of this machine
        self.fit: int = about["fit"]  # a scale that suits it

    def _read(self) -> Dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise Refused(f"'{self.program} check -' ended with code {self._process.wait()}")
        answer: Dict[str, Any] = json.loads(line)
        return answer

    def _ask(self, question: Mapping[str, Any]) -> Dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
        self._process.stdin.flush()
        return self._read()

    def ask(self, axes: Mapping[str, str], ranks: int = 0, elsewhere: bool = False) -> Answer:
        """ranks: the job starts so many itself; elsewhere: a launcher may start it on other machines."""
        return Answer(**self._ask({"axes": axes, "ranks": ranks, "elsewhere": elsewhere}))

    def tried(self, kernel: str, delta: float) -> "tuple[str, bool]":
        """What tuning tries of a kernel, as lines of a sweep file; do its runs have a source?"""
        answer = self._ask({"tune": kernel, "delta": delta})
        if "why" in answer:
            raise Refused(answer["why"])
        return answer["axes"], answer["source"]

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@dataclass
class Program:
    """A scree program."""

    path: str
    version: str
    mpi: str  # openmpi, mpich, or "" if it does not say
    mpi_library: str = ""

    @property
    def mpich(self) -> bool:
        """Else it is started as Open MPI is."""
        return self.mpi == "mpich"

    @property
    def prrte(self) -> bool:
        """Is its launcher PRRTE, as of Open MPI from version 5 on, not ORTE?"""
        return self.mpi == "openmpi" and bool(re.search(r"Open MPI v([5-9]|\d\d)", self.mpi_library))


def _describe(path: str, text: str) -> Program:
    """By what --version prints. The MPI is a word of it."""
    mpi = re.search(r"(?<![a-z])(?:mpich|openmpi)(?![a-z])", text)
    version, library = re.match(r"(?:scree (\S+))?(.*)", text), re.search(r"^mpi: \S+ \((.*)\)$", text, re.MULTILINE)
    assert version
    return Program(path, version[1] or printable(version[2]), mpi[0] if mpi else "", library[1] if library else "")


def _hash_of(path: str) -> str:
    with suppress(OSError), open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]
    return ""


@dataclass
class Programs:
    """Those of a study. Each is asked only once."""

    checker: Checker
    _known: Dict[str, Program] = field(default_factory=dict)
    _hashes: Dict[str, str] = field(default_factory=dict)

    def own(self) -> Program:
        """This one."""
        here = self.checker
        return Program(here.program, here.version, here.mpi, here.mpi_library)

    def _query(self, path: str) -> Program:
        """Raises Refused: it did not run."""
        outcome = child.run([path, "--version"], {}, 30)
        if outcome.exit:
            reason = outcome.err.split("\n")[0]
            raise Refused(f"'{path} --version' ended with code {outcome.exit}{': ' if reason else ''}{reason[:200]}")
        return _describe(path, outcome.out)

    def _find_other(self, mpi: str) -> Program:
        """Of another MPI than this one: in a build directory beside that of this program, or on PATH."""
        folder = os.path.dirname(self.checker.program)
        for name in ("../build-mpich/scree", "../build-openmpi/scree", "../build/scree"):
            with suppress(Refused):  # one that does not exist or run
                program = self._query(os.path.join(folder, name))
                if program.mpi == mpi:
                    return program
        found = shutil.which("scree-" + mpi)
        if not found:
            raise Refused(f"axis 'mpi': no scree for '{mpi}' was found: this one is for {self.checker.mpi}, no build "
                          f"directory beside it has one, and scree-{mpi} is not on PATH; './dev build build-{mpi} "
                          f"-Dmpi={mpi}' builds one")
        program = self._query(found)
        program.mpi = mpi
        return program

    def _find(self, mpi: Optional[str]) -> Program:
        own = self.own()
        if mpi is None or mpi == own.mpi:
            return own
        if mpi in ("mpich", "openmpi"):
            return self._find_other(mpi)
        if "/" not in mpi:
            raise Refused(f"axis 'mpi': '{mpi}' is not legal; legal: openmpi, mpich, or the path of a scree program")
        if not os.access(mpi, os.X_OK):
            reason = os.strerror(errno.EACCES if os.path.exists(mpi) else errno.ENOENT)
            raise Refused(f"axis 'mpi': '{mpi}' is not an executable program: {reason}")
        try:
            return self._query(mpi)
        except Refused as error:
            raise Refused(f"axis 'mpi': {error}") from None

    def find(self, mpi: Optional[str]) -> Program:
        """The program for a value of the axis mpi: openmpi, mpich, a path, or None for this program."""
        key = mpi or ""
        if key not in self._known:
            self._known[key] = self._find(mpi)
        return self._known[key]

    def identity(self, settings: Dict[str, str], executable: str) -> Dict[str, Any]:
        """What runs a configuration, besides its axes: compared when a study is resumed. `executable`: that of a job
        that is not scree, or ""."""
        program = self.find(settings.get("mpi"))
        path = executable or program.path
        self._hashes[path] = self._hashes.get(path) or _hash_of(path)
        return {"program": path, "version": "" if executable else program.version, "hash": self._hashes[path],
                "mpi": program.mpi, "mpi_library": program.mpi_library, "host": os.uname().nodename,
                "options": {name: {"value": value, "from": "environment"}
                            for name, value in self.checker.environment.items() if name not in settings}}

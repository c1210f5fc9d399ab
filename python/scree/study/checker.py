"""What the program scree says of configurations: one process `scree check -`, which answers each line."""

import json
import subprocess
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Set

from scree.study.texts import Refused


@dataclass
class Answer:
    """Of a configuration: why it is not legal, or the words of its job."""

    why: str = ""
    cannot: str = ""  # legal, but its job would be refused for this reason
    words: List[str] = field(default_factory=list)
    defaults: Set[str] = field(default_factory=set)  # axes whose values are the default
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
        answer = self._ask({"axes": axes, "ranks": ranks, "elsewhere": elsewhere})
        return Answer(answer.get("why", ""), answer.get("cannot", ""), answer.get("words", []),
                      set(answer.get("defaults", [])), answer.get("threads", 1))

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

"""What an existing file of results has of a plan: the steps that are done, whether the plan grew, and who ran them."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from scree.study.job import REFUSED, numbers_of
from scree.study.launch import Command
from scree.study.plan import Configuration, Plan, Step, key_of
from scree.study.record import Record, Results
from scree.study.texts import Refused
from scree.study.values import same

MIXED = "identity"  # the axis of runs of another program, machine or environment than the first of their file
_COMPARED = ("version", "hash", "mpi", "mpi_library", "host")


def difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> List[Tuple[str, str, str]]:
    """In what two identities differ: name, value of a, value of b."""
    pairs = [(name, str(a.get(name, "")), str(b.get(name, ""))) for name in _COMPARED]
    options = [{name: str(one.get("value", "")) for name, one in of.get("options", {}).items()} for of in (a, b)]
    for name in sorted(set(options[0]) | set(options[1])):
        pairs.append((f"option {name} of the environment", options[0].get(name, "unset"), options[1].get(name, "unset")))
    return [pair for pair in pairs if pair[1] != pair[2]]


def mixed_value(base: Mapping[str, Any], mine: Mapping[str, Any]) -> str:
    """The value of the axis of runs whose identity is not that of the file: "host b, version 0.4.0"; "" if it is."""
    return ", ".join(f"{name} {value}" for name, _, value in difference(base, mine))


def marked(configuration: Configuration, value: str) -> Configuration:
    """The configuration with that axis, or itself for ""."""
    if not value:
        return configuration
    settings = {**configuration.settings, MIXED: value}
    return Configuration(settings, key_of(settings))


def _first_difference(theirs: str, ours: str) -> str:
    """The first line in which two texts differ."""
    there, here = theirs.split("\n"), ours.split("\n")
    at = next((i for i, (a, b) in enumerate(zip(there, here)) if a != b), min(len(there), len(here)) - 1)
    return f"'{there[at]}' there, '{here[at]}' here"


@dataclass
class Done:
    """What a file has of a plan."""

    results: Results
    steps: Dict[int, Record] = field(default_factory=dict)  # by index
    refused: Set[int] = field(default_factory=set)  # configurations that are not tried again
    grown: bool = False  # the plan is larger than that of the file


class _Match:
    """Finds the configuration of a plan that a record is of."""

    def __init__(self, plan: Plan, commands: Sequence[Command]) -> None:
        self.plan, self.commands = plan, commands
        self.by_key = {one.key: index for index, one in enumerate(plan.configurations)}

    def _is(self, index: int, settings: Mapping[str, str]) -> bool:
        """Equal, but for axes that the record lacks and whose value is the default, which is what was run."""
        mine = self.plan.configurations[index].settings
        if any(name not in mine or not same(value, mine[name]) for name, value in settings.items()):
            return False
        return all(name in settings or name in self.commands[index].answer.defaults for name in mine)

    def find(self, record: Record) -> Optional[int]:
        """Its index; None: it is not of the plan."""
        settings = {name: value for name, value in record.settings.items() if name != MIXED}
        index = self.by_key.get(key_of(settings))
        if index is not None:
            return index
        return next((i for i in range(len(self.plan.configurations)) if self._is(i, settings)), None)


def _setting(plan: str, name: str) -> str:
    """Of a plan as text: its timeout, or its control."""
    lines = [line for line in plan.split("\n") if line.startswith(name + " = ")]
    return lines[-1].partition(" = ")[2] if lines else ""


def examine(results: Results, plan: Plan, steps: Sequence[Step], commands: Sequence[Command],
            mixed: Mapping[int, str]) -> Optional[Done]:
    """What the file has of the plan; None: it belongs to another one. `mixed`: of each configuration, the value of the
    axis that runs of now would have."""
    done = Done(results, grown=results.plan != plan.text)
    if done.grown and _setting(results.plan, "timeout") != _setting(plan.text, "timeout"):
        return None
    match = _Match(plan, commands)
    places = {(step.configuration, step.repetition, step.control): at for at, step in enumerate(steps)}
    for record in results.records:
        index = match.find(record)
        at = places.get((index, record.repetition, record.control)) if index is not None else None
        if index is None or at is None or (not done.grown and at != record.step):
            if done.grown:
                return None
            raise Refused(f"results '{results.name}': the plan has no step {record.step} of '{record.key}'; the file was "
                          "modified")
        if record.settings.get(MIXED, "") != mixed.get(index, ""):
            continue
        done.steps.setdefault(at, record)
        if record.json.get("exit") == REFUSED:
            done.refused.add(index)
    return done


def other_plan(results: Results, plan: Plan, name: str) -> Refused:
    """The file belongs to another plan."""
    return Refused(f"results '{name}' belong to another plan ({_first_difference(results.plan, plan.text)}); --results "
                   "FILE names another file for this one")


def check_identity(results: Results, identities: Mapping[str, Mapping[str, Any]], name: str) -> None:
    """Raises Refused if a run was made by another program, MPI or machine, or with other options of the environment,
    than would be now. `identities`: by the value of the axis mpi or program, "" if there is none."""
    for record in results.records:
        mine = identities.get(record.settings.get("program", record.settings.get("mpi", "")))
        if not record.identity or not mine or record.settings.get(MIXED):
            continue
        parts = [f"{what} {there or 'unknown'} there, {here or 'unknown'} here"
                 for what, there, here in difference(record.identity, mine)]
        if parts:
            raise Refused(f"results '{name}': run {record.step} was made under other conditions: {'; '.join(parts)}; "
                          "--results FILE names another file, --mix adds to this one and keeps both apart")


def grown_lines(header: Dict[str, Any], done: Done, plan: Plan, steps: Sequence[Step],
                commands: Sequence[Command]) -> List[Dict[str, Any]]:
    """The lines of the file as if the plan had been this one from the beginning."""
    match = _Match(plan, commands)
    places = {(step.configuration, step.repetition, step.control): at for at, step in enumerate(steps)}
    lines = [header]
    for record in done.results.records:
        index = match.find(record)
        assert index is not None
        one = marked(plan.configurations[index], record.settings.get(MIXED, ""))
        lines.append({**record.json, "key": one.key, "configuration": one.settings,
                      "numbers": numbers_of(one.settings), "step": places[index, record.repetition, record.control]})
    return lines

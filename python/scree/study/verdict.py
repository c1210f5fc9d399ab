"""The verdict on the machine: whether its times can be compared, from the control's spread, the load and the processor
time of other programs."""

from dataclasses import dataclass, field
from typing import List

from scree.study.record import as_number, as_object
from scree.study.stats import Table, middle

USABLE, DOUBTFUL, UNUSABLE = "usable", "doubtful", "unusable"
# The limits above which a machine is doubtful, and unusable.
SPREAD = (0.6, 2.0)  # of the control: the range of the middle 80 % of its runs over their median
OTHERS = (0.15, 0.5)  # cores that other programs kept busy, for each core of the machine
LOAD = (2.0, 4.0)  # load average for each core, of records without the processor time of others


@dataclass
class Verdict:
    """What the machine is, and why, in words."""

    state: str = USABLE
    reasons: List[str] = field(default_factory=list)

    def judge(self, value: float, limits: "tuple[float, float]", text: str) -> None:
        """Lowers the verdict if a value exceeds a limit."""
        if value > limits[0]:
            worse = UNUSABLE if value > limits[1] else DOUBTFUL
            self.state = worse if self.state != UNUSABLE else self.state
            self.reasons.append(text)


def of(table: Table) -> Verdict:
    """The verdict on the machine that made the records of a table."""
    verdict, others, loads = Verdict(), [], []
    busy = wall = 0.0
    for record in table.results.records:
        machine, perf = as_object(record.result.get("machine")), as_object(record.json.get("perf"))
        cores = as_number(machine.get("cores")) or as_number(machine.get("hardware_threads"))
        if cores and "other_cpu_seconds" in perf and record.wall > 0:
            busy += (as_number(perf["other_cpu_seconds"]) + as_number(perf.get("stolen_cpu_seconds"))) / cores
            wall += record.wall
            others.append(record)
        elif cores and "load" in machine:
            loads.append(as_number(machine["load"]) / cores)
    failed = sum(record.role == "control" for record in table.results.records)
    if failed and not table.control:
        verdict.judge(1, (0, 1), f"none of the {failed} runs of the control has a time")
    if len(table.control) > 2:
        verdict.judge(table.spread, SPREAD, f"the control's times spread by {100 * table.spread:.0f} %")
    if others:
        verdict.judge(busy / wall, OTHERS,
                      f"other programs kept {100 * busy / wall:.0f} % of the processor time of all cores")
    elif loads:
        verdict.judge(middle(loads), LOAD, f"the load average was {middle(loads):.1f} for each core")
    return verdict

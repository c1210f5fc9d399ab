"""The control configuration of a sweep, and warnings of what is missing, unchecked or not comparable."""

from typing import List

from scree.study.cells import count_text, ratio_text
from scree.study.facts import values_of
from scree.study.record import STATUSES
from scree.study.table import Table
from scree.study.texts import seconds

_FEW = 5  # runs: fewer give no reliable interval
_SAME = ("host", "cpu", "kernel", "governor", "mpi_library", "scree", "commit", "hash")


def control(table: Table) -> List[str]:
    """How steady the machine was."""
    times = table.control
    if not table.results.records:
        return []
    if not times:
        return ["There are no runs of the control configuration, so the stability of the machine is unknown."]
    text = f"The control ran {count_text(len(times), 'time')}"
    drift = table.drift
    if drift:
        which = "its runs" if len(times) < 10 else "the middle 80 % of its runs"
        text += (f", in {seconds(min(times))} to {seconds(max(times))}: spread {100 * table.spread:.0f} %, last third "
                 "/ first third")
        text += f" is {ratio_text(drift)} (spread: the range of {which} over their median)"
        if drift.n > 1 and not 0.98 <= drift.low <= 1.02 and not drift.low <= 1 <= drift.high:
            text += f"; the machine became {'slower' if drift.median > 1 else 'faster'} during the sweep"
    return [text + "."]


def of_runs(table: Table, which: str = "") -> List[str]:
    """Warnings of wrong results and few runs; `which` is a prefix such as `before, `."""
    wrong = sum(group.worst == "invalid" for group in table.groups)
    single = sum(group.ok == 1 for group in table.groups)
    few = sum(1 < group.ok < _FEW for group in table.groups)
    found = []
    if wrong:
        found.append(f"{which}{count_text(wrong, 'configuration')} gave a WRONG answer.")
    if single:
        found.append(f"{which}{count_text(single, 'configuration')} ran only once, so the noise is unknown; use "
                     "repeat=5.")
    if few:
        found.append(f"{which}{count_text(few, 'configuration')} had fewer than five runs: their intervals are little "
                     "more than the range.")
    return ["Warning: " + text for text in found]


def _of_groups(table: Table) -> List[str]:
    unchecked = sum(group.usable and not group.validated for group in table.groups)
    crowded = sum(group.records[0].json.get("threads_exceed_cores") is True for group in table.groups)
    found = []
    if crowded:
        found.append(f"threads exceeded cores in {count_text(crowded, 'configuration')}: their times include waiting "
                     "for a core.")
    if unchecked:
        found.append(f"the answers of {count_text(unchecked, 'configuration')} were not validated.")
    return ["Warning: " + text for text in found]


def _of_file(table: Table) -> List[str]:
    results, found = table.results, []
    bad = [record.status for record in results.records if record.status != "ok"]
    if bad:
        kinds = ", ".join(f"{bad.count(status)} {status}" for status in STATUSES if status in bad)
        found.append(f"{count_text(len(bad), 'run')} ended without a result: {kinds}.")
    if len(results.records) < results.steps:
        found.append(f"the sweep is incomplete: {len(results.records)} of {results.steps} runs; scree sweep --resume "
                     "continues it.")
    if results.torn:
        found.append(f"the last line of {results.name} is incomplete, as after a kill; that run is not included.")
    return ["Warning: " + text for text in found]


def _of_facts(table: Table) -> List[str]:
    """Facts that should be the same in all records, unless the MPI is an axis."""
    found = []
    for name in _SAME:
        values = list(values_of(table.results.records, name))
        if len(values) > 1 and not (table.axis("mpi") and name in ("mpi_library", "hash")):
            more = f", and {len(values) - 2} more" if len(values) > 2 else ""
            found.append(f"Warning: the runs were made in different environments: {name} is '{values[0]}' in one and "
                         f"'{values[1]}' in another{more}.")
    return found


def warnings(table: Table) -> List[str]:
    """All of them, after what the control showed."""
    return [*control(table), *of_runs(table), *_of_groups(table), *_of_file(table), *_of_facts(table)]

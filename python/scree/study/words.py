"""The findings of a report in sentences: the best, what the values of each axis cost, curves, growth; the comparison of
two files; names of configurations."""

from typing import List, Optional, Sequence, Tuple

from scree.study import stats
from scree.study.record import STATUSES, differences, values_of
from scree.study.stats import FLAT, MIN_RUNS, Axis, Change, Group, Table, alike, by_number
from scree.study.texts import count_text, grid, interval_text, ratio_text, seconds, slowdown_text
from scree.study.values import number

_FEW = 5  # runs: fewer give no reliable interval
_SAME = ("host", "cpu", "kernel", "governor", "mpi_library", "scree", "commit", "hash")


def name_of(table: Table, group: Group, but: Sequence[str] = ()) -> str:
    """`algorithm=dc ranks=2`: the axes that vary, but for some; the key if there are none."""
    pairs = [(axis.name, group.settings.get(axis.name)) for axis in table.axes if axis.name not in but]
    return " ".join(f"{name}={value}" for name, value in pairs if value is not None) or group.key


def settings_of(table: Table, group: Group, but: Sequence[str] = ()) -> str:
    """The same without the axes that state the problem."""
    return name_of(table, group, [*but, *(axis.name for axis in table.axes if axis.states_problem)])


def problem_of(table: Table, group: Group) -> str:
    """`scale=19`: the axes that state the problem and vary."""
    stated = [(axis.name, group.settings.get(axis.name)) for axis in table.axes if axis.states_problem]
    return " ".join(f"{name}={value}" if value is not None else f"no {name}" for name, value in stated)


def common_settings(table: Table) -> str:
    """`kernel=sssp scale=16 (5 runs of each)`: the axes that do not vary, and the number of runs."""
    runs = max((len(group.records) for group in table.groups), default=0)
    same = table.groups[0].settings if table.groups else {}
    fixed = [f"{name}={value} " for name, value in same.items() if not table.axis(name)]
    return "".join(fixed) + f"({count_text(runs, 'run')} of each)"


def control(table: Table) -> List[str]:
    """How steady the machine was."""
    times = table.control
    if not table.results.records:
        return ["No run is recorded yet."]
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


def _warned(rows: Sequence[Tuple[int, str, str]]) -> List[str]:
    """Of each row whose count is not 0: a sentence, in which {} is the count with its noun."""
    return ["Warning: " + (text.replace("{}", count_text(count, noun)) if noun else text)
            for count, noun, text in rows if count]


def of_runs(table: Table, which: str = "") -> List[str]:
    """Warnings of wrong results and few runs; `which` is a prefix such as `before, `."""
    groups, noun = table.groups, "configuration"
    return _warned([(sum(group.worst == "invalid" for group in groups), noun, which + "{} gave a WRONG answer."),
                    (sum(group.ok == 1 for group in groups), noun, which + "{} ran only once, so the noise is unknown; "
                     "use repeat=5."),
                    (sum(1 < group.ok < _FEW for group in groups), noun, which + "{} had fewer than five runs: their "
                     "intervals are little more than the range.")])


def _of_file(table: Table) -> List[str]:
    results, groups, noun = table.results, table.groups, "configuration"
    bad = [record.status for record in results.records if record.status != "ok"]
    kinds = ", ".join(f"{bad.count(status)} {status}" for status in STATUSES if status in bad)
    crowded = sum(group.records[0].json.get("threads_exceed_cores") is True for group in groups)
    return _warned([(crowded, noun, "threads exceeded cores in {}: their times include waiting for a core."),
                    (sum(group.usable and not group.validated for group in groups), noun, "the answers of {} were not "
                     "validated."), (len(bad), "run", "{} ended without a result: " + kinds + "."),
                    (len(results.records) < results.steps, "",
                     f"the sweep is incomplete: {len(results.records)} of {results.steps} runs; scree sweep --resume "
                     "continues it."), (results.torn, "", f"the last line of {results.name} is incomplete, as after a "
                                        "kill; that run is not included.")])


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


CANNOT = "; fewer than three runs of a configuration cannot tell whether it is the best"
_SHOWN = 8  # problems that have conclusions of their own, and values that are listed
_TIES = 3


def too_few(groups: Sequence[Group]) -> bool:
    """True if it cannot be decided whether the best of a problem is the best."""
    best = groups[0].best
    enough = sum(group.usable and group.ok >= MIN_RUNS for group in groups)
    return best is None or best.ok < MIN_RUNS or enough < 2


def _at(table: Table, groups: Sequence[Group]) -> str:
    return " at " + problem_of(table, groups[0]) if len(table.problems) > 1 else ""


def _best(table: Table, groups: Sequence[Group]) -> str:
    at, best, choice = _at(table, groups), groups[0].best, bool(table.choices)
    if best is None or best.seconds is None:
        return (f"{'No' if not at else at[1:].capitalize() + ' no'} configuration finished with a correct answer, so "
                "there is no best.")
    few = len(groups) > 1 and too_few(groups)
    rate = f"{1e-6 * best.teps:.2f} MTEPS"
    time = interval_text(best.seconds)
    if at and not choice:
        return f"At{at[3:]} it took {time}, {rate}."
    named = settings_of(table, best) if at else name_of(table, best)
    start = "The time of" if len(table.groups) == 1 else f"The fastest seen{at} is" if few else f"The best{at} is"
    explained = " (median and its 95 % interval)" if best.seconds.n > 1 and not at else ""
    return f"{start} {named}: {time}{explained}, {rate}{CANNOT if few else ''}."


def _ties(table: Table, groups: Sequence[Group]) -> List[str]:
    best = groups[0].best
    tied = [group for group in groups if best and group is not best and group.usable and min(group.ok, best.ok) > 1
            and stats.ratio(group.runs, best.runs).low <= 1]
    if not tied:
        return []
    shown = [f"{settings_of(table, g)} ({interval_text(g.seconds)})" for g in tied[:_TIES] if g.seconds]
    more = f"; and {len(tied) - _TIES} more" if len(tied) > _TIES else ""
    verb = "other is" if len(tied) == 1 else "others are"
    return [f"A tie{_at(table, groups)}: {len(tied)} {verb} statistically indistinguishable from the best: "
            f"{'; '.join(shown)}{more}."]


def _agreement(table: Table) -> List[str]:
    """Whether the best settings of the slowest problem are the best of the others too."""
    own = table.best
    if own is None or not table.choices:
        return []
    names = [axis.name for axis in table.choices]
    others = [g[0].best for g in table.problems if g[0].best and not alike(g[0].best, own, names)]
    twins = [next((g for g in groups if g.usable and alike(g, own, names)), None) for groups in table.problems
             if groups[0].best in others]
    if not others:
        return []
    few = any(too_few(groups) for groups in table.problems)
    verb = "were not the fastest" if few else "are not the best"
    text = f"{'The fastest settings seen' if few else 'The best settings'} differ between the problems: those of "
    text += f"{problem_of(table, own)} {verb} in {count_text(len(others), 'other problem')}"
    known = [(twin.median / best.median, twin) for twin, best in zip(twins, others) if twin and best]
    if known:
        factor, worst = max(known, key=lambda pair: pair[0])
        text += f", where they take up to {factor:.2f} times as long as the best, at {problem_of(table, worst)}"
    if len(known) < len(others):
        text += f", and have no time in {len(others) - len(known)} of them"
    return [text + "."]


def _matters(table: Table, groups: Sequence[Group]) -> List[str]:
    if len(table.choices) < 2:
        return []
    if too_few(groups):
        return ["Which axis matters most cannot be determined from fewer than three runs of a configuration."]
    weights = [stats.weight(table, groups, axis) for axis in table.choices]
    weights = sorted((one for one in weights if one.sets), key=lambda one: -one.factor)
    strong = [one for one in weights if one.beyond_noise and one.factor > 1 + FLAT]
    if not strong:
        text = (f"No axis matters{_at(table, groups)}: with all else equal, none changes the time by more than 5 % and "
                "the noise.")
        return [text] if weights else []
    texts = [f"{one.axis} by {one.factor:.2f} ({count_text(one.sets, 'set')})" for one in strong[1:]]
    weak = [one.axis for one in weights if one not in strong]
    return [f"{strong[0].axis} matters most{_at(table, groups)}: with all else equal, its slowest value takes "
            f"{strong[0].factor:.2f} times as long as its fastest (median over {count_text(strong[0].sets, 'set')} of "
            "configurations that differ in nothing else)" + ("; then " + ", ".join(texts) if texts else "")
            + (f"; within 5 % or the noise: {', '.join(weak)}" if weak else "") + "."]


def _cost(table: Table, groups: Sequence[Group], axis: Axis, value: Optional[str], reference: Group) -> str:
    against, shown = reference.settings[axis.name], f"no {axis.name}" if value is None else f"{axis.name}={value}"
    found = stats.pairs(table, groups, axis, value, against)
    names = stats.common_axes(table, groups, axis, value, against)
    wrong = [g for g in groups if g.settings.get(axis.name) == value and g.worst == "invalid"]
    if any(alike(g, reference, names) for g in wrong) or (wrong and not found):
        return shown + " gave a wrong answer"
    if not any(group.usable for group in groups if group.settings.get(axis.name) == value):
        return shown + " has no time"
    if not found:
        also = stats.always_differ(table, groups, axis, value, against)
        return (f"{shown} is not comparable, since "
                f"{', '.join(also) + ' always differs too' if also else 'no two configurations are equal in all else'}")
    mine, theirs = next((pair for pair in found if alike(pair[1], reference, names)), found[0])
    ratio = stats.ratio(mine.runs, theirs.runs)
    parts = [f"{shown} is {slowdown_text(ratio)}"]
    if ratio.n > 1 and ratio.low <= 1 <= ratio.high:
        parts.append("within the noise")
    own = settings_of(table, mine, [*names, axis.name])  # the parameters that only this value has
    if own != mine.key:
        parts.append(f"at its best {own}")
    if not alike(theirs, reference, names):
        others = [other.name for other in table.axes if other.name not in names]
        parts.append("with " + settings_of(table, theirs, others))
    factors = sorted(a.median / b.median for a, b in found)
    every = f" (all {len(found)} pairs: {factors[0]:.3g} to {factors[-1]:.3g} times as long)" if len(found) > 1 else ""
    return ", ".join(parts) + every


def _costs(table: Table, groups: Sequence[Group], axis: Axis) -> List[str]:
    reference = stats.reference_of(groups, axis)
    if reference is None:
        return []
    own = reference.settings[axis.name]
    values: List[Optional[str]] = [value for i, value in enumerate(axis.values) if value != own
                                   and any(group.settings.get(axis.name) == value for group in groups)
                                   and (len(axis.values) <= _SHOWN or i == 0 or i + 1 == len(axis.values)
                                        or number(value) is None)]
    if stats.pairs(table, groups, axis, None, own):
        values.append(None)
    if not values:
        return []
    best = reference is groups[0].best
    where = "" if best else f" (with {settings_of(table, reference, [axis.name])}, the fastest that has it)"
    start = (f"{axis.name}{_at(table, groups)}: {'the best' if best and not too_few(groups) else 'the fastest'} has "
             f"{own}{where}")
    if best and too_few(groups):
        start += CANNOT
    return [f"{start}. With all else equal, " + "; ".join(_cost(table, groups, axis, v, reference) for v in values)
            + "."]


def _change(noun: str, there: float, here: float) -> str:
    if here <= 0:
        return f"no {noun}" if there <= 0 else f"{noun} grow from none to {there:.0f}"
    factor = there / here
    if abs(factor - 1) < FLAT:
        return f"{noun} stay the same ({factor:.2f}x)"
    return f"{noun} {'grow' if factor > 1 else 'fall'} to {factor:.3g}x"


def _end(curve: stats.Curve, i: int) -> str:
    which = "smallest" if i == 0 else "largest"
    if i == curve.low:
        return f" The {which}, {curve.value(i)}, is the fastest itself."
    there, here = curve.line[i].work, curve.line[curve.low].work
    counters = (("relaxations sent", "messages"), ("blocks", "blocks"), ("bytes", "bytes"), ("epochs", "epochs"))
    work = [_change(noun, there[name], here[name]) for noun, name in counters]
    noise = "" if curve.cost(i).n == 1 or curve.is_slower(i) else ", which is within the noise"
    return (f" The {which}, {curve.value(i)}, takes {ratio_text(curve.cost(i))} times as long as "
            f"{curve.value(curve.low)}{noise}; there {', '.join(work[:-1])} and {work[-1]}.")


def _range(curve: stats.Curve, places: Sequence[int]) -> str:
    whole = ", all of its range," if len(places) == len(curve.line) else ""
    return f"{curve.value(places[0])} to {curve.value(places[-1])}{whole}"


def _curves(table: Table, groups: Sequence[Group], axis: Axis) -> List[str]:
    found = stats.curves(table, groups, axis)
    if not found:
        return []
    curve = next((one for one in found if groups[0].best in one.line), found[0])
    fixed = settings_of(table, curve.line[0], [axis.name])
    start = f"Along {axis.name}{_at(table, groups)}{', with ' + fixed if fixed != curve.line[0].key else ''}, "
    text = f"{curve.value(curve.low)} is the fastest number, and "
    text += (_range(curve, curve.level) + " are within 5 % of it" if len(curve.level) > 1 else
             "the values next to it are more than 5 % slower")
    if len(curve.alike) > len(curve.level):
        worst = max(curve.line[i].median for i in curve.alike) / curve.line[curve.low].median
        text += f"; {_range(curve, curve.alike)} are within 5 % or the noise, and take up to {worst:.3g} times as long"
    sentences = [f"{start}{text}." + _end(curve, 0) + _end(curve, len(curve.line) - 1)]
    if len(found) > 1:
        lows = sorted((one.value(one.low) for one in found), key=lambda value: number(value) or 0)
        where = lows[0] if lows[0] == lows[-1] else f"{lows[0]} to {lows[-1]}"
        sentences.append(f"Of all {len(found)} curves along {axis.name}{_at(table, groups)}, one for each combination "
                         f"of the other axes, the fastest numbers are {where}.")
    return sentences


def _growth(table: Table, axis: Axis) -> List[str]:
    """How the time grows along a number that states the problem, with the best settings of its slowest value."""
    bests = [group for group in table.groups if group is group.best and axis.name in group.settings]
    at = max(bests, key=lambda group: group.median, default=None)
    others = [other.name for other in table.axes if other is not axis]
    points = by_number((group for group in table.groups if at and group.usable and alike(group, at, others)), axis)
    if len(points) < 2:
        return []
    a, b = points[0], points[-1]
    ratio = stats.ratio(b.runs, a.runs)
    settings = f", with {settings_of(table, b)}," if table.choices else ""
    noise = ", within the noise" if ratio.low <= 1 <= ratio.high else ""
    change = f"falls by a factor of {ratio_text(ratio.inverse())}" if ratio.median < 1 else (
        f"grows by a factor of {ratio_text(ratio)}")
    return [f"From {axis.name}={a.settings[axis.name]} to {b.settings[axis.name]}{settings} time {change}{noise}, "
            f"from {seconds(a.median)} to {seconds(b.median)}, and the rate changes from "
            f"{1e-6 * a.teps:.2f} to {1e-6 * b.teps:.2f} MTEPS."]


def _conclusions(table: Table, groups: Sequence[Group]) -> List[str]:
    axes = table.choices if groups[0].best else []
    return [_best(table, groups), *_ties(table, groups), *(_matters(table, groups) if groups[0].best else []),
            *(text for axis in axes for text in _costs(table, groups, axis)),
            *(text for axis in axes for text in _curves(table, groups, axis))]


def conclusions(table: Table) -> List[Tuple[str, List[str]]]:
    """Sets of sentences with their headings: of each problem its own, then what concerns all, and warnings."""
    shown = table.problems
    if len(shown) > _SHOWN:
        slowest = next((g for g in shown[_SHOWN - 1 :] if table.best in g), shown[-1])
        shown = [*shown[: _SHOWN - 1], slowest]
    several = len(table.problems) > 1
    found = [("At " + problem_of(table, g[0]) if several else "", _conclusions(table, g)) for g in shown]
    rest: List[str] = []
    if len(shown) < len(table.problems):
        rest.append(f"The table shows the best of {count_text(len(table.problems) - len(shown), 'more problem')}.")
    if several:
        rest += _agreement(table)
        for axis in table.axes:
            rest += _growth(table, axis) if axis.states_problem else []
    rest += [*control(table), *of_runs(table), *_of_file(table), *_of_facts(table)]
    return found + ([("All problems" if several else "", rest)] if rest else [])


def _side(after: Table, found: Sequence[Change], slower: bool) -> List[str]:
    rows = [["configuration", "before", "after", "after / before"]]
    for change in found:
        old, new = change.before.seconds, change.after.seconds
        if change.beyond_noise and (change.ratio.median > 1) == slower and old and new:
            rows.append([name_of(after, change.after), interval_text(old), interval_text(new),
                         ratio_text(change.ratio)])
    return [f"{'slower' if slower else 'faster'}: {len(rows) - 1}"] + (grid(rows) if len(rows) > 1 else [])


def _controls(before: Table, after: Table, differ: bool) -> List[str]:
    if not before.control or not after.control:
        return ["One of them has no control runs, so that changes of the machine between the two are unknown."]
    ratio = stats.ratio(after.control, before.control)
    lines = [f"Control configuration: after / before is {ratio_text(ratio)}; its spread was {100 * before.spread:.0f} "
             f"% before and {100 * after.spread:.0f} % after."]
    if ratio.n > 1 and not ratio.low <= 1 <= ratio.high:
        lines.append("What differs between the files, above, or another state of the machine changed the control."
                     if differ else "No recorded fact differs between the files: the machine or what is not recorded "
                     "changed the control.")
    return lines


def _only(table: Table, other: Table, which: str) -> List[str]:
    """Configurations that the other lacks, or has without a time or with a wrong answer."""
    twins, lines = {group.key: group for group in other.groups}, []
    for group in table.groups:
        twin = twins.get(group.key)
        if twin and (twin.usable or not group.usable):
            continue
        lines.append("  " + name_of(table, group) + (f" (the other has: {twin.worst})" if twin else ""))
    return [f"only in {which}:", *lines] if lines else []


def comparison(before: Table, after: Table) -> List[str]:
    differ = differences(before.results.records, after.results.records)
    lines = [f"before: {before.results.name}", f"after:  {after.results.name}",
             "what differs:" + ("" if differ else " nothing that is recorded"), *("  " + text for text in differ)]
    lines += _controls(before, after, bool(differ))
    found = stats.changes(before, after)
    if not found:
        lines.append("No configuration has a time in both.")
    else:
        few = sum(change.ratio.n < MIN_RUNS for change in found)
        beyond = sum(change.beyond_noise for change in found)
        lines += _side(after, found, False) + _side(after, found, True)
        lines.append(f"no difference beyond the noise: {len(found) - beyond - few}")
        if few:
            lines.append(f"too few runs (fewer than three) to compare: {few}")
    lines += _only(before, after, "before") + _only(after, before, "after")
    return lines + of_runs(before, "before, ") + of_runs(after, "after, ")

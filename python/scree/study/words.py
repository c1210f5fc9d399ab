"""The findings of a report in sentences: the best, what the values of each axis cost, curves, growth; the comparison of
two files; names of configurations."""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from scree.study import stats, verdict
from scree.study.record import STATUSES, differences, values_of
from scree.study.stats import FLAT, MIN_RUNS, Axis, Group, Table, alike, by_number
from scree.study.texts import Interval, count_text, grid, interval_text, level_text, ratio_text, seconds

if TYPE_CHECKING:
    from scree.study.claims import Change, Claim, Family, Findings
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
    if not times and any(one.role == "control" for one in table.results.records):
        return ["No run of the control configuration has a result, so the stability of the machine is unknown."]
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
                    (len(results.records) < results.planned, "",
                     f"the sweep is incomplete: {len(results.records)} of {results.planned} runs; scree sweep --resume "
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


_SHOWN = 8  # problems that have conclusions of their own, and values that are listed
_TIES = 3
INSTALL = ("No conclusions: these need the Python libraries numpy and scipy; install them (Debian: python3-numpy "
           "python3-scipy).")


def _at(table: Table, groups: Sequence[Group]) -> str:
    return " at " + problem_of(table, groups[0]) if len(table.problems) > 1 else ""


def _rate(group: Group) -> str:
    return f"{1e-6 * group.teps:.2f} MTEPS"


def _best(table: Table, groups: Sequence[Group], findings: "Findings") -> List[str]:
    """The best configuration of a problem, and those that cannot be told from it."""
    at, best = _at(table, groups), groups[0].best
    if best is None or best.seconds is None:
        return [f"{'No' if not at else at[1:].capitalize() + ' no'} configuration finished with a correct answer, so "
                "there is no best."]
    time = f"{interval_text(best.seconds)}, {_rate(best)}"
    if at and not table.choices:
        return [f"At{at[3:]} it took {time}."]
    named = settings_of(table, best) if at else name_of(table, best)
    if len(table.groups) == 1:
        return [f"The time of {named}: {time}."]
    tied = findings.ties(groups)
    start = "The fastest seen" if tied else "The best"
    found = [f"{start}{at} is {named}: {time}{level_text(best.seconds, ' (median and its ', ' interval)')}."]
    if tied:
        shown = [f"{settings_of(table, g)} ({interval_text(g.seconds)})" for g in tied[:_TIES] if g.seconds]
        more = f"; and {len(tied) - _TIES} more" if len(tied) > _TIES else ""
        found.append(f"A tie{at}: {count_text(len(tied), 'other configuration')} cannot be told from it: "
                     f"{'; '.join(shown)}{more}.")
    return found


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
    text = f"The fastest settings seen differ between the problems: those of {problem_of(table, own)} were not the "
    text += f"fastest in {count_text(len(others), 'other problem')}"
    known = [(twin.cost / best.cost, twin) for twin, best in zip(twins, others) if twin and best]
    if known:
        factor, worst = max(known, key=lambda pair: pair[0])
        text += f", where they take up to {factor:.2f} times as long as the best, at {problem_of(table, worst)}"
    if len(known) < len(others):
        text += f", and have no time in {len(others) - len(known)} of them"
    return [text + "."]


def _matters(table: Table, groups: Sequence[Group], families: Sequence["Family"]) -> List[str]:
    """The axes that change the cost, the strongest first, and those of which nothing can be said."""
    named = sorted((one.whole for one in families if one.whole.named), key=lambda one: -one.factor.median)
    if len(families) < 2:
        return []
    per_item = " per item" if named[0].rate else ""
    first, *others = named
    text = (f"{first.axis} matters most{_at(table, groups)}: with all else equal, its slowest value takes "
            f"{ratio_text(first.factor)} times as long{per_item} as its fastest ({level_text(first.factor)}median over "
            f"{count_text(first.sets, 'set')} of configurations that differ in nothing else)")
    if others:
        text += "; then " + ", ".join(f"{one.axis} by {_short(one.factor)} ({count_text(one.sets, 'set')})"
                                      for one in others)
    quiet = [one.axis.name for one in families if not one.whole.named]
    return [text + (f"; no effect was seen of {', '.join(quiet)}" if quiet else "") + "."]


def _short(factor: Interval) -> str:
    return f"{factor.median:.2f}"


def _slower(claim: "Claim") -> str:
    """`2.66x slower (2.51..2.80)`, or of rates `a rate 2.66x lower`."""
    ratio, slower = claim.factor, claim.factor.median >= 1
    text = ratio_text(ratio if slower else ratio.inverse(), "x lower" if slower else "x higher") if claim.rate else (
        ratio_text(ratio if slower else ratio.inverse(), "x slower" if slower else "x faster"))
    return f"has a rate {text}" if claim.rate else f"is {text}"


def _value(axis: Axis, value: Optional[str]) -> str:
    return f"no {axis.name}" if value is None else f"{axis.name}={value}"


def _cost(table: Table, family: "Family", claim: "Claim") -> str:
    """What one value costs against the reference, in each set."""
    text = f"{_value(family.axis, claim.value)} {_slower(claim)}, {level_text(claim.factor, '', ' interval of ')}"
    text += count_text(claim.factor.n, "pair")
    factors = family.factors(claim)
    if len(factors) > 1:
        text += f", in {len(factors)} sets {factors[0]:.3g} to {factors[-1]:.3g} times as long"
    usable = [group for group in family.groups if group.usable]
    own = [other.name for other in table.axes if stats.is_parameter(other, family.axis, usable)]
    mine = min((g for g in usable if g.settings.get(family.axis.name) == claim.value), key=stats.cost_of)
    parameters = " ".join(f"{name}={mine.settings[name]}" for name in own if name in mine.settings)
    return text + (f", at its best {parameters}" if parameters else "")


def _without(table: Table, groups: Sequence[Group], family: "Optional[Family]", axis: Axis) -> List[str]:
    """What is said of values that take no part in a comparison."""
    found = []
    compared = family.values if family else []
    for value in axis.values:
        mine = [group for group in groups if group.settings.get(axis.name) == value]
        if value in compared and not any(group.worst == "invalid" for group in mine):
            continue
        shown = _value(axis, value)
        if any(group.worst == "invalid" for group in mine):
            found.append(f"{shown} gave a wrong answer")
        elif mine and not any(group.usable for group in mine):
            found.append(f"{shown} has no time")
    return found


def _costs(table: Table, groups: Sequence[Group], family: "Family") -> List[str]:
    """The named values of an axis against that of the best, and the values that cannot be told from it."""
    axis, named = family.axis, [claim for claim in family.pairs if claim.named]
    rest = [_value(axis, claim.value) for claim in family.pairs if not claim.named]
    reference = family.reference
    best = groups[0].best
    mark = "the best has" if best and best.settings.get(axis.name) == reference and named else "against"
    shown = sorted(named, key=lambda claim: -abs(claim.factor.median))[:_SHOWN]
    shown = [claim for claim in named if claim in shown]
    parts = [_cost(table, family, claim) for claim in shown]
    if len(named) > len(shown):
        parts.append(f"{len(named) - len(shown)} more are slower")
    if rest:
        few = ", ".join(rest[:_SHOWN]) + (f" and {len(rest) - _SHOWN} more" if len(rest) > _SHOWN else "")
        parts.append(f"{few} cannot be told from it")
    parts += _without(table, groups, family, axis)
    along = stats.followers(table, groups, axis)
    if along:
        parts.append(f"{' and '.join(along)}, which {'changes' if len(along) == 1 else 'change'} the work, "
                     f"{'differs' if len(along) == 1 else 'differ'} with it")
    if not named:
        return [f"{axis.name}{_at(table, groups)} matters in combination with other axes: no value of it is slower "
                "with all of them."]
    return [f"{axis.name}{_at(table, groups)}: {mark} {reference or 'none'}. With all else equal, {'; '.join(parts)}."]


def _not_comparable(table: Table, groups: Sequence[Group], families: Sequence["Family"]) -> List[str]:
    """Axes whose values never differ alone."""
    found = []
    for axis in table.choices:
        if any(family.axis is axis for family in families) or any(
                stats.is_parameter(axis, other, groups) for other in table.choices if other is not axis):
            continue
        usable = [group for group in groups if group.usable]
        if len({group.settings.get(axis.name) for group in usable}) < 2:
            continue
        also = stats.always_differ(usable, axis, table.choices)
        why = f"{', '.join(also)} always differs too" if also else (
            "no two configurations that are equal in all else were run in one round of one session")
        found.append(f"The values of {axis.name}{_at(table, groups)} are not comparable, since {why}.")
    return found


def _change(noun: str, there: float, here: float) -> str:
    if here <= 0:
        return f"no {noun}" if there <= 0 else f"{noun} grow from none to {there:.0f}"
    factor = there / here
    if abs(factor - 1) < FLAT:
        return f"{noun} stay the same ({factor:.2f}x)"
    return f"{noun} {'grow' if factor > 1 else 'fall'} to {factor:.3g}x"


def _end(curve: stats.Curve, i: int) -> str:
    which, cost = "smallest" if i == 0 else "largest", curve.cost(i)
    if i == curve.low or not cost:
        return f" The {which}, {curve.value(i)}, is the fastest itself." if i == curve.low else ""
    there, here = curve.line[i].work, curve.line[curve.low].work
    counters = (("relaxations sent", "messages"), ("blocks", "blocks"), ("bytes", "bytes"), ("epochs", "epochs"))
    work = [_change(noun, there[name], here[name]) for noun, name in counters]
    noise = "" if curve.is_slower(i) else ", which is within the noise"
    item = " for an item" if curve.line[i].by_rate else ""
    return (f" The {which}, {curve.value(i)}, takes {ratio_text(cost)} times as long{item} as "
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
        worst = max(curve.line[i].cost for i in curve.alike) / curve.line[curve.low].cost
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
    ratio = stats.paired_times(b, a)
    if ratio is None or ratio.n < MIN_RUNS:
        return []
    settings = f", with {settings_of(table, b)}," if table.choices else ""
    if ratio.low <= 1 <= ratio.high:
        return [f"From {axis.name}={a.settings[axis.name]} to {b.settings[axis.name]}{settings} no change of the time can "
                "be told from the noise."]
    change = f"falls by a factor of {ratio_text(ratio.inverse())}" if ratio.median < 1 else (
        f"grows by a factor of {ratio_text(ratio)}")
    return [f"From {axis.name}={a.settings[axis.name]} to {b.settings[axis.name]}{settings} time {change}, "
            f"from {seconds(a.median)} to {seconds(b.median)}, and the rate changes from "
            f"{1e-6 * a.teps:.2f} to {1e-6 * b.teps:.2f} MTEPS."]


def _efficiency(table: Table, groups: Sequence[Group]) -> List[str]:
    """Weak scaling: the rate of each rank relative to the smallest number of ranks, where the work grows with the
    ranks."""
    axis, best = table.axis("ranks"), groups[0].best
    if not axis or not best or not best.by_rate:
        return []
    others = [other.name for other in table.axes if other is not axis]
    line = by_number((group for group in groups if group.usable and alike(group, best, others)), axis)
    counts = [number(group.settings["ranks"]) or 1 for group in line]
    if len(line) < 2 or not all(abs(group.items / count / (line[0].items / counts[0]) - 1) < FLAT
                                for group, count in zip(line, counts)):
        return []
    shown = [f"{group.settings['ranks']}: {100 * group.teps / count / (line[0].teps / counts[0]):.0f} %"
             for group, count in zip(line, counts)]
    return [f"Weak scaling{_at(table, groups)}, with {settings_of(table, best, ['ranks'])}: the efficiency (rate of a "
            f"rank relative to {line[0].settings['ranks']} ranks) is {', '.join(shown)}."]


def _nothing(table: Table, findings: "Findings") -> str:
    """That no effect was seen, and which one would have been."""
    if findings.reason:
        return f"Nothing can be concluded: {findings.reason}."
    if not findings.families:
        return "Nothing can be concluded: no two configurations that differ in one axis ran in the same round."
    if not findings.visible:
        return ("Nothing can be concluded: two runs of each configuration or more are needed to know the spread; use "
                "repeat=5.")
    return (f"Nothing can be concluded: spread {100 * findings.spread:.0f} %, the smallest factor that would have been "
            f"seen is {findings.visible:.2g}." if findings.visible < 100 else
            "Nothing can be concluded: the spread is larger than any effect that could have been seen.")


def _of_problem(table: Table, groups: Sequence[Group], findings: "Findings") -> List[str]:
    families = [one for one in findings.families if one.groups[0] is groups[0]]
    named = [one for one in families if one.whole.named]
    alone = len(table.groups) == 1 or not table.choices or groups[0].best is None
    if not named:
        found = _best(table, groups, findings) if alone else []
        if findings.named and not alone:
            found.append(f"No effect was seen{_at(table, groups)}.")
    else:
        found = [*_best(table, groups, findings), *_matters(table, groups, families)]
        for family in named:
            found += _costs(table, groups, family) + _curves(table, groups, family.axis)
    if groups[0].by_rate:
        names = stats.work_axes(table, groups)
        why = f" ({', '.join(names)} {'changes' if len(names) == 1 else 'change'} it)" if names else ""
        found.append(f"The configurations do unequal work{why}, so they are compared by rate (items per second), not by "
                     "time.")
        found += _efficiency(table, groups)
    return found + (_not_comparable(table, groups, families) if not findings.reason else [])


def machine(table: Table) -> Tuple[str, bool]:
    """The verdict on the machine as a sentence, and whether conclusions may be printed."""
    found = verdict.of(table)
    why = f": {'; '.join(found.reasons)}" if found.reasons else ""
    return f"The machine was {found.state}{why}.", found.state != verdict.UNUSABLE


def _findings(table: Table) -> "Optional[Findings]":
    """Everything that was tested; None without numpy and scipy."""
    try:
        from scree.study import claims
    except ImportError:
        return None
    return claims.find(table, problem_of)


def _tested(table: Table, findings: "Findings") -> List[Tuple[str, List[str]]]:
    """The sentences on each problem, and on all."""
    shown, several = table.problems, len(table.problems) > 1
    if len(shown) > _SHOWN:
        slowest = next((g for g in shown[_SHOWN - 1 :] if table.best in g), shown[-1])
        shown = [*shown[: _SHOWN - 1], slowest]
    found = [("At " + problem_of(table, g[0]) if several else "", _of_problem(table, g, findings)) for g in shown]
    found = [one for one in found if one[1]]
    rest: List[str] = []
    if len(table.groups) > 1 and table.choices and not findings.named:
        rest.append(_nothing(table, findings))
    if len(shown) < len(table.problems):
        rest.append(f"The table shows the best of {count_text(len(table.problems) - len(shown), 'more problem')}.")
    if several and not findings.reason:
        rest += _agreement(table) if findings.named else []
        for axis in table.axes:
            rest += _growth(table, axis) if axis.states_problem else []
    return found + ([("All problems" if several else "", rest)] if rest else [])


def conclusions(table: Table, force: bool = False) -> List[Tuple[str, List[str]]]:
    """Sets of sentences with their headings: the verdict on the machine, what was found at each problem, what concerns
    all of them, and warnings. `force`: print conclusions of an unusable machine too."""
    sentence, usable = machine(table)
    findings = _findings(table)
    found = [("", [sentence])]
    if findings is None:
        found.append(("", [INSTALL]))
    elif usable or force:
        found += _tested(table, findings)
    else:
        found.append(("", ["No conclusions: times of an unusable machine cannot be compared; run the sweep again on an "
                           "idle machine, or print them with --force."]))
    return found + [("", [*control(table), *of_runs(table), *_of_file(table), *_of_facts(table)])]


def _claim_data(claim: "Claim") -> Dict[str, Any]:
    """A claim as JSON."""
    return {"problem": claim.problem, "axis": claim.axis, **({} if claim.whole else {"value": claim.value,
            "reference": claim.reference}), "measure": "seconds per item" if claim.rate else "seconds",
            "factor": claim.factor.median, "low": claim.factor.low, "high": claim.factor.high,
            "level": claim.factor.level, "pairs": claim.factor.n, "sets": claim.sets, "test": claim.test, "p": claim.p,
            "corrected_p": claim.corrected, "named": claim.named}


def data(table: Table, force: bool = False) -> Dict[str, Any]:
    """The conclusions as JSON."""
    judged, findings = verdict.of(table), _findings(table)
    held = judged.state == verdict.UNUSABLE and not force
    tested = {} if findings is None else {
        "reason": findings.reason or ("the machine was unusable" if held else ""), "spread": findings.spread,
        "smallest_visible_factor": findings.visible if 0 < findings.visible < 1e9 else None,
        "claims": [{**_claim_data(claim), "named": claim.named and not held} for claim in findings.claims]}
    return {"file": table.results.name, "title": table.results.title, "verdict": judged.state,
            "verdict_reasons": judged.reasons, "control_spread": table.spread,
            **(tested or {"reason": INSTALL, "claims": []}),
            "sentences": [text for _, texts in conclusions(table, force) for text in texts]}


def _side(after: Table, found: Sequence["Change"], which: str) -> List[str]:
    rows = [["configuration", "before", "after", "after / before"]]
    for change in found:
        old, new = change.before.seconds, change.after.seconds
        if getattr(change, which) and old and new:
            rows.append([name_of(after, change.after), interval_text(old), interval_text(new),
                         ratio_text(change.ratio)])
    return [f"{which}: {len(rows) - 1}"] + (grid(rows) if len(rows) > 1 else [])


def _controls(before: Table, after: Table, differ: bool) -> List[str]:
    if not before.control or not after.control:
        return ["One of them has no control runs, so that changes of the machine between the two are unknown."]
    if stats.controls_ratio(before, after) is None:
        return ["Their controls are different configurations, so that changes of the machine between the two are "
                "unknown."]
    ratio = stats.ratio(after.control, before.control)
    lines = [f"Control configuration: after / before is {ratio_text(ratio)}; its spread was {100 * before.spread:.0f} "
             f"% before and {100 * after.spread:.0f} % after. The ratios below are divided by it."]
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
    try:
        from scree.study import claims
    except ImportError:
        return [*lines, INSTALL]
    found = claims.compare(before, after)
    if not found:
        lines.append("No configuration has a time in both.")
    else:
        few = sum(change.ratio.n < MIN_RUNS for change in found)
        beyond = sum(change.slower or change.faster for change in found)
        lines += _side(after, found, "faster") + _side(after, found, "slower")
        lines.append(f"no difference beyond the noise: {len(found) - beyond - few}")
        if few:
            lines.append(f"too few runs (fewer than three) to compare: {few}")
    lines += _only(before, after, "before") + _only(after, before, "after")
    return lines + of_runs(before, "before, ") + of_runs(after, "after, ")

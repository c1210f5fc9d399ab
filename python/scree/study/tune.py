"""scree tune: finds good settings for one job within a time budget."""

import argparse
import errno
import os
import shlex
import signal
import sys
import time
from typing import List, Optional, Sequence, Tuple

from scree.study import record, stats
from scree.study.child import Stop, now
from scree.study.launch import LAUNCH_AXES, Checker
from scree.study.race import ROUNDS, Candidate, Race, Space, Stopped
from scree.study.stats import Interval
from scree.study.sweep import parser
from scree.study.texts import Refused, check_output, exit_code, grid, printable, seconds, write_output
from scree.study.words import range_text

MAX_CANDIDATES = 243  # 3^5
SHARE = 0.8  # of the budget is planned; further rounds of the last rung use the rest
_FIRST_LINE = "# Options by scree tune"
_KIND = [_FIRST_LINE], "was not written by scree tune"


def _request(argv: Sequence[str]) -> argparse.Namespace:
    known = parser("tune")
    known.add_argument("--write", default="tuned.options")
    known.add_argument("--budget", type=float, default=120.0)
    return known.parse_args(argv)


def kept(race: Race) -> str:
    """Why the default is kept, if it is the winner."""
    if len(race.finalists) < 2 and race.wrong:
        return "no finalist gave a correct answer"
    if len(race.finalists) < 2 and not race.cut:
        return "all other candidates failed"
    if race.rounds() < ROUNDS:
        return "the budget left too few jobs to distinguish the settings (a longer --budget helps)"
    return "nothing is faster than the default beyond the noise"


def winner_of(race: Race) -> Tuple[Candidate, Optional[Interval]]:
    """The fastest finalist whose interval against the default is below 1, and that; else the default."""
    best, gain = race.default, None
    for one in race.finalists[1:]:
        if one.failed or len(one.runs) < ROUNDS or not race.default.runs:
            continue
        ratio = stats.ratio(one.runs, race.default.runs)
        if ratio.high < 1 and (best is race.default or one.seconds < best.seconds):
            best, gain = one, ratio
    return best, gain


def _check_file(name: str) -> None:
    """Can it be written, and is nothing of it lost?"""
    check_output("write", name, *_KIND)
    folder = os.path.dirname(name) or "."
    if not os.access(name if os.path.exists(name) else folder, os.W_OK):
        why = errno.EACCES if os.path.isdir(folder) else errno.ENOENT
        raise Refused(f"option '--write': cannot write '{name}': {os.strerror(why)}")


def _options(space: Space) -> List[str]:
    """Of what is fixed, as the program itself makes them; flags have no value."""
    job_axes = [name for name in ("kernel", "graph", "scale") if name in space.fixed]
    named = {name: value for name, value in space.fixed.items() if name in job_axes or not is_launch_setting(name)}
    answer = space.checker.ask({**named, "warmup": "0"}, elsewhere=True)
    words = answer.words[2 if "graph" in job_axes or "scale" in job_axes else 1:]
    return [] if answer.why else words[:words.index("--warmup")]


def command_of(space: Space, winner: Candidate, file: str) -> str:
    """The command line that uses what was found, as a shell reads it."""
    settings = {**space.fixed, **winner.settings}
    launcher, ranks = settings.get("launcher") or space.launcher.default or "mpirun", settings.get("ranks", "2")
    own = {"local": "", "mpirun": "" if ranks == "1" else "mpirun -n " + ranks}
    words = ["scree", space.kernel, settings.get("graph") or "kron:" + settings.get("scale", "")]
    words += ["--ranks", ranks] if launcher == "local" else []
    command = shlex.join([*words, *_options(space), "--options", file])
    return f"{own.get(launcher, launcher.replace('{ranks}', ranks))} {command}".lstrip()


def is_launch_setting(name: str) -> bool:
    """Is it no option of the job, but says how that starts?"""
    return name in LAUNCH_AXES or name.startswith("env.")


def _file_text(race: Race, winner: Candidate, gain: Optional[Interval], command: str) -> str:
    host = os.uname()
    tried = sum(bool(one.rung or one.failed) for one in race.space.candidates[1:])
    failed = sum(one.failed for one in race.space.candidates[1:])
    date = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    lines = [f"{_FIRST_LINE}, {date}, on {host.nodename} ({host.machine}), {race.space.checker.cores} cores."]
    if gain:
        lines.append(f"# Time relative to the default: {gain.median:.3f} (95 % interval {gain.low:.3f} to "
                     f"{gain.high:.3f}), {race.rounds()} jobs of {race.amount(race.final_sources)} each.")
    else:
        lines.append(f"# No options: {kept(race)}.")
    lines.append(f"# Tried: {tried} of {len(race.space.plan.configurations)} combinations, {failed} failed; "
                 f"{race.jobs} jobs, {race.elapsed:.0f} s.")
    lines.append(f"# For: {command}")
    for name, value in winner.settings.items():
        found = "# Also found, but not an option of the job: " if is_launch_setting(name) else ""
        lines.append(f"{found}{name} = {value}")
    return "\n".join(lines) + "\n"


def _finalist(one: Candidate, default: Candidate) -> List[str]:
    if one.failed or not one.runs:
        return ["failed" if one.failed else "no time", "-", "-", one.name]
    ratio = stats.ratio(one.runs, default.runs) if default.runs and one is not default else None
    against = f"{ratio.median:.3f} ({ratio.low:.3f}..{ratio.high:.3f})" if ratio else "1" if one is default else "-"
    own = stats.median(one.runs)
    return [seconds(own.median), range_text(own), against, one.name]


def _print_conclusion(race: Race, winner: Candidate) -> None:
    print(f"The last rung: {race.rounds()} jobs of each.")
    print(printable("\n".join(grid([["median", "95 %", "relative to default", "settings"],
                                    *(_finalist(one, race.default) for one in race.finalists)])), lines=True))
    if race.failures:
        print(printable(f"{race.failures} jobs failed; the first: {race.message}"))
    if winner is race.default:
        print(f"{kept(race)}; the default is kept")


def _conclude(race: Race, name: str) -> None:
    winner, gain = winner_of(race)
    command = command_of(race.space, winner, name)
    if not race.quiet:
        _print_conclusion(race, winner)
    try:
        write_output("write", name, _file_text(race, winner, gain, command), *_KIND, "surrogateescape")
    except Refused as error:
        raise Refused(str(error), 1) from None
    if not race.quiet:
        print(printable(f"written to {name}; to use it: {command}"))


def _report_stopped(race: Race) -> None:
    ran = [one for one in race.space.candidates if one.rung and not one.failed]
    best = min(ran, key=lambda one: (-one.rung, one.seconds), default=None)
    text = f"; best so far, in rung {best.rung}: {best.name} ({seconds(best.seconds)})" if best else ""
    print(f"scree: stopped in rung {race.rung} after {race.jobs} jobs and {race.elapsed:.0f} s; no file is written"
          + text, file=sys.stderr)


def _draw(race: Race) -> None:
    """Draws as many candidates as fit into the budget."""
    space, cost = race.space, race.cost
    limit = SHARE * race.budget - race.elapsed
    every = min(len(space.plan.configurations), MAX_CANDIDATES)
    n = cost.size(limit, every) or cost.size(race.budget - race.elapsed, every)
    if n == 0:
        needed = 1 + (race.elapsed + cost.race(min(every, 2))) / SHARE
        raise Refused(f"the budget of {race.budget:.0f} s is too short for a comparison: a job takes "
                      f"{cost.job(cost.first):.2g} s; give --budget {needed:.0f}s or more", 1)
    space.draw(n)
    n = len(space.candidates) - 1
    if n == 0:
        raise Refused("all values equal the defaults, so there is nothing to compare; give --NAME V1,V2,...")
    if n + space.illegal + 1 >= len(space.plan.configurations):  # all but the default
        cost.lengthen(n, limit)
    race.say(f"trying {n} of {len(space.plan.configurations)} combinations in about "
             f"{race.elapsed + race.cost.race(n):.0f} s; a job takes {race.cost.job(race.cost.first):.2g} s, "
             f"{race.cost.first * race.cost.solve:.2g} s of it in the kernel")


def _run(race: Race, name: str) -> int:
    code = 0
    try:
        race.space.find(race.first())
        _draw(race)
        race.run()
    except Stopped:
        code = 130
        if not race.finalists or race.rounds() < ROUNDS:
            _report_stopped(race)
            return code
    _conclude(race, name)
    return code


def _tune(argv: Sequence[str]) -> int:
    request, stop = _request(argv), Stop()
    stop.catch(signal.SIGINT, signal.SIGTERM)
    space = Space(request.options, Checker(request.program))
    space.launcher.command(space.configuration(space.candidates[0], 1))  # can the job be launched as given?
    _check_file(request.write)
    header = {"scree_sweep": record.FORMAT, "version": space.checker.version, "title": space.asked.title or "tune",
              "plan": space.asked.text, "words": {}, "started": now(), "steps": 0}
    writer = record.create(request.results, header) if request.results else None
    return _run(Race(space, request.budget, stop, writer, request.quiet), request.write)


def main(argv: Sequence[str]) -> int:
    """Runs the subcommand; returns its exit code: 0 all well, 1 failed, 2 bad usage or input, 130 stopped."""
    return exit_code(_tune, argv)

"""The eager limit of an MPI, measured by a job of its own."""

import json

from scree.study import child
from scree.study.launch import Launcher
from scree.study.plan import Configuration
from scree.study.texts import Refused


def measure_eager(configuration: Configuration, launcher: Launcher) -> int:
    """The largest message in bytes between two ranks of this machine that completes before its receive is posted:
    `scree limits` by the program and launcher of the configuration."""
    settings = {name: value for name, value in configuration.settings.items() if name in ("mpi", "launcher")}
    words, environment = launcher.limits(settings)
    outcome = child.run(words, environment, 60)
    try:
        bytes_ = json.JSONDecoder().raw_decode(outcome.out, outcome.out.index("{"))[0]["eager_bytes"]
    except (ValueError, KeyError, TypeError):
        bytes_ = None
    if outcome.exit or not isinstance(bytes_, (int, float)) or bytes_ < 0:
        reason = f": {outcome.err[:300]}" if outcome.err else ""
        raise Refused("the eager limit could not be measured: 'scree limits' with 2 ranks ended with code "
                      f"{outcome.exit}{reason}")
    return int(bytes_)

"""What a record says about its run besides its settings: facts of the machine and the program, options, any number."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from scree.study.record import Record

# A fact, how a caption names it, and what it calls the difference.
FACTS = ("host", "cpu", "cores", "kernel", "governor", "mpi_library", "thread_level", "launcher", "scree", "commit",
         "hash")
_PARTS = ("machine", "mpi", "versions", "configuration")  # of the JSON of a job, in which facts are found
_OTHER_NAMES = {"scree": "version"}  # in the identity of a record


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def fact(record: Record, name: str) -> str:
    """A fact such as host or mpi_library as one line of text; "": it is not recorded."""
    for place in (record.identity, *(_object(record.result.get(part)) for part in _PARTS)):
        value = place.get(name, place.get(_OTHER_NAMES.get(name, ""), ""))
        if isinstance(value, (str, int, float)) and value not in ("", "unknown"):
            text = f"{value:.15g}" if isinstance(value, float) else str(value)
            return text.split("\n")[0]
    return ""


def values_of(records: Sequence[Record], name: str) -> Dict[str, int]:
    """The values of a fact and the number of records that have each; records without the fact are left out."""
    found: Dict[str, int] = {}
    for record in records:
        value = fact(record, name)
        if value:
            found[value] = found.get(value, 0) + 1
    return found


def options(record: Record) -> Dict[str, Tuple[str, str]]:
    """The options of the job that are no axes: the value of each, and where it came from."""
    listed = _object(_object(record.result.get("configuration")).get("options"))
    return {name: (str(option.get("value")), str(option.get("from")))
            for name, option in listed.items() if isinstance(option, dict) and name not in record.settings}


def set_options(record: Record) -> str:
    """The options that are no axes and not at their default: `flush-age=10us (environment)`."""
    return "; ".join(f"{name}={value} ({source})"
                     for name, (value, source) in options(record).items() if source != "default")


def binding(record: Record) -> Tuple[str, ...]:
    """The cores of each rank."""
    ranks = record.result.get("binding")
    return tuple(str(_object(rank).get("cores", "?")) for rank in ranks) if isinstance(ranks, list) else ()


def value(record: Record, path: str) -> Optional[float]:
    """A number of the record: a counter such as `bytes`, a field by its path such as `peak_memory_bytes.max`, or the
    quotient of two, `bytes/messages`. None: the record does not have it."""
    over, slash, under = path.partition("/")
    if slash:
        top, bottom = value(record, over), value(record, under)
        return None if top is None or not bottom else top / bottom
    for root in (record.json, record.json.get("work"), record.result, record.numbers):
        place: Any = root
        for part in path.strip().split("."):
            place = _object(place).get(part)
        if isinstance(place, (int, float)) and not isinstance(place, bool):
            return float(place)
    return None


def caption(records: Sequence[Record]) -> str:
    """One line on where the records were made: each fact with all its values, and how many runs have each."""
    parts: List[str] = []
    words = {"cores": "{} cores", "kernel": "Linux {}", "governor": "governor {}", "thread_level": "thread level {}",
             "scree": "scree {}"}
    for name in ("host", "cpu", "cores", "kernel", "governor", "mpi_library", "thread_level", "scree", "commit"):
        found = values_of(records, name)
        shown = [text.split(",")[0] if name == "mpi_library" else text for text in found]
        if len(shown) > 1:
            shown = [f"{text} ({count} runs)" for text, count in zip(shown, found.values())]
        if shown:
            parts.append(words.get(name, "{}").format(" or ".join(shown)))
    bound = {binding(record) for record in records} - {()}
    if len(bound) == 1:
        cores = bound.pop()
        shown = list(cores[:1] if len(set(cores)) == 1
                     else cores[:4]) + (["..."] if len(set(cores)) > 1 and len(cores) > 4 else [])
        parts.append("ranks on cores " + " | ".join(shown))
    return ", ".join(parts) or "not recorded"


def error_of(message: str, status: str = "failed") -> List[str]:
    """The lines of a message that say why a run has no result, at most three.

    Warnings precede the error that ends a job, and a launcher adds its own text after it. After a timeout the message
    begins with the hang report."""
    lines = [line for line in message.split("\n") if line.strip()]
    own = list(dict.fromkeys(line for line in lines if "scree: " in line))
    if status != "timeout" and own:
        before, _, _ = lines[0].partition("scree: ")  # such as "exit code 2: "
        return [own[-1] if own[-1].startswith(before) else before + own[-1]]
    return lines[:3] + (["..."] if len(lines) > 3 else [])

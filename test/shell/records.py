"""records.py - compares machine-readable output with docs/schema and docs/sweeps.md.

    records.py run|info|graph500|bench|report FILE...   each file is one JSON object
    records.py sweep FILE...      each file has JSON Lines; what the jobs printed is checked too
    records.py names              every name in the schemas is in docs/sweeps.md
    records.py csv FILE...        so is every column that is not of an axis
"""
import csv
import json
import pathlib
import re
import sys

import jsonschema


def schema(name):
    with open(f"docs/schema/{name}.json") as file:
        return json.load(file)


def check(name, value):
    jsonschema.Draft202012Validator.check_schema(schema(name))
    resolver = jsonschema.RefResolver(pathlib.Path("docs/schema").absolute().as_uri() + "/", schema(name))
    errors = sorted(jsonschema.Draft202012Validator(schema(name), resolver=resolver).iter_errors(value), key=str)
    for error in errors[:5]:
        best = jsonschema.exceptions.best_match([error])
        print(f"{name}: {'/'.join(map(str, best.absolute_path))}: {best.message[:300]}")
    return not errors


def adds_up(run):
    """Phases take the time of the command, but for 5 %."""
    parts = sum(phase["seconds"] for phase in run["phases"].values())
    good = abs(parts - run["wall_seconds"]) <= 0.05 * run["wall_seconds"]
    if not good:
        print(f"phases take {parts} s of {run['wall_seconds']} s")
    return good


def check_sweep(path):
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    good = "scree_sweep" in lines[0] and all("step" in line for line in lines[1:])
    for line in lines:
        good &= check("sweep", line)
        if line.get("status") == "ok":
            good &= check("bench" if "scree_bench" in line["result"] else "run", line["result"])
    return good


def names(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "properties":
                yield from inner
            if key == "propertyNames":
                yield from inner["enum"]
            yield from names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names(inner)


def documented(wanted):
    with open("docs/sweeps.md") as file:
        missing = set(wanted) - set(re.findall(r"`([A-Za-z_0-9]+)`", file.read()))
    print("not in docs/sweeps.md:", sorted(missing))
    return not missing


def check_csv(path):
    with open(path) as file:
        heading = next(csv.reader(file))
    axes = heading[heading.index("step") + 1 : heading.index("repetition")]
    return documented(name for name in heading if name not in axes)


def main(what, *paths):
    good = True
    if what == "names":
        kinds = ("run", "sweep", "report", "info", "graph500", "bench", "common")
        good = documented(name for kind in kinds for name in names(schema(kind)))
    for path in paths:
        if what == "sweep":
            good &= check_sweep(path)
        elif what == "csv":
            good &= check_csv(path)
        else:
            with open(path) as file:
                value = json.load(file)
                good &= check(what, value) and (what != "run" or adds_up(value))
    return 0 if good and (paths or what == "names") else 1


sys.exit(main(*sys.argv[1:]))

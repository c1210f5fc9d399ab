"""python.py - the Python package: answers, records, errors. Arguments: the program, a file of results."""
import array
import json
import os
import subprocess
import sys
import tempfile

import scree
from scree import _run

program, results = sys.argv[1:]


def values(column):
    return [float(x) for x in column]


answer = scree.run("sssp", "path:4", program=program, unit_weights=True, source=1)
assert values(answer["id"]) == [0, 1, 2, 3] and values(answer["distance"]) == [1, 0, 1, 2]
assert values(answer["parent"]) == [1, 1, 1, 2]
assert answer.record["scree_job"] == 1 and answer.seconds > 0
assert "--unit-weights" in answer.record["command"]
if _run.numpy is not None:
    assert answer["distance"].dtype == _run.numpy.float64 and answer["parent"].dtype == _run.numpy.int64
    _run.numpy = None
alone = scree.run("bfs", "path:3", program=program, columns=["level"], source=0)
assert list(alone.columns) == ["id", "level"] and alone["level"] == array.array("q", [0, 1, 2])
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/one.txt", "w") as file:
        file.write("0 1\n")
    lone = scree.run("bfs", folder + "/one.txt", program=program, directed=True, source=1)
    assert lone["level"][0] == -1 and lone["parent"][0] == -1
    before, program = os.getcwd(), os.path.abspath(program)
    os.chdir(folder)
    for name in ("--help", "--output=x", "-h", "--"):
        with open(name, "w") as file:
            file.write("0 1\n1 2\n")
        assert list(scree.run("bfs", name, program=program, directed=True, source=0)["level"]) == [0, 1, 2], name
    os.chdir(before)
try:
    scree.run("bfs", "nowhere.gr", program=program)
    raise AssertionError("no error")
except scree.ScreeError as error:
    assert error.code == 2 and "nowhere.gr" in str(error)
try:
    scree.run("bfs", "path:3", program=program, columns=["distance"])
    raise AssertionError("no error")
except ValueError as error:
    assert "level, parent" in str(error)


def raises(kind, text, *words, **options):
    try:
        scree.run(*words, **{"program": program, **options})
    except kind as error:
        assert type(error) is kind and text in str(error), repr(error)
        return error
    raise AssertionError(f"no error: {words} {options}")


# Ranks: the number that was asked for, also where the command would choose another, and in a launcher's words.
for ranks in (1, 2, 3):
    assert scree.run("cc", "kron:8", program=program, ranks=ranks).record["configuration"]["ranks"] == ranks
assert scree.run("cc", "kron:17,1", program=program, ranks=1).record["configuration"]["ranks"] == 1
launched = scree.run("cc", "kron:8", program=program, ranks=2, launcher=["env", "SCREE_RANKS={ranks}"])
assert launched.record["configuration"]["ranks"] == 2
for wrong in (0, -1, "x", 2.5, True, 1025):
    raises(ValueError, f"ranks={wrong!r} is not legal; legal: a whole number from 1 to 1024", "cc", "kron:8", ranks=wrong)
raises(ValueError, "launcher='srun' is one text", "cc", "kron:8", launcher="srun")

# Columns of an edge list, and those of the answer.
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/list.txt", "w") as file:
        file.write("1 2 a 5\n2 3 b 6\n3 3 c 1\n")
    for columns in ("1,2,4", [1, 2, 4], (1, 2, 4)):
        path = scree.run("sssp", folder + "/list.txt", program=program, directed=True, source=1, columns=columns,
                         output_columns=["distance"])
        assert list(path.columns) == ["id", "distance"] and values(path["distance"]) == [0, 5, 11]
    assert list(scree.run("bfs", "path:3", program=program, output_columns="level").columns) == ["id", "level"]
    raises(ValueError, "columns and output_columns both name", "bfs", "path:3", columns=["level"], output_columns=["parent"])

    # Notes, and how an answer is shown.
    noted = scree.run("cc", folder + "/list.txt", program=program, undirected=True, drop_self_loops=True)
    assert len(noted.notes) == 2 and "dropped 1 self loops" in noted.notes[1], noted.notes
    assert repr(noted) == "<scree.Answer cc: id, component; 3 lines; 2 notes>"
    assert answer.notes == () and len(repr(scree.run("sssp", "grid:100,100", program=program, unit_weights=True))) < 100

    # A distance of an image that is not what its checksum is of.
    image = folder + "/list.scree"
    with open(folder + "/real.txt", "w") as file:
        file.write("1 2 2.25\n")
    subprocess.run([program, "convert", folder + "/real.txt", image, "--directed", "--columns", "1,2,3"], check=True)
    with open(image, "r+b") as file:
        file.seek(file.read().rindex(b"\x02@"))
        file.write(b"\0")
    raises(scree.ScreeError, "their checksum differs", "sssp", image, program=program, source=1)
    assert values(scree.run("sssp", image, program=program, source=1, trust=True)["distance"]) == [0, 2]

    # Names that are no UTF-8.
    name = os.fsencode(folder) + b"/caf\xe9.txt"
    with open(name, "w") as file:
        file.write("1 2\n")
    old = scree.run("cc", os.fsdecode(name), program=program, undirected=True)
    assert old.record["graph"]["name"] == folder + "/caf\\xe9.txt", old.record["graph"]
    raises(scree.ScreeError, "expected --directed or --undirected", "cc", os.fsdecode(name))

# An option is refused with the text of the command line.
for kernel, name, value in (("bfs", "alpha", 0), ("sssp", "queue", "fifo"), ("sssp", "k", 1.5), ("cc", "in_flight", 65),
                            ("cc", "flush_age", "2h"), ("cc", "distribution", "line"), ("bfs", "source", "x"),
                            ("bfs", "repeat", 0), ("cc", "random_weights", "3..2"), ("cc", "memroy", 1)):
    word = f"--{name.replace('_', '-')}={value}"
    refused = subprocess.run([program, kernel, "path:2", word], capture_output=True, text=True)
    text = refused.stderr.removeprefix("scree: ").strip()
    assert refused.returncode == 2 and name.replace("_", "-") in text, refused
    assert raises(scree.ScreeError, text, kernel, "path:2", program=program, **{name: value}).code == 2

for name in ("output", "json", "output_header"):
    raises(ValueError, f"{name}='x' is not legal", "cc", "kron:4", **{name: "x"})
assert raises(scree.ScreeError, "'/nowhere/scree' could not be started: No such file", "cc", "kron:4",
              program="/nowhere/scree").code == 127
assert raises(scree.ScreeError, "could not be started: Permission denied", "cc", "kron:4", program=results).code == 126
late = raises(scree.ScreeTimeout, "ended after 0.1 s", "bc", "kron:20", timeout=0.1)
assert isinstance(late, subprocess.TimeoutExpired) and late.timeout == 0.1
for call in (answer.to_frame, lambda: scree.read_records(results)):
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if name.split(".")[0] == "pandas"}
    sys.modules["pandas"] = None
    try:
        call()
        raise AssertionError("no error")
    except ImportError as error:
        assert "needs pandas" in str(error)
    finally:
        del sys.modules["pandas"]
        sys.modules.update(hidden)
print("answers")

try:
    import pandas
except ImportError:
    sys.exit(0)
assert answer.to_frame()["distance"].tolist() == [1, 0, 1, 2]
records = scree.read_records(results)
assert sorted(records["coalesce-bytes"].unique()) == [1024, 65536]
assert set(records["role"]) == {"data"} and len(records) == 4
assert pandas.api.types.is_numeric_dtype(records["seconds"]) and pandas.api.types.is_numeric_dtype(records["messages"])
assert set(records["thread_level"]) == {"none"} and set(records["scree_version"]) and set(records["options"]) == {""}
assert records["host"][0] and records["mpi_library"][0]
assert len(scree.read_records(results, roles=["data", "warmup", "control"])) > 4
assert list(scree.read_records([results]).columns)[0] == "file"
# Where a run was made: what the sweep found here, and all that it looks for, in a record that has it.
from scree.study import machine  # noqa: E402

assert records["compiler"][0] and records["build"][0] and "commit" in records and records["session"][0] != ""
assert records["mpi_environment.UCX_TLS"].tolist() == ["sm"] * 4
assert {"machine." + name for name in machine.facts()} <= set(records.columns)
with tempfile.TemporaryDirectory() as folder:
    planted, lines = os.path.join(folder, "planted.jsonl"), open(results, encoding="utf-8").read().splitlines()
    names = [*machine._CPU.values(), "mhz", *machine._FILES]
    variables = [prefix + "X" for prefix in machine._PREFIXES]
    one = {**json.loads(lines[-1]), "role": "data", "repetition": 1, "control": False,
           "machine": {name: str(i) for i, name in enumerate(names)}, "mpi_environment": dict.fromkeys(variables, "x")}
    one["result"]["versions"].update(commit="abc", build="-O3")
    open(planted, "w", encoding="utf-8").write("\n".join([lines[0], json.dumps(one), ""]))
    row = scree.read_records(planted).iloc[0]
    assert [row["machine." + name] for name in names] == list(range(len(names)))
    assert all(row["mpi_environment." + name] == "x" for name in variables)
    assert (row["commit"], row["build"]) == ("abc", "-O3")
try:
    scree.read_records(__file__)
    raise AssertionError("no error")
except ValueError as error:
    assert "not a result file" in str(error)
print("records")

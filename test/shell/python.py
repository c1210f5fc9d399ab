"""python.py - the Python package: answers, records, errors. Arguments: the program, a file of results."""
import array
import os
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
print("answers")

try:
    import pandas
except ImportError:
    sys.exit(0)
records = scree.read_records(results)
assert sorted(records["coalesce-bytes"].unique()) == [1024, 65536]
assert set(records["role"]) == {"data"} and len(records) == 4
assert pandas.api.types.is_numeric_dtype(records["seconds"]) and pandas.api.types.is_numeric_dtype(records["messages"])
assert set(records["thread_level"]) == {"none"} and set(records["scree_version"]) and set(records["options"]) == {""}
assert records["host"][0] and records["mpi_library"][0]
assert len(scree.read_records(results, roles=["data", "warmup", "control"])) > 4
assert list(scree.read_records([results]).columns)[0] == "file"
try:
    scree.read_records(__file__)
    raise AssertionError("no error")
except ValueError as error:
    assert "not a result file" in str(error)
print("records")

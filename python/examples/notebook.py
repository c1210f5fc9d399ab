# %% Shortest paths on a small road network, with 2 ranks
import scree

answer = scree.run("sssp", "examples/village.gr", ranks=2, source=1, validate=True)
print(len(answer["id"]), "vertices, the farthest at", max(answer["distance"]))

# %% The path to vertex 200, from the parents
parent = dict(zip(answer["id"], answer["parent"]))
path = [200]
while path[-1] != 1:
    path.append(parent[path[-1]])
print("a path of", len(path), "vertices")

# %% A study: which size of blocks is best?
import subprocess, sys, tempfile

results = tempfile.mkdtemp() + "/sizes.jsonl"
subprocess.run([sys.argv[1] if len(sys.argv) > 1 else "scree", "sweep", "--scale", "8", "--ranks", "1",
                "--coalesce-bytes", "1K,64K", "--repeat", "3", "--quiet", "--results", results], check=True)
records = scree.read_records(results)
print(records.groupby("coalesce-bytes")["seconds"].median().index.tolist())

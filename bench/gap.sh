#!/usr/bin/env bash
# gap.sh - BFS, SSSP, components and PageRank beside the GAP Benchmark Suite, Wasp and Thrifty, on the same files and sources.
#   gap.sh [BUILD [KERNELS [GRAPHS]]]      with commas between names, - for all; the whole takes about 15 minutes
# KERNELS: bfs, sssp, cc, pagerank, tolerance (PageRank to 1e-4). GRAPHS: the table below. Peers: programs of GAP in $GAPBS
# (built without -march=native), Wasp's sssp-int32 as $WASP, and $THRIFTY, which is started as PROGRAM FILE.sg RUNS and prints
# "Trial Time: SECONDS" for each run. A row whose peers are missing says so. $GAP_DATA keeps the graphs (8 times 150 MB).
#
# 2 ranks and 2 threads, in turns, $ROUNDS (3) rounds. Each job has 16 sources, those of GAP (PageRank: 4 runs), and its time is
# the median of the runs after the first one; small graphs have 64 sources, and the mean of the 63. A row has the best peer's
# time over that of scree, the median of the rounds, and the smallest and largest of them; losses are first. Preparation is not
# counted. *Over best*: the time of the default over that of the best variant, one job each. Kronecker and uniform graphs also
# run on 1 rank and 1 thread in the last round, kron18 and grid1000 on 8 and 16 ranks.
set -eu
build=${1:-build}
scree=$build/scree
data=${GAP_DATA:-$(mktemp -d)}
[ -n "${GAP_DATA-}" ] || trap 'rm -rf "$data"' EXIT
mkdir -p "$data"
real=${SCREE_TEST_DATA:-../shared/data} graphs=${3:--}
# made NAME COMMAND...: its .sg and .wsg
made() {
  case ",$graphs," in ,-, | *,"$1",*) ;; *) return 0 ;; esac
  [ -e "$data/$1.sg" ] || "$scree" "$2" "$3" "$data/$1.sg" "${@:4}" --no-weights --quiet
  [ -e "$data/$1.wsg" ] || "$scree" "$2" "$3" "$data/$1.wsg" "${@:4}" --random-weights 1..255 --quiet
}
made kron18 generate kron:18
made kron20 generate kron:20
made uni20 generate uniform:1048576,16777216
made uni19x32 generate uniform:524288,16777216
made grid300 generate grid:300,300
made grid1000 generate grid:1000,1000
made grid2000 generate grid:2000,2000
made thin generate grid:100,10000
made lux convert "$real/luxembourg_osm.edges.gz" --undirected
made cal convert "$real/cal.cedge" --undirected --columns 2,3
awk '$1 == "a" { print $2 < $3 ? $2 " " $3 : $3 " " $2 }' "$real/rome99.gr" | sort -u >"$data/rome.el"
made rome convert "$data/rome.el" --undirected
/usr/bin/python3 - "$scree" "$data" "${2:--}" "$graphs" "${ROUNDS:-3}" <<'PY'
import json, os, re, statistics, subprocess, sys

scree, data, kernels, graphs, rounds = sys.argv[1:]
gap, wasp, thrifty = (os.environ.get(name, "") for name in ("GAPBS", "WASP", "THRIFTY"))
# By graph: the widths of buckets of GAP and Wasp, near the best of 8, 32, 128, 512 and 2048; whether it is small
GRAPHS = {"kron18": (16, 16, True), "kron20": (16, 16, False), "uni20": (16, 16, False), "uni19x32": (16, 16, False),
          "grid300": (512, 512, True), "grid1000": (512, 512, False), "grid2000": (512, 512, False),
          "thin": (512, 512, False), "lux": (512, 1024, True), "cal": (2048, 2048, True), "rome": (2048, 2048, True)}
SCREE = {"bfs": ["bfs"], "sssp": ["sssp"], "cc": ["cc"], "pagerank": ["pagerank"],
         "tolerance": ["pagerank", "--tolerance", "1e-4"]}
VARIANTS = {"bfs": ["direction", "level"], "sssp": ["opt", "horizon", "dc"], "cc": ["afforest", "label"],
            "pagerank": ["pull", "pull-float"], "tolerance": ["pull", "pull-float"]}
ITERATIONS = {"pagerank": ["-i", "20", "-t", "0"], "tolerance": ["-i", "1000", "-t", "1e-4"]}
BARS = {"bfs": {"kron18": 2.0, "kron20": 2.5}, "sssp": {"kron18": 2.0, "kron20": 2.0}, "cc": {}}
for kernel in ("cc", *ITERATIONS):
    BARS[kernel] = {graph: 1.1 if graph.startswith("kron") else 1.0 for graph in GRAPHS}


def chosen(names, given):
    return [name for name in names if given == "-" or name in given.split(",")]


def file_of(kernel, graph):
    return "%s/%s.%s" % (data, graph, "wsg" if kernel == "sssp" else "sg")


def runs_of(kernel, graph):
    return 64 if GRAPHS[graph][2] and graph != "kron18" else 4 if kernel in ITERATIONS else 64 if GRAPHS[graph][2] else 16


def started(command, threads):
    """Its output, and its peak memory in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"})
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("gap.sh: %s: %s" % (" ".join(command), text))
    return text, usage.ru_maxrss / 1024


def time_of(kernel, graph, seconds):
    """Of the runs after the first one, and the first; ms."""
    later = seconds[1:]
    return (1e3 * (sum(later) / len(later) if len(later) > 16 else statistics.median(later)), 1e3 * seconds[0])


def run_scree(kernel, graph, ranks, sources, variant="auto"):
    count = runs_of(kernel, graph)
    many = ["--repeat", str(count)]
    if kernel in ("bfs", "sssp"):
        many = ["--sources-file", sources] if sources else ["--sources", str(count)]
    record = data + "/run.json"
    started([scree, *SCREE[kernel], file_of(kernel, graph), "--ranks", str(ranks), *many, "--json", record, "--quiet",
             *(["--algorithm", variant] if variant != "auto" else [])], 1)
    with open(record) as file:
        run = json.load(file)
    return (*time_of(kernel, graph, [r["seconds"] for r in run["runs"]]), run["peak_memory_bytes"]["sum"] / 2**20)


def peers_of(kernel, graph, sources):
    count, file = str(runs_of(kernel, graph)), file_of(kernel, graph)
    widths = GRAPHS[graph]
    programs = {"bfs": ["bfs"], "sssp": ["sssp"], "cc": ["cc", "cc_sv"]}.get(kernel, ["pr", "pr_spmv"])
    more = ["-d", str(widths[0])] if kernel == "sssp" else ITERATIONS.get(kernel, [])
    peers = {"GAP-" + p: [gap + "/" + p, "-f", file, "-n", count, *more] for p in programs}
    if kernel == "sssp" and sources:
        peers["Wasp"] = [wasp, "-f", file, "-n", "1", "-S", count, "-s", sources, "-d", str(widths[1])]
    if kernel == "cc":
        peers["Thrifty"] = [thrifty, file, count]
    return {name: command for name, command in peers.items() if os.access(command[0], os.X_OK)}


def run_peer(kernel, graph, command, threads):
    text, memory = started(command, threads)
    return (*time_of(kernel, graph, [float(x) for x in re.findall(r"Trial Time:\s+([\d.]+)", text)]), memory)


def sources_of(graph):
    """A file of those that GAP draws."""
    if not os.access(gap + "/bfs", os.X_OK):
        return None
    text, _ = started([gap + "/bfs", "-f", file_of("bfs", graph), "-n", "64", "-l"], 2)
    name = data + "/" + graph + ".sources"
    found = re.findall(r"Source:\s+(\d+)", text)[: runs_of("bfs", graph)]
    with open(name, "w") as file:
        file.write("\n".join(found) + "\n")
    return name


def row(kernel, graph, sources):
    peers, results = peers_of(kernel, graph, sources), {}
    for _ in range(int(rounds)):
        results.setdefault("scree", []).append(run_scree(kernel, graph, 2, sources))
        for name, command in peers.items():
            results.setdefault(name, []).append(run_peer(kernel, graph, command, 2))
    middle = {name: [statistics.median(part) for part in zip(*r)] for name, r in results.items()}
    ours, best = middle["scree"], min(peers, key=lambda name: middle[name][0], default=None)
    cells = [kernel, graph, "no peer", "", "", "%.3g;%.3g" % tuple(ours[:2]), "", "", "", ""]
    ratio, bar = 0, BARS[kernel].get(graph, 1.1)
    if best:
        ratios = sorted(peer[0] / one[0] for peer, one in zip(results[best], results["scree"]))
        ratio = statistics.median(ratios)
        cells[2:5] = ["%.2f" % ratio, "%.2f-%.2f" % (ratios[0], ratios[-1]), "%.1f" % bar]
        cells[6] = ",".join("%s:%.3g" % (name, middle[name][0]) for name in sorted(peers, key=lambda n: middle[n][0]))
        cells[6] += ";%.3g" % middle[best][1]
        cells[9] = "%.2f" % (ours[2] / middle[best][2])
    if graph.startswith(("kron", "uni")):
        cells[7] = "%.2f" % (run_scree(kernel, graph, 1, sources)[0] / ours[0])
        if best:
            cells[7] += ",%.2f" % (run_peer(kernel, graph, peers[best], 1)[0] / middle[best][0])
    if graph in ("kron18", "grid1000"):
        cells[8] = ",".join("%.1f" % (run_scree(kernel, graph, n, sources)[0] / ours[0]) for n in (8, 16))
    times = [run_scree(kernel, graph, 2, sources, variant)[0] for variant in ("auto", *VARIANTS[kernel])]
    cells.append("%.2f" % (times[0] / min(times[1:])))
    print("gap.sh: " + " ".join(cells), file=sys.stderr)
    return ratio / bar, cells


rows = []
for graph in chosen(GRAPHS, graphs):
    sources = sources_of(graph)
    rows += [row(kernel, graph, sources) for kernel in chosen(SCREE, kernels)]
print("|kernel|graph|ratio|rounds|bar|scree, ms; first|peers, ms; first|2 over 1|8, 16 over 2|memory|over best|")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for _, cells in sorted(rows, key=lambda r: r[0]):
    print("|" + "|".join(cells) + "|")
PY
grep -m 1 'model name' /proc/cpuinfo | sed "s/.*: /gap.sh: /; s/$/, $(nproc) cores, $(date +%F)/"

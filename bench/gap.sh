#!/usr/bin/env bash
# gap.sh - kernels beside the GAP Benchmark Suite, Wasp and Thrifty, on the same files and sources, losses first.
#   gap.sh [BUILD [KERNELS [GRAPHS]]]      with commas between names, - for all; the whole takes about 10 minutes
# KERNELS: bfs, sssp, cc, pagerank, tolerance (PageRank to 1e-4), bc, tc. GRAPHS: the table below. Peers: programs of GAP in
# $GAPBS (built without -march=native), Wasp's sssp-int32 as $WASP, and $THRIFTY, which is started as PROGRAM FILE.sg RUNS and
# prints "Trial Time: SECONDS" for each run. A row whose peers are missing says so. $GAP_DATA keeps the graphs (3 GB).
#
# 2 ranks and 2 threads, in turns, $ROUNDS (3) rounds, 2 of graphs with 16 million arcs. Each job has 16 sources, those of GAP
# (PageRank and tc: 4 runs), and its time is the median of the runs after the first one; small graphs have 64 sources, and the
# mean of the 63; bc is one run from 16 sources. A row has the best peer's time over that of scree, the median of the rounds,
# and the smallest and largest of them; losses, by their bars, are first. Preparation is not counted. *Over best*: the time of
# the default over that of the best variant, one job each, a quarter of the runs on those large graphs (label of cc, which
# takes up to minutes, is left out). Kronecker and uniform graphs also run on 1 rank and 1 thread, kron18 and grid1000 on 8
# and 16 ranks; of these columns each is one job.
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
made uni18 generate uniform:262144,4194304
made uni20 generate uniform:1048576,16777216
made uni19x32 generate uniform:524288,16777216
made uni18x64 generate uniform:262144,16777216
made grid300 generate grid:300,300
made grid1000 generate grid:1000,1000
made grid2000 generate grid:2000,2000
made thin generate grid:100,10000
made lux convert "$real/luxembourg_osm.edges.gz" --undirected
made cal convert "$real/cal.cedge" --undirected --columns 2,3
edges() { awk '$1 == "a" { print $2 < $3 ? $2 " " $3 : $3 " " $2 }' "$real/rome99.gr" | sort -u; }
case ",$graphs," in ,-, | *,rome,*) [ -e "$data/rome.sg" ] || edges >"$data/rome.el" ;; esac
made rome convert "$data/rome.el" --undirected
/usr/bin/python3 - "$scree" "$data" "${2:--}" "$graphs" "${ROUNDS:-3}" <<'PY'
import json, os, re, statistics, subprocess, sys

scree, data, kernels, graphs, rounds = sys.argv[1:]
gap, wasp, thrifty = (os.environ.get(name, "") for name in ("GAPBS", "WASP", "THRIFTY"))
# By graph: the widths of buckets of GAP and Wasp, near the best of 8, 32, 128, 512 and 2048; sources
GRAPHS = {"kron18": (16, 16, 64), "kron20": (16, 16, 16), "uni18": (16, 16, 16), "uni20": (16, 16, 16),
          "uni19x32": (16, 16, 16), "uni18x64": (16, 16, 16), "grid300": (512, 512, 64), "grid1000": (512, 512, 16),
          "grid2000": (512, 512, 16), "thin": (512, 512, 16), "lux": (512, 1024, 64), "cal": (2048, 2048, 64),
          "rome": (2048, 2048, 64)}
LARGE = ("kron20", "uni20", "uni19x32", "uni18x64", "grid2000")
SCREE = {"bfs": ["bfs"], "sssp": ["sssp"], "cc": ["cc"], "pagerank": ["pagerank"],
         "tolerance": ["pagerank", "--tolerance", "1e-4"], "bc": ["bc"], "tc": ["tc"]}
VARIANTS = {"bfs": ["direction", "level"], "sssp": ["opt", "horizon", "dc"], "cc": ["afforest"],
            "pagerank": ["pull", "pull-float"], "tolerance": ["pull", "pull-float"], "bc": ["rows", "single"],
            "tc": ["pull", "push"]}
PEERS = {"cc": ["cc", "cc_sv"], "pagerank": ["pr", "pr_spmv"], "tolerance": ["pr", "pr_spmv"]}
ITERATIONS = {"pagerank": ["-i", "20", "-t", "0"], "tolerance": ["-i", "1000", "-t", "1e-4"]}
# By kernel: the bar of most graphs, and those of others; bc and tc have the graphs that are named
BARS = {"bfs": (1.1, {"kron18": 2.0, "kron20": 2.5}), "sssp": (1.1, {"kron18": 2.0, "kron20": 2.0}),
        "bc": (None, {"kron18": 1.9, "uni18": 3.5, "grid300": 1.6}),
        "tc": (None, {"kron18": 1.2, "uni18": 1.0, "lux": 1.0, "cal": 1.0, "rome": 1.0})}
for kernel in ("cc", *ITERATIONS):
    BARS[kernel] = (1.0, {"kron18": 1.1, "kron20": 1.1})


def chosen(names, given):
    return [name for name in names if given == "-" or name in given.split(",")]


def file_of(kernel, graph):
    return "%s/%s.%s" % (data, graph, "wsg" if kernel == "sssp" else "sg")


def bar_of(kernel, graph):
    """None: no row."""
    most, others = BARS[kernel]
    return others.get(graph, most if graph != "uni18" else None)


def runs_of(kernel, graph):
    sources = 16 if graph == "kron18" and kernel not in ("bfs", "cc") else GRAPHS[graph][2]
    return 1 if kernel == "bc" else 4 if kernel in ("tc", *ITERATIONS) and sources == 16 else sources


def started(command, threads):
    """Its output, and its peak memory in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"})
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("gap.sh: %s: %s" % (" ".join(command), text))
    return text, usage.ru_maxrss / 1024


def time_of(seconds):
    """Of the runs after the first one, and the first; ms."""
    later = seconds[1:] or seconds
    return (1e3 * (sum(later) / len(later) if len(later) > 16 else statistics.median(later)), 1e3 * seconds[0])


def sources_in(sources, count):
    """A file of the first of them."""
    with open(sources) as file:
        some = file.read().split()[:count]
    with open("%s.%d" % (sources, count), "w") as file:
        file.write("\n".join(some) + "\n")
    return file.name


def run_scree(kernel, graph, ranks, sources, count, variant="auto"):
    many = ["--repeat", str(count)]
    if kernel in ("bfs", "sssp", "bc"):
        count = 16 if kernel == "bc" else count
        many = ["--sources-file", sources_in(sources, count)] if sources else ["--sources", str(count)]
    record = data + "/run.json"
    started([scree, *SCREE[kernel], file_of(kernel, graph), "--ranks", str(ranks), *many, "--json", record, "--quiet",
             *(["--algorithm", variant] if variant != "auto" else [])], 1)
    with open(record) as file:
        run = json.load(file)
    return (*time_of([r["seconds"] for r in run["runs"]]), run["peak_memory_bytes"]["sum"] / 2**20)


def peers_of(kernel, graph, sources, count):
    file, widths = file_of(kernel, graph), GRAPHS[graph]
    some, count = sources and sources_in(sources, count), str(count)
    more = {"sssp": ["-d", str(widths[0])], "bc": ["-i", "16"], **ITERATIONS}.get(kernel, [])
    peers = {"GAP-" + p: [gap + "/" + p, "-f", file, "-n", count, *more] for p in PEERS.get(kernel, [kernel])}
    if kernel == "sssp":
        peers["Wasp"] = [wasp if some else "", "-f", file, "-n", "1", "-S", count, "-s", some, "-d", str(widths[1])]
    if kernel == "cc":
        peers["Thrifty"] = [thrifty, file, count]
    return peers


def is_there(command):
    return os.access(command[0], os.X_OK)


def run_peer(command, threads):
    text, memory = started(command, threads)
    return (*time_of([float(x) for x in re.findall(r"Trial Time:\s+([\d.]+)", text)]), memory)


def sources_of(graph):
    """A file of those that GAP draws."""
    if not os.access(gap + "/bfs", os.X_OK):
        return None
    count = GRAPHS[graph][2]
    text, _ = started([gap + "/bfs", "-f", file_of("bfs", graph), "-n", str(count), "-l"], 2)
    name = data + "/" + graph + ".sources"
    with open(name, "w") as file:
        file.write("\n".join(re.findall(r"Source:\s+(\d+)", text)[:count]) + "\n")
    return name


def compared(kernel, graph, sources):
    """In rounds: of scree and each peer the times after the first run, of the first run, and memory, of each round."""
    count, results = runs_of(kernel, graph), {}
    peers = peers_of(kernel, graph, sources, count)
    for _ in range(min(int(rounds), 2) if graph in LARGE else int(rounds)):
        results.setdefault("scree", []).append(run_scree(kernel, graph, 2, sources, count))
        for name, command in filter(lambda item: is_there(item[1]), peers.items()):
            results.setdefault(name, []).append(run_peer(command, 2))
    return results, ["no " + name for name in peers if name not in results]


def alone(kernel, graph, sources, best):
    """Columns of one job each: 2 ranks over 1, the same of the best peer, 8 and 16 ranks over 2, over best."""
    count = runs_of(kernel, graph)
    count = (count + 3) // 4 + 1 if graph in LARGE else count
    times = {v: run_scree(kernel, graph, 2, sources, count, v)[0] for v in ("auto", *VARIANTS[kernel])}
    default, second, many = times.pop("auto"), [], []
    if graph.startswith(("kron", "uni")):
        second = [run_scree(kernel, graph, 1, sources, count)[0] / default]
        if best:
            command = peers_of(kernel, graph, sources, count)[best]
            second.append(run_peer(command, 1)[0] / run_peer(command, 2)[0])
    if graph in ("kron18", "grid1000"):
        many = [run_scree(kernel, graph, n, sources, count)[0] / default for n in (8, 16)]
    return [",".join("%.2f" % x for x in second), ",".join("%.1f" % x for x in many)], default / min(times.values())


def row(kernel, graph, sources):
    (results, absent), bar = compared(kernel, graph, sources), bar_of(kernel, graph)
    middle = {name: [statistics.median(part) for part in zip(*r)] for name, r in results.items()}
    ours, peers = middle["scree"], sorted(middle.keys() - {"scree"}, key=lambda name: middle[name][0])
    best = peers[0] if peers else None
    own = [of[0] for of in results["scree"]]
    ratio, spread, beside, memory = 0, "%.3g-%.3g ms" % (min(own), max(own)), ",".join(absent), ""
    if best:
        ratios = sorted(peer[0] / one[0] for peer, one in zip(results[best], results["scree"]))
        ratio, spread = statistics.median(ratios), "%.2f-%.2f" % (ratios[0], ratios[-1])
        beside = ",".join(["%s:%.3g" % (name, middle[name][0]) for name in peers] + absent) + ";%.3g" % middle[best][1]
        memory = "%.2f" % (ours[2] / middle[best][2])
    ranks, over = alone(kernel, graph, sources, best)
    cells = [kernel, graph, "%.2f" % ratio if best else "no peer", spread, "%.1f" % bar,
             "%.3g;%.3g" % tuple(ours[:2]), beside, *ranks, memory, "%.2f" % over]
    print("gap.sh: " + " ".join(cells), file=sys.stderr)
    return ratio / bar, cells


rows = []
for graph in chosen(GRAPHS, graphs):
    sources = sources_of(graph)
    rows += [row(kernel, graph, sources) for kernel in chosen(SCREE, kernels) if bar_of(kernel, graph)]
print("|kernel|graph|ratio|rounds|bar|scree, ms; first|peers, ms; first|2 over 1|8, 16 over 2|memory|over best|")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for _, cells in sorted(rows, key=lambda r: r[0]):
    print("|" + "|".join(cells) + "|")
PY
grep -m 1 'model name' /proc/cpuinfo | sed "s/.*: /gap.sh: /; s/$/, $(nproc) cores, $(date +%F)/"

# gap.py - the comparison of gap.sh: scree and its peers run in turns, and each peer runs at its best setting.
#
# Both use 2 ranks or threads. A job runs the 16 sources that GAP draws. Small graphs have 64 sources, PageRank and tc
# have 4 runs, and bc is one run of 16 sources. The time of a job is the median of the runs after the first one, or their
# mean if there are more than 16. There are ROUNDS (3) rounds, and 2 on graphs with 16 million arcs.
#
# A peer's setting (the width of its buckets, its number of buckets, its order) is chosen in the same job. A sweep tries
# powers of two from 1, or all words, with a time limit for each trial. The fastest setting is tried with huge pages
# (glibc.malloc.hugetlb=1), and is kept with them if that is faster. The rounds then measure the setting, its half and
# its double, and go on to the next power until the lowest median has a slower neighbour on both sides, or is at 1.
#
# Preparation counts once for each job, for scree as for its peers: the time of a run includes its share of what scree
# prepares before the first run. GAP's tc prepares in each run, since its program keeps nothing. Reading the file does
# not count.
#
# Columns, with times in ms:
#   ratio               the best peer's time over scree's time, the median of the rounds
#   rounds              the smallest and the largest ratio
#   scree; first        the time, and the time of the first run
#   best peer; first    the peer, its setting, and its times
#   its other settings  the neighbours of that setting, and settings that the rounds passed
#   other peers         the other peers at their best settings
#   2 over 1            2 ranks over 1, then the same of the best peer
#   8, 16 over 2        these numbers of ranks on the same cores
#   memory              scree's peak memory over the best peer's
#   over best           the default's time over the time of the best variant
# The last four are one job each.
import json, math, os, re, statistics, struct, subprocess, sys, time

scree, data, kernels, graphs, rounds = sys.argv[1:]
PROGRAMS = ("GAPBS", "WASP", "THRIFTY", "GBBS", "NETWORKIT")
gap, wasp, thrifty, gbbs, networkit = (os.environ.get(name, "") for name in PROGRAMS)
# Sources of each graph
GRAPHS = {"kron18": 64, "kron20": 16, "uni18": 16, "uni20": 16, "uni19x32": 16, "uni18x64": 16, "grid300": 64,
          "grid1000": 16, "grid2000": 16, "thin": 16, "lux": 64, "cal": 64, "rome": 64}
LARGE = ("kron20", "uni20", "uni19x32", "uni18x64", "grid2000")
TWENTY = ["--iterations", "20"]
SCREE = {"bfs": ["bfs"], "sssp": ["sssp"], "cc": ["cc"], "pagerank": ["pagerank", *TWENTY],
         "tolerance": ["pagerank", "--tolerance", "1e-4"], "bc": ["bc"], "tc": ["tc"], "kcore": ["kcore"],
         "mis": ["mis"], "colour": ["colour"]}
VARIANTS = {"bfs": ["direction", "level"], "sssp": ["opt", "horizon", "dc"], "cc": ["afforest"],
            "pagerank": ["pull", "pull-float"], "tolerance": ["pull", "pull-float"], "bc": ["rows", "single"],
            "tc": ["pull", "push"], "kcore": ["peel"], "mis": ["greedy", "luby"],
            "colour": ["largest-first", "speculative"]}
# The bar of a kernel on most graphs, and the bars of some. With None only the named graphs have a row.
BARS = {"bfs": (1.1, {"kron18": 2.0, "kron20": 2.5}), "sssp": (1.1, {"kron18": 2.0, "kron20": 2.0}),
        "bc": (None, {"kron18": 1.9, "uni18": 3.5, "grid300": 1.6}),
        "tc": (None, {"kron18": 1.2, "uni18": 1.0, "lux": 1.0, "cal": 1.0, "rome": 1.0})}
for kernel in ("cc", "pagerank", "tolerance"):
    BARS[kernel] = (1.0, {"kron18": 1.1, "kron20": 1.1})
for kernel in ("kcore", "mis", "colour"):
    BARS[kernel] = (None, {"kron18": 1.0, "uni20": 1.0, "grid1000": 1.0})
WIDEST = 1 << 20
HUGE = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


SETTING = object()  # the place of the arguments of a setting in a command


class Peer:
    """A program of another project. Its settings are powers of two for `option`, or the lists of arguments in `words`.
    A program that takes one source runs once for each of `each`."""

    def __init__(self, name, command, option=None, words=((),), each=((),)):
        self.name, self.command, self.option, self.words, self.each = name, command, option, words, each

    def arguments(self, setting):
        return (self.option, str(setting)) if self.option else self.words[setting]

    def is_there(self):
        return os.access(self.command[0], os.X_OK)

    def text(self, setting, huge):
        return " ".join([self.name, *self.arguments(setting), *(["huge"] if huge else [])])


def of_gap(program, file, count, *more, **settings):
    return Peer("GAP-" + program, [gap + "/" + program, "-f", file, "-n", str(count), *more, SETTING], **settings)


def of_gbbs(program, graph, count, **settings):
    command = [gbbs + "/" + program, "-s", "-b", "-rounds", str(count), SETTING, adjacency(graph)]
    return Peer("GBBS", command, **settings)


def of_networkit(file, count, *words):
    """NetworKit's algorithms for one kernel. A betweenness draws its own 16 sources."""
    return Peer("NetworKit", [networkit, SETTING, file, str(count)], words=[(word,) for word in words])


def peers_of(kernel, graph, sources, count):
    file, some = file_of(kernel, graph), sources and sources_in(sources, 16 if kernel == "bc" else count)
    if kernel == "sssp":
        of_wasp = [wasp if some else "", "-f", file, "-n", "1", "-S", str(count), "-s", some, SETTING]
        return [of_gap("sssp", file, count, option="-d"), Peer("Wasp", of_wasp, option="-d")]
    if kernel == "cc":
        return [of_gap("cc", file, count), of_gap("cc_sv", file, count),
                Peer("Thrifty", [thrifty, file, str(count), SETTING]),
                of_networkit(file, count, "ConnectedComponents", "ParallelConnectedComponents")]
    if kernel in ("pagerank", "tolerance"):
        until = ["-i", "20", "-t", "0"] if kernel == "pagerank" else ["-i", "1000", "-t", "1e-4"]
        return [of_gap("pr", file, count, *until), of_gap("pr_spmv", file, count, *until),
                of_networkit(file, count, "PageRank" if kernel == "pagerank" else "PageRank-1e-4")]
    if kernel == "bc":
        each = [("-src", s) for s in lines_of(some)] if some else [()]
        return [of_gap("bc", file, count, "-i", "16"),
                of_gbbs("SSBetweennessCentrality", graph, 1, words=((), ("-ligra",)), each=each),
                of_networkit(file, count, "EstimateBetweenness")]
    if kernel == "kcore":
        return [of_gbbs("KCore", graph, count, option="-nb"),
                of_networkit(file, count, "CoreDecomposition", "CoreDecomposition-queue")]
    if kernel == "mis":
        return [of_gbbs("MaximalIndependentSet", graph, count, words=((), ("-specfor",)))]
    if kernel == "colour":
        return [of_gbbs("GraphColoring", graph, count, words=((), ("-lf",)))]
    return [of_gap(kernel, file, count)]


def lines_of(name):
    with open(name) as file:
        return file.read().split()


def chosen(names, given):
    return [name for name in names if given == "-" or name in given.split(",")]


def file_of(kernel, graph):
    return "%s/%s.%s" % (data, graph, "wsg" if kernel == "sssp" else "sg")


def adjacency(graph):
    """Writes the graph as GBBS's binary adjacency array, which holds the same arrays, and returns the file's name."""
    name = data + "/" + graph + ".adj"
    if gbbs and not os.path.exists(name):
        with open(file_of("bfs", graph), "rb") as file:
            head = file.read(17)
            if len(head) == 17:  # the test's graphs are empty files
                vertices = struct.unpack("<q", head[9:])[0]
                offsets = file.read(8 * (vertices + 1))
                arcs = struct.unpack("<q", offsets[-8:])[0]
                with open(name, "wb") as out:
                    out.write(struct.pack("<qqq", vertices, arcs, 24 + len(offsets) + 4 * arcs) + offsets)
                    out.write(file.read(4 * arcs))
    return name


def bar_of(kernel, graph):
    """Returns None if there is no row."""
    most, others = BARS[kernel]
    return others.get(graph, most if graph != "uni18" else None)


def runs_of(kernel, graph):
    sources = 16 if graph == "kron18" and kernel not in ("bfs", "cc") else GRAPHS[graph]
    few = kernel in ("tc", "pagerank", "tolerance", "kcore", "mis", "colour")
    return 1 if kernel == "bc" else 4 if few and sources == 16 else sources


class Failed(Exception):
    pass


def started(command, threads, more={}, limit=None):
    """Returns the command's output and its peak memory in MiB."""
    process = subprocess.Popen(["timeout", str(limit), *command] if limit else command, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, "OMP_NUM_THREADS": str(threads), "PARLAY_NUM_THREADS": str(threads),
                                    "OMP_PROC_BIND": "true", **more})
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        late = limit and os.waitstatus_to_exitcode(status) == 124
        raise Failed("%s: %s" % (" ".join(command), "has not ended after %.0f s" % limit if late else text))
    return text, usage.ru_maxrss / 1024


def time_of(seconds):
    """Returns the time of the runs after the first one, and of the first one, in ms."""
    later = seconds[1:] or seconds
    return (1e3 * (sum(later) / len(later) if len(later) > 16 else statistics.median(later)), 1e3 * seconds[0])


def sources_in(sources, count):
    """Returns the name of a file with the first `count` sources."""
    with open("%s.%d" % (sources, count), "w") as file:
        file.write("\n".join(lines_of(sources)[:count]) + "\n")
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
    share = 1e3 * sum(r.get("preparation_seconds", 0) for r in run["runs"]) / len(run["runs"])
    later, first = time_of([r["seconds"] for r in run["runs"]])
    return later + share, first + share, run["peak_memory_bytes"]["sum"] / 2**20


def run_peer(peer, setting, huge, threads=2, limit=None):
    """Returns the time, the first time and the memory of a job. The times are infinite if it fails or is too slow."""
    seconds, memory = [], 0
    for more in peer.each:
        at = peer.command.index(SETTING)
        command = [*peer.command[:at], *peer.arguments(setting), *more, *peer.command[at + 1:]]
        try:
            text, used = started(command, threads, HUGE if huge else {}, limit)
            seconds.append([float(x) for x in re.findall(r"(?:Trial|Running) Time:\s+([\d.e-]+)", text)])
            if not seconds[-1]:
                raise Failed("%s: no line has a Trial Time or a Running Time" % " ".join(command))
        except Failed as failed:
            print("gap.sh: %s" % str(failed)[-1000:], file=sys.stderr)
            return math.inf, math.inf, 0
        memory = max(memory, used)
    return (*time_of(seconds[0] if len(seconds) == 1 else [sum(s[0] for s in seconds)]), memory)


def swept(peer, limit):
    """Returns the setting that was fastest in one short job each, and whether huge pages made it faster. Returns None
    if each job failed. A job may take `limit` seconds, and then ten times as long as the fastest one."""
    times = {}
    for setting in (1 << i for i in range(WIDEST.bit_length())) if peer.option else range(len(peer.words)):
        begun = time.monotonic()
        times[setting] = run_peer(peer, setting, False, limit=limit)[0]
        best = min(times, key=times.get)
        if best == setting and times[best] < math.inf:
            limit = 5 + 10 * (time.monotonic() - begun)
        if peer.option and setting >= (8 * best if times[best] < math.inf else 256):
            break
    return (best, run_peer(peer, best, True)[0] < times[best]) if times[best] < math.inf else None


def around(peer, setting):
    return [s for s in (setting // 2, setting, 2 * setting) if s] if peer.option else [setting]


def middle_of(results):
    """Returns the median of each part of the results of some rounds."""
    return [statistics.median(part) for part in zip(*results)]


class Contest:
    """The rounds of one row: of scree and of each peer at each setting the time, the first time and the memory."""

    def __init__(self, kernel, graph, sources):
        self.kernel, self.graph, self.sources, self.count = kernel, graph, sources, runs_of(kernel, graph)
        self.rounds = min(int(rounds), 2) if graph in LARGE else int(rounds)
        peers = peers_of(kernel, graph, sources, self.count)
        self.absent = ["no " + peer.name for peer in peers if not peer.is_there()]
        self.peers = [peer for peer in peers if peer.is_there()]
        few = {peer.name: peer for peer in peers_of(kernel, graph, sources, self.few())}
        begun = time.monotonic()
        run_scree(kernel, graph, 2, sources, self.few())
        limit = 5 + 10 * (time.monotonic() - begun)
        self.best = {peer: swept(few[peer.name], limit) for peer in self.peers}
        self.absent += [peer.name + " failed" for peer in self.peers if not self.best[peer]]
        self.peers = [peer for peer in self.peers if self.best[peer]]
        self.results, self.own = {peer: {} for peer in self.peers}, []
        for _ in range(self.rounds):
            self.own.append(run_scree(kernel, graph, 2, sources, self.count))
            for peer in self.peers:
                for setting in around(peer, self.best[peer][0]):
                    self.measure(peer, setting)
        for peer in self.peers:
            self.settle(peer)

    def few(self):
        return (self.count + 3) // 4 + 1 if self.graph in LARGE and self.count > 4 else self.count

    def measure(self, peer, setting):
        self.results[peer].setdefault(setting, []).append(run_peer(peer, setting, self.best[peer][1]))

    def settle(self, peer):
        """Goes on to further powers of two until the best setting has both of its neighbours measured."""
        times = self.results[peer]
        while True:
            best = min(times, key=lambda s: middle_of(times[s])[0])
            missing = [s for s in around(peer, best) if s not in times]
            self.best[peer] = best, self.best[peer][1]
            if not missing:
                return
            for _ in range(self.rounds):
                self.measure(peer, missing[0])

    def time(self, peer):
        return middle_of(self.results[peer][self.best[peer][0]])


def alone(contest, best):
    """Returns the columns of one job each."""
    kernel, graph, sources, count = contest.kernel, contest.graph, contest.sources, contest.few()
    times = {v: run_scree(kernel, graph, 2, sources, count, v)[0] for v in ("auto", *VARIANTS[kernel])}
    default, second, many = times.pop("auto"), [], []
    if graph.startswith(("kron", "uni")):
        second = [run_scree(kernel, graph, 1, sources, count)[0] / default]
        if best:
            peer = next(p for p in peers_of(kernel, graph, sources, count) if p.name == best.name)
            second.append(run_peer(peer, *contest.best[best], threads=1)[0] / run_peer(peer, *contest.best[best])[0])
    if graph in ("kron18", "grid1000"):
        many = [run_scree(kernel, graph, n, sources, count)[0] / default for n in (8, 16)]
    return [",".join("%.2f" % x for x in second), ",".join("%.1f" % x for x in many)], default / min(times.values())


def row(kernel, graph, sources):
    """Returns the ratio over its bar, the smallest and the largest ratio, and the cells of a row."""
    contest, bar = Contest(kernel, graph, sources), bar_of(kernel, graph)
    ours, peers = middle_of(contest.own), sorted(contest.peers, key=lambda peer: contest.time(peer)[0])
    best = peers[0] if peers else None
    own = [of[0] for of in contest.own]
    ratio, low, high, spread = 0, 0, 0, "%.3g-%.3g ms" % (min(own), max(own))
    memory = rival = beside = ""
    if best:
        setting, huge = contest.best[best]
        ratios = sorted(peer[0] / one[0] for peer, one in zip(contest.results[best][setting], contest.own))
        ratio, low, high = statistics.median(ratios), ratios[0], ratios[-1]
        spread = "%.2f-%.2f" % (low, high)
        rival = "%s: %.3g;%.3g" % (best.text(setting, huge), *contest.time(best)[:2])
        beside = ", ".join("%s: %.3g" % (" ".join(best.arguments(s)), middle_of(of)[0])
                           for s, of in sorted(contest.results[best].items()) if s != setting)
        memory = "%.2f" % (ours[2] / contest.time(best)[2])
    others = ", ".join([p.text(*contest.best[p]) + ": %.3g" % contest.time(p)[0] for p in peers[1:]] + contest.absent)
    ranks, over = alone(contest, best)
    cells = [kernel, graph, "%.2f" % ratio if best else "no peer", spread, "%.1f" % bar, "%.3g;%.3g" % tuple(ours[:2]),
             rival, beside, others, *ranks, memory, "%.2f" % over]
    print("gap.sh: " + " | ".join(cells), file=sys.stderr)
    if os.environ.get("GAP_JSON"):
        with open(os.environ["GAP_JSON"], "a") as file:
            named = {p.name: {" ".join(p.arguments(s)): of for s, of in contest.results[p].items()}
                     for p in contest.peers}
            huge = [p.name for p in contest.peers if contest.best[p][1]]
            json.dump({**dict(zip(HEAD, cells)), "scree_rounds": contest.own, "peer_rounds": named, "huge": huge}, file)
            file.write("\n")
    return ratio / bar, low, high, cells


def sources_of(graph):
    """Returns the name of a file with the sources that GAP draws, or None without GAP."""
    if not os.access(gap + "/bfs", os.X_OK):
        return None
    count = GRAPHS[graph]
    text, _ = started([gap + "/bfs", "-f", file_of("bfs", graph), "-n", str(count), "-l"], 2)
    name = data + "/" + graph + ".sources"
    with open(name, "w") as file:
        file.write("\n".join(re.findall(r"Source:\s+(\d+)", text)[:count]) + "\n")
    return name


HEAD = ["kernel", "graph", "ratio", "rounds", "bar", "scree, ms; first", "best peer, ms; first", "its other settings",
        "other peers", "2 over 1", "8, 16 over 2", "memory", "over best"]
rows = []
try:
    for graph in chosen(GRAPHS, graphs):
        sources = sources_of(graph)
        rows += [row(kernel, graph, sources) for kernel in chosen(SCREE, kernels) if bar_of(kernel, graph)]
except Failed as failed:
    sys.exit("gap.sh: %s" % failed)
print("|" + "|".join(HEAD) + "|")
print("|---" * len(HEAD) + "|")
for _, _, _, cells in sorted(rows, key=lambda r: r[0]):
    print("|" + "|".join(cells) + "|")
ahead, behind = sum(low > 1 for _, low, _, _ in rows), sum(0 < high < 1 for _, _, high, _ in rows)
beside = sum(high > 0 for _, _, high, _ in rows)
print("gap.sh: of %d rows %d are ahead in all rounds, %d behind in all rounds, %d level" %
      (beside, ahead, behind, beside - ahead - behind))

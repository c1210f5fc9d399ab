"""timeline.py FILE RANKS THREADS: the trace of a job, as a reader of the Trace Event format takes it.

Checks the list of events and prints the numbers of their kinds, as NAME=N."""
import collections
import json
import sys

name, ranks, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(name, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
known = {"epoch", "handler", "wait", "lock", "detection"}
tracks, facts, kinds = collections.defaultdict(list), {}, collections.Counter()
for event in events:
    pid, tid = event["pid"], event.get("tid")
    if event["ph"] == "M":
        facts[event["name"], pid, tid] = event["args"]
        continue
    assert event["ph"] == "X" and event["cat"] in known, event
    begin, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
    assert length >= 0 and begin + length >= 0, event
    tracks[pid, tid].append((begin, begin + length, event))
    kinds[event["cat"]] += 1
assert facts["scree_trace", 0, None]["ranks"] == ranks and facts["scree_trace", 0, None]["threads"] == threads
workers = {(rank, worker) for rank in range(ranks) for worker in range(threads)}
assert {key[1:] for key in facts if key[0] == "scree_endpoint"} == workers, facts
assert {key for key in tracks if key[1] < threads} <= workers
epochs = {}
for (pid, tid), track in tracks.items():
    open_spans, last = [], 0
    for begin, end, event in track:
        assert end >= last, ("out of order", event)
        last = end
        while open_spans and open_spans[-1][0] >= begin:
            open_spans.pop()
        assert not open_spans or open_spans[-1][1] <= begin, ("overlaps", event)
        open_spans.append((begin, end, event))
        if event["cat"] == "epoch":
            epochs.setdefault(event["args"]["epoch"], []).append((begin, end))
    dropped = facts["scree_endpoint", pid, tid]["dropped"] if tid < threads else 0
    assert dropped or tid == threads or all(span[2]["cat"] == "epoch" for span in open_spans), open_spans
    kinds["dropped"] += dropped
for pid in range(ranks):
    assert facts["process_name", pid, 0]["name"].startswith(f"rank {pid} ("), facts
    for tid in range(threads):
        told = facts["scree_endpoint", pid, tid]
        moved = facts.get(("thread_name", pid, threads)) and tid == 0
        mine = len(tracks[pid, tid]) + (len(tracks[pid, threads]) if moved else 0)
        assert told["events"] == mine, (told, mine)
        assert facts["thread_name", pid, tid]["name"].startswith(f"worker {tid}"), facts
        if told["dropped"]:
            assert f"{told['dropped']} older events dropped" in facts["thread_name", pid, tid]["name"]
for number, spans in epochs.items():  # no epoch ends before all have begun it; the ranks share a clock
    assert max(span[0] for span in spans) <= min(span[1] for span in spans), (number, spans)
if not kinds["dropped"]:
    assert sorted(epochs) == list(range(min(epochs), max(epochs) + 1)), sorted(epochs)
print(" ".join(f"{key}={kinds[key]}" for key in sorted(kinds)))

#!/usr/bin/env python3
"""messages.py - messages of scree from Python, by ctypes: counts how often each number occurs.

    mpirun -n 2 python3 examples/messages.py

Other languages do the same: structures as in scree/world.h and scree/message.h, scree_register, scree_send. What a
handler raises fails the world, so that all ranks end (shown by: messages.py raise). LIBSCREE names the library.
"""
import ctypes as c
import os
import sys

# RTLD_GLOBAL: the plugins of an MPI look for its names among those of the process.
lib = c.CDLL(os.environ.get("LIBSCREE", "libscree.so.0.3"), mode=c.RTLD_GLOBAL)
EINVAL = 1


class Worker(c.Structure):
    """The first fields of scree_worker."""
    _fields_ = [("lane", c.c_void_p), ("rank", c.c_uint32), ("ranks", c.c_uint32)]


class Batch(c.Structure):
    _fields_ = [("source", c.c_uint32), ("count", c.c_uint32), ("worker", c.c_uint32)]


BatchFn = c.CFUNCTYPE(None, c.POINTER(Worker), c.POINTER(Batch), c.c_void_p, c.c_void_p)


class TypeDesc(c.Structure):
    _fields_ = [("size", c.c_size_t), ("name", c.c_char_p), ("item", c.c_uint32), ("flags", c.c_uint32),
                ("fn", BatchFn), ("arg", c.c_void_p), ("sort", c.c_void_p), ("reduction", c.c_void_p)]


class Item(c.Structure):
    _fields_ = [("number", c.c_uint32), ("times", c.c_uint32)]


lib.scree_worker_of.restype = c.POINTER(Worker)
lib.scree_worker_of.argtypes = [c.c_void_p, c.c_uint32]
lib.scree_send.argtypes = [c.POINTER(Worker), c.c_uint32, c.c_uint32, c.c_void_p]
lib.scree_send.restype = None
lib.scree_fail.restype = None
lib.scree_error_text.restype = c.c_char_p
lib.scree_error_rank.restype = c.c_uint32


def handler(function):
    """function(worker, batch, items) as a handler: no exception may leave one, so it fails the world."""
    def call(worker, batch, items, _):
        try:
            function(worker, batch.contents, (Item * batch.contents.count).from_address(items))
        except BaseException as error:  # pylint: disable=broad-except
            lib.scree_fail(worker, EINVAL, repr(error).encode())
    return BatchFn(call)


def main():
    counts = {}

    def count(_, batch, items):
        for item in items:
            if item.number == 16 and sys.argv[1:] == ["raise"]:
                raise ValueError(f"{item.number} from rank {batch.source}")
            counts[item.number] = counts.get(item.number, 0) + item.times

    world, ident = c.c_void_p(), c.c_uint32()
    fn = handler(count)  # lives as long as the world
    desc = TypeDesc(size=c.sizeof(TypeDesc), name=b"occurs", item=c.sizeof(Item), fn=fn)
    if lib.scree_open(None, c.byref(world)):
        return 1
    worker = lib.scree_worker_of(world, 0)
    status = lib.scree_register(world, c.byref(desc), c.byref(ident)) or lib.scree_begin(worker)
    if not status:
        ranks = worker.contents.ranks
        for i in range(1000):
            number = i * i % 100
            lib.scree_send(worker, ident, number % ranks, c.byref(Item(number, 1)))
        status = lib.scree_end(worker, None)
    if status:
        if lib.scree_error_rank(world) == worker.contents.rank:
            print(lib.scree_error_text(world).decode(), file=sys.stderr)
        lib.scree_close(world)
        return 1
    print(f"rank {worker.contents.rank}: {len(counts)} numbers occur {sum(counts.values())} times")
    return int(lib.scree_close(world) != 0)


if __name__ == "__main__":
    sys.exit(main())

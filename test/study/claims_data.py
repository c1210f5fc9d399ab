"""claims_data.py - simulated studies whose truth is known: plans, kinds of noise, planted effects."""

import itertools

import numpy as np

# Number of values of each axis; every plan runs five rounds.
PLANS = {"8": (2, 2, 2), "28": (7, 2, 2), "36": (4, 3, 3), "162": (9, 3, 3, 2)}
NOISES = ("normal 10", "normal 20", "drift", "bimodal", "outliers", "burst")
ROUNDS = 5


def noise(kind, count, random, level=0.1):
    """Log errors of `count` runs in the order in which they are made."""
    errors = random.normal(0, 0.2 if kind == "normal 20" else level, count)
    if kind == "drift":
        errors += np.log(1.4) * np.arange(count) / count
    if kind == "bimodal":
        errors += np.log(1.3) * (random.random(count) < 0.5)
    if kind == "outliers":
        errors += np.log(3) * (random.random(count) < 0.05)
    if kind == "burst":
        begin, length = random.integers(0, count), max(count // 10, 2)
        errors[begin:begin + length] += np.log(2.5)
    return errors


def study(plan, kind, seed, factor=1.0, level=0.1, rounds=ROUNDS):
    """Records of a study. The second value of the first axis takes `factor` times as long."""
    random = np.random.default_rng(seed)
    axes = [[str(i) for i in range(n)] for n in PLANS[plan]]
    settings = [dict(zip("abcd", values)) for values in itertools.product(*axes)]
    order = [(r, i) for r in range(1, rounds + 1) for i in random.permutation(len(settings))]
    errors = noise(kind, len(order), random, level)
    for step, ((r, i), error) in enumerate(zip(order, errors)):
        seconds = 0.01 * float(np.exp(error)) * (factor if settings[i]["a"] == "1" else 1.0)
        key = " ".join(f"{name}={value}" for name, value in settings[i].items())
        yield {"step": step, "key": key, "configuration": settings[i], "repetition": r, "control": False,
               "status": "ok", "seconds": seconds, "teps": 1e5 / seconds, "validated": True, "wall_seconds": 0.1,
               "started": "2026-01-01T00:00:00Z", "session": "1"}

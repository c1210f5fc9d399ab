"""Orders and draws that depend on a seed alone."""

from typing import List

_MASK = (1 << 64) - 1


class Random:
    """A small generator (splitmix64: Steele, Lea & Flood, OOPSLA 2014), as the library has it: an order depends on its
    seed alone, whatever the release of Python."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def draw(self, n: int) -> int:
        """A number below n."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return (z ^ (z >> 31)) % n


def shuffled(items: List[int], seed: int) -> List[int]:
    """The items in an order that depends on the seed (Fisher-Yates)."""
    random = Random(seed)
    for i in range(len(items), 1, -1):
        k = random.draw(i)
        items[k], items[i - 1] = items[i - 1], items[k]
    return items

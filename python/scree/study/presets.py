"""Predefined sweeps: files in a folder next to this one. The first line of each says what it is for."""

import os
from typing import Dict

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "presets")


def presets() -> Dict[str, str]:
    """Their texts, by name."""
    found = {}
    for file in sorted(os.listdir(_FOLDER)):
        name, suffix = os.path.splitext(file)
        if suffix == ".sweep":
            with open(os.path.join(_FOLDER, file), encoding="utf-8") as text:
                found[name] = text.read()
    return found

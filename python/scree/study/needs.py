"""Libraries that parts of a report need, asked for by the names of Debian's packages where they are missing."""

import importlib
import os
import subprocess
import sys

from scree.study.texts import Refused

_SYSTEM = "/usr/bin/python3"  # sees the packages of the system, unlike another one before it on the path


def require(name: str, what: str) -> None:
    """Returns if the library can be imported. Else this command starts again by the Python of the system, if that has
    it. Raises Refused."""
    try:
        importlib.import_module(name)
        return
    except ImportError:
        pass
    if os.path.realpath(sys.executable) != os.path.realpath(_SYSTEM) and os.access(_SYSTEM, os.X_OK):
        if (subprocess.run([_SYSTEM, "-E", "-c", f"import {name}"], check=False, stderr=subprocess.DEVNULL).returncode
            == 0):
            os.execv(_SYSTEM, [_SYSTEM, "-E", *sys.argv])
    raise Refused(f"{what} the Python library {name}, which is not installed; install it (Debian: python3-{name})")

"""Starts the scree command line, and reads its answers and its records.

Pure Python: it needs the program `scree` on the path (or in $SCREE), not the library. numpy and pandas are used where
they are installed; docs/python.md of scree describes both functions.
"""

from ._records import read_records
from ._run import Answer, ScreeError, ScreeTimeout, run

__all__ = ["Answer", "ScreeError", "ScreeTimeout", "read_records", "run"]

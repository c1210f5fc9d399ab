"""The entry: `python3 __main__.py sweep|tune|report ARGUMENT...`, as the program scree starts it."""

import importlib
import os
import sys


def main() -> int:
    """Runs the subcommand and returns its exit code."""
    # The folder of this file is not searched: its modules would hide those of the standard library.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.dont_write_bytecode = True  # a full disk would leave truncated files, which no later start could read
    if len(sys.argv) < 2 or sys.argv[1] not in ("sweep", "tune", "report"):
        print("scree: this is executed by 'scree sweep', 'scree tune' and 'scree report'", file=sys.stderr)
        return 2
    if sys.version_info < (3, 9):
        print(f"scree: 'scree {sys.argv[1]}' needs Python 3.9 or later; python3 is {sys.version.split()[0]}",
              file=sys.stderr)
        return 2
    module = importlib.import_module("scree.study." + sys.argv[1])
    return int(module.main(sys.argv[2:]))


if __name__ == "__main__":
    sys.exit(main())

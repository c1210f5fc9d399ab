"""Facts about the machine and the environment that may change a time: what records name, besides what the job itself
reports. What cannot be read is left out."""

import os
import re
from pathlib import Path
from typing import Dict

_CPU = {"cpu family": "cpu_family", "model": "cpu_model", "stepping": "cpu_stepping"}
_FILES = {
    "governor": "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "max_khz": "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
    "smt": "/sys/devices/system/cpu/smt/control",
    "boost": "/sys/devices/system/cpu/cpufreq/boost",
    "no_turbo": "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "huge_pages": "/sys/kernel/mm/transparent_hugepage/enabled",
    "huge_pages_shared": "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
}
_PREFIXES = ("OMPI_", "PMIX_", "PRTE_", "MPICH_", "MPIR_", "HYDRA_", "I_MPI_", "UCX_", "FI_", "OFI_")
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CRED|AUTH", re.IGNORECASE)


def _read(path: str) -> str:
    """The first line of a file; "" if it cannot be read."""
    try:
        return Path(path).read_text("utf-8", "replace").split("\n")[0].strip()
    except OSError:
        return ""


def _cpu() -> Dict[str, str]:
    """Family, model, stepping and frequency of the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace").split("\n\n")[0]
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.split("\n"))
    known = {name.strip(): value.strip() for name, _, value in pairs}
    found = {here: known[name] for name, here in _CPU.items() if name in known}
    return {**found, **({"mhz": known["cpu MHz"]} if "cpu MHz" in known else {})}


def facts() -> Dict[str, str]:
    """Processor, governor, SMT, turbo, huge pages."""
    found = {**_cpu(), **{name: _read(path) for name, path in _FILES.items()}}
    for name in ("huge_pages", "huge_pages_shared"):
        chosen = re.search(r"\[(.*?)\]", found[name])
        found[name] = chosen[1] if chosen else found[name]
    return {name: value for name, value in found.items() if value}


def environment() -> Dict[str, str]:
    """Variables of MPI, UCX and OFI, but for those that may hold secrets."""
    return {name: value for name, value in sorted(os.environ.items())
            if name.startswith(_PREFIXES) and not _SECRET.search(name)}

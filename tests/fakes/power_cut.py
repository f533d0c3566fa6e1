"""What a power cut leaves of a program's files: only what it has synced to the disk."""

import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("power_cut.c")


class PowerCut:
    """Records what a program that runs with `variables` in its environment syncs."""

    def __init__(self, folder: Path) -> None:
        """Needs a C compiler and Linux."""
        self._kept = folder / "synced"
        self._kept.mkdir(parents=True)
        library = folder / "power_cut.so"
        command = ("cc", "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl")
        subprocess.run(command, check=True, capture_output=True)
        self.variables = {"LD_PRELOAD": str(library), "POWER_CUT": str(self._kept)}

    def leave(self, directory: Path, to: Path) -> Path:
        """Make the directory `to` as this one would be after a power cut now. Names that were not
        synced are not there; a file of which only the name was synced is empty."""
        to.mkdir()
        listing = self._kept / str(directory.resolve()).replace("/", "%")
        names = listing.read_text().splitlines() if listing.exists() else []
        for number, _, name in (line.partition("\t") for line in names):
            if number == "/":
                self.leave(directory / name, to / name)
            elif (self._kept / number).exists():
                shutil.copyfile(self._kept / number, to / name)
            else:
                (to / name).touch()
        return to

"""Makes two bundles of one name at once; one comes into being, and the other run fails.

    bundle_at_once.py STEP
"""

import os
import pathlib
import subprocess
import sys
import tempfile

step = os.path.abspath(sys.argv[1])
LEVELS = ["O0", "O2"]


def start(level, folder):
    return subprocess.Popen(["amp-compile", step, "--opt-level=" + level, "--quiet", "--bundle", folder],
                            stderr=subprocess.PIPE, text=True)


def read_all(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def compare(folder, alone):
    runs = [start(level, folder) for level in LEVELS]
    errors = [run.communicate(timeout=300)[1] for run in runs]
    made = [level for level, run in zip(LEVELS, runs) if run.returncode == 0]
    if len(made) != 1:
        sys.exit(f"{folder}: bundles of {made}, errors {errors}")
    error = "".join(errors)
    if not error.startswith("amp-compile: error: expected --bundle to name a new or empty folder, but "):
        sys.exit(f"{folder}: {error}")
    if read_all(folder) != alone[made[0]]:
        sys.exit(f"{folder}: not the bundle that {made[0]} makes alone")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    alone = {}
    for level in LEVELS:
        run = start(level, level)
        if run.wait(timeout=300):
            sys.exit(run.stderr.read())
        alone[level] = read_all(level)
    compare("new", alone)
    os.mkdir("empty")
    os.chmod("empty", 0o750)
    compare("empty", alone)
    if os.stat("empty").st_mode & 0o777 != 0o750:
        sys.exit("the folder that was there is another one now")
    if sorted(os.listdir()) != sorted([*LEVELS, "new", "empty"]):
        sys.exit(f"left behind: {os.listdir()}")

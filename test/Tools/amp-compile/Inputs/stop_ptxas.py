"""Ends a tool by a signal while ptxas runs: nothing stays, neither temporary files nor output.

    stop_ptxas.py SIGNAL STATUS TOOL [options]

STATUS is what subprocess calls how the tool ends. The tool runs in a new folder, with a ptxas
that waits.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

number, status, *command = sys.argv[1:]

PTXAS = """#!/bin/sh
[ "$1" != --version ] || exec echo "Cuda compilation tools, release 13.0, V13.0.88"
: > "$PTXAS_RUNS"
while [ -e "$PTXAS_RUNS" ]; do sleep 0.1; done
exit 1
"""

with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    for name in ("toolkit/bin", "temporary", "work"):
        (place / name).mkdir(parents=True)
    ptxas, runs = place / "toolkit/bin/ptxas", place / "runs"
    ptxas.write_text(PTXAS)
    ptxas.chmod(0o755)
    tool = subprocess.Popen([*command, f"--cuda-toolkit={place / 'toolkit'}"], cwd=place / "work",
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            # The test's own parent may ignore it.
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            env={**os.environ, "TMPDIR": str(place / "temporary"), "PTXAS_RUNS": str(runs)})
    deadline = time.monotonic() + 300
    while not runs.exists() and tool.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    started = list((place / "temporary").iterdir())
    tool.send_signal(getattr(signal, number))
    code = tool.wait(timeout=300)
    left = [str(path.relative_to(place)) for name in ("temporary", "work") for path in (place / name).rglob("*")]
    runs.unlink(missing_ok=True)
    if not started:
        sys.exit(f"ptxas was not started: exit code {code}")
    if code != int(status):
        sys.exit(f"exit code {code}")
    if left:
        sys.exit(f"left behind: {left}")

"""A sample step with a broken optimizer must fail the comparison of its sample test.

    broken_optimizer.py SAMPLES NAME LEVEL FAULT...

SAMPLES holds NAME.mlir, NAME.npz and tolerances.json; FAULT is one of those in
optimizers.py, or `all` for those that updates show at this level: a lost weight decay is
smaller than the rounding of half gradients, and optimizer_alone.py looks for it there.
"""

import os
import re
import subprocess
import sys
import tempfile

import optimizers

samples, name, level, *wanted = sys.argv[1:]
with open(os.path.join(samples, name + ".mlir")) as file:
    text = file.read()
replay = os.path.join(samples, name + ".npz")
if wanted == ["all"]:
    wanted = [fault for fault in optimizers.faults(name) if fault != "no-decay" or level == "O0"]
if not wanted:
    sys.exit("expected the name of a fault, or 'all'")

for fault in wanted:
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + ".mlir")  # tolerances go by this name
        with open(module, "w") as file:
            file.write(optimizers.broken(text, name, fault))
        done = subprocess.run(
            ["amp-run", module, "--opt-level=" + level, "--verbosity=0", "--quiet", "--replay",
             replay, "--tolerances", os.path.join(samples, "tolerances.json")],
            capture_output=True, text=True)
    outside = re.findall(r"^  (\S.*?) {2,}(\S+) +tolerance (\S+)  OUTSIDE", done.stdout, re.M)
    message = f"amp-run: error: '{replay}': the replay is outside its tolerances\n"
    # Remarks of the compiler may stand before it.
    is_message = done.stderr.endswith(message) and done.stderr.count("error:") == 1
    if done.returncode != 1 or not is_message or "DISAGREES" not in done.stdout:
        sys.exit(f"{name} at {level} with {fault} is not refused:\n{done.stdout}{done.stderr}")
    if not any("update" in quantity for quantity, _, _ in outside):
        sys.exit(f"{name} at {level} with {fault}: no update is outside:\n{done.stdout}")
    print(f"{name} at {level} with {fault}: refused:", "; ".join(
        f"{quantity} {distance}, not {limit}" for quantity, distance, limit in outside))

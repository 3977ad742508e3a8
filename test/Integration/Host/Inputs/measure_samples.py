"""Measures the sample steps and writes their tolerances.

    measure_samples.py SAMPLES [NAME...] > SAMPLES/tolerances.json

Runs each sample at each level, with halves in tiles (by loops) and without, and takes for
each quantity ROOM times the most that is measured, rounded up to one digit, and at least
its FLOOR. To be run again, and the result read
before it is taken, when a level changes its roundings on purpose; never to make a test
pass. What it must stay below, broken_optimizer.py checks.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

ROOM = 3
# Another BLAS, or other vectors, add in another order.
FLOOR = {"loss, step 0": 2e-6, "loss, all steps": 5e-6, "updates, relative": 1e-5,
         "worst update, relative": 2e-5, "buffer updates, relative": 1e-5}
# Half a learning rate is 0.5 from the whole one; nothing learned is 1.
CEILING = {"updates, relative": 0.4, "loss, all steps": 0.02}
CEILING_AT_O0 = {"loss, all steps": 1e-5}
# At half levels a parameter whose gradients are small is mostly rounding.
ONLY_O0 = {"worst update, relative"}
# Parameters with a true gradient of zero (a bias before a batch norm; a third of these
# biases, that of the keys): what they get is rounding, and Adam makes whole steps of it.
NOISE = {"cnn_digits": ["conv1.bias", "conv2.bias"],
         "gpt_tiny": ["blocks.0.qkv.bias", "blocks.1.qkv.bias"],
         "jax_gpt_tiny": ["['h0']['qkv']['b']"]}
# Matrices in which the gradient of a few elements is as small as its rounding. At O0 they
# would hide what the others show, a lost weight decay.
NOISE_AT_O0 = {"gpt_tiny": ["blocks.0.qkv.weight", "blocks.0.out.weight", "blocks.1.fc.weight",
                            "blocks.1.out.weight"]}
# AdamW's eps of 1e-8 is 0 in half, and the weights become NaN, as with Apex.
DIVERGES = {("gpt_tiny", "O3"), ("jax_gpt_tiny", "O3")}
NAMES = ["mlp_digits", "cnn_digits", "resnet8", "gpt_tiny", "jax_mlp_digits", "jax_cnn_digits",
         "jax_gpt_tiny", "grouped_convolutions", "cross_attention", "pooled_convolutions"]


def measure(samples, name, level, noise, tiles):
    """Distances by quantity."""
    row = {"tolerances": [{"name": "any", "limits": {}, "noise": noise}]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as table:
        json.dump(row, table)
        table.flush()
        done = subprocess.run(
            ["amp-run", os.path.join(samples, name + ".mlir"), "--opt-level=" + level,
             "--tiles=" + tiles, "--verbosity=0", "--quiet", "--replay", os.path.join(samples, name + ".npz"),
             "--tolerances", table.name], capture_output=True, text=True, check=True)
    return {quantity: float(distance) for quantity, distance in
            re.findall(r"^  (\S.*?) {2,}([-+.e\d]+|inf|nan)(?: |$)", done.stdout, re.M)}


def round_up(value):
    if value == 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(value))
    return float("%.1g" % (math.ceil(value / unit * (1 - 1e-9)) * unit))


rows = []
for name in sys.argv[2:] or NAMES:
    for level in ("O0", "O1", "O2", "O3", "O4", "O5"):
        if (name, level) in DIVERGES:
            continue
        noise = NOISE.get(name, []) + (NOISE_AT_O0.get(name, []) if level == "O0" else [])
        forms = [measure(sys.argv[1], name, level, noise, tiles) for tiles in ("off", "expanded")]
        measured = {quantity: max(form[quantity] for form in forms) for quantity in forms[0]}
        limits = {}
        for quantity, distance in measured.items():
            if quantity in ONLY_O0 and level != "O0":
                continue
            limit = max(round_up(ROOM * distance), FLOOR[quantity])
            ceilings = {**CEILING, **CEILING_AT_O0} if level == "O0" else CEILING
            limits[quantity] = min(limit, ceilings.get(quantity, limit))
        row = {"name": f"{name}, {level}", "for": {"module": name, "opt_level": level},
               "measured": measured, "limits": limits}
        if noise:
            row["noise"] = noise
        rows.append(row)
        print(row["name"], measured, file=sys.stderr)
print('{\n"what": "How far three steps of the samples may be from the FP32 run that PyTorch or JAX '
      'recorded (NAME.npz): losses, and updates relative to the norm of the recorded ones",\n'
      f'"how": "{ROOM} times what test/Integration/Host/Inputs/measure_samples.py measured, rounded '
      'up; worst update: of a single parameter",\n"tolerances": [')
print(",\n".join(json.dumps(row) for row in rows))
print("]\n}")

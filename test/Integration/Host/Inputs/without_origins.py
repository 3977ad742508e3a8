"""Takes the origins off a sample, replays it at every level, compares losses.

    without_origins.py MODULE ARRAYS

What a front end that knows no origins gives: decisions by structure alone. No step
may overflow at a scale of 1024, and losses are those of FP32 within the rounding.
"""

import re
import sys
import tempfile

import numpy as np

import amprun

module, arrays = sys.argv[1:]
with open(module) as file:
    text = file.read()
text = re.sub(r'amp\.(scope|function|phase|layer) = "[^"]*",? ?', "", text)
text = re.sub(r"amp\.scope_id = -?\d+ : i64,? ?", "", text).replace(", }", "}")
assert not re.search(r"amp\.(scope|function|phase|layer)", text)
with np.load(arrays) as given:
    expected = given["losses"]
with tempfile.NamedTemporaryFile("w", suffix=".mlir") as bare:
    bare.write(text)
    bare.flush()
    for level, tolerance in (("O0", 1e-5), ("O1", 1e-3), ("O2", 1e-3), ("O4", 1e-2), ("O5", 1e-2)):
        run = amprun.run(bare.name, level, arrays, "--loss-scale=dynamic", "--max-loss-scale=1024")
        assert not any(record["skipped"] for record in run.log), (level, run.log)
        losses = np.array([record["loss"] for record in run.log], float)
        distance = np.abs(losses - expected).max()
        assert distance <= tolerance, (level, losses, expected)
        print(f"{level}: {distance:.1e}")

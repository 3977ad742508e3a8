"""Compares the losses that a C program printed with those of amp-run's log.

    compare-losses.py PRINTED.txt LOG.jsonl
"""
import json
import sys

import numpy as np

printed = [np.float32(line.split()[-1]) for line in open(sys.argv[1])]
logged = [np.float32(json.loads(line)["loss"]) for line in open(sys.argv[2])]
assert printed == logged, f"expected the losses {logged}, but got {printed}"
if len(printed) >= 20:
    assert np.mean(printed[-5:]) < 0.5 * printed[0], f"expected the loss to fall: {printed}"

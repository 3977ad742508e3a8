"""Runs a step on the emulator under two schedules or more: equal to the bit.

    seeds.py MODULE ARRAYS LEVEL [--steps=N] [--seeds=A,B...] [OPTION...]

Two steps under seeds 0, 1 and 77, unless the options say otherwise. OPTIONs are of amp-run.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("module")
parser.add_argument("arrays")
parser.add_argument("level")
parser.add_argument("--steps", type=int, default=2)
parser.add_argument("--seeds", default="0,1,77")
known, options = parser.parse_known_args()
seeds = known.seeds.split(",")
assert len(set(seeds)) > 1, "one schedule says nothing of another"


def run(seed):
    os.environ["AMP_RT_EMULATOR_SEED"] = seed
    return amprun.run(known.module, known.level, known.arrays, "--device=emulator", *options, steps=known.steps)


first = run(seeds[0])
assert len(first.log) == known.steps and first.state, "nothing was run"
for seed in seeds[1:]:
    other = run(seed)
    different = amprun.differing(first.state, other.state)
    if different or first.log != other.log:
        sys.exit(f"{known.level}, seed {seed}: differ in {', '.join(different) or 'the log'}")

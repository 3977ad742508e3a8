"""Runs a step on the emulator under two schedules: equal to the bit.

    seeds.py MODULE ARRAYS LEVEL
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

module, arrays, level = sys.argv[1:]


def run(seed):
    os.environ["AMP_RT_EMULATOR_SEED"] = str(seed)
    return amprun.run(module, level, arrays, "--device=emulator", steps=2)


first = run(0)
assert first.log and first.state, "nothing was run"
for seed in (1, 77):
    other = run(seed)
    different = amprun.differing(first.state, other.state)
    if different or first.log != other.log:
        sys.exit(f"{level}, seed {seed}: differ in {', '.join(different) or 'the log'}")

"""An overflow takes a step out of a run, and nothing else.

    overflow.py MODULE ARRAYS LEVEL PARAMETER [OPTION...]

OPTIONs are of amp-run.

Three runs with an inf put into the gradient of PARAMETER at step 1 of 3:

1. one that stops there holds, bit for bit, what a run that never made step 1
   holds: parameters, masters, half copies, optimizer state. Buffers are those of
   the forward pass of step 1, as in Apex.
2. one that goes on equals the run with the batches of step 1 left out, where
   the scale is kept from moving (a smaller scale flushes other half gradients);
3. and where it moves, the run that starts again after step 1 with half the scale.
"""

import sys

import numpy as np

import amprun

module, arrays, level, parameter, *options = sys.argv[1:]
inject = f"--inject=1:{parameter}:0:inf"
kept = ["--min-loss-scale=65536", "--loss-scale=dynamic", *options]
moving = ["--loss-scale=dynamic", *options]


def expect(what, names):
    if names:
        sys.exit(f"{level}: {what}: differ in {', '.join(names)}")


def leave_out(arrays, step):
    """The replay without one step's batches."""
    with np.load(arrays) as given:
        replay = {name: given[name] for name in given.files if not name.startswith("step")}
        numbers = sorted({int(name.split("_")[0][4:]) for name in given.files
                          if name.startswith("step") and "_" in name})
        for to, number in enumerate(n for n in numbers if n != step):
            for name in given.files:
                if name.startswith(f"step{number}_"):
                    replay[f"step{to}_" + name.split("_", 1)[1]] = given[name]
        return replay


# 1: what a skipped step leaves.
before = amprun.run(module, level, arrays, *moving, steps=1)
skipped = amprun.run(module, level, arrays, *moving, inject, steps=2)
whole = amprun.run(module, level, arrays, *moving, steps=2)
assert [record["skipped"] for record in skipped.log] == [False, True], skipped.log
assert skipped.log[1]["scale_before"] == 65536 and skipped.log[1]["scale"] == 32768, skipped.log
expect("state before and after a skipped step", amprun.differing(before.state, skipped.state, ["buffer"]))
buffers = [name for name in whole.state if name.startswith("buffer/")]
expect("buffers of a skipped and of a taken step",
       [name for name in buffers if not amprun.same_bits(whole.state[name], skipped.state[name])])
changed = amprun.differing(before.state, whole.state)
assert any(name.startswith("param/") for name in changed), "step 1 changes nothing by itself"
# Moments and counters too: that they are untouched says something.
still = [name for name in whole.state if name.startswith("opt_state/") and name not in changed]
assert not still, f"step 1 by itself does not change {', '.join(still)}"
assert not buffers or any(name.startswith("buffer/") for name in changed), "step 1 changes no buffer by itself"

# 2: the rest of the run.
injected = amprun.run(module, level, arrays, *kept, inject, steps=3)
without = amprun.run(module, level, leave_out(arrays, 1), *kept, steps=2)
assert [record["skipped"] for record in injected.log] == [False, True, False], injected.log
assert [record["scale"] for record in injected.log] == [65536] * 3, injected.log
expect("a skipped step and a step left out", amprun.differing(injected.state, without.state, ["buffer"]))
for there, here in ((0, 0), (2, 1)):
    a, b = injected.log[there], without.log[here]
    assert a["loss"] == b["loss"] and a["grad_norm"] == b["grad_norm"], (a, b)

# 3: with the scale halved by the overflow: the inf at step 0, so that the other
# run can begin with the halved scale.
first = f"--inject=0:{parameter}:0:nan"
injected = amprun.run(module, level, arrays, *moving, first, steps=3)
halved = amprun.run(module, level, leave_out(arrays, 0), *moving, "--max-loss-scale=32768", steps=2)
assert [record["scale"] for record in injected.log] == [32768] * 3, injected.log
expect("a run after an overflow and one at half the scale",
       amprun.differing(injected.state, halved.state, ["buffer"]))
counts = []
for role in sorted({name.split("/")[0] for name in whole.state}):
    names = [name for name in whole.state if name.startswith(role + "/")]
    counts.append(f"{sum(name in changed for name in names)} of {len(names)} {role}")
print(f"{level}: a step changes {', '.join(counts)}")

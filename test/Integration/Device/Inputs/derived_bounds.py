"""Holds the first steps of a sample to bounds that its operations give, on the host and on a device.

    derived_bounds.py MODULE ARRAYS LEVEL SHARP [--steps=N] [--samples=N] [--of=OTHER] [OPTION...]

amp-step-bounds interprets the module in f64 and carries what each number may be off: one rounding of each
operation, and of what the level stores in half, through the slopes of what reads it, for any order of sums. With
--samples losses and gradients are bounded by N steps with roundings drawn at random instead, which does not add up
what cancels; N has to be so large that samples meet the decisions (of a relu, of a maximum) that roundings turn.
Every loss, master, parameter without one, buffer and optimizer state of amp-run has to lie within (1.25 of it, as
slopes are of first order in places); by OPTIONs on a device too, which has to be half a bound from the host at most.

Bounds say something where they are narrower than what the steps change: of SHARP parameters at least one element
has to move by more than its bound. Prints how many do, how much of their bounds host and device use at most, and
how far they are apart. With --of the bounds are those of another module. Exit status 1, and a line for each array that
is outside.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

module, arrays, level, sharp, *options = sys.argv[1:]
interpreted, steps, drawn = module, "--steps=1", []
if options and options[0].startswith("--steps="):
    steps = options.pop(0)
if options and options[0].startswith("--samples="):
    drawn.append(options.pop(0))
if options and options[0].startswith("--of="):
    interpreted = options.pop(0).removeprefix("--of=")
ROOM = 1.25
#: Of a bound: what host and device, each within it, may differ by. They round the same operations, and differ in the
#: order of sums and in where a half is kept: by 0.14 at most (GPTs in half), by less than a tenth elsewhere.
APART = 0.5
COUNTS = ("num_batches_tracked", ".count")
ROLES = ("loss", "master", "param", "buffer", "opt_state")


def read_bounds():
    """By role and name: the value, how far a program may be off it, and the value before, if there was one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bounds.npz")
        subprocess.run(["amp-step-bounds", interpreted, "--replay", arrays, f"--opt-level={level}", steps, *drawn,
                        "-o", path], check=True)
        with np.load(path) as file:
            names = [name.removesuffix("/value") for name in file.files if name.endswith("/value")]
            return {name: (file[name + "/value"], ROOM * file[name + "/error"],
                           file[name + "/start"] if name + "/start" in file.files else None)
                    for name in names if name.split("/")[0] in ROLES and not name.endswith(COUNTS)}


def run(*more):
    """Results by role and name, as f64."""
    done = amprun.run(module, level, arrays, *more, steps=int(steps.removeprefix("--steps=")))
    if any(record["skipped"] for record in done.log):
        sys.exit("a step is skipped")
    found = {name: amprun.to_float(array).astype(np.float64) for name, array in done.state.items()
             if array.dtype.kind in "fV"}
    found["loss"] = np.float64(done.log[-1]["loss"])
    return found


def main():
    bounds = read_bounds()
    wrong, seen = [], {}
    for where, more in {"host": (), **({"device": options} if options else {})}.items():
        found, used = run(*more), 0.0
        for name, (value, error, _) in bounds.items():
            role, _, rest = name.partition("/")
            if role == "param" and f"master/{rest}" in found:
                role = "master"  # of which the parameter is a half copy
            got = found["loss" if role == "loss" else f"{role}/{rest}"]
            seen[where, name] = got
            share = float(np.max(np.abs(got - value) / (error + 1e-30), initial=0, where=np.isfinite(error)))
            used = max(used, share)
            if not share <= 1:
                wrong.append(f"{where}: {name} is {share:.3g} times its bound off")
        print(f"{where}: {used:.2g} of a bound at most")
    moved = sum(bool(np.any(np.abs(value - start) > error)) for name, (value, error, start) in bounds.items()
                if name.startswith("param/"))
    parameters = sum(name.startswith("param/") for name in bounds)
    print(f"{moved} of {parameters} parameters move by more than their bounds")
    if moved < int(sharp):
        wrong.append(f"expected {sharp}")
    if options:
        apart = max(float(np.max(np.abs(seen["host", name] - seen["device", name]) / (error + 1e-30), initial=0,
                                 where=np.isfinite(error))) for name, (_, error, _) in bounds.items())
        print(f"host and device are {apart:.2g} bounds apart")
        if not apart <= APART:
            wrong.append(f"host and device: expected at most {APART} of a bound between them")
    print("\n".join(wrong or ["right"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

"""Storage orders move elements and change none of them.

    layouts.py MODULE LEVEL ARRAYS [STEPS]
    layouts.py MODULE LEVEL --data=ARRAYS [STEPS]

Runs the mixed-precision step as it is and after amp-assign-layouts, in the
reference mode, where each sum has the order of its loops: every loss and every
array of the state agree to the bit. The step after the pass must have as many
layout changes as the pass says, and fewer than it says it had.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import amprun


def lower(module, out, *passes):
    pipeline = f"builtin.module({','.join(passes)})"
    done = subprocess.run(["amp-opt", str(module), "--pass-pipeline=" + pipeline, "-o", str(out)],
                          capture_output=True, text=True, check=True)
    return done.stderr


def train(module, level, arrays, steps, folder):
    if not arrays.startswith("--data="):
        return amprun.run(module, level, arrays, "--reference", steps=steps)
    save = folder / "state.npz"
    subprocess.run(["amp-run", str(module), "--opt-level=" + level, "--verbosity=0", "--quiet", "--reference",
                    arrays, "--seed=5", f"--steps={steps}", "--save", str(save)], check=True)
    with amprun.np.load(save) as saved:
        return amprun.Run({name: saved[name] for name in saved.files}, [])


module, level, arrays, *rest = sys.argv[1:]
steps = int(rest[0]) if rest else 2
mixed = f"amp-mixed-precision{{opt-level={level} verbosity=0}}"
assign = "func.func(amp-assign-layouts{remarks=true})"
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    plain, assigned = folder / "plain.mlir", folder / "assigned.mlir"
    lower(module, plain, mixed)
    remarks = re.findall(r"remark: (\d+) layout changes move (\d+) bytes; "
                         r"with each convolution by itself, (\d+) would move (\d+)",
                         lower(plain, assigned, assign))
    planned, moved, separate, separately = (sum(int(row[i]) for row in remarks) for i in range(4))
    assert 0 < planned < separate and 0 < moved < separately, remarks
    # Transpositions of matrices are operands of products and none of the pass's.
    found = re.findall(r"linalg\.transpose ins\(%\w+ : tensor<(?:\w+x){3,}\w+>\)", assigned.read_text())
    assert len(found) == planned, (len(found), planned)

    before = train(plain, level, arrays, steps, folder)
    after = train(assigned, level, arrays, steps, folder)
    differing = amprun.differing(before.state, after.state)
    if differing:
        sys.exit(f"storage orders changed {', '.join(differing)}")
    assert before.log == after.log, (before.log, after.log)
print(f"{len(after.state)} arrays agree; {planned} layout changes move {moved} bytes, not {separate} and {separately}")

"""An element of a weight's gradient that overflows takes its step out of a run.

    product_overflow.py MLP_DIGITS ARRAYS LEVEL [OPTION...]

The product that makes the gradient checks it as it stores it, so the overflow has to come
from the product itself: one image of step 0 has a pixel that no unit looks at (its weights
are 0) and that is large. In float64, times the loss scale, only gradients of those weights
then leave the range of f16; nothing else of the step does.

The step is skipped with its state unchanged. With the pixel 0 instead it is taken.
OPTIONs are of amp-run.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

LARGEST, SCALE, PIXEL, IMAGE = 65504.0, 65536.0, 20, 5
# What holds the weights in f32.
WEIGHTS = {"O1": "param", "O2": "master"}


def compute(arrays):
    """Activations and scaled gradients of step 0: fc1, relu, fc2, relu, fc3, cross-entropy."""
    x, labels = arrays["step0_x0"].astype(np.float64), arrays["step0_x1"]
    w1, b1, w2, b2, w3, b3 = (arrays[f"arg{i}"].astype(np.float64) for i in range(6))
    h1 = np.maximum(x @ w1.T + b1, 0)
    h2 = np.maximum(h1 @ w2.T + b2, 0)
    y = h2 @ w3.T + b3
    p = np.exp(y - y.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    dy = SCALE * (p - np.eye(10)[labels]) / len(x)
    d2 = (dy @ w3) * (h2 > 0)
    d1 = (d2 @ w2) * (h1 > 0)
    return [x, h1, h2, y, dy, d2, d1, dy.T @ h2, d2.T @ h1, dy.sum(0), d2.sum(0), d1.sum(0)], d1.T @ x


module, path, level, *options = sys.argv[1:]
options += [f"--loss-scale={int(SCALE)}", "--skip-on-overflow=true"]
with np.load(path) as given:
    arrays = {name: given[name].copy() for name in given.files if not name.startswith("final")}
arrays["arg0"][:, PIXEL] = 0
for pixel, overflows in ((6.0e4, True), (0.0, False)):
    arrays["step0_x0"][:, PIXEL] = 0
    arrays["step0_x0"][IMAGE, PIXEL] = pixel
    others, gradient = compute(arrays)
    assert max(np.abs(other).max() for other in others) < 0.95 * LARGEST
    outside = np.abs(gradient) > 1.05 * LARGEST
    assert outside.any() == overflows and not np.delete(outside, PIXEL, axis=1).any()
    done = amprun.run(module, level, arrays, *options, steps=1)
    assert done.log[0]["skipped"] == overflows, (pixel, done.log)
    kept = [np.array_equal(done.state[f"{WEIGHTS[level]}/{name}.{part}"], arrays[f"arg{2 * i + (part == 'bias')}"])
            for i, name in enumerate(("fc1", "fc2", "fc3")) for part in ("weight", "bias")]
    if any(kept) != overflows or all(kept) != overflows:
        sys.exit(f"{level}: with a pixel of {pixel}, {sum(kept)} of {len(kept)} weights are as they were")
print(f"{level}: {outside.size} gradients, one column of which overflows by itself")

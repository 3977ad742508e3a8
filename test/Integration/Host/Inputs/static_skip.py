"""A static scale whose second step overflows: what the log, the summary and the warning
say is what became of the parameters, with skip-on-overflow and without it.
"""

import os
import subprocess
import tempfile

import numpy as np

import amprun

PARAM = 'tensor<4xf32> {amp.role = "param", amp.name = "w"}'
ARGS = (f'%w: {PARAM}, %x: tensor<4xf32> {{amp.role = "batch", amp.name = "x0"}}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'
MODULE = f"""
func.func @fb({ARGS}) -> (tensor<4xf32> {{amp.role = "grad", amp.name = "w"}}, {LOSS}) {{
  %z = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %l = linalg.dot ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %g = arith.mulf %b, %x : tensor<4xf32>
  return %g, %l : tensor<4xf32>, tensor<f32>
}}
func.func @train({ARGS}) -> ({PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %x, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  %n = arith.subf %w, %g : tensor<4xf32>
  return %n, %l : tensor<4xf32>, tensor<f32>
}}
"""
ARRAYS = {"arg0": np.array([1, -2, 0.5, 0.25], np.float32),
          "step0_x0": np.array([0.0625, 0.125, 0.1875, 0.25], np.float32),
          "step1_x0": np.array([1e36, 1, 1, 1], np.float32),
          "step2_x0": np.array([0.03125, 0.015625, 0.25, -0.0625], np.float32)}


def get_text(module, arrays, *options):
    """What amp-run prints at the end of such a run."""
    with tempfile.TemporaryDirectory() as folder:
        replay = os.path.join(folder, "replay.npz")
        np.savez(replay, **arrays)
        done = subprocess.run(["amp-run", module, "--opt-level=O2", "--replay", replay, "--steps", "3",
                               *options], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, "step.mlir")
    with open(module, "w") as file:
        file.write(MODULE)
    for options, skips, count in [(["--loss-scale=128", "--skip-on-overflow=true"], True, "1"),
                                  (["--loss-scale=128"], False, "none")]:
        run = amprun.run(module, "O2", ARRAYS, *options, steps=3)
        assert np.isfinite(run.state["master/w"]).all() == skips, run.state
        assert [line["skipped"] for line in run.log] == [False, skips, False], run.log
        # Clean steps in a row.
        assert [line["unskipped"] for line in run.log] == ([1, 0, 1] if skips else [1, 2, 3]), run.log
        assert [line["scale"] for line in run.log] == [128] * 3, run.log
        text = get_text(module, ARRAYS, *options)
        assert f"3 steps, {int(skips)} skipped" in text, text
        assert f"{count} of them skipped; lower the scale" in text, text
        # Near miss: a run without an overflow has nothing to tell.
        clean = dict(ARRAYS, step1_x0=ARRAYS["step0_x0"])
        text = get_text(module, clean, *options)
        assert "3 steps, 0 skipped" in text and "warning" not in text, text
print("as told")

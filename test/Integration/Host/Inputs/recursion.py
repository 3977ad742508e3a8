"""Steps whose helper doubles a vector as often as a number says, by calling itself."""

import os
import tempfile

import numpy as np

import amprun

T = "tensor<2xf32>"
PARAM = '{amp.role = "param", amp.name = "w"}'
TRAIN = f"""
func.func @train(%w: {T} {PARAM}, %x: {T} {{amp.role = "batch", amp.name = "x0"}},
    %s: tensor<f32> {{amp.role = "loss_seed", amp.name = "l"}})
    -> ({T} {PARAM}, tensor<f32> {{amp.role = "loss", amp.name = "l"}}) {{
  %c3 = arith.constant 3 : i32
  %h = call @double(%w, %c3) : ({T}, i32) -> {T}
  %n = arith.subf %w, %h : {T}
  return %n, %s : {T}, tensor<f32>
}}
"""
HEAD = f"""
func.func private @double(%x: {T}, %k: i32) -> {T} {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = arith.cmpi sgt, %k, %c0 : i32
  %y = arith.addf %x, %x : {T}
  %m = arith.subi %k, %c1 : i32"""
AGAIN = f"call @double(%y, %m) : ({T}, i32) -> {T}"
BRANCH = f"""{HEAD}
  %r = scf.if %p -> {T} {{
    %z = func.{AGAIN}
    scf.yield %z : {T}
  }} else {{
    scf.yield %x : {T}
  }}
  return %r : {T}
}}"""
BLOCK = f"""{HEAD}
  cf.cond_br %p, ^more, ^last
^more:
  %z = {AGAIN}
  return %z : {T}
^last:
  return %x : {T}
}}"""
ENDLESS = f"""{HEAD}
  %z = {AGAIN}
  return %z : {T}
}}"""


def run(helper):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "recursion.mlir")
        with open(module, "w") as file:
            file.write(helper + TRAIN)
        # A gradient that is written out is not asked for: what is tested is the call.
        arrays = {"arg0": np.float32([1, -3]), "step0_x0": np.zeros(2, np.float32)}
        return amprun.run(module, "O0", arrays, "--verify-scaling=off", steps=1)


def main():
    for helper in (BRANCH, BLOCK):
        new = run(helper).state["param/w"]
        assert new.tolist() == [-7, 21], f"{helper}\ngave {new}"
    try:
        run(ENDLESS)
    except amprun.Failed as failed:
        text = str(failed)
        assert "this call of '@double' never returns; make it under a condition" in text, text
        assert "recursion.mlir:8:8" in text, text
    else:
        raise AssertionError("expected an endless recursion to be refused")


if __name__ == "__main__":
    main()

"""A recurrent layer and its gradient in loops as JAX writes them, beside NumPy.

    counted_loops.py OPTION...

OPTIONs are amp-run's, such as --device=emulator. A loop goes through the steps of a sequence and keeps the states,
another goes back from the last one: counters and places are tensors of one element. Exit status 1 where a number is
further than 1e-5 from NumPy's, or where the host reads or writes a number of a device.
"""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

STEPS, WIDTH, RATE = 6, 5, 0.125

MODULE = """
#scalar = affine_map<() -> ()>
#one = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
func.func private @add_one(%i: tensor<i32>) -> tensor<i32> {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<i32>
  %n = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %t = arith.addi %a, %one : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  return %n : tensor<i32>
}
func.func private @less(%i: tensor<i32>) -> i1 {
  %end = arith.constant STEPS : i32
  %e = tensor.empty() : tensor<i1>
  %c = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
  ^bb0(%a: i32, %o: i1):
    %t = arith.cmpi slt, %a, %end : i32
    linalg.yield %t : i1
  } -> tensor<i1>
  %more = tensor.extract %c[] : tensor<i1>
  return %more : i1
}
func.func @train_step(%w: tensor<WIDTHxf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<STEPSxWIDTHxf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<WIDTHxf32> {amp.role = "param", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<i32>
  %last = arith.constant STEPS : i32
  %one = arith.constant 1.0 : f32
  %rate = arith.constant RATE : f32
  %none = arith.constant dense<0.0> : tensor<WIDTHxf32>
  %room = arith.constant dense<0.0> : tensor<STEPSxWIDTHxf32>
  %ew = tensor.empty() : tensor<WIDTHxf32>
  %f:3 = scf.while (%i = %zero, %h = %none, %states = %room)
      : (tensor<i32>, tensor<WIDTHxf32>, tensor<STEPSxWIDTHxf32>) -> (tensor<i32>, tensor<WIDTHxf32>, tensor<STEPSxWIDTHxf32>) {
    %more = func.call @less(%i) : (tensor<i32>) -> i1
    scf.condition(%more) %i, %h, %states : tensor<i32>, tensor<WIDTHxf32>, tensor<STEPSxWIDTHxf32>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<WIDTHxf32>, %states: tensor<STEPSxWIDTHxf32>):
    %n = tensor.extract %i[] : tensor<i32>
    %at = arith.index_cast %n : i32 to index
    %xi = tensor.extract_slice %x[%at, 0] [1, WIDTH] [1, 1] : tensor<STEPSxWIDTHxf32> to tensor<WIDTHxf32>
    %kept = tensor.insert_slice %h into %states[%at, 0] [1, WIDTH] [1, 1] : tensor<WIDTHxf32> into tensor<STEPSxWIDTHxf32>
    %next = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
        ins(%h, %w, %xi : tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>) outs(%ew : tensor<WIDTHxf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %c : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    } -> tensor<WIDTHxf32>
    %i1 = func.call @add_one(%i) : (tensor<i32>) -> tensor<i32>
    scf.yield %i1, %next, %kept : tensor<i32>, tensor<WIDTHxf32>, tensor<STEPSxWIDTHxf32>
  }
  %e = tensor.empty() : tensor<f32>
  %start = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [#one, #all], iterator_types = ["reduction"]}
      ins(%f#1 : tensor<WIDTHxf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %ones = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["parallel"]}
      ins(%seed : tensor<f32>) outs(%ew : tensor<WIDTHxf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<WIDTHxf32>
  %b:4 = scf.while (%i = %zero, %dh = %ones, %h = %f#1, %dw = %none)
      : (tensor<i32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>) -> (tensor<i32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>) {
    %more = func.call @less(%i) : (tensor<i32>) -> i1
    scf.condition(%more) %i, %dh, %h, %dw : tensor<i32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>
  } do {
  ^bb0(%i: tensor<i32>, %dh: tensor<WIDTHxf32>, %h: tensor<WIDTHxf32>, %dw: tensor<WIDTHxf32>):
    %i1 = func.call @add_one(%i) : (tensor<i32>) -> tensor<i32>
    %ei = tensor.empty() : tensor<i32>
    %back = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i1 : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %t = arith.subi %last, %a : i32
      linalg.yield %t : i32
    } -> tensor<i32>
    %n = tensor.extract %back[] : tensor<i32>
    %at = arith.index_cast %n : i32 to index
    %before = tensor.extract_slice %f#2[%at, 0] [1, WIDTH] [1, 1] : tensor<STEPSxWIDTHxf32> to tensor<WIDTHxf32>
    %ds = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
        ins(%dh, %h : tensor<WIDTHxf32>, tensor<WIDTHxf32>) outs(%ew : tensor<WIDTHxf32>) {
    ^bb0(%a: f32, %y: f32, %o: f32):
      %q = arith.mulf %y, %y : f32
      %r = arith.subf %one, %q : f32
      %t = arith.mulf %a, %r : f32
      linalg.yield %t : f32
    } -> tensor<WIDTHxf32>
    %more:2 = linalg.generic {indexing_maps = [#one, #one, #one, #one, #one, #one], iterator_types = ["parallel"]}
        ins(%ds, %before, %dw, %w : tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>)
        outs(%ew, %ew : tensor<WIDTHxf32>, tensor<WIDTHxf32>) {
    ^bb0(%a: f32, %p: f32, %sum: f32, %b: f32, %o: f32, %o1: f32):
      %q = arith.mulf %a, %p : f32
      %t = arith.addf %sum, %q : f32
      %u = arith.mulf %a, %b : f32
      linalg.yield %t, %u : f32, f32
    } -> (tensor<WIDTHxf32>, tensor<WIDTHxf32>)
    scf.yield %i1, %more#1, %before, %more#0 : tensor<i32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>, tensor<WIDTHxf32>
  }
  %new = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%w, %b#3 : tensor<WIDTHxf32>, tensor<WIDTHxf32>) outs(%ew : tensor<WIDTHxf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %p = arith.mulf %g, %rate : f32
    %t = arith.subf %a, %p : f32
    linalg.yield %t : f32
  } -> tensor<WIDTHxf32>
  return %loss, %new : tensor<f32>, tensor<WIDTHxf32>
}
"""


def expect(w, x):
    """The loss and the weights after one step."""
    states = [np.zeros(WIDTH)]
    for row in x:
        states.append(np.tanh(states[-1] * w + row))
    dh, dw = np.ones(WIDTH), np.zeros(WIDTH)
    for h, before in zip(states[:0:-1], states[-2::-1]):
        ds = dh * (1 - h * h)
        dw, dh = dw + ds * before, ds * w
    return states[-1].sum(), w - RATE * dw


def count_exchanges(path):
    """Numbers of a device that the host reads or writes in a step."""
    lowered = subprocess.run(["amp-opt", path, "--amp-mixed-precision=opt-level=O0 verbosity=0", "--amp-to-gpu=format=nvvm"],
                             capture_output=True, text=True, check=True).stdout
    assert "@ampRtRunLaunch" in lowered, "no kernel is launched"
    return len(re.findall(r"call @ampRtRun(?:Read|Write)\(", lowered))


def main():
    text = MODULE
    for name, value in {"STEPS": STEPS, "WIDTH": WIDTH, "RATE": RATE}.items():
        text = text.replace(name, str(value))
    draw = np.random.default_rng(2)
    w, x = draw.normal(size=WIDTH).astype(np.float32), draw.normal(size=(STEPS, WIDTH)).astype(np.float32)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        run = amprun.run(file.name, "O0", {"arg0": w, "step0_x0": x}, *sys.argv[1:])
        exchanged = count_exchanges(file.name)
    loss, new = expect(w.astype(np.float64), x.astype(np.float64))
    close = np.allclose(run.log[0]["loss"], loss, rtol=1e-5) and np.allclose(run.state["param/w"], new, rtol=1e-5, atol=1e-6)
    print("numbers:", "NumPy's" if close else "wrong")
    print(f"exchanged: {exchanged}")
    sys.exit(not close or exchanged > 0)


if __name__ == "__main__":
    main()

"""Branches and loops that give tensors of which one is elsewhere, or another one too, on the emulator and the host, beside NumPy.

    branches.py

Vectors of small integers: all have to be equal. Exit status 1 where one is not.
"""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

ROUNDS = 5

REVERSED = """linalg.generic {indexing_maps = [#reversed, #id, #id], iterator_types = ["parallel"]}
          ins(%a, %x : tensor<7xf32>, tensor<7xf32>) outs(%e : tensor<7xf32>) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      } -> tensor<7xf32>"""


def loop(other, gives):
    """What is carried is read backwards and added to x where its first element exceeds 1."""
    return f"""%last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w) -> (tensor<7xf32>) {{
    %v = tensor.extract %a[%c0] : tensor<7xf32>
    %h = arith.cmpf ogt, %v, %one : f32
    %r = scf.if %h -> (tensor<7xf32>) {{
      %t = {REVERSED}
      scf.yield %t : tensor<7xf32>
    }} else {{
      {other}
      scf.yield {gives} : tensor<7xf32>
    }}
    scf.yield %r : tensor<7xf32>
  }}"""


def carry(other):
    def compute(w, x):
        a = w
        for _ in range(ROUNDS):
            a = a[::-1] + x if a[0] > 1 else other(a, x)
        return a

    return compute


INSERTED = """%u = arith.addf %x, %x : tensor<7xf32>
  %padded = tensor.insert_slice %u into %f[3] [7] [1] : tensor<7xf32> into tensor<12xf32>
  %v = tensor.extract %w[%c0] : tensor<7xf32>
  %h = arith.cmpf ogt, %v, %one : f32
  %r = scf.if %h -> (tensor<7xf32>) {
    %t = arith.mulf %u, %w : tensor<7xf32>
    scf.yield %t : tensor<7xf32>
  } else {
    scf.yield %u : tensor<7xf32>
  }
  %part = tensor.extract_slice %padded[1] [7] [1] : tensor<12xf32> to tensor<7xf32>
  %last = arith.addf %r, %part : tensor<7xf32>"""


def inserted(w, x):
    u = x + x
    return (u * w if w[0] > 1 else u) + np.concatenate([np.zeros(2), u[:5]]).astype(np.float32)


TWICE = """%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w, %b = %x) -> (tensor<7xf32>, tensor<7xf32>) {
    %t = arith.addf %a, %x : tensor<7xf32>
    %b2 = tensor.insert %one into %b[%i] : tensor<7xf32>
    %v = tensor.extract %b2[%c0] : tensor<7xf32>
    %z = tensor.extract %a[%i] : tensor<7xf32>
    %s = arith.addf %v, %z : f32
    %t2 = tensor.insert %s into %t[%i] : tensor<7xf32>
    scf.yield %t2, %t2 : tensor<7xf32>, tensor<7xf32>
  }
  %last = arith.addf %r#0, %r#1 : tensor<7xf32>"""


def twice(w, x):
    a, b = w, x
    for i in range(ROUNDS):
        put, t = b.copy(), a + x
        put[i] = 1
        t[i] = put[0] + a[i]
        a = b = t
    return a + b


CASES = {
    "computed in both": (loop("%u = math.absf %a : tensor<7xf32>", "%u"), carry(lambda a, x: np.abs(a))),
    "from outside": (loop("", "%x"), carry(lambda a, x: x)),
    "carried": (loop("", "%a"), carry(lambda a, x: a)),
    "from outside and computed there": (loop("", "%y"), carry(lambda a, x: x * x)),
    "part of another one": (INSERTED, inserted),
    "handed on twice": (TWICE, twice),
}


def module(body):
    kind = "tensor<7xf32>"
    return f"""#id = affine_map<(d0) -> (d0)>
#reversed = affine_map<(d0) -> (6 - d0)>
func.func @train_step(%w: {kind} {amprun.role("param", "w")}, %x: {kind} {amprun.role("batch", "x")},
    %seed: tensor<f32> {amprun.role("loss_seed", "loss")}) -> (tensor<f32> {amprun.role("loss", "loss")}, {kind} {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {ROUNDS} : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %f = arith.constant dense<0.0> : tensor<12xf32>
  %e = tensor.empty() : {kind}
  %y = arith.mulf %x, %x : {kind}
  {body}
  %loss = linalg.reduce {{ arith.addf }} ins(%last : {kind}) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %last : tensor<f32>, {kind}
}}
"""


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "branch.mlir")
        for name, (body, compute) in CASES.items():
            with open(path, "w") as file:
                file.write(module(body))
            # Starts that take either way first.
            for seed in range(4):
                draw = np.random.default_rng(seed)
                w, x = (draw.integers(-3, 4, 7).astype(np.float32) for _ in range(2))
                w[0] = 3 if seed % 2 else -1
                for option in ("--device=emulator", "--device=host", "--reference"):
                    try:
                        seen = amprun.run(path, "O0", {"arg0": w, "step0_x0": x}, option).state["param/w"]
                    except amprun.Failed as failure:
                        seen = failure
                    if not np.array_equal(seen, compute(w, x)):
                        wrong += 1
                        print(f"{name}, seed {seed}, {option}: {seen}, not {compute(w, x)}")
    print(f"{len(CASES)} forms, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

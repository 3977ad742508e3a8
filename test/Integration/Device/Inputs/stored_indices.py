"""Steps with tensors of index, on the emulator, the host and in NumPy.

    stored_indices.py

A step has a table `w` of f32, labels `l` of i32 and numbers `x`; a form says what becomes of them, as operations and in NumPy.
Numbers are small integers: all have to be equal. Exit status 1 where one is not.
"""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402

N = 6

PREFIX = f"""func.func @train_step(%w: tensor<{N}xf32> {amprun.role("param", "w")}, %x: tensor<{N}xf32> {amprun.role("batch", "x")},
    %l: tensor<{N}xi32> {amprun.role("batch", "l")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, tensor<{N}xf32> {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant {N} : index
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<{N}xf32>
  %ei = tensor.empty() : tensor<{N}xindex>
  %places = arith.index_cast %l : tensor<{N}xi32> to tensor<{N}xindex>
"""

SUFFIX = f"""  %loss = linalg.reduce {{ arith.addf }} ins(%r : tensor<{N}xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %r : tensor<f32>, tensor<{N}xf32>
}}
func.func private @doubled(%t: tensor<{N}xindex>, %times: index) -> tensor<{N}xindex> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi eq, %times, %c0 : index
  %r = scf.if %done -> tensor<{N}xindex> {{
    scf.yield %t : tensor<{N}xindex>
  }} else {{
    %less = arith.subi %times, %c1 : index
    %twice = arith.addi %t, %t : tensor<{N}xindex>
    %deeper = func.call @doubled(%twice, %less) : (tensor<{N}xindex>, index) -> tensor<{N}xindex>
    scf.yield %deeper : tensor<{N}xindex>
  }}
  return %r : tensor<{N}xindex>
}}
"""

# What follows from the places %i: the elements of w there, or they themselves as numbers.
GATHER = f"""  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%i : tensor<{N}xindex>) outs(%e : tensor<{N}xf32>) {{
  ^bb0(%at: index, %o: f32):
    %y = tensor.extract %w[%at] : tensor<{N}xf32>
    linalg.yield %y : f32
  }} -> tensor<{N}xf32>
"""
NUMBERS = f"""  %i32 = arith.index_cast %i : tensor<{N}xindex> to tensor<{N}xi32>
  %r = arith.sitofp %i32 : tensor<{N}xi32> to tensor<{N}xf32>
"""


def moved(w, x, l):
    """A walk through the labels that changes them."""
    places = l.astype(np.int64)
    for q in range(N):
        places[q] = (places[places[q]] + 1) % N
    return w[places]


def doubled_until(w, x, l):
    places = l.astype(np.int64)
    while places[0] < 40:
        places = places + places
    return places


FORMS = {
    # An element changes place before a kernel reads by all of them.
    "gather": (f"""  %one = tensor.extract %places[%c1] : tensor<{N}xindex>
  %i = tensor.insert %one into %places[%c2] : tensor<{N}xindex>
""" + GATHER, lambda w, x, l: w[l[[0, 1, 1, 3, 4, 5]]]),
    # Negative ones keep their sign, and those that are cast without lose it.
    "signs": (f"""  %c4 = tensor.splat %c3 : tensor<{N}xindex>
  %less = arith.subi %places, %c4 : tensor<{N}xindex>
  %narrow = arith.index_cast %less : tensor<{N}xindex> to tensor<{N}xi8>
  %wide = arith.index_castui %narrow : tensor<{N}xi8> to tensor<{N}xindex>
  %i = linalg.map {{ arith.addi }} ins(%less, %wide : tensor<{N}xindex>, tensor<{N}xindex>) outs(%ei : tensor<{N}xindex>)
""" + NUMBERS, lambda w, x, l: (l - 3) + (l - 3).astype(np.int8).view(np.uint8)),
    # The loop reads places at places that it wrote.
    "loop": (f"""  %i = scf.for %q = %c0 to %n step %c1 iter_args(%t = %places) -> (tensor<{N}xindex>) {{
    %at = tensor.extract %t[%q] : tensor<{N}xindex>
    %there = tensor.extract %t[%at] : tensor<{N}xindex>
    %next = arith.addi %there, %c1 : index
    %inside = arith.remui %next, %n : index
    %u = tensor.insert %inside into %t[%q] : tensor<{N}xindex>
    scf.yield %u : tensor<{N}xindex>
  }}
""" + GATHER, moved),
    # No round at all, by a number of data.
    "rounds": (f"""  %first = tensor.extract %places[%c0] : tensor<{N}xindex>
  %none = arith.muli %first, %c0 : index
  %i = scf.for %q = %c0 to %none step %c1 iter_args(%t = %places) -> (tensor<{N}xindex>) {{
    %u = tensor.insert %q into %t[%q] : tensor<{N}xindex>
    scf.yield %u : tensor<{N}xindex>
  }}
""" + GATHER, lambda w, x, l: w[l]),
    "while": (f"""  %forty = arith.constant 40 : index
  %i = scf.while (%t = %places) : (tensor<{N}xindex>) -> tensor<{N}xindex> {{
    %at = tensor.extract %t[%c0] : tensor<{N}xindex>
    %more = arith.cmpi slt, %at, %forty : index
    scf.condition(%more) %t : tensor<{N}xindex>
  }} do {{
  ^bb0(%t: tensor<{N}xindex>):
    %twice = arith.addi %t, %t : tensor<{N}xindex>
    scf.yield %twice : tensor<{N}xindex>
  }}
""" + NUMBERS, doubled_until),
    # A branch that data take, a number of index that is stored, and pads of them.
    "branch": (f"""  %first = tensor.extract %places[%c0] : tensor<{N}xindex>
  %is = arith.cmpi eq, %first, %c2 : index
  %filled = linalg.fill ins(%first : index) outs(%ei : tensor<{N}xindex>) -> tensor<{N}xindex>
  %chosen = scf.if %is -> tensor<{N}xindex> {{
    %sum = arith.addi %filled, %places : tensor<{N}xindex>
    scf.yield %sum : tensor<{N}xindex>
  }} else {{
    scf.yield %places : tensor<{N}xindex>
  }}
  %padded = tensor.pad %chosen low[2] high[0] {{
  ^bb0(%at: index):
    tensor.yield %c3 : index
  }} : tensor<{N}xindex> to tensor<{N + 2}xindex>
  %i = tensor.extract_slice %padded[1] [{N}] [1] : tensor<{N + 2}xindex> to tensor<{N}xindex>
""" + NUMBERS, lambda w, x, l: np.concatenate([[3], (l + 2 if l[0] == 2 else l)[:N - 1]])),
    "constant": (f"""  %more = arith.constant dense<[-1, 7, -9223372036854775808, 3, 0, 5]> : tensor<{N}xindex>
  %i = arith.maxsi %places, %more : tensor<{N}xindex>
""" + NUMBERS, lambda w, x, l: np.maximum(l, np.array([-1, 7, -2**63, 3, 0, 5]))),
    # The place of the greatest element, which a slice begins at.
    "maximum": (f"""  %low = arith.constant dense<-1.0e30> : tensor<f32>
  %start = arith.constant dense<0> : tensor<index>
  %m:2 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                         iterator_types = ["reduction"]}}
      ins(%x : tensor<{N}xf32>) outs(%low, %start : tensor<f32>, tensor<index>) {{
  ^bb0(%a: f32, %most: f32, %at: index):
    %k = linalg.index 0 : index
    %is = arith.cmpf ogt, %a, %most : f32
    %value = arith.select %is, %a, %most : f32
    %place = arith.select %is, %k, %at : index
    linalg.yield %value, %place : f32, index
  }} -> (tensor<f32>, tensor<index>)
  %at = tensor.extract %m#1[] : tensor<index>
  %row = tensor.extract_slice %w[%at] [1] [1] : tensor<{N}xf32> to tensor<1xf32>
  %r = tensor.insert_slice %row into %x[%c2] [1] [1] : tensor<1xf32> into tensor<{N}xf32>
""", lambda w, x, l: np.where(np.arange(N) == 2, w[x.argmax()], x)),
    "recursion": (f"""  %i = func.call @doubled(%places, %c3) : (tensor<{N}xindex>, index) -> tensor<{N}xindex>
""" + NUMBERS, lambda w, x, l: 8 * l),
}


def main():
    draw, wrong = np.random.default_rng(3), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (body, compute) in FORMS.items():
            path = os.path.join(folder, name + ".mlir")
            with open(path, "w") as file:
                file.write(PREFIX + body + SUFFIX)
            w, x = (draw.permutation(np.arange(N) - 2).astype(np.float32) for _ in range(2))
            l = draw.permutation(N).astype(np.int32)
            l[0] = 2
            found = amprun.compare(path, {"arg0": w, "step0_x0": x, "step0_x1": l}, np.float32(compute(w, x, l)),
                                   ("--device=emulator", "--device=host", "--reference"))
            if found:
                wrong += 1
                print(f"{name}: ", *found, sep="\n")
    print(f"{len(FORMS) - wrong} of {len(FORMS)} right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

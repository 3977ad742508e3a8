"""Steps that write a part of a state and keep the rest, against NumPy, to the bit.

Upstream's bufferization and folds once left memory there that nobody wrote, or wrote
what a mask leaves out. All numbers are exact in half precision.
"""

import os
import tempfile

import numpy as np

import amprun

V, M = "tensor<4xf32>", "tensor<4x4xf32>"


def role(name, of):
    return f'{{amp.role = "{of}", amp.name = "{name}"}}'


def generic(inner, outer, iterators, inputs="%x : " + V, into="%m", body="linalg.yield %a : f32"):
    """%new from `into` by a linalg.generic whose body does not read it."""
    return f"""
  %new = linalg.generic {{indexing_maps = [affine_map<{inner}>, affine_map<{outer}>],
      iterator_types = [{iterators}]}} ins({inputs}) outs({into} : {M}) {{
  ^bb0(%a: f32, %old: f32):
    {body}
  }} -> {M}"""


def diagonal(x, m):
    new = m.copy()
    np.fill_diagonal(new, x)
    return new


def put(m, at, x):
    new = m.copy()
    new[at] = x
    return new


PARALLEL, TWO = '"parallel"', '"parallel", "parallel"'
ZEROS = f"""
  %empty = tensor.empty() : {M}
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : {M}) -> {M}"""
NOTHING = f"""
  %nothing = tensor.extract_slice %x[0] [0] [1] : {V} to tensor<0xf32>"""
SOME = f"""
  %first = tensor.extract %x[%c0] : {V}
  %whole = arith.fptosi %first : f32 to i32
  %n = arith.index_cast %whole : i32 to index
  %some = tensor.extract_slice %x[0] [%n] [1] : {V} to tensor<?xf32>"""
MASKED = f"""
  %v = vector.transfer_read %x[%c0], %zero : {V}, vector<4xf32>
  %lowest = arith.constant dense<-1.0> : vector<4xf32>
  %mask = arith.cmpf ogt, %v, %lowest : vector<4xf32>
  %new = vector.transfer_write %v, %m[%c1, %c0], %mask : vector<4xf32>, {M}"""
# The whole of one tensor into another: upstream folds that to the former.
MASKED_WHOLE = f"""
  %v = vector.transfer_read %w2[%c0, %c0], %zero : {M}, vector<4x4xf32>
  %line = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %mask = vector.broadcast %line : vector<4xi1> to vector<4x4xi1>
  %new = vector.transfer_write %v, %m[%c0, %c0], %mask : vector<4x4xf32>, {M}"""
FORMS = {
    "diagonal": (generic("(i) -> (i)", "(i) -> (i, i)", PARALLEL), diagonal),
    "diagonal of zeros": (
        ZEROS + generic("(i) -> (i)", "(i) -> (i, i)", PARALLEL, into="%zeros"),
        lambda x, m: np.diag(x)),
    "turned diagonal": (
        generic("(i) -> (i)", "(i) -> (3 - i, i)", PARALLEL),
        lambda x, m: np.flipud(diagonal(x[::1], np.flipud(m)))),
    "row": (generic("(i) -> (i)", "(i) -> (2, i)", PARALLEL), lambda x, m: put(m, 2, x)),
    "last of a line": (
        generic("(i, j) -> (j)", "(i, j) -> (i, 1)", TWO),
        lambda x, m: put(m, np.s_[:, 1], x[3])),
    "place": (
        generic("(i) -> (i)", "(i) -> (i, i)", PARALLEL,
                body="%i = linalg.index 0 : index\n    %k = arith.index_cast %i : index to i32\n"
                "    %f = arith.sitofp %k : i32 to f32\n    linalg.yield %f : f32"),
        lambda x, m: diagonal(np.arange(4), m)),
    "sum over nothing": (
        NOTHING + generic("(k, i, j) -> (k)", "(k, i, j) -> (i, j)", '"reduction", ' + TWO,
                          "%nothing : tensor<0xf32>"),
        lambda x, m: m),
    "line of a size at run time": (
        SOME + generic("(k, i, j) -> (k)", "(k, i, j) -> (i, j)", '"reduction", ' + TWO,
                       "%some : tensor<?xf32>"),
        lambda x, m: m if x[0] < 1 else np.full_like(m, x[int(x[0]) - 1])),
    "mask": (MASKED, lambda x, m: put(m, 1, np.where(x > -1, x, m[1]))),
    "mask of a whole": (MASKED_WHOLE, None),
    # Near misses: all of it is written, in another order or several times.
    "transposed": (
        generic("(i, j) -> (i)", "(i, j) -> (j, i)", TWO),
        lambda x, m: np.tile(x, (4, 1))),
    "last of all": (
        generic("(i, j, k) -> (k)", "(i, j, k) -> (i, j)", TWO + ', "reduction"'),
        lambda x, m: np.full_like(m, x[3])),
}


def module(form):
    arguments = (f"%w: {V} {role('w', 'param')}, %m: {M} {role('m', 'opt_state')}, "
                 f"%x: {V} {role('x0', 'batch')}, %w2: {M} {role('x1', 'batch')}, "
                 f"%s: tensor<f32> {role('l', 'loss_seed')}")
    return f"""
func.func @fb(%x: {V} {role('x0', 'batch')}, %s: tensor<f32> {role('l', 'loss_seed')})
    -> ({V} {role('w', 'grad')}, tensor<f32> {role('l', 'loss')}) {{
  %e = tensor.empty() : {V}
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {V}) dimensions = [0]
  %g = arith.mulf %b, %x : {V}
  %l = arith.constant dense<0.0> : tensor<f32>
  return %g, %l : {V}, tensor<f32>
}}
func.func @train({arguments})
    -> ({V} {role('w', 'param')}, {M} {role('m', 'opt_state')}, tensor<f32> {role('l', 'loss')}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %g, %l = call @fb(%x, %s) : ({V}, tensor<f32>) -> ({V}, tensor<f32>)
  %p = arith.subf %w, %g : {V}
{form}
  return %p, %new, %l : {V}, {M}, tensor<f32>
}}
"""


def main():
    m = np.arange(16, dtype=np.float32).reshape(4, 4) / 8 + 1
    w, w2 = np.ones(4, np.float32), -m
    with tempfile.TemporaryDirectory() as folder:
        file_name = os.path.join(folder, "part.mlir")
        for name, (form, expect) in FORMS.items():
            with open(file_name, "w") as file:
                file.write(module(form))
            for first in (0.0, 3.0):
                x = np.array([first, -2.0, 0.5, -0.25], np.float32)
                if expect is None:
                    expected = np.where(np.arange(4) % 2 == 0, w2, m)
                else:
                    expected = expect(x, m)
                arrays = {"arg0": w, "arg1": m, "step0_x0": x, "step0_x1": w2}
                for level, options in (("O0", ()), ("O0", ("--reference",)), ("O2", ())):
                    run = amprun.run(file_name, level, arrays, "--loss-scale=128", *options,
                                     steps=1)
                    new = amprun.to_float(run.state["opt_state/m"])
                    assert (new == expected).all(), f"{name} at {level} {options}: {new}"
    print(len(FORMS), "forms")


if __name__ == "__main__":
    main()

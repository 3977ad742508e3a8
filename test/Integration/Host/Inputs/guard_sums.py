"""Windows of accumulated gradients with keep-finite-sums, however a sum is written.

    guard_sums.py [KIND...]

Each kind adds its micro-batch to a sum; x1 says whether the window begins with this
call, x2 whether it ends. Most reset the sum at the start, as PyTorch's zero_grad
does: the accumulator still holds the last window's sum then. Each is run at O1 and O2,
on two windows of two micro-batches, and at O1 on four windows of one:

1. on finite batches it ends where O0 ends;
2. a bad micro-batch, at each place, is left out, and all others are applied once;
3. without the option its window is dropped, and no other, where the program itself
   does not leave it out.

All sums are exact in half.
"""

import os
import sys
import tempfile

import numpy as np

import amprun
from guard_updates import CALL_FB, FB, HAND, I1, MINE, START, T, expect, role, train

ACC = [("acc", T, "accumulator")]
FLAGS = [("x1", I1, "batch"), ("x2", I1, "batch")]
READ = f"""%first = tensor.extract %x1[] : {I1}
  %last = tensor.extract %x2[] : {I1}
  %zeros = arith.constant dense<0.0> : {T}
  %ones = arith.constant dense<1.0> : {T}"""
START_SELECT = f"%start = arith.select %first, %zeros, %acc : {T}"
UPDATE = f"""%k = arith.subf %w, %sum : {T}
  %n = arith.select %last, %k, %w : {T}"""
END_SELECT = f"%next = arith.select %last, %zeros, %sum : {T}"


def window(add, end=UPDATE, returns="%n, %l, %sum", gradient=CALL_FB, helpers=""):
    return helpers + FB + train(f"{gradient}\n  {READ}\n  {add}\n  {end}", ACC + FLAGS, ACC, returns)


def at_end(add, **more):
    return window(add, UPDATE + "\n  " + END_SELECT, "%n, %l, %next", **more)


def mapped(body, old="%start", arguments="%a: f32, %b: f32, %o: f32"):
    return f"""%e = tensor.empty() : {T}
  %sum = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                        iterator_types = ["parallel"]}} ins({old}, %g : {T}, {T}) outs(%e : {T}) {{
  ^bb0({arguments}):
    {body}
    linalg.yield %r : f32
  }} -> {T}"""


STEP = f"""
func.func @window(%w: {T} {role("param", "w")}, %acc: {T} {role("accumulator", "w")}, %g: {T} {role("grad", "w")},
                  %x1: {I1} {role("batch", "x1")}, %x2: {I1} {role("batch", "x2")})
    -> ({T} {role("param", "w")}, {T} {role("accumulator", "w")}) {{
  {READ}
  {START_SELECT}
  %sum = arith.addf %start, %g : {T}
  {UPDATE}
  return %n, %sum : {T}, {T}
}}
"""
FINITE = f"""%nought = arith.constant dense<0.0> : tensor<f32>
  %d = linalg.dot ins(%g, %g : {T}, {T}) outs(%nought : tensor<f32>) -> tensor<f32>
  %size = tensor.extract %d[] : tensor<f32>
  %ok = math.isfinite %size : f32"""

KINDS = {
    # Reset at the start.
    "select": window(f"{START_SELECT}\n  %sum = arith.addf %start, %g : {T}"),
    "select-swapped": window(f"{START_SELECT}\n  %sum = arith.addf %g, %start : {T}"),
    "branch": window(
        f"""%start = scf.if %first -> ({T}) {{
    scf.yield %zeros : {T}
  }} else {{
    scf.yield %acc : {T}
  }}
  %sum = arith.addf %start, %g : {T}"""),
    "mask": window(
        f"""%more = arith.select %first, %zeros, %ones : {T}
  %start = arith.mulf %acc, %more : {T}
  %sum = arith.addf %start, %g : {T}"""),
    "element-mask": window(
        f"""%m = tensor.splat %first : tensor<4xi1>
  %start = arith.select %m, %zeros, %acc : tensor<4xi1>, {T}
  %sum = arith.addf %start, %g : {T}"""),
    # Begun with the gradient.
    "begun-branch": window(
        f"""%sum = scf.if %first -> ({T}) {{
    scf.yield %g : {T}
  }} else {{
    %s2 = arith.addf %acc, %g : {T}
    scf.yield %s2 : {T}
  }}"""),
    "begun-select": window(
        f"""%more = arith.addf %acc, %g : {T}
  %sum = arith.select %first, %g, %more : {T}"""),
    "begun-blocks": window(
        f"""cf.cond_br %first, ^end(%g : {T}), ^add
^add:
  %more = arith.addf %acc, %g : {T}
  cf.br ^end(%more : {T})
^end(%sum: {T}):"""),
    # Other additions, reset at the start and at the end.
    **{f"{name}-{place}": form(reset + add)
       for place, form, reset in (("start", window, START_SELECT + "\n  "),
                                  ("end", at_end, f"%start = arith.addf %acc, %zeros : {T}\n  "))
       for name, add in (
           ("fma", f"%sum = math.fma %g, %ones, %start : {T}"),
           ("difference", f"%minus = arith.negf %g : {T}\n  %sum = arith.subf %start, %minus : {T}"),
           ("mapped", mapped("%r = arith.addf %a, %b : f32")),
           ("mapped-difference", mapped("%m = arith.negf %b : f32\n    %r = arith.subf %a, %m : f32")),
           ("mapped-halves", mapped("%q = arith.constant 0.5 : f32\n    %h = arith.mulf %b, %q : f32\n"
                                    "    %p = arith.addf %a, %h : f32\n    %r = arith.addf %p, %h : f32")),
           ("wide", f"""%aw = arith.extf %start : {T} to tensor<4xf64>
  %gw = arith.extf %g : {T} to tensor<4xf64>
  %sw = arith.addf %aw, %gw : tensor<4xf64>
  %sum = arith.truncf %sw : tensor<4xf64> to {T}"""),
           ("shaped", f"""%as = tensor.expand_shape %start [[0, 1]] output_shape [2, 2] : {T} into tensor<2x2xf32>
  %gs = tensor.expand_shape %g [[0, 1]] output_shape [2, 2] : {T} into tensor<2x2xf32>
  %ss = arith.addf %as, %gs : tensor<2x2xf32>
  %sum = tensor.collapse_shape %ss [[0, 1]] : tensor<2x2xf32> into {T}"""),
           ("loop", f"""%half = arith.constant dense<0.5> : {T}
  %h = arith.mulf %g, %half : {T}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %start) -> ({T}) {{
    %b = arith.addf %a, %h : {T}
    scf.yield %b : {T}
  }}"""),
           # The program's own test, which leaves the bad one out as well.
           ("checked", f"""{FINITE}
  %added = arith.addf %start, %g : {T}
  %sum = arith.select %ok, %added, %start : {T}"""),
           ("checked-branch", f"""{FINITE}
  %sum = scf.if %ok -> ({T}) {{
    %added = arith.addf %start, %g : {T}
    scf.yield %added : {T}
  }} else {{
    scf.yield %start : {T}
  }}"""))},
    # A backward pass in a loop that the sum goes round in.
    "passes": FB + train(
        f"""{READ}
  {START_SELECT}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum, %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %start, %p = %s) -> ({T}, tensor<f32>) {{
    %g, %q = func.call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
    %b = arith.addf %a, %g : {T}
    scf.yield %b, %q : {T}, tensor<f32>
  }}
  {UPDATE}""", ACC + FLAGS, ACC, "%n, %l, %sum"),
    # In the optimizer step.
    "in-step": FB + STEP + train(
        f"""{CALL_FB}
  %n, %sum = call @window(%w, %acc, %g, %x1, %x2) : ({T}, {T}, {T}, {I1}, {I1}) -> ({T}, {T})""",
        ACC + FLAGS, ACC, "%n, %l, %sum"),
    # By hand: unscaled onto the sum, and left out by what was found.
    "unscaled": MINE + window("", gradient=f"""{READ}
  {START_SELECT}
  %t = amp.scale_loss %s using @mine : tensor<f32>
  %gs, %l = call @fb(%w, %x, %t) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %sum, %f = amp.unscale %gs using @mine accumulate(%start) : ({T}) -> {T}
  amp.update_scale @mine, %f""").replace(f"\n  {READ}\n  \n", "\n", 1),
    "found": MINE + window(
        f"""amp.update_scale @mine, %f
  %fi = tensor.extract %f[] : {I1}
  {START_SELECT}
  %added = arith.addf %start, %g : {T}
  %sum = arith.select %fi, %start, %added : {T}""", gradient=HAND),
}


def run(module, level, batches, length, *options):
    arrays = {"steps": np.int64(len(batches)), "losses": np.zeros(len(batches)), "arg0": START,
              "arg3": np.zeros(4, np.float32)}
    for step, x in enumerate(batches):
        arrays[f"step{step}_x0"] = np.array(x, np.float32)
        arrays[f"step{step}_x1"] = np.bool_(step % length == 0)
        arrays[f"step{step}_x2"] = np.bool_(step % length == length - 1)
    if level != "O0":
        options = ("--loss-scale=dynamic", "--max-loss-scale=1024", *options)
    return amprun.run(module, level, arrays, *options)


# Their own test or skip leaves a bad one out at every setting.
OWN = ("checked", "found")


def main():
    x = [[0.125 * i, 0.25, -0.0625 * i, 0.1875] for i in range(1, 5)]
    bad = [0.25, 1e36, 0.125, 0.0625]
    exact = START - np.sum(np.array(x, np.float32), axis=0)
    runs = 0
    for kind in sys.argv[1:] or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            module = os.path.join(folder, kind + ".mlir")
            with open(module, "w") as file:
                file.write(KINDS[kind])
            if "@mine" not in KINDS[kind]:
                plain = run(module, "O0", x, 2).state["param/w"]
                expect(kind, np.array_equal(plain, exact), f"O0 has {plain}, not {exact}")
            for level, length, keeps in (("O1", 2, "true"), ("O2", 2, "true"), ("O1", 1, "true"), ("O1", 2, "false")):
                if keeps == "false" and kind.startswith(OWN):
                    continue
                name = "master/w" if level == "O2" else "param/w"
                option = f"--keep-finite-sums={keeps}"
                where = f"{kind} {level} {length} {option}"
                finite = run(module, level, x, length, option)
                expect(where, not any(r["skipped"] for r in finite.log), "a finite step was skipped")
                expect(where, np.array_equal(finite.state[name], exact), f"{finite.state[name]} is not {exact}")
                for at in range(4):
                    got = run(module, level, x[:at] + [bad] + x[at + 1:], length, option)
                    left = [i for i in range(4) if (i != at if keeps == "true" else i // length != at // length)]
                    want = START - np.sum(np.array([x[i] for i in left], np.float32), axis=0)
                    expect(f"{where} bad at {at}", np.array_equal(got.state[name], want),
                           f"{got.state[name]} is not {want}")
                    runs += 1
    print(f"{runs} runs")


if __name__ == "__main__":
    main()

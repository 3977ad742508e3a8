"""Scales that are advanced by hand, where the step they belong to is skipped.

Each kind is a train step over two batches, of which the first overflows: the parameter
stays, and the scale is half of what it was before. What was found comes to the scaler
through the end of a loop that ends with it, or by a state of a window of two
micro-batches, and is counted in a buffer by such a loop.
"""

import os
import tempfile

import numpy as np

import amprun
from guard_updates import FB, HAND, I1, MINE, START, T, expect, train

COUNT = "tensor<i32>"
ONCE = f"""scf.while (%k = %c, %go = %fi) : ({COUNT}, i1) -> ({COUNT}, i1) {{
    scf.condition(%go) %k, %go : {COUNT}, i1
  }} do {{
  ^bb0(%k: {COUNT}, %go: i1):
    %no = arith.constant false
    %one = arith.constant dense<1> : {COUNT}
    %k1 = arith.addi %k, %one : {COUNT}
    scf.yield %k1, %no : {COUNT}, i1
  }}"""
FOUND = f"%fi = tensor.extract %f[] : {I1}"
BUFFER = [("c", COUNT, "buffer")]


def window(kind):
    """The flag of a window is a state of `kind`; x1 says whether the window ends."""
    flag = [("acc", T, "accumulator"), ("seen", I1, kind)]
    return MINE + FB + train(f"""{HAND}
  %c = tensor.extract %x1[] : {I1}
  %sum = arith.addf %acc, %g : {T}
  %zeros = arith.constant dense<0.0> : {T}
  %no = arith.constant dense<false> : {I1}
  %any = arith.ori %seen, %f : {I1}
  %n, %next, %seen1 = scf.if %c -> ({T}, {T}, {I1}) {{
    %k = arith.subf %w, %sum : {T}
    amp.update_scale @mine, %any
    scf.yield %k, %zeros, %no : {T}, {T}, {I1}
  }} else {{
    scf.yield %w, %sum, %any : {T}, {T}, {I1}
  }}""", [*flag, ("x1", I1, "batch")], flag, "%n, %l, %next, %seen1")


# By name: the module, where its states start, and what they are in the end.
KINDS = {
    "counted-in-loop": (MINE + FB + train(f"""{HAND}
  amp.update_scale @mine, %f
  {FOUND}
  %count, %end = {ONCE}
  %n = arith.subf %w, %g : {T}""", BUFFER, BUFFER, "%n, %l, %count"), [np.int32(0)], {"buffer/c": 1}),
    "counted-in-function": (MINE + FB + f"""
func.func private @count(%c: {COUNT}, %fi: i1) -> {COUNT} {{
  %count, %end = {ONCE}
  return %count : {COUNT}
}}
""" + train(f"""{HAND}
  amp.update_scale @mine, %f
  {FOUND}
  %count = call @count(%c, %fi) : ({COUNT}, i1) -> {COUNT}
  %n = arith.subf %w, %g : {T}""", BUFFER, BUFFER, "%n, %l, %count"), [np.int32(0)], {"buffer/c": 1}),
    **{f"window-{kind}": (window(kind), [np.zeros(4, np.float32), np.array(False)], {f"{kind}/seen": False})
       for kind in ("buffer", "opt_state")},
}


def main():
    bad, good = [0.25, 1e36, 0.125, 0.0625], [0.125, 0.25, -0.0625, 0.1875]
    with tempfile.TemporaryDirectory() as folder:
        for kind, (text, starts, ends) in KINDS.items():
            module = os.path.join(folder, kind + ".mlir")
            with open(module, "w") as file:
                file.write(text)
            arrays = {"steps": np.int64(2), "losses": np.zeros(2), "arg0": START}
            for number, start in enumerate(starts):
                arrays[f"arg{number + 3}"] = start
            for step, x in enumerate((bad, good)):
                arrays[f"step{step}_x0"] = np.array(x, np.float32)
                arrays[f"step{step}_x1"] = np.array(step == 1)
            # Two batches are one step of a window, and two steps without one.
            left = START if kind.startswith("window") else START - np.array(good, np.float32)
            for level in ("O1", "O2"):
                where = f"{kind} {level}"
                got = amprun.run(module, level, arrays, "--loss-scale=dynamic", "--max-loss-scale=1024")
                name = "master/w" if level == "O2" else "param/w"
                expect(where, np.array_equal(got.state[name], left), f"{name} is {got.state[name]}, not {left}")
                expect(where, got.log[-1]["scale"] == 512, f"the scale is {got.log[-1]['scale']}")
                for state, end in ends.items():
                    expect(where, got.state[state] == end, f"{state} is {got.state[state]}")
    print(f"{len(KINDS)} kinds")


if __name__ == "__main__":
    main()

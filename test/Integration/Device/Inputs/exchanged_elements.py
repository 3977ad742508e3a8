"""Random loops on elements whose tensors change places, on the emulator, the host and in NumPy.

    exchanged_elements.py FIRST COUNT [--conditions]

A step carries two or three vectors through nested scf.for and scf.if, or an scf.while around them, which insert into them, exchange
them and choose between them. With --conditions it is an scf.while whose condition does so, too, and hands on what it likes. Numbers
are small integers: all have to be equal. Without --conditions each nest has to be one kernel of which the host reads no element.
Exit status 1, and the module, where one is not.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402


class Nest:
    """A loop over `count` vectors of `extent` numbers, as a list of operations: tuples of a name, what is defined and operands."""

    def __init__(self, seed, conditions):
        self.random = random.Random(seed)
        self.extent = self.random.choice([3, 4, 7])
        self.count = self.random.choice([2, 2, 3])
        self.type = f"tensor<{self.extent}xf32>"
        self.numbers = 0
        starts = ["%p", "%q", "%s"][: self.count]
        if conditions:
            self.loop, self.results = self.conditional(starts)
        else:
            build = self.while_loop if self.random.random() < 0.3 else self.for_loop
            self.loop, self.results = build(starts, 0)

    def new(self, count=1):
        self.numbers += count
        return [f"%t{self.numbers - i}" for i in range(count)]

    def body(self, tensors, index, depth):
        """Operations, and the tensors that they leave in place of `tensors`."""
        draw, tensors, ops = self.random, list(tensors), []
        for _ in range(draw.randint(1, 4)):
            i, j, what = draw.randrange(len(tensors)), draw.randrange(len(tensors)), draw.random()
            if what < 0.5:
                element, more, result = self.new(3)
                ops += [("extract", element, tensors[i], index), ("add", more, element),
                        ("insert", result, more, tensors[j], draw.choice([index, "%c0"]))]
                tensors[j] = result
            elif what < 0.65:
                tensors[i], tensors[j] = tensors[j], tensors[i]
            elif what < 0.7:
                tensors[i] = draw.choice(["%p", "%q", tensors[j]])
            elif what < 0.85:
                element, holds = self.new(2)
                ops += [("extract", element, tensors[i], index), ("exceeds", holds, element)]
                if draw.random() < 0.5:
                    put, result = self.new(2)
                    ops.append(("if", [result], holds, [("insert", put, "%one", tensors[i], "%c0")], [put], [tensors[j]]))
                    tensors[i] = result
                else:
                    one, other = tensors[i], tensors[j]
                    results = self.new(2)
                    ops.append(("if", results, holds, [], [one, other], [other, one]))
                    tensors[i], tensors[j] = results
            elif depth < 1:
                loop, tensors = self.for_loop(tensors, depth + 1)
                ops.append(loop)
                tensors = list(tensors)
        if draw.random() < 0.7:
            draw.shuffle(tensors)
        return ops, tensors

    def for_loop(self, starts, depth):
        index, = self.new()
        carried, results = self.new(len(starts)), self.new(len(starts))
        ops, left = self.body(carried, index, depth)
        return ("for", results, index, carried, starts, ops, left), results

    def while_loop(self, starts, depth):
        index, = self.new()
        carried, results = self.new(len(starts)), self.new(len(starts))
        ops, left = self.body(carried, index, depth)
        # Both regions call what they are handed by the same names.
        return ("while", results, index, carried, starts, [], carried, carried, ops, left), results

    def conditional(self, starts):
        draw, (index,) = self.random, self.new()
        carried = self.new(len(starts))
        before, left = self.body(carried, index, 1)
        handed = draw.choices(left + carried, k=draw.randint(1, 3))
        arguments, results = self.new(len(handed)), self.new(len(handed))
        ops, left = self.body(arguments, index, draw.choice([0, 1]))
        yielded = draw.choices(left + arguments + ["%p", "%s"], k=len(starts))
        return ("while", results, index, carried, starts, before, handed, arguments, ops, yielded), results

    # As text.

    def emit(self, ops):
        return [line for op in ops for line in self.emit_one(*op)]

    def emit_one(self, name, result, *operands):
        kind = self.type
        if name == "extract":
            return ["{} = tensor.extract {}[{}] : {}".format(result, *operands, kind)]
        if name == "add":
            return [f"{result} = arith.addf {operands[0]}, %one : f32"]
        if name == "insert":
            return ["{} = tensor.insert {} into {}[{}] : {}".format(result, *operands, kind)]
        if name == "exceeds":
            return [f"{result} = arith.cmpf ogt, {operands[0]}, %one : f32"]
        types = ", ".join([kind] * len(result))
        names = ", ".join
        if name == "if":
            holds, ops, then, other = operands
            return [f"{names(result)} = scf.if {holds} -> ({types}) {{", *self.emit(ops),
                    f"scf.yield {names(then)} : {types}", "} else {", f"scf.yield {names(other)} : {types}", "}"]
        index, carried, starts, *rest = operands
        pairs = names(f"{argument} = {start}" for argument, start in zip(carried, starts))
        if name == "for":
            ops, left = rest
            return [f"{names(result)} = scf.for {index} = %c0 to %n step %c1 iter_args({pairs}) -> ({types}) {{",
                    *self.emit(ops), f"scf.yield {names(left)} : {types}", "}"]
        before, handed, arguments, ops, left = rest
        holds, following, last = self.new(3)
        of_before = ", ".join([kind] * len(carried))
        return [f"{last}, {names(result)} = scf.while ({index} = %c0, {pairs}) : (index, {of_before}) -> (index, {types}) {{",
                *self.emit(before), f"{holds} = arith.cmpi ult, {index}, {'%m' if before else '%n'} : index",
                f"scf.condition({holds}) {index}, {names(handed)} : index, {types}", "} do {",
                f"^bb0({index}: index, {names(f'{argument}: {kind}' for argument in arguments)}):", *self.emit(ops),
                f"{following} = arith.addi {index}, %c1 : index",
                f"scf.yield {following}, {names(left)} : index, {of_before}", "}"]

    def module(self):
        kind = self.type
        lines, last = self.emit([self.loop]), self.results[0]
        for other in self.results[1:]:  # 2 a + b of integers
            twice, total = self.new(2)
            lines += [f"{twice} = linalg.map {{ arith.addf }} ins({last}, {last} : {kind}, {kind}) outs(%e : {kind})",
                      f"{total} = linalg.map {{ arith.addf }} ins({twice}, {other} : {kind}, {kind}) outs(%e : {kind})"]
            last = total
        return f"""func.func @train_step(%w: {kind} {amprun.role("param", "w")}, %x: {kind} {amprun.role("batch", "x")},
    %seed: tensor<f32> {amprun.role("loss_seed", "loss")}) -> (tensor<f32> {amprun.role("loss", "loss")}, {kind} {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {self.extent} : index
  %m = arith.constant {self.extent - 1} : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {kind}
  %p = linalg.map {{ arith.addf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  %q = linalg.map {{ arith.subf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  %s = linalg.map {{ arith.mulf }} ins(%w, %x : {kind}, {kind}) outs(%e : {kind})
  {(chr(10) + "  ").join(lines)}
  %loss = linalg.reduce {{ arith.addf }} ins({last} : {kind}) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, {last} : tensor<f32>, {kind}
}}
"""

    # In NumPy, where no tensor is ever written to.

    def compute(self, w, x):
        values = {"%p": w + x, "%q": w - x, "%s": w * x, "%one": np.float32(1), "%c0": 0}
        self.run([self.loop], values)
        last = values[self.results[0]]
        for other in self.results[1:]:
            last = last + last + values[other]
        return last

    def run(self, ops, values):
        for op in ops:
            self.run_one(values, *op)

    def run_one(self, values, name, result, *operands):
        def get(names):
            return [values[name] for name in names]

        if name == "extract":
            tensor, place = get(operands)
            values[result] = tensor[place]
        elif name == "add":
            values[result] = values[operands[0]] + np.float32(1)
        elif name == "insert":
            element, tensor, place = get(operands)
            values[result] = tensor.copy()
            values[result][place] = element
        elif name == "exceeds":
            values[result] = values[operands[0]] > 1
        elif name == "if":
            holds, ops, then, other = operands
            if values[holds]:
                self.run(ops, values)
            values.update(zip(result, get(then if values[holds] else other)))
        elif name == "for":
            index, carried, starts, ops, left = operands
            handed = get(starts)
            for values[index] in range(self.extent):
                values.update(zip(carried, handed))
                self.run(ops, values)
                handed = get(left)
            values.update(zip(result, handed))
        else:
            index, carried, starts, before, handed, arguments, ops, left = operands
            values[index] = 0
            values.update(zip(carried, get(starts)))
            while True:
                self.run(before, values)
                given = get(handed)
                if values[index] >= self.extent - (1 if before else 0):
                    break
                values.update(zip(arguments, given))
                self.run(ops, values)
                values.update(zip(carried, get(left)))
                values[index] += 1
            values.update(zip(result, given))


def reads_elements(path):
    """Whether the host loads or stores a number in the lowered step."""
    done = subprocess.run(["amp-opt", path, "--amp-mixed-precision=opt-level=O0", "--amp-to-gpu=format=nvvm",
                           "--mlir-print-ir-after=amp-verify-device-lowering", "-o", os.devnull],
                          capture_output=True, text=True, check=True)
    step = re.search(r"func\.func @train_step.*?\n  }", done.stderr, re.DOTALL).group()
    return re.search(r"memref\.(load|store) .*f32", step) is not None


def main():
    first, count = map(int, sys.argv[1:3])
    conditions = "--conditions" in sys.argv
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "nest.mlir")
        for seed in range(first, first + count):
            nest = Nest(seed, conditions)
            with open(path, "w") as file:
                file.write(nest.module())
            draw = np.random.default_rng(seed)
            w, x = (draw.integers(-3, 4, nest.extent).astype(np.float32) for _ in range(2))
            found = amprun.compare(path, {"arg0": w, "step0_x0": x}, nest.compute(w, x),
                                   ("--device=emulator", "--device=host", "--reference"))
            if not conditions and not found and reads_elements(path):
                found.append("the host reads elements")
            if found:
                wrong += 1
                print(f"seed {seed}: ", *found, open(path).read(), sep="\n")
    print(f"{count - wrong} of {count} right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

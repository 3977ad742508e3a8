"""Random loops of launches that carry numbers, on the emulator, the host and in NumPy.

    carried_numbers.py FIRST COUNT

A step goes through nested scf.for, scf.if and scf.while, which carry a vector and numbers of it: f32, f16, i1 and indices, of which
some say where an element is taken from or put, some fill a tensor, and some decide. Numbers are small integers, but for those in
f16, which are rounded in one way: all have to be equal. The host may load a number once for each scf.while and each scf.if that the
text of a step has, which it has to decide, and store none. Exit status 1, and the module, where one is not.
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

MOST = 8  # of what is computed, lest a sum is not exact
TYPES = {"number": "f32", "half": "f16", "flag": "i1", "place": "index"}


class Step:
    """A list of operations: tuples of a name, what is defined and operands. What is carried is a list of (name, kind)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.extent = self.random.choice([3, 4, 7])
        self.vector = f"tensor<{self.extent}xf32>"
        self.names = 0
        self.decisions = self.loops = 0
        # All of the device, which knows w.
        names = {name: self.new() for name in ("sum", "extract", "halves", "less", "place")}
        first = [("sum", names["sum"], "%w"), ("extract", names["extract"], "%x", "%c1"), ("halves", names["halves"], "%three", names["sum"]),
                 ("less", names["less"], names["sum"], names["extract"]), ("place", names["place"], names["sum"])]
        kinds = ("number", "number", "half", "flag", "place")
        ops, left = self.loop([("%w", "vector"), *zip(names.values(), kinds)], 0)
        self.ops = first + ops
        self.result = self.end(left)

    def new(self):
        self.names += 1
        return f"%t{self.names}"

    def pick(self, values, kind):
        return self.random.choice([name for name, of in values if of == kind])

    def replaced(self, values, kind, name):
        """With `name` in place of one of a kind."""
        values = list(values)
        values[self.random.choice([i for i, (_, of) in enumerate(values) if of == kind])] = (name, kind)
        return values

    def body(self, values, indices, depth):
        """Operations, and what they leave in place of `values`; `indices` are those of loops around."""
        draw, values, ops = self.random, list(values), []

        def add(name, kind, *operands):
            nonlocal values
            result = self.new()
            ops.append((name, result, *operands))
            values = self.replaced(values, kind, result)

        def of(kind):
            return self.pick(values, kind)

        for _ in range(draw.randint(2, 6)):
            what = draw.random()
            place = draw.choice([of("place"), *indices, "%c0"])
            if what < 0.15:
                add("map", "vector", draw.choice(["addf", "subf", "mulf"]), of("vector"), of("number"))
            elif what < 0.25:
                add("zip", "vector", of("vector"), "%x")
            elif what < 0.4:
                add("sum", "number", of("vector"))
            elif what < 0.5:
                add("arith", "number", draw.choice(["addf", "subf", "mulf"]), of("number"), of("number"))
            elif what < 0.56:
                add("extract", "number", of("vector"), place)
            elif what < 0.62:
                add("insert", "vector", of("number"), of("vector"), place)
            elif what < 0.66:
                add("place", "place", of("number"))
            elif what < 0.7:
                add("less", "flag", of("number"), of("number"))
            elif what < 0.74:
                add("select", "number", of("flag"), of("number"), of("number"))
            elif what < 0.78:
                add("halves", "half", of("half"), of("number"))
            elif what < 0.82:
                add("whole", "number", of("half"))
            elif what < 0.86:
                add("from", "vector", *(of("number") for _ in range(self.extent)))
            elif depth < 2:
                inner, values = self.branch(values, indices, depth + 1) if what < 0.92 else self.loop(values, depth + 1, indices)
                ops += inner
            # Numbers may change places.
            if draw.random() < 0.2:
                i, j = (draw.choice([i for i, (_, of) in enumerate(values) if of == "number"]) for _ in range(2))
                values[i], values[j] = values[j], values[i]
        return ops, values

    def renamed(self, values):
        return [(self.new(), kind) for _, kind in values]

    def loop(self, starts, depth, indices=()):
        self.loops += 1
        carried, results, index = self.renamed(starts), self.renamed(starts), self.new()
        if self.random.random() < 0.25:
            self.decisions += 1
            handed = self.renamed(starts)
            before, given = self.body(carried, [], 2) if self.random.random() < 0.5 else ([], carried)
            limit = self.pick(given, "number")
            ops, left = self.body(handed, [*indices, index], depth)
            return [("while", results, index, carried, starts, before, limit, given, handed, ops, left)], results
        ops, left = self.body(carried, [*indices, index], depth)
        return [("for", results, index, self.random.choice([0, 1, 2, 3, 3]), carried, starts, ops, left)], results

    def branch(self, values, indices, depth):
        self.decisions += 1
        results = self.renamed(values)
        both = [self.body(values, indices, depth) for _ in range(2)]
        return [("if", results, self.pick(values, "flag"), *both)], results

    def end(self, left):
        """All that is left as one vector."""
        vector = next(name for name, kind in left if kind == "vector")
        for name, kind in left:
            if kind == "vector":
                continue
            if kind != "number":
                number = self.new()
                self.ops.append(({"half": "whole", "flag": "unit", "place": "float"}[kind], number, name))
                name = number
            scaled, result = self.new(), self.new()
            self.ops += [("map", scaled, "addf", "%x", name), ("zip", result, vector, scaled)]
            vector = result
        return vector

    # As text.

    def type(self, kind):
        return TYPES.get(kind, self.vector)

    def emit(self, ops):
        return [line for op in ops for line in self.emit_one(*op)]

    def clamped(self, result, operation):
        a, b = self.new(), self.new()
        return [f"{a} = {operation} : f32", f"{b} = arith.minimumf {a}, %most : f32", f"{result} = arith.maximumf {b}, %least : f32"]

    def emit_one(self, name, result, *operands):
        kind = self.vector
        if name in ("map", "zip"):
            inner = self.new()
            if name == "map":
                fn, vector, number = operands
                ins, arguments, text = f"{vector} : {kind}", "%in: f32", f"arith.{fn} %in, {number}"
            else:
                ins, arguments, text = f"{operands[0]}, {operands[1]} : {kind}, {kind}", "%in: f32, %other: f32", "arith.addf %in, %other"
            return [f"{result} = linalg.map ins({ins}) outs(%e : {kind}) ({arguments}, %out: f32) {{", *self.clamped(inner, text),
                    f"linalg.yield {inner} : f32", "}"]
        if name == "sum":
            sum, element = self.new(), self.new()
            return [f"{sum} = linalg.reduce {{ arith.addf }} ins({operands[0]} : {kind}) outs(%zeros : tensor<f32>) dimensions = [0]",
                    f"{element} = tensor.extract {sum}[] : tensor<f32>", *self.clamped(result, f"arith.addf {element}, %zero")]
        if name == "arith":
            return self.clamped(result, "arith.{} {}, {}".format(*operands))
        if name == "extract":
            return ["{} = tensor.extract {}[{}] : {}".format(result, *operands, kind)]
        if name == "insert":
            return ["{} = tensor.insert {} into {}[{}] : {}".format(result, *operands, kind)]
        if name == "place":
            a, b, c = self.new(), self.new(), self.new()
            return [f"{a} = arith.fptosi {operands[0]} : f32 to i32", f"{b} = arith.addi {a}, %shift : i32",
                    f"{c} = arith.remui {b}, %extent : i32", f"{result} = arith.index_cast {c} : i32 to index"]
        if name == "less":
            return ["{} = arith.cmpf olt, {}, {} : f32".format(result, *operands)]
        if name == "select":
            return ["{} = arith.select {}, {}, {} : f32".format(result, *operands)]
        if name == "halves":
            a, b = self.new(), self.new()
            return [f"{a} = arith.mulf {operands[0]}, %third : f16", f"{b} = arith.truncf {operands[1]} : f32 to f16",
                    f"{result} = arith.addf {a}, {b} : f16"]
        if name == "whole":
            a = self.new()
            return [f"{a} = arith.extf {operands[0]} : f16 to f32", f"{result} = math.floor {a} : f32"]
        if name == "unit":
            return [f"{result} = arith.uitofp {operands[0]} : i1 to f32"]
        if name == "float":
            a = self.new()
            return [f"{a} = arith.index_cast {operands[0]} : index to i32", f"{result} = arith.sitofp {a} : i32 to f32"]
        if name == "from":
            return [f"{result} = tensor.from_elements {', '.join(operands)} : {kind}"]

        def names(values):
            return ", ".join(name for name, _ in values)

        types = ", ".join(self.type(of) for _, of in result)
        if name == "if":
            flag, *both = operands
            lines = [f"{names(result)} = scf.if {flag} -> ({types}) {{"]
            for i, (ops, left) in enumerate(both):
                lines += ["} else {"] * i + [*self.emit(ops), f"scf.yield {names(left)} : {types}"]
            return [*lines, "}"]
        if name == "for":
            index, count, carried, starts, ops, left = operands
            pairs = ", ".join(f"{a} = {b}" for (a, _), (b, _) in zip(carried, starts))
            return [f"{names(result)} = scf.for {index} = %c0 to %c{count} step %c1 iter_args({pairs}) -> ({types}) {{",
                    *self.emit(ops), f"scf.yield {names(left)} : {types}", "}"]
        index, carried, starts, before, limit, given, handed, ops, left = operands
        pairs = ", ".join(f"{a} = {b}" for (a, _), (b, _) in zip(carried, starts))
        last, low, few, holds, following = (self.new() for _ in range(5))
        arguments = ", ".join(f"{a}: {self.type(of)}" for a, of in handed)
        return [f"{last}, {names(result)} = scf.while ({index} = %c0, {pairs}) : (index, {types}) -> (index, {types}) {{",
                *self.emit(before), f"{low} = arith.cmpf olt, {limit}, %five : f32", f"{few} = arith.cmpi ult, {index}, %c3 : index",
                f"{holds} = arith.andi {low}, {few} : i1", f"scf.condition({holds}) {index}, {names(given)} : index, {types}", "} do {",
                f"^bb0({index}: index, {arguments}):", *self.emit(ops), f"{following} = arith.addi {index}, %c1 : index",
                f"scf.yield {following}, {names(left)} : index, {types}", "}"]

    def module(self):
        kind = self.vector
        lines = "\n  ".join(self.emit(self.ops))
        return f"""func.func @train_step(%w: {kind} {amprun.role("param", "w")}, %x: {kind} {amprun.role("batch", "x")},
    %seed: tensor<f32> {amprun.role("loss_seed", "loss")}) -> (tensor<f32> {amprun.role("loss", "loss")}, {kind} {amprun.role("param", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %shift = arith.constant {8 * self.extent} : i32
  %extent = arith.constant {self.extent} : i32
  %zero = arith.constant 0.0 : f32
  %five = arith.constant 5.0 : f32
  %most = arith.constant {MOST}.0 : f32
  %least = arith.constant -{MOST}.0 : f32
  %three = arith.constant 3.0 : f16
  %third = arith.constant 0.3 : f16
  %zeros = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {kind}
  {lines}
  %loss = linalg.reduce {{ arith.addf }} ins({self.result} : {kind}) outs(%zeros : tensor<f32>) dimensions = [0]
  return %loss, {self.result} : tensor<f32>, {kind}
}}
"""

    # In NumPy, where no tensor is ever written to.

    def compute(self, w, x):
        values = {"%w": w, "%x": x, "%three": np.float16(3), "%c0": 0, "%c1": 1}
        self.run(self.ops, values)
        return values[self.result]

    def run(self, ops, values):
        for op in ops:
            self.run_one(values, *op)

    def run_one(self, values, name, result, *operands):
        def get(named):
            return [values[name] for name, _ in named]

        def hand(named, to):
            values.update(zip([name for name, _ in named], to))

        def clamp(value):
            return np.clip(value, np.float32(-MOST), np.float32(MOST))

        apply = {"addf": lambda a, b: a + b, "subf": lambda a, b: a - b, "mulf": lambda a, b: a * b}
        if name in ("map", "arith"):
            fn, a, b = operands
            values[result] = clamp(apply[fn](values[a], values[b]))
        elif name == "if":
            flag, *both = operands
            ops, left = both[0 if values[flag] else 1]
            self.run(ops, values)
            hand(result, get(left))
        elif name == "for":
            index, count, carried, starts, ops, left = operands
            last = get(starts)
            for values[index] in range(count):
                hand(carried, last)
                self.run(ops, values)
                last = get(left)
            hand(result, last)
        elif name == "while":
            index, carried, starts, before, limit, given, handed, ops, left = operands
            hand(carried, get(starts))
            values[index] = 0
            while True:
                self.run(before, values)
                last = get(given)
                if not (values[limit] < 5 and values[index] < 3):
                    break
                hand(handed, last)
                self.run(ops, values)
                hand(carried, get(left))
                values[index] += 1
            hand(result, last)
        else:
            of = [values[operand] for operand in operands]
            if name == "insert":
                number, vector, place = of
                values[result] = vector.copy()
                values[result][place] = number
            else:
                values[result] = {
                    "zip": lambda a, b: clamp(a + b), "sum": lambda a: clamp(a.sum(dtype=np.float32)),
                    "extract": lambda a, place: a[place], "place": lambda a: (int(a) + 8 * self.extent) % self.extent,
                    "less": lambda a, b: a < b, "select": lambda flag, a, b: a if flag else b,
                    "halves": lambda a, b: np.float16(np.float16(a * np.float16(0.3)) + np.float16(b)),
                    "whole": lambda a: np.floor(np.float32(a)), "unit": np.float32, "float": np.float32,
                    "from": lambda *numbers: np.array(numbers, np.float32)}[name](*of)


def count_accesses(path):
    """How many calls of a lowered step read a number of the device's memory, and how many write one."""
    done = subprocess.run(["amp-opt", path, "--amp-mixed-precision=opt-level=O0", "--amp-to-gpu=format=nvvm"],
                          capture_output=True, text=True, check=True)
    return [len(re.findall(f"call @ampRtRun{access}\\(", done.stdout)) for access in ("Read", "Write")]


def main():
    first, count = map(int, sys.argv[1:3])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "step.mlir")
        for seed in range(first, first + count):
            step = Step(seed)
            with open(path, "w") as file:
                file.write(step.module())
            draw = np.random.default_rng(seed)
            w, x = (draw.integers(-3, 4, step.extent).astype(np.float32) for _ in range(2))
            found = amprun.compare(path, {"arg0": w, "step0_x0": x}, step.compute(w, x),
                                   ("--device=emulator", "--device=host", "--reference"))
            if not found:
                reads, writes = count_accesses(path)
                if reads > step.decisions or writes > step.loops:
                    found.append(f"the host reads {reads} numbers and writes {writes}, with {step.decisions} decisions and {step.loops} loops")
            if found:
                wrong += 1
                print(f"seed {seed}: ", *found, open(path).read(), sep="\n")
    print(f"{count - wrong} of {count} right")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
#===- random_degrees.py - Degrees against numbers ------------------------===#
#
# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Random programs whose values are computed at three loss scales.

    random_degrees.py AMP_OPT [PROGRAMS] [SEED]

Each program scales a seed with one or two scalers and goes on with random
arithmetic, selects, bodies of linalg.generic, loops, branches and calls of random
helpers. This script computes every value itself, in f64 with NumPy, with scales 1,
4 and 1024, and compares with the degrees that amp-opt prints:

  a value of degree k is multiplied by 4^k and 1024^k;
  one that fits any degree is 0, infinite or NaN, and stays the same.

Nothing is asked of values without a degree, so the share of values that have one
is printed, and that of values that the numbers call a power and the analysis does
not; both have bounds, since an analysis that decides nothing is never wrong.
"""

import fractions
import random
import re
import subprocess
import sys

import numpy as np

N = 4  # elements of a tensor
T, M = f"tensor<{N}xf64>", f"tensor<{N}xi1>"

UNARY = {
    "arith.negf": np.negative, "math.absf": np.abs, "math.sqrt": np.sqrt,
    "math.rsqrt": lambda a: 1 / np.sqrt(a), "math.exp": np.exp, "math.tanh": np.tanh,
    "math.cbrt": np.cbrt, "math.floor": np.floor, "math.log": np.log,
}
BINARY = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply,
    "arith.divf": np.divide, "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
    "math.atan2": np.arctan2, "math.copysign": np.copysign,
}
COMPARE = {"ogt": np.greater, "olt": np.less, "oge": np.greater_equal}
CONSTANTS = {"0.0": 0.0, "1.0": 1.0, "2.5": 2.5, "-1.0": -1.0, "0x7FF0000000000000": np.inf}
# What keeps programs near a power is drawn more often than what does not.
WEIGHTS = {"arith.mulf": 6, "arith.divf": 4, "arith.addf": 4, "arith.maximumf": 3,
           "math.absf": 3, "math.sqrt": 2, "arith.negf": 2}


class Block:
    """Lines of a region, and functions that compute the values they name."""

    def __init__(self, gen, indent, floats, masks):
        self.gen, self.indent = gen, indent
        self.floats, self.masks = list(floats), list(masks)
        self.lines, self.steps = [], []

    def emit(self, results, text, compute):
        """compute(env) gives the results' values."""
        self.lines.append(" " * self.indent + text)
        self.steps.append((results, compute))

    def run(self, env):
        for results, compute in self.steps:
            values = compute(env)
            for name, value in zip(results, values):
                env[name] = value

    def new(self):
        self.gen.count += 1
        return f"%v{self.gen.count}"

    def pick(self):
        # The newest values most often, so that chains get deep.
        i = int(len(self.floats) * (1 - self.gen.random.random() ** 2))
        return self.floats[min(i, len(self.floats) - 1)]

    def add_random(self, depth):
        r = self.gen.random
        kind = r.choices(["unary", "binary", "constant", "compare", "select", "fma", "pow", "body",
                          "for", "if", "call"], [5, 16, 2, 2, 3, 1, 1, 2, 1, 1, 3])[0]
        if depth > 1 and kind in ("for", "if"):
            kind = "binary"
        getattr(self, "add_" + kind)(depth)

    def draw(self, table):
        names = list(table)
        return self.gen.random.choices(names, [WEIGHTS.get(n, 1) for n in names])[0]

    def add_unary(self, depth):
        op, a, v = self.draw(UNARY), self.pick(), self.new()
        self.emit([v], f"{v} = {op} {a} : {T}", lambda env: [UNARY[op](env[a])])
        self.floats.append(v)

    def add_binary(self, depth):
        op, a, b, v = self.draw(BINARY), self.pick(), self.pick(), self.new()
        self.emit([v], f"{v} = {op} {a}, {b} : {T}", lambda env: [BINARY[op](env[a], env[b])])
        self.floats.append(v)

    def add_constant(self, depth):
        text, v = self.gen.random.choice(list(CONSTANTS)), self.new()
        self.emit([v], f"{v} = arith.constant dense<{text}> : {T}",
                  lambda env: [np.full(N, CONSTANTS[text])])
        self.floats.append(v)

    def add_compare(self, depth):
        p, a, b, v = self.gen.random.choice(list(COMPARE)), self.pick(), self.pick(), self.new()
        self.emit([v], f"{v} = arith.cmpf {p}, {a}, {b} : {T}", lambda env: [COMPARE[p](env[a], env[b])])
        self.masks.append(v)

    def add_select(self, depth):
        if not self.masks:
            return self.add_compare(depth)
        m, a, b, v = self.gen.random.choice(self.masks), self.pick(), self.pick(), self.new()
        self.emit([v], f"{v} = arith.select {m}, {a}, {b} : {M}, {T}",
                  lambda env: [np.where(env[m], env[a], env[b])])
        self.floats.append(v)

    def add_fma(self, depth):
        a, b, c, v = self.pick(), self.pick(), self.pick(), self.new()
        self.emit([v], f"{v} = math.fma {a}, {b}, {c} : {T}", lambda env: [env[a] * env[b] + env[c]])
        self.floats.append(v)

    def add_pow(self, depth):
        e, a, c, v = self.gen.random.choice([2.0, 0.5, 3.0, -1.0]), self.pick(), self.new(), self.new()
        self.emit([c], f"{c} = arith.constant dense<{e}> : {T}", lambda env: [np.full(N, e)])
        self.emit([v], f"{v} = math.powf {a}, {c} : {T}", lambda env: [np.power(env[a], e)])
        self.floats.append(v)

    def add_body(self, depth):
        """A sum of products, or an elementwise body that captures nothing."""
        a, b, e, v = self.pick(), self.pick(), self.new(), self.new()
        op = self.draw(BINARY)
        self.emit([e], f"{e} = tensor.empty() : {T}", lambda env: [np.zeros(N)])
        one = "affine_map<(i) -> (i)>"
        self.emit([v], f"{v} = linalg.generic {{indexing_maps = [{one}, {one}, {one}], "
                  f'iterator_types = ["parallel"]}} ins({a}, {b} : {T}, {T}) outs({e} : {T}) {{\n'
                  f"^bb0(%p: f64, %q: f64, %o: f64):\n  %r = {op} %p, %q : f64\n"
                  f"  linalg.yield %r : f64\n}} -> {T}",
                  lambda env: [BINARY[op](env[a], env[b])])
        self.floats.append(v)

    def add_for(self, depth):
        inits = [self.pick(), self.pick()]
        args, results = [self.new(), self.new()], self.new()
        inner = Block(self.gen, self.indent + 2, self.floats + args, self.masks)
        for _ in range(self.gen.random.randint(1, 4)):
            inner.add_random(depth + 1)
        ends = [inner.pick(), self.gen.random.choice(args)]
        names = [f"{results}#0", f"{results}#1"]

        def compute(env):
            env = dict(env)
            carried = [env[i] for i in inits]
            for _ in range(3):
                env.update(zip(args, carried))
                inner.run(env)
                carried = [env[e] for e in ends]
            return carried
        self.emit(names, f"{results}:2 = scf.for {self.new()} = %c0 to %c3 step %c1 iter_args("
                  f"{args[0]} = {inits[0]}, {args[1]} = {inits[1]}) -> ({T}, {T}) {{\n"
                  + "\n".join(inner.lines) + f"\nscf.yield {ends[0]}, {ends[1]} : {T}, {T}\n}}", compute)
        self.floats += names

    def add_if(self, depth):
        if not self.masks:
            return self.add_compare(depth)
        m, c, v = self.gen.random.choice(self.masks), self.new(), self.new()
        blocks = [Block(self.gen, self.indent + 2, self.floats, self.masks) for _ in range(2)]
        for block in blocks:
            for _ in range(self.gen.random.randint(1, 3)):
                block.add_random(depth + 1)
        ends = [block.pick() for block in blocks]

        def compute(env):
            env = dict(env)
            way = 0 if env[c] else 1
            blocks[way].run(env)
            return [env[ends[way]]]
        self.emit([c], f"{c} = tensor.extract {m}[%c1] : {M}", lambda env: [bool(env[m][1])])
        self.emit([v], f"{v} = scf.if {c} -> {T} {{\n" + "\n".join(blocks[0].lines)
                  + f"\nscf.yield {ends[0]} : {T}\n}} else {{\n" + "\n".join(blocks[1].lines)
                  + f"\nscf.yield {ends[1]} : {T}\n}}", compute)
        self.floats.append(v)

    def add_call(self, depth):
        if not self.gen.helpers:
            return self.add_binary(depth)
        name, params, body, ends = self.gen.random.choice(self.gen.helpers)
        args, v = [self.pick() for _ in params], self.new()

        def compute(env):
            inside = dict(zip(params, [env[a] for a in args]))
            body.run(inside)
            return [inside[e] for e in ends]
        types = ", ".join([T] * len(params))
        names = [f"{v}#0", f"{v}#1"]
        self.emit(names, f"{v}:2 = func.call @{name}({', '.join(args)}) : ({types}) -> ({T}, {T})", compute)
        self.floats += names


class Program:
    def __init__(self, seed):
        self.random, self.count, self.helpers = random.Random(seed), 0, []
        functions = []
        loop = [f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 3)]
        for i in range(self.random.randint(0, 3)):
            params = [self.fresh() for _ in range(self.random.randint(1, 3))]
            body = Block(self, 2, params, [])
            for _ in range(self.random.randint(2, 6)):
                body.add_random(1)
            ends = [body.floats[-1], self.random.choice(body.floats)]
            functions.append(f"func.func private @h{i}({', '.join(p + ': ' + T for p in params)}) -> ({T}, {T}) {{\n"
                             + "\n".join(loop + body.lines) + f"\n  return {ends[0]}, {ends[1]} : {T}, {T}\n}}")
            self.helpers.append((f"h{i}", params, body, ends))
        self.main = Block(self, 2, ["%a", "%b", "%x", "%y"], [])
        for _ in range(self.random.randint(8, 24)):
            self.main.add_random(0)
        role = '{amp.role = "batch", amp.name = "x%d"}'
        f32 = f"tensor<{N}xf32>"
        functions.append(
            f"func.func @main(%s: {f32} {role % 0}, %x: {T} {role % 1}, %y: {T} {role % 2}) {{\n"
            + "\n".join(loop) + f"\n  %s0 = amp.scale_loss %s using @s : {f32}\n"
            f"  %t0 = amp.scale_loss %s using @t : {f32}\n  %a = arith.extf %s0 : {f32} to {T}\n"
            f"  %b = arith.extf %t0 : {f32} to {T}\n" + "\n".join(self.main.lines) + "\n  return\n}")
        self.text = ("amp.scaler @s {initial_scale = 1.0 : f64, static_scale}\n"
                     "amp.scaler @t {initial_scale = 1.0 : f64, static_scale}\n" + "\n".join(functions))

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def run(self, s, t):
        numbers = np.random.default_rng(self.count)
        start = numbers.uniform(0.5, 2, N) * numbers.choice([1, -1], N)
        env = {"%x": numbers.uniform(-2, 2, N), "%y": numbers.uniform(0.1, 3, N), "%a": start * s, "%b": start * t}
        self.main.run(env)
        return env


def read_degree(text):
    """The powers of both scales; a word for what is none."""
    if text in ("any", "undecided", "none"):
        return text
    powers = {"s": fractions.Fraction(0), "t": fractions.Fraction(0)}
    for term in text.split(" and "):
        if match := re.fullmatch(r"(-?[\d/]+) in @([st])", term):
            powers[match[2]] = fractions.Fraction(match[1])
        else:
            assert term == "0", text
    return powers["s"], powers["t"]


def scales_so(values, degree):
    base = values[0]
    for (s, t), value in zip(SCALES, values):
        want = base * s ** float(degree[0]) * t ** float(degree[1])
        with np.errstate(all="ignore"):
            same = (want == value) | (np.isnan(want) & np.isnan(value)) | (
                np.abs(want - value) <= 1e-7 * np.abs(want))
        # Beyond the range of normal numbers nothing is promised.
        out = ~np.isfinite(want) | ~np.isfinite(value) | (np.abs(want) < 1e-290) | (np.abs(value) < 1e-290) \
            | (np.abs(want) > 1e290)
        out &= (base != 0)
        if not np.all(same | out):
            return False
    return True


SCALES = [(1, 1), (4, 1), (1024, 1), (1, 4), (4, 1024)]


def main():
    amp_opt = sys.argv[1]
    programs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    made = [Program(first + i) for i in range(programs)]
    text = "\n// -----\n".join(p.text for p in made)
    run = subprocess.run([amp_opt, "--split-input-file", "--amp-verify-scaling=print-degrees", "--mlir-print-op-on-diagnostic=false",
                          "-o", "/dev/null", "-"], input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit('\n'.join(re.findall(r'.*error:.*\n.*', run.stderr)[:10]))
    # Remarks stand at lines of the whole text.
    degrees = {}
    for line, degree in re.findall(r"<stdin>:(\d+):\d+: remark: degree: (.*)", run.stderr):
        degrees[int(line)] = degree
    lines = text.split("\n")
    wrong = values = decided = missed = total = 0
    number = 0
    np.seterr(all="ignore")
    for index, program in enumerate(made):
        begin = number
        number += program.text.count("\n") + 2  # and the line that splits
        envs = [program.run(s, t) for s, t in SCALES]
        inside = False
        for at in range(begin, number - 1):
            inside |= "func.func @main" in lines[at]
            match = re.match(r"  (%v\d+)(:\d+)? = ", lines[at])
            if not inside or not match or at + 1 not in degrees:
                continue
            texts = degrees[at + 1].split(", ")
            names = [match[1]] if not match[2] else [f"{match[1]}#{i}" for i in range(len(texts))]
            for name, printed in zip(names, texts):
                got = [env[name] for env in envs]
                if not isinstance(got[0], np.ndarray):
                    continue
                total += 1
                degree = read_degree(printed)
                if got[0].dtype == bool:
                    if printed == "0" and not all(np.array_equal(got[0], g) for g in got):
                        wrong += 1
                        print(f"program {first + index}, {name}: a mask of degree 0 changes with the scale")
                    continue
                if degree in ("undecided", "none"):
                    missed += scales_so(got, (0, 0)) and bool(np.all(np.isfinite(got)))
                    continue
                decided += 1
                if degree == "any":
                    ok = all(np.all((g == 0) | ~np.isfinite(g)) for g in got)
                else:
                    ok = scales_so(got, degree)
                if not ok:
                    wrong += 1
                    print(f"program {first + index}, {name}: degree {printed}, but", *got, sep="\n  ")
    print(f"{total} values of {programs} programs: {decided} with a degree, {wrong} of them wrong; "
          f"{missed} without one that do not change with the scale")
    if wrong or decided < 0.4 * total or missed > 0.1 * total:
        sys.exit(1)


if __name__ == "__main__":
    main()

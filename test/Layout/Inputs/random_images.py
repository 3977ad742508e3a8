"""Writes a module of random programs on images.

    random_images.py COUNT SEED

Convolutions, pads, slices, insertions, concatenations and elementwise operations in random
order on small images, many of whose extents are 1. Elements are small whole numbers, so
that f32 is exact in any order. @main prints for each program its number and, for two of
its values, a sum of their elements weighted by position.
"""

import random
import sys


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


class Program:
    def __init__(self, rng):
        self.rng, self.count, self.lines = rng, 0, []
        shape = (rng.choice([1, 2]), rng.randint(1, 3), rng.randint(3, 5), rng.randint(3, 5))
        self.arguments = [("%x", shape)]
        self.values = list(self.arguments)

    def emit(self, text, shape):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, tuple(shape)))
        return name

    def argument(self, shape):
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, tuple(shape)))
        return name

    def convolution(self, name, shape):
        size = self.rng.choice([1, 1, 2])
        if min(shape[2:]) < size:
            return
        window = (self.rng.randint(1, 4), shape[1], size, size)
        result = (shape[0], window[0], shape[2] - size + 1, shape[3] - size + 1)
        filters = self.argument(window)
        self.emit(f"tensor.empty() : {tensor(result)}", result)
        empty, _ = self.values.pop()
        self.emit(f"linalg.fill ins(%zero : f32) outs({empty} : {tensor(result)}) -> {tensor(result)}", result)
        start, _ = self.values.pop()
        self.emit(
            f"linalg.conv_2d_nchw_fchw ins({name}, {filters} : {tensor(shape)}, {tensor(window)})"
            f" outs({start} : {tensor(result)}) -> {tensor(result)}",
            result,
        )

    def elementwise(self, name, shape):
        other = self.rng.choice([value for value in self.values if value[1] == shape])[0]
        text = self.rng.choice([f"math.absf {name}", f"arith.subf {name}, {other}"])
        self.emit(f"{text} : {tensor(shape)}", shape)

    def slice(self, name, shape):
        sizes = [self.rng.choice([1, size, self.rng.randint(1, size)]) for size in shape]
        offsets = [self.rng.randint(0, size - part) for size, part in zip(shape, sizes)]
        self.emit(
            f"tensor.extract_slice {name}{offsets} {sizes} [1, 1, 1, 1] : {tensor(shape)} to {tensor(sizes)}", sizes
        )

    def pad(self, name, shape):
        low = [self.rng.choice([0, 0, 1]) for _ in shape]
        high = [self.rng.choice([0, 0, 1, 2]) for _ in shape]
        result = [sum(of) for of in zip(shape, low, high)]
        self.emit(
            f"tensor.pad {name} low{low} high{high} {{\n"
            "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            "    tensor.yield %zero : f32\n"
            f"  }} : {tensor(shape)} to {tensor(result)}",
            result,
        )

    def insert(self, name, shape):
        part, size = self.rng.choice(self.values)
        if any(a > b for a, b in zip(size, shape)):
            size = tuple(self.rng.choice([1, extent]) for extent in shape)
            part = self.argument(size)
        offsets = [self.rng.randint(0, a - b) for a, b in zip(shape, size)]
        self.emit(
            f"tensor.insert_slice {part} into {name}{offsets} {list(size)} [1, 1, 1, 1] :"
            f" {tensor(size)} into {tensor(shape)}",
            shape,
        )

    def concat(self, name, shape):
        dim, size = self.rng.randrange(4), list(shape)
        size[dim] = 1
        part = self.argument(size)
        result = list(shape)
        result[dim] += 1
        self.emit(
            f"tensor.concat dim({dim}) {name}, {part} : ({tensor(shape)}, {tensor(size)}) -> {tensor(result)}", result
        )

    def write(self, number):
        kinds = [self.convolution, self.elementwise, self.slice, self.slice, self.pad, self.insert, self.concat]
        for _ in range(self.rng.randint(5, 12)):
            self.rng.choice(kinds)(*self.rng.choice(self.values[-3:]))
        given = [self.values[-1], self.rng.choice(self.values)]
        arguments = ", ".join(f"{name}: {tensor(shape)}" for name, shape in self.arguments)
        types = ", ".join(tensor(shape) for _, shape in given)
        return [
            f"func.func @case{number}({arguments}) -> ({types}) {{",
            "  %zero = arith.constant 0.0 : f32",
            *self.lines,
            f"  return {', '.join(name for name, _ in given)} : {types}",
            "}",
        ], given


def literal(shape, rng):
    if not shape:
        return str(float(rng.randint(-3, 3)))
    return "[" + ", ".join(literal(shape[1:], rng) for _ in range(shape[0])) + "]"


def total(value, shape, place):
    """Lines that print the sum of `value` weighted by position."""
    lines = [f"  %n{place} = tensor.empty() : tensor<f32>"]
    lines += [f"  %s{place} = linalg.fill ins(%zero : f32) outs(%n{place} : tensor<f32>) -> tensor<f32>"]
    maps = "affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> ()>"
    kinds = ", ".join(['"reduction"'] * 4)
    lines += [
        f"  %t{place} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
        f" ins({value} : {tensor(shape)}) outs(%s{place} : tensor<f32>) {{",
        "  ^bb0(%e: f32, %sum: f32):",
        "    %w0 = arith.constant 1 : index",
    ]
    for dim, size in enumerate(shape):
        lines += [
            f"    %i{dim} = linalg.index {dim} : index",
            f"    %z{dim} = arith.constant {size} : index",
            f"    %m{dim} = arith.muli %w{dim}, %z{dim} : index",
            f"    %w{dim + 1} = arith.addi %m{dim}, %i{dim} : index",
        ]
    lines += [
        "    %c = arith.index_cast %w4 : index to i32",
        "    %f = arith.sitofp %c : i32 to f32",
        "    %p = arith.mulf %e, %f : f32",
        "    %r = arith.addf %sum, %p : f32",
        "    linalg.yield %r : f32",
        "  } -> tensor<f32>",
        f"  %r{place} = tensor.extract %t{place}[] : tensor<f32>",
        f"  vector.print %r{place} : f32",
    ]
    return lines


def main():
    rng = random.Random(int(sys.argv[2]))
    functions, calls = [], ["func.func @main() {", "  %zero = arith.constant 0.0 : f32"]
    for number in range(int(sys.argv[1])):
        program = Program(rng)
        lines, given = program.write(number)
        functions += lines
        names = [f"%c{number}{name[1:]}" for name, _ in program.arguments]
        for name, (_, shape) in zip(names, program.arguments):
            calls.append(f"  {name} = arith.constant dense<{literal(shape, rng)}> : {tensor(shape)}")
        types = ", ".join(tensor(shape) for _, shape in program.arguments)
        results = ", ".join(tensor(shape) for _, shape in given)
        calls += [
            f"  %g{number}:2 = call @case{number}({', '.join(names)}) : ({types}) -> ({results})",
            f"  %number{number} = arith.constant {number} : index",
            f"  vector.print %number{number} : index",
        ]
        for which, (_, shape) in enumerate(given):
            calls += total(f"%g{number}#{which}", shape, f"{number}_{which}")
    print("\n".join(functions + calls + ["  return", "}"]))


main()

"""Writes a module of random programs on tensors.

    random_groups.py COUNT SEED [--unknown]

Each is a function of two tensors: elementwise operations, broadcasts, transposes, sums
and maxima over some dimensions, reshapes, slices, windows, reads by index, operations
with two results, in random order on random shapes, most of them read more than once.
Elements are i32 and arithmetic wraps around, so that every order of additions gives the
same numbers. With --unknown some extents of what an operation reads and writes are known
when the program runs only, and others of the same loop before. @main prints for each program its number and, for each value that it
returns, a sum of its elements weighted by position.
"""

import random
import sys

SIZES = (2, 3, 4, 6, 8, 12, 16, 32)


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "i32>"


def affine(loops, exprs):
    return f"affine_map<({', '.join(loops)}) -> ({', '.join(exprs)})>"


class Program:
    def __init__(self, number, rng, unknown):
        self.rng, self.number, self.count = rng, number, 0
        self.unknown, self.hiding = unknown, random.Random(number)
        rank = rng.randint(1, 3)
        self.shape = [rng.choice(SIZES) for _ in range(rank)]
        self.values = [("%a", tuple(self.shape)), ("%b", tuple(self.shape))]
        self.lines = []

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line):
        self.lines.append("  " + line)

    def pick(self, wanted=lambda shape: True):
        found = [value for value in self.values if wanted(value[1])]
        # The newest ones more often: chains are what is fused.
        return found[-1] if self.rng.random() < 0.5 else self.rng.choice(found)

    def empty(self, shape):
        name = self.name()
        self.emit(f"{name} = tensor.empty() : {tensor(shape)}")
        return name

    def filled(self, shape, value):
        empty, constant, name = self.empty(shape), self.name(), self.name()
        self.emit(f"{constant} = arith.constant {value} : i32")
        self.emit(
            f"{name} = linalg.fill ins({constant} : i32) outs({empty} : {tensor(shape)})"
            f" -> {tensor(shape)}"
        )
        return name

    def hide(self, name, shape):
        """`name` and its type, with some extents that depend on an argument."""
        if not self.unknown or not shape or self.hiding.random() < 0.5:
            return name, tensor(shape)
        shape = tuple(shape)
        some = tuple("?" if self.hiding.random() < 0.5 else size for size in shape)
        if some == shape:
            return name, tensor(shape)
        sizes = []
        for size, left in zip(shape, some):
            if left == "?":
                constant, product = self.name(), self.name()
                self.emit(f"{constant} = arith.constant {size} : index")
                self.emit(f"{product} = arith.muli %times, {constant} : index")
                size = product
            sizes.append(str(size))
        hidden = self.name()
        self.emit(
            f"{hidden} = tensor.extract_slice {name}{[0] * len(shape)} [{', '.join(sizes)}]"
            f" {[1] * len(shape)} : {tensor(shape)} to {tensor(some)}"
        )
        return hidden, tensor(some)

    def generic(self, loops, kinds, inputs, results, inits, body):
        """`inputs` and `results`: shapes and index expressions by name."""
        maps = [affine(loops, exprs) for _, _, exprs in inputs + results]
        read = [self.hide(name, shape) for name, shape, _ in inputs]
        written = [self.hide(init, shape) for init, (_, shape, _) in zip(inits, results)]
        inits, types = [name for name, _ in written], [type for _, type in written]
        names = [self.name() for _ in results]
        left = names[0] if len(names) == 1 else f"{names[0]}:{len(names)}"
        self.emit(
            f"{left} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types ="
            f" [{', '.join(chr(34) + kind + chr(34) for kind in kinds)}]}}"
            + (
                f" ins({', '.join(name for name, _ in read)} :"
                f" {', '.join(type for _, type in read)})"
                if inputs
                else ""
            )
            + f" outs({', '.join(inits)} : {', '.join(types)}) {{"
        )
        arguments = [f"%i{n}: i32" for n in range(len(inputs))]
        arguments += [f"%o{n}: i32" for n in range(len(results))]
        self.emit(f"^bb0({', '.join(arguments)}):")
        for line in body:
            self.emit("  " + line)
        given = types[0] if len(types) == 1 else f"({', '.join(types)})"
        self.emit(f"}} -> {given}")
        for n, ((_, shape, _), type) in enumerate(zip(results, types)):
            name = names[0] + (f"#{n}" if len(names) > 1 else "")
            if type != tensor(shape):
                self.emit(f"{names[n]}s = tensor.cast {name} : {type} to {tensor(shape)}")
                name = f"{names[n]}s"
            self.values.append((name, tuple(shape)))

    def operand(self, loops, shape):
        """A value that loops of extents `shape` can read, and how they index it."""
        exprs, fits = list(loops), shape
        if self.rng.random() < 0.25:  # transposed
            order = list(range(len(shape)))
            self.rng.shuffle(order)
            exprs, fits = [loops[d] for d in order], tuple(shape[d] for d in order)
        elif self.rng.random() < 0.4:  # broadcast
            kept = sorted(self.rng.sample(range(len(shape)), self.rng.randint(0, len(shape))))
            exprs, fits = [loops[d] for d in kept], tuple(shape[d] for d in kept)
        found = [value for value in self.values if value[1] == tuple(fits)]
        if not found:
            return None
        return (self.rng.choice(found[-4:])[0], fits, exprs)

    def elementwise(self):
        name, shape = self.pick()
        loops = [f"d{n}" for n in range(len(shape))]
        inputs = [(name, shape, loops)]
        for _ in range(self.rng.randint(0, 2)):
            more = self.operand(loops, shape)
            inputs += [more] if more else []
        body = ["%c = arith.constant 3 : i32", "%r0 = arith.muli %i0, %c : i32"]
        for n in range(1, len(inputs)):
            op = self.rng.choice(["addi", "subi", "muli", "maxsi", "xori"])
            body.append(f"%r{n} = arith.{op} %r{n - 1}, %i{n} : i32")
        last = f"%r{len(inputs) - 1}"
        if loops and self.rng.random() < 0.2:
            dim = self.rng.randrange(len(loops))
            body += [
                f"%x = linalg.index {dim} : index",
                "%y = arith.index_cast %x : index to i32",
                f"%z = arith.addi {last}, %y : i32",
            ]
            last = "%z"
        results, yielded = [(None, shape, loops)], [last]
        if self.rng.random() < 0.2:
            results.append((None, shape, loops))
            yielded.append("%r0")
        body.append(f"linalg.yield {', '.join(yielded)} : {', '.join(['i32'] * len(yielded))}")
        inits = [self.empty(shape) for _ in results]
        self.generic(loops, ["parallel"] * len(loops), inputs, results, inits, body)

    def reduction(self):
        name, shape = self.pick(lambda shape: len(shape) > 0)
        loops = [f"d{n}" for n in range(len(shape))]
        dims = self.rng.sample(range(len(shape)), self.rng.randint(1, len(shape)))
        kinds = ["reduction" if d in dims else "parallel" for d in range(len(shape))]
        keeps = self.rng.random() < 0.4
        result, exprs = [], []
        for d, size in enumerate(shape):
            if d not in dims:
                result.append(size)
                exprs.append(loops[d])
            elif keeps:
                result.append(1)
                exprs.append("0")
        op = self.rng.choice(["addi", "maxsi"])
        init = self.filled(result, 0 if op == "addi" else -(2**31))
        inputs = [(name, shape, loops)]
        body = [f"%r = arith.{op} %o0, %i0 : i32"]
        second = self.operand(loops, shape)
        if second and self.rng.random() < 0.5:
            inputs.append(second)
            body = ["%p = arith.xori %i0, %i1 : i32", f"%r = arith.{op} %o0, %p : i32"]
        self.generic(loops, kinds, inputs, [(None, result, exprs)], [init],
                     body + ["linalg.yield %r : i32"])

    def unit(self):
        """An extent of 1 more, or one less."""
        name, shape = self.pick(lambda shape: len(shape) > 0)
        new = self.name()
        if 1 in shape and len(shape) > 1:
            at = shape.index(1)
            short = shape[:at] + shape[at + 1 :]
            first = max(at - 1, 0)
            groups = [[d] for d in range(first)] + [[first, first + 1]]
            groups += [[d] for d in range(first + 2, len(shape))]
            self.emit(f"{new} = tensor.collapse_shape {name} {groups} : {tensor(shape)} into {tensor(short)}")
            self.values.append((new, short))
        elif len(shape) < 4:
            at = self.rng.randint(0, len(shape) - 1)
            after = self.rng.random() < 0.5
            long = list(shape)
            long.insert(at + after, 1)
            groups = [[d] for d in range(at)] + [[at, at + 1]]
            groups += [[d] for d in range(at + 2, len(long))]
            self.emit(
                f"{new} = tensor.expand_shape {name} {groups} output_shape {long} :"
                f" {tensor(shape)} into {tensor(long)}"
            )
            self.values.append((new, tuple(long)))

    def merge(self):
        name, shape = self.pick(lambda shape: True)
        if len(shape) < 2:
            return
        at, new = self.rng.randint(0, len(shape) - 2), self.name()
        short = shape[:at] + (shape[at] * shape[at + 1],) + shape[at + 2 :]
        groups = [[d] for d in range(at)] + [[at, at + 1]]
        groups += [[d] for d in range(at + 2, len(shape))]
        self.emit(f"{new} = tensor.collapse_shape {name} {groups} : {tensor(shape)} into {tensor(short)}")
        self.values.append((new, short))

    def slice(self):
        name, shape = self.pick(lambda shape: len(shape) > 0)
        sizes = [self.rng.randint(max(1, size // 2), size) for size in shape]
        offsets = [self.rng.randint(0, size - part) for size, part in zip(shape, sizes)]
        new = self.name()
        self.emit(
            f"{new} = tensor.extract_slice {name}{offsets} {sizes} {[1] * len(sizes)} :"
            f" {tensor(shape)} to {tensor(sizes)}"
        )
        self.values.append((new, tuple(sizes)))

    def window(self):
        name, shape = self.pick(lambda shape: True)
        if not shape or shape[-1] < 3:
            return
        loops = [f"d{n}" for n in range(len(shape))]
        result = shape[:-1] + (shape[-1] - 1,)
        taps = self.filled((2,), 1)
        self.generic(
            loops + ["w"],
            ["parallel"] * len(shape) + ["reduction"],
            [(name, shape, loops[:-1] + [f"{loops[-1]} + w"]), (taps, (2,), ["w"])],
            [(None, result, loops)],
            [self.filled(result, -(2**31))],
            ["%r = arith.maxsi %o0, %i0 : i32", "linalg.yield %r : i32"],
        )

    def gather(self):
        name, shape = self.pick(lambda shape: len(shape) == 1)
        table, sizes = self.pick(lambda shape: len(shape) == 1)
        self.generic(
            ["d0"], ["parallel"], [(name, shape, ["d0"])], [(None, shape, ["d0"])],
            [self.empty(shape)],
            [
                f"%n = arith.constant {sizes[0]} : i32",
                "%m = arith.remui %i0, %n : i32",
                "%x = arith.index_cast %m : i32 to index",
                f"%r = tensor.extract {table}[%x] : {tensor(sizes)}",
                "linalg.yield %r : i32",
            ],
        )

    def total(self, name, shape):
        """The elements of `name`, weighted by position."""
        loops, zero, check, value = [f"d{n}" for n in range(len(shape))], self.filled((), 0), self.name(), self.name()
        body, last = ["%one = arith.constant 1 : index"], "%one"
        for d, size in enumerate(shape):
            body += [
                f"%d{d} = linalg.index {d} : index",
                f"%n{d} = arith.constant {size} : index",
                f"%t{d} = arith.muli {last}, %n{d} : index",
                f"%w{d} = arith.addi %t{d}, %d{d} : index",
            ]
            last = f"%w{d}"
        body += [
            f"%place = arith.index_cast {last} : index to i32",
            "%p = arith.muli %place, %i0 : i32",
            "%s = arith.addi %o0, %p : i32",
            "linalg.yield %s : i32",
        ]
        self.generic(loops, ["reduction"] * len(loops), [(name, shape, loops)], [(None, (), [])], [zero], body)
        check = self.values.pop()[0]
        self.emit(f"{value} = tensor.extract {check}[] : tensor<i32>")
        return value

    def write(self):
        kinds = [self.elementwise] * 6 + [self.reduction] * 4 + [self.unit] * 2
        kinds += [self.merge, self.slice, self.window, self.gather]
        for _ in range(self.rng.randint(4, 16)):
            try:
                self.rng.choice(kinds)()
            except IndexError:  # no value of such a shape
                pass
        made = self.values[2:] or self.values
        shown = {made[-1][0]: made[-1]}
        for value in self.rng.sample(made, min(2, len(made))):
            shown[value[0]] = value
        totals = [self.total(*value) for value in shown.values()]
        type = tensor(self.shape)
        result = ", ".join(["i32"] * len(totals))
        return (
            [
                f"func.func @case{self.number}(%a: {type}, %b: {type}"
                + (", %times: index" if self.unknown else "")
                + f") -> ({result}) {{"
            ]
            + self.lines
            + [f"  return {', '.join(totals)} : {result}", "}"]
        ), type, len(totals)


def main():
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    unknown = "--unknown" in sys.argv[3:]
    calls, lines = [], []
    for number in range(count):
        program = Program(number, rng, unknown)
        text, type, totals = program.write()
        lines += text
        elements = 1
        for size in program.shape:
            elements *= size
        dense = []
        for argument in "ab":
            numbers = [rng.randint(-9, 9) for _ in range(elements)]
            literal = str(numbers)
            for size in reversed(program.shape[1:]):  # brackets from the inside out
                numbers = [numbers[n : n + size] for n in range(0, len(numbers), size)]
                literal = str(numbers)
            calls.append(f"  %{argument}{number} = arith.constant dense<{literal}> : {type}")
        names = f"%s{number}" + (f":{totals}" if totals > 1 else "")
        calls += [
            f"  %c{number} = arith.constant {number} : index",
            f"  vector.print %c{number} : index",
            f"  {names} = call @case{number}(%a{number}, %b{number}{', %times' * unknown}) :"
            f" ({type}, {type}{', index' * unknown}) -> ({', '.join(['i32'] * totals)})",
        ]
        for n in range(totals):
            one = f"%s{number}" + (f"#{n}" if totals > 1 else "")
            calls.append(f"  vector.print {one} : i32")
    calls = ["  %times = arith.constant 1 : index"] * unknown + calls
    print("\n".join(lines + ["func.func @main() {"] + calls + ["  return", "}"]))


main()

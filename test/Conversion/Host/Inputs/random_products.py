"""Writes a module of random programs around matrix products.

    random_products.py COUNT SEED

Each multiplies up to three products, plain, transposed, of several dimensions or of a
batch, and reads their results by what a layer has behind them: biases of rows and of
columns, other tensors, maxima, sums and maxima of rows or columns and what is left
without them, another product. Results are read once or more often. Elements are
small integers in f32, so that sums are exact in any order. @main prints for each program
its number and sums of what it returns, weighted by position.
"""

import random
import sys

SIZES = (4, 6, 8, 12, 16, 32)


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


class Program:
    def __init__(self, rng):
        self.rng, self.count, self.lines = rng, 0, []
        self.arguments, self.results = [], []

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line):
        self.lines.append("  " + line)

    def argument(self, shape):
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, tuple(shape)))
        return name

    def generic(self, dims, kinds, inputs, shape, indices, body, start=None):
        """Of `inputs`: names, shapes and indices."""
        empty, init, name = self.name(), self.name(), self.name()
        self.emit(f"{empty} = tensor.empty() : {tensor(shape)}")
        if start is None:
            init = empty
        else:
            constant = self.name()
            self.emit(f"{constant} = arith.constant {start} : f32")
            self.emit(f"{init} = linalg.fill ins({constant} : f32) outs({empty} : {tensor(shape)}) -> {tensor(shape)}")
        maps = ", ".join(f"affine_map<({dims}) -> ({x})>" for x in [i for _, _, i in inputs] + [indices])
        names = {"p": '"parallel"', "r": '"reduction"'}
        self.emit(f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types ="
                  f" [{', '.join(names[kind] for kind in kinds)}]}} ins({', '.join(n for n, _, _ in inputs)} :"
                  f" {', '.join(tensor(s) for _, s, _ in inputs)}) outs({init} : {tensor(shape)}) {{")
        self.emit("^bb0(" + ", ".join(f"%i{n}: f32" for n in range(len(inputs))) + ", %o: f32):")
        for line in body:
            self.emit("  " + line)
        self.emit(f"}} -> {tensor(shape)}")
        return name

    def product(self, a=None):
        """A product, of `a` (name and shape of two dimensions, or of a batch) if there is one: as
        either operand, by its rows or by its columns."""
        rng, size = self.rng, lambda: self.rng.choice(SIZES)
        m, n, k, b = size(), size(), size(), rng.choice((2, 3))
        multiply = ["%p = arith.mulf %i0, %i1 : f32", "%s = arith.addf %o, %p : f32", "linalg.yield %s : f32"]
        if a:
            name, shape = a
            batch, (rows, columns) = shape[:-2], shape[-2:]
            isA, byRows = rng.random() < 0.7, rng.random() < 0.7
            dims, outer = ("b, ", "p") if batch else ("", "")
            if isA:
                x = (name, shape, dims + ("m, k" if byRows else "k, m"))
                m, k = (rows, columns) if byRows else (columns, rows)
                y = (self.argument(batch + (k, n)), batch + (k, n), dims + "k, n")
            else:
                y = (name, shape, dims + ("k, n" if byRows else "n, k"))
                k, n = (rows, columns) if byRows else (columns, rows)
                x = (self.argument(batch + (m, k)), batch + (m, k), dims + "m, k")
            return self.generic(dims + "m, n, k", outer + "ppr", [x, y], batch + (m, n), dims + "m, n", multiply,
                                "0.0"), batch + (m, n)
        kind = rng.randrange(4)
        if kind == 0:
            x, y = ((m, k), "m, k") if rng.random() < 0.5 else ((k, m), "k, m")
            z, w = ((k, n), "k, n") if rng.random() < 0.5 else ((n, k), "n, k")
            shape, indices = ((m, n), "m, n") if rng.random() < 0.8 else ((n, m), "n, m")
            return self.generic("m, n, k", "ppr", [(self.argument(x), x, y), (self.argument(z), z, w)], shape, indices,
                                multiply, "0.0"), shape
        if kind == 1:  # a batch
            return self.generic("b, m, n, k", "pppr", [(self.argument((b, m, k)), (b, m, k), "b, m, k"),
                                                       (self.argument((b, k, n)), (b, k, n), "b, k, n")],
                                (b, m, n), "b, m, n", multiply, "0.0"), (b, m, n)
        if kind == 2:  # rows in two dimensions
            return self.generic("b, m, n, k", "pppr", [(self.argument((b, m, k)), (b, m, k), "b, m, k"),
                                                       (self.argument((n, k)), (n, k), "n, k")],
                                (b, m, n), "b, m, n", multiply, "0.0"), (b, m, n)
        # heads: columns in two dimensions
        return self.generic("m, b, n, k", "pppr", [(self.argument((m, k)), (m, k), "m, k"),
                                                   (self.argument((b, n, k)), (b, n, k), "b, n, k")],
                            (m, b, n), "m, b, n", multiply, "0.0"), (m, b, n)

    def read(self, name, shape):
        """Something that reads a value; it and its shape."""
        rng = self.rng
        dims = [f"d{n}" for n in range(len(shape))]
        everything, kinds = ", ".join(dims), "p" * len(shape)
        kind = rng.randrange(5)
        if kind < 2:  # a bias, or another tensor
            kept = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
            other = tuple(shape[d] for d in kept)
            op = rng.choice(("addf", "subf", "maximumf"))
            return self.generic(everything, kinds, [(name, shape, everything),
                                                    (self.argument(other), other, ", ".join(dims[d] for d in kept))],
                                shape, everything, [f"%r = arith.{op} %i0, %i1 : f32", "linalg.yield %r : f32"]), shape
        if kind == 2:  # a sum or a maximum along one dimension, and what is left without it
            dim = rng.randrange(len(shape))
            short = shape[:dim] + shape[dim + 1:]
            indices = ", ".join(dims[:dim] + dims[dim + 1:])
            op, start = rng.choice((("addf", "0.0"), ("addf", "3.0"), ("maximumf", "0xFF800000")))
            along = self.generic(everything, "".join("r" if d == dim else "p" for d in range(len(shape))),
                                 [(name, shape, everything)], short, indices,
                                 [f"%r = arith.{op} %o, %i0 : f32", "linalg.yield %r : f32"], start)
            if rng.random() < 0.6:
                self.results.append((along, short))
                if rng.random() < 0.7:
                    return name, shape
            return self.generic(everything, kinds, [(name, shape, everything), (along, short, indices)], shape,
                                everything, ["%r = arith.subf %i0, %i1 : f32", "linalg.yield %r : f32"]), shape
        if kind == 3 and len(shape) == 3:  # two dimensions are one
            new, short = self.name(), (shape[0] * shape[1], shape[2])
            self.emit(f"{new} = tensor.collapse_shape {name} [[0, 1], [2]] : {tensor(shape)} into {tensor(short)}")
            return new, short
        if kind == 3 and len(shape) == 2:  # one dimension is two
            new, long = self.name(), (2, shape[0] // 2, shape[1])
            self.emit(f"{new} = tensor.expand_shape {name} [[0, 1], [2]] output_shape {list(long)} :"
                      f" {tensor(shape)} into {tensor(long)}")
            return new, long
        return self.generic(everything, kinds, [(name, shape, everything)], shape, everything,
                            ["%c = arith.constant 0.0 : f32", "%r = arith.maximumf %i0, %c : f32",
                             "linalg.yield %r : f32"]), shape

    def write(self, number):
        name, shape = self.product()
        for _ in range(self.rng.randint(0, 4)):
            if self.rng.random() < 0.15:
                self.results.append((name, shape))
            name, shape = self.read(name, shape)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            if self.rng.random() < 0.15:
                self.results.append((name, shape))
            name, shape = self.product((name, shape))
            if self.rng.random() < 0.7:
                name, shape = self.read(name, shape)
        self.results.append((name, shape))
        arguments = ", ".join(f"{n}: {tensor(s)}" for n, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in self.results)
        print(f"func.func private @program{number}({arguments}) -> ({types}) {{")
        print("\n".join(self.lines))
        print(f"  return {', '.join(n for n, _ in self.results)} : {types}\n}}")
        print(f"func.func private @run{number}() {{")
        for n, (name, shape) in enumerate(self.arguments):
            print(f"  %seed{n} = arith.constant {number * 7 + n} : index")
            self.write_generated(name, shape, f"%seed{n}")
        given = ", ".join(n for n, _ in self.arguments)
        left = "%r" if len(self.results) == 1 else f"%r:{len(self.results)}"
        print(f"  {left} = call @program{number}({given}) :"
              f" ({', '.join(tensor(s) for _, s in self.arguments)}) -> ({types})")
        print(f"  %number = arith.constant {number} : i64")
        print("  call @printI64(%number) : (i64) -> ()\n  call @printNewline() : () -> ()")
        for n, (_, shape) in enumerate(self.results):
            result = "%r" if len(self.results) == 1 else f"%r#{n}"
            count = 1
            for size in shape:
                count *= size
            print(f"  %flat{n} = tensor.collapse_shape {result} [{list(range(len(shape)))}] :"
                  f" {tensor(shape)} into {tensor((count,))}")
            print(f"  %any{n} = tensor.cast %flat{n} : {tensor((count,))} to tensor<?xf32>")
            print(f"  call @show(%any{n}) : (tensor<?xf32>) -> ()")
        print("  return\n}")

    @staticmethod
    def write_generated(name, shape, seed):
        print(f"  {name} = tensor.generate {{\n  ^bb0("
              + ", ".join(f"%x{d}: index" for d in range(len(shape))) + "):")
        print(f"    %h = arith.constant 31 : index\n    %g0 = arith.addi {seed}, %h : index")
        for d in range(len(shape)):
            print(f"    %m{d} = arith.muli %g{d}, %h : index\n    %q{d} = arith.xori %m{d}, %x{d} : index\n"
                  f"    %g{d + 1} = arith.addi %q{d}, %x{d} : index")
        print(f"    %five = arith.constant 5 : index\n    %u = arith.remui %g{len(shape)}, %five : index\n"
              "    %w = arith.index_cast %u : index to i64\n    %two = arith.constant 2 : i64\n"
              "    %z = arith.subi %w, %two : i64\n    %f = arith.sitofp %z : i64 to f32\n"
              f"    tensor.yield %f : f32\n  }} : {tensor(shape)}")


SHOW = """
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%x: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %prime = arith.constant 1099511628211 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i64 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %plus = arith.addf %v, %zerof : f32
    %b = arith.bitcast %plus : f32 to i32
    %w = arith.extui %b : i32 to i64
    %m = arith.muli %s, %prime : i64
    %y = arith.xori %m, %w : i64
    scf.yield %y : i64
  }
  call @printI64(%sum) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
""".replace("  %prime", "  %zerof = arith.constant 0.0 : f32\n  %prime", 1)

count, seed = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
print(SHOW)
for number in range(count):
    Program(rng).write(number)
print("func.func @main() {")
for number in range(count):
    print(f"  call @run{number}() : () -> ()")
print("  return\n}")

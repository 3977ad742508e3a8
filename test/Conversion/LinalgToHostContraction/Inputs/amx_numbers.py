"""Products of random numbers of full precision, beside a model in NumPy.

    amx_numbers.py write bf16|f16|f16-parts    a module whose @main prints the bits of each result
    amx_numbers.py check bf16|f16|f16-parts    compares what @main printed, on standard input

bf16: to the bit with tdpbf16ps as NumPy's f32 computes it: for each 32 steps the products of
the even ones in a chain of sums from zero, those of the odd ones in another, and both added
to what is there. (Products of two bf16 are exact in f32.)
f16: the same with tdpfp16ps, whose operands may be subnormal or infinite (products of two f16
are exact in f32, and none is subnormal there).
f16-parts: within the bound for sums of f32 products in any order (Higham, Accuracy and Stability of
Numerical Algorithms, section 3.1) of float64's result: four times as many additions. Where
there are few steps the numbers are integers of all eleven bits, whose sums are exact: nothing
is lost of any product.
"""

import sys

import numpy

SHAPES = [(1, 1, 1), (40, 33, 2), (5, 7, 33), (16, 16, 32), (33, 40, 70), (64, 33, 100), (32, 64, 800), (16, 33, 2100)]


def draw(kind, m, n, k):
    """Operands and start of a product, as f32: signs, four binary orders, all bits of the type."""
    random = numpy.random.default_rng(m * 10007 + n * 101 + k)

    def numbers(rows, columns):
        values = (random.uniform(1, 2, (rows, columns)) * random.choice([-1, 1], (rows, columns))
                  * 2.0 ** random.integers(-2, 2, (rows, columns)))
        if kind == "f16-parts" and k <= 2:
            return random.integers(-2047, 2048, (rows, columns)).astype(numpy.float32)
        if kind == "f16-parts":
            return values.astype(numpy.float16).astype(numpy.float32)
        if kind == "f16":
            values *= 2.0 ** random.integers(-22, 1, (rows, columns))  # the smallest are subnormal
            return values.astype(numpy.float16).astype(numpy.float32)
        return (values.astype(numpy.float32).view(numpy.uint32) & 0xffff0000).view(numpy.float32)

    a, b, c = numbers(m, k), numbers(k, n), numbers(m, n)
    if kind == "f16" and k > 2:
        a[m // 2, -1] = numpy.inf
    return a, b, c


def to_hex(array, element):
    if element == "f16":
        data = array.astype(numpy.float16).tobytes()
    elif element == "bf16":
        data = (array.view(numpy.uint32) >> 16).astype(numpy.uint16).tobytes()
    else:
        data = array.tobytes()
    return "0x" + data.hex().upper()


def write(kind):
    half = "bf16" if kind == "bf16" else "f16"
    lines = ["func.func private @printI64(i64)", "func.func private @printNewline()"]
    main = ["func.func @main() {", "  %zero = arith.constant 0 : index", "  %one = arith.constant 1 : index"]
    for i, (m, n, k) in enumerate(SHAPES):
        a, b, c = draw(kind, m, n, k)
        types = [f"memref<{m}x{k}x{half}>", f"memref<{k}x{n}x{half}>", f"memref<{m}x{n}xf32>"]
        for name, array, type, element in zip("abc", (a, b, c), types, (half, half, "f32")):
            dense = f'dense<"{to_hex(array, element)}">' if array.size > 1 else f"dense<{array.item()!r}>"
            lines.append(f'memref.global "private" constant @{name}{i} : {type} = {dense}')
            main.append(f"  %{name}{i} = memref.get_global @{name}{i} : {type}")
        main += [f"  %r{i} = memref.alloc() : {types[2]}",
                 f"  memref.copy %c{i}, %r{i} : {types[2]} to {types[2]}",
                 f"  linalg.matmul ins(%a{i}, %b{i} : {types[0]}, {types[1]}) outs(%r{i} : {types[2]})",
                 f"  %m{i} = arith.constant {m} : index", f"  %n{i} = arith.constant {n} : index",
                 f"  scf.for %i = %zero to %m{i} step %one {{", f"    scf.for %j = %zero to %n{i} step %one {{",
                 f"      %0 = memref.load %r{i}[%i, %j] : {types[2]}",
                 "      %1 = arith.bitcast %0 : f32 to i32", "      %2 = arith.extui %1 : i32 to i64",
                 "      func.call @printI64(%2) : (i64) -> ()",
                 "      func.call @printNewline() : () -> ()", "    }", "  }"]
    print("\n".join([*lines, *main, "  return", "}"]))


def multiply_tiles(a, b, c):
    """C += A * B by tdpbf16ps or tdpfp16ps, 32 steps at a time."""
    steps = -(-a.shape[1] // 32) * 32
    a = numpy.pad(a, ((0, 0), (0, steps - a.shape[1])))
    b = numpy.pad(b, ((0, steps - b.shape[0]), (0, 0)))
    for first in range(0, steps, 32):
        chains = []
        for parity in (0, 1):
            chain = numpy.zeros_like(c)
            for step in range(first + parity, first + 32, 2):
                chain = chain + numpy.outer(a[:, step], b[step])
            chains.append(chain)
        c = c + (chains[0] + chains[1])
    assert c.dtype == numpy.float32
    return c


def check(kind):
    printed = numpy.array([int(line) for line in sys.stdin], dtype=numpy.uint32).view(numpy.float32)
    for m, n, k in SHAPES:
        a, b, c = draw(kind, m, n, k)
        found, printed = printed[: m * n].reshape(m, n), printed[m * n :]
        if kind != "f16-parts":
            wrong = numpy.count_nonzero(found.view(numpy.uint32) != multiply_tiles(a, b, c).view(numpy.uint32))
            other = numpy.count_nonzero(found != (c + a @ b))
            print(f"{m}x{n}x{k}: {wrong} of {m * n} differ; from NumPy's own order {other}")
            assert not wrong
        else:
            wide = [x.astype(numpy.float64) for x in (a, b, c)]
            unit = 2.0**-24 * (4 * k + 4)
            bound = unit / (1 - unit) * (abs(wide[2]) + abs(wide[0]) @ abs(wide[1]))
            error = abs(found - (wide[2] + wide[0] @ wide[1]))
            print(f"{m}x{n}x{k}: at most {numpy.max(error / bound):.3f} of the bound")
            assert numpy.all(error <= (bound if k > 2 else 0))
    assert not printed.size
    print("all shapes agree")


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])

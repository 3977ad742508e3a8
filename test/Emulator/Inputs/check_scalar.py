"""What a thread does for itself: prmt against the manual's tables, conversions of pairs
against the formats' definitions, memcpy, memmove and memset."""

import numpy as np

from kernel import Kernel, decode_float8, finish, random, run, words

COUNT = 64


def check(name, inputs, expected, body):
    """One thread for each row of the inputs (i32), which makes a row of i32."""
    inputs, expected = (np.asarray(x).reshape(COUNT, -1) for x in (inputs, expected))
    kernel = Kernel(COUNT)
    source, target = kernel.pointer(), kernel.pointer()
    mine = kernel.at(source, kernel.times(kernel.tid, 4 * inputs.shape[1]))
    values = [kernel.load(kernel.at(mine, 4 * i), "i32") for i in range(inputs.shape[1])]
    out = kernel.at(target, kernel.times(kernel.tid, 4 * expected.shape[1]))
    for i, value in enumerate(body(kernel, *values)):
        kernel.store(value, kernel.at(out, 4 * i), "i32")
    run(name, kernel, [words(inputs).reshape(inputs.shape), f"D=i32:{COUNT}x{expected.shape[1]}:uninit"],
        {"D": words(expected).reshape(expected.shape)})


# prmt. The bytes of {b, a} are 7 to 0; each row lists d.b3 to d.b0 as the manual does.
TABLES = {
    "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
    "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
    "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)),
}
registers = random.integers(0, 1 << 32, (COUNT, 3), dtype=np.uint32)


def permuted(row, mode):
    a, b, selector = (int(x) for x in row)
    pool = (b << 32 | a).to_bytes(8, "little")
    result = []
    for i in range(4):
        if mode == "default":
            nibble = selector >> 4 * i & 15
            byte = pool[nibble & 7]
            result.append((255 if byte & 128 else 0) if nibble & 8 else byte)
        else:
            result.append(pool[TABLES[mode][selector & 3][3 - i]])
    return int.from_bytes(bytes(result), "little")


for mode in ("default", *TABLES):
    pair = mode in ("default", "f4e", "b4e")
    suffix = "" if mode == "default" else "." + mode

    def permute(kernel, a, b, selector):
        operands = f"{a}, {b}, {selector}" if pair else f"{a}, {selector}"
        signature = "(i32, i32, i32) -> i32" if pair else "(i32, i32) -> i32"
        yield kernel.op(f'"nvvm.prmt"({operands}) <{{mode = #nvvm.permute_mode<{mode}>}}> : {signature}')
        yield kernel.op(f'llvm.inline_asm asm_dialect = att "prmt.b32{suffix} $0, $1, $2, $3;", "=r,r,r,r" '
                        f"{a}, {b}, {selector} : (i32, i32, i32) -> i32")

    expected = np.array([[permuted(row, mode)] * 2 for row in registers], np.uint32)
    check(f"prmt {mode}", registers, expected, permute)


# Conversions of pairs.
def nearest_float8(value, exponent_bits, relu):
    """To nearest, ties to the even code, saturating; searched among all codes."""
    largest = 0x7e if exponent_bits == 4 else 0x7b
    if np.isnan(value):
        return 0x7f
    if relu and value <= 0:
        return 0
    codes = np.arange(largest + 1)
    magnitudes = np.array([decode_float8(int(c), exponent_bits) for c in codes])
    distance = np.abs(magnitudes - min(abs(float(value)), magnitudes[-1]))
    best = codes[distance == distance.min()]
    code = int(best[best % 2 == 0][0] if len(best) > 1 else best[0])
    return code | (0x80 if np.signbit(value) else 0)


halves = (random.standard_normal((COUNT, 2)) * 2.0 ** random.integers(-12, 12, (COUNT, 2))).astype(np.float16)
halves[:8] = [(0.0, -0.0), (np.inf, -np.inf), (np.nan, 1.0), (448, 464), (465, 57344), (2.0 ** -10, 2.0 ** -9),
              (3 * 2.0 ** -10, -17.0), (61440, 61441)]
for exponent_bits, type in ((4, "f8E4M3FN"), (5, "f8E5M2")):
    for relu in (False, True):
        # The second element is the upper half, and goes to the upper byte.
        expected = np.array([nearest_float8(low, exponent_bits, relu) | nearest_float8(high, exponent_bits, relu) << 8
                             for low, high in halves], np.uint32)

        def narrow(kernel, value):
            vector = kernel.op(f"llvm.bitcast {value} : i32 to vector<2xf16>")
            packed = kernel.op(f"nvvm.convert.f16x2.to.f8x2 {vector} {{relu = {str(relu).lower()}}} : "
                               f"vector<2xf16> -> i16 ({type})")
            yield kernel.op(f"llvm.zext {packed} : i16 to i32")

        check(f"f16x2 to {type} {relu}", words(halves), expected, narrow)

    codes = random.integers(0, 256, (COUNT, 2)).astype(np.uint8)
    special = 0x7f if exponent_bits == 4 else 0x7c
    codes[codes & 0x7f >= special] = 0x40  # finite numbers: the NaN's bits are not stated
    expected = np.array([[decode_float8(int(c), exponent_bits) for c in row] for row in codes], np.float16).view(np.uint32)

    def widen(kernel, value):
        low = kernel.op(f"llvm.trunc {value} : i32 to i16")
        pair = kernel.op(f"llvm.bitcast {low} : i16 to vector<2xi8>")
        vector = kernel.op(f"nvvm.convert.f8x2.to.f16x2 {pair} : vector<2xi8> ({type}) -> vector<2xf16>")
        yield kernel.op(f"llvm.bitcast {vector} : vector<2xf16> to i32")

    check(f"{type} to f16x2", words(np.pad(codes, ((0, 0), (0, 2)))), expected, widen)

floats = (random.standard_normal((COUNT, 2)) * 2.0 ** random.integers(-20, 20, (COUNT, 2))).astype(np.float32)
floats[:2] = [(0.0, -0.0), (np.inf, -3.0)]
for type in ("f16", "bf16"):
    for relu in (False, True):
        values = np.where(floats > 0, floats, np.float32(0)) if relu else floats
        if type == "f16":
            with np.errstate(over="ignore"):
                bits = values.astype(np.float16).view(np.uint16).astype(np.uint32)
        else:
            wide = values.view(np.uint32)
            bits = wide + 0x7fff + (wide >> 16 & 1) >> 16

        def pack(kernel, high, low):
            high, low = (kernel.op(f"llvm.bitcast {x} : i32 to f32") for x in (high, low))
            vector = kernel.op(f"nvvm.convert.f32x2.to.{type}x2 {high}, {low} {{rnd = #nvvm.fp_rnd_mode<rn>, "
                               f"relu = {str(relu).lower()}}} : vector<2x{type}>")
            yield kernel.op(f"llvm.bitcast {vector} : vector<2x{type}> to i32")

        check(f"f32x2 to {type}x2 {relu}", words(floats), bits[:, 0] << 16 | bits[:, 1], pack)

# Moves of memory: 40 bytes of the input through shared memory, some of them set, some
# moved on by 4 bytes.
inputs = random.integers(0, 256, COUNT * 64).astype(np.uint8).reshape(COUNT, 64)
expected = inputs.copy()
expected[:, 40:] = 0x5a
expected[:, 4:24] = inputs[:, :20]
kernel = Kernel(COUNT, shared=COUNT * 64)
source, target = kernel.pointer(), kernel.pointer()
offset = kernel.times(kernel.tid, 64)
mine, out = kernel.at(source, offset), kernel.at(target, offset)
tile = kernel.at(kernel.memory(), offset, 3)
length = kernel.constant(40, "i64")
kernel.do(f'"llvm.intr.memcpy"({tile}, {mine}, {length}) <{{isVolatile = false}}> : '
          f"(!llvm.ptr<3>, !llvm.ptr<1>, i64) -> ()")
kernel.do(f'"llvm.intr.memset"({kernel.at(tile, 40, 3)}, {kernel.constant(0x5a, "i8")}, {kernel.constant(24)}) '
          f"<{{isVolatile = false}}> : (!llvm.ptr<3>, i8, i32) -> ()")
kernel.do(f'"llvm.intr.memmove"({kernel.at(tile, 4, 3)}, {tile}, {kernel.constant(20, "i64")}) '
          f"<{{isVolatile = false}}> : (!llvm.ptr<3>, !llvm.ptr<3>, i64) -> ()")
kernel.do(f'"llvm.intr.memcpy.inline"({out}, {tile}) <{{isVolatile = false, len = 64 : i64}}> : '
          f"(!llvm.ptr<1>, !llvm.ptr<3>) -> ()")
none = kernel.constant(0, "i64")
kernel.do(f'"llvm.intr.memcpy"({out}, {tile}, {none}) <{{isVolatile = false}}> : (!llvm.ptr<1>, !llvm.ptr<3>, i64) -> ()')
run("memory moves", kernel, [words(inputs), f"D=i32:{COUNT * 16}:uninit"], {"D": words(expected)})
finish()

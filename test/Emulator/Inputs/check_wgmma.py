"""wgmma: every type, layout and swizzle against the canonical layouts of the manual
("Shared Memory Matrix Layout", and CUTE's table of them in units of 16 bytes)."""

import numpy as np

from kernel import Kernel, encode, finish, make_matrix, run, words

ATOM = {0: 1, 32: 2, 64: 4, 128: 8}  # chunks of 16 bytes in a row of the pattern
CODE = {0: 0, 128: 1, 64: 2, 32: 3}  # bits 62 and 63 of a descriptor


def lay_out(bits, k_major, swizzle):
    """The bytes of an operand given as (M or N, K), and leading and stride offsets."""
    rows, k = bits.shape
    atom, size = ATOM[swizzle], bits.itemsize
    if k_major:
        chunks = np.frombuffer(np.ascontiguousarray(bits).tobytes(), np.uint8).reshape(rows, -1, 16)
        groups = rows // 8
        # interleaved: ((8,n),2):((1,SBO),LBO), else ((8,n),2):((atom,SBO),1)
        stride = 8 * atom
        leading = 8 * groups + 8 if swizzle == 0 else 1
        places = {(i, c): i % 8 * atom + i // 8 * stride + c * leading
                  for i in range(rows) for c in range(2)}
    else:
        chunks = np.frombuffer(np.ascontiguousarray(bits.T).tobytes(), np.uint8).reshape(k, -1, 16)
        columns = rows * size // 16
        if swizzle == 0:  # ((1,n),(8,k)):((X,SBO),(1,LBO))
            stride, leading = 8, 8 * columns + 8
            places = {(i, c): c * stride + i % 8 + i // 8 * leading
                      for i in range(k) for c in range(columns)}
        else:  # ((atom,n),(8,k)):((1,LBO),(atom,SBO))
            stride = 8 * atom
            leading = stride * (k // 8)
            places = {(i, c): c % atom + c // atom * leading + i % 8 * atom + i // 8 * stride
                      for i in range(k) for c in range(columns)}
    image = np.zeros(((max(places.values()) + 64) // 64 * 64, 16), np.uint8)
    for (line, chunk), place in places.items():
        place ^= place >> 3 & atom - 1  # the swizzle works on addresses
        image[place] = chunks[line, chunk]
    return image.reshape(-1), leading, stride


def descriptor_fields(leading, stride, swizzle):
    fields = leading << 16 | stride << 32 | CODE[swizzle] << 62
    return fields - (1 << 64) if fields >> 63 else fields


def place_d(thread, i):
    """Row and column of element i of a thread's accumulators."""
    return (16 * (thread // 32) + thread % 32 // 4 + 8 * (i // 2 % 2),
            8 * (i // 4) + thread % 4 * 2 + i % 2)


def place_a(lane, i, size):
    """Element i of A in registers, as for mma.m16n8k16 (m16n8k8, m16n8k32)."""
    per = 4 // size
    register, part = divmod(i, per)
    return (lane // 4 + 8 * (register % 2), lane % 4 * per + part + register // 2 * 4 * per)


def check(n, format_a, format_b, format_d="f32", a_major=True, b_major=True, swizzle_a=128,
          swizzle_b=128, scale="one", negate=(False, False), registers=None):
    size = 4 if format_a == "tf32" else 1 if format_a[0] in "esu" else 2
    k = 32 // size
    bits_a, a = make_matrix(format_a, 64, k)
    bits_b, b = (x.T for x in make_matrix(format_b, k, n))
    image_a, *offsets_a = lay_out(bits_a, a_major, swizzle_a)
    image_b, *offsets_b = lay_out(bits_b, b_major, swizzle_b)
    c = np.arange(64 * n).reshape(64, n) % 29 - 14
    product = (-a if negate[0] else a) @ (-b if negate[1] else b).T
    d = product + (0 if scale == "zero" or registers == 0 else c)
    order = [[place_d(thread, i) for i in range(n // 2)] for thread in range(128)]
    arrange = lambda m: np.array([[m[place] for place in row] for row in order])
    start, expected = (words(encode(format_d, arrange(m))).reshape(128, -1) for m in (c, d))

    at_b = (image_a.size + 1023) // 1024 * 1024
    kernel = Kernel(128, shared=at_b + (image_b.size + 1023) // 1024 * 1024)
    source_a, source_b, source_c, source_r, target = (kernel.pointer() for _ in range(5))
    kernel.copy(source_a, 1, kernel.memory(), 3, image_a.size)
    kernel.copy(source_b, 1, kernel.memory(at_b), 3, image_b.size)
    kernel.fence_async()
    kernel.barrier()

    def descriptor(offset, fields, swizzle):
        address = kernel.op(f"llvm.ptrtoint {kernel.memory(offset)} : !llvm.ptr<3> to i64")
        low = kernel.op(f"llvm.and {address}, {kernel.constant(0x3ffff, 'i64')} : i64")
        start = kernel.op(f"llvm.lshr {low}, {kernel.constant(4, 'i64')} : i64")
        return kernel.op(f"llvm.or {start}, "
                         f"{kernel.constant(descriptor_fields(*fields, swizzle), 'i64')} : i64")

    desc_a = descriptor(0, offsets_a, swizzle_a)
    desc_b = descriptor(at_b, offsets_b, swizzle_b)
    count = start.shape[1]
    type = "f32" if format_d == "f32" else "i32"
    row = kernel.at(source_c, kernel.times(kernel.tid, 4 * count))
    values = [kernel.load(kernel.at(row, 4 * i), type) for i in range(count)]
    held = np.zeros((128, 1), np.int32)
    if registers is not None:
        held = np.array([[bits_a[thread // 32 * 16 + r, x]
                          for r, x in (place_a(thread % 32, i, size) for i in range(16 // size))]
                         for thread in range(128)])
        held = words(held).reshape(128, 4)
        row = kernel.at(source_r, kernel.times(kernel.tid, 16))
        values_a = [kernel.load(kernel.at(row, 4 * i), "i32") for i in range(4)]
    result = f"!llvm.struct<({', '.join([type] * count)})>"
    kernel.do("nvvm.wgmma.fence.aligned")
    if registers is None:
        into = kernel.op(f"llvm.mlir.undef : {result}")
        for i, value in enumerate(values):
            into = kernel.op(f"llvm.insertvalue {value}, {into}[{i}] : {result}")
        sign = lambda which: "neg" if negate[which] else "one"
        d = kernel.op(
            f"nvvm.wgmma.mma_async {desc_a}, {desc_b}, {into}, #nvvm.shape<m = 64, n = {n}, k = {k}>, "
            f"D [#nvvm.wgmma_type<{format_d}>, #nvvm.wgmma_scale_out<{scale}>], "
            f"A [#nvvm.wgmma_type<{format_a}>, #nvvm.wgmma_scale_in<{sign(0)}>, "
            f"#nvvm.mma_layout<{'row' if a_major else 'col'}>], "
            f"B [#nvvm.wgmma_type<{format_b}>, #nvvm.wgmma_scale_in<{sign(1)}>, "
            f"#nvvm.mma_layout<{'col' if b_major else 'row'}>] : {result} -> {result}")
    else:
        # Outputs come first, then what they start as, A, the descriptor, the scale.
        names = [f"${i}" for i in range(2 * count + 6)]
        text = ("{ .reg .pred p; setp.ne.b32 p, " + names[-1] + ", 0; wgmma.mma_async.sync.aligned."
                f"m64n{n}k{k}.{format_d}.{format_a}.{format_b} {{{', '.join(names[:count])}}}, "
                f"{{{', '.join(names[2 * count:2 * count + 4])}}}, {names[-2]}, p, "
                f"{-1 if negate[0] else 1}, {-1 if negate[1] else 1}"
                + (f", {int(not b_major)}" if size == 2 else "") + "; }")
        outputs = ",".join(["=" + ("f" if type == "f32" else "r")] * count)
        tied = ",".join(str(i) for i in range(count))
        operands = values + values_a + [desc_b, kernel.constant(registers)]
        types = ", ".join([type] * count + ["i32"] * 4 + ["i64", "i32"])
        d = kernel.op(f'llvm.inline_asm has_side_effects asm_dialect = att "{text}", "{outputs},{tied},'
                      f'r,r,r,r,l,r" {", ".join(operands)} : ({types}) -> {result}')
    kernel.do("nvvm.wgmma.commit.group.sync.aligned")
    kernel.do("nvvm.wgmma.wait.group.sync.aligned 0")
    row = kernel.at(target, kernel.times(kernel.tid, 4 * count))
    for i in range(count):
        kernel.store(kernel.field(d, i, result), kernel.at(row, 4 * i), type)
    name = (f"n{n} {format_a} {format_b} {format_d} {'KM'[not a_major]}{swizzle_a} "
            f"{'KM'[not b_major]}{swizzle_b} {scale} {negate} {registers}")
    run(name, kernel, [words(image_a), words(image_b), start, held, f"D=i32:128x{count}:uninit"],
        {"D": expected}, ["--seeds=1"])


if __name__ == "__main__":
    for swizzle_a, swizzle_b in ((0, 32), (32, 64), (64, 128), (128, 0)):
        for a_major in (True, False):
            for b_major in (True, False):
                # A pattern of MN-major spans up to 64 elements of N.
                check(64, "f16", "f16", "f32", a_major, b_major, swizzle_a, swizzle_b)
        check(24, "tf32", "tf32", swizzle_a=swizzle_a, swizzle_b=swizzle_b)
        check(24, "e4m3", "e5m2", swizzle_a=swizzle_a, swizzle_b=swizzle_b)
    check(128, "f16", "f16", "f32", False, False)
    check(256, "bf16", "bf16", "f32", True, False)
    check(8, "bf16", "bf16")
    check(16, "e5m2", "e4m3")
    check(16, "e4m3", "e4m3", "f16", scale="zero")
    for formats in (("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")):
        check(24, *formats, "s32")
    check(16, "s8", "s8", "s32", scale="zero")
    check(16, "s8", "u8", "s32", registers=1)
    check(32, "f16", "f16", "f16")
    check(64, "f16", "f16", scale="zero")
    for negate in ((True, False), (False, True), (True, True)):
        check(16, "f16", "f16", negate=negate)
    for registers in (0, 1, 2):
        check(16, "f16", "f16", registers=registers)
    check(64, "f16", "f16", b_major=False, registers=1)
    check(32, "bf16", "bf16", registers=1, negate=(True, False))
    check(16, "tf32", "tf32", registers=1)
    check(16, "e4m3", "e5m2", registers=1)
    check(16, "f16", "f16", "f16", registers=1)
    finish()

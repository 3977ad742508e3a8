"""mma.sync: every shape and type against the manual's fragment tables, as the dialect's
operation and as inline PTX, which is all there is for 8-bit floats."""

import numpy as np

from kernel import Kernel, encode, finish, make_matrix, run, words


# "Matrix Fragments for mma.m16n8k16" and so on: element i of a lane, as the manual
# writes it for each shape, to (row, column).
def fragments(shape, size):
    g, t = lambda l: l >> 2, lambda l: l % 4
    c = lambda l, i: (g(l) if i < 2 else g(l) + 8, t(l) * 2 + (i & 1))
    table = {
        # shape, bytes of an element: A, B
        ("m16n8k8", 2): (lambda l, i: (g(l) if i < 2 else g(l) + 8, t(l) * 2 + (i & 1)),
                         lambda l, i: (t(l) * 2 + i, g(l))),
        ("m16n8k16", 2): (lambda l, i: (g(l) if i < 2 or 4 <= i < 6 else g(l) + 8,
                                        t(l) * 2 + (i & 1) + (0 if i < 4 else 8)),
                          lambda l, i: (t(l) * 2 + (i & 1) + (0 if i < 2 else 8), g(l))),
        ("m16n8k4", 4): (lambda l, i: (g(l) if i == 0 else g(l) + 8, t(l)),
                         lambda l, i: (t(l), g(l))),
        ("m16n8k8", 4): (lambda l, i: (g(l) if i in (0, 2) else g(l) + 8,
                                       t(l) if i in (0, 1) else t(l) + 4),
                         lambda l, i: (t(l) if i == 0 else t(l) + 4, g(l))),
        ("m16n8k16", 1): (lambda l, i: (g(l) if i < 4 else g(l) + 8, t(l) * 4 + (i & 3)),
                          lambda l, i: (t(l) * 4 + i, g(l))),
        ("m16n8k32", 1): (lambda l, i: (g(l) if i < 4 or 8 <= i < 12 else g(l) + 8,
                                        t(l) * 4 + (i & 3) + (0 if i < 8 else 16)),
                          lambda l, i: (t(l) * 4 + (i & 3) + (0 if i < 4 else 16), g(l))),
        ("m8n8k16", 1): (lambda l, i: (g(l), t(l) * 4 + i), lambda l, i: (t(l) * 4 + i, g(l))),
        ("m8n8k4", 8): (lambda l, i: (g(l), t(l)), lambda l, i: (t(l), g(l))),
    }
    a, b = table[shape, size]
    return a, b, c


def gather(matrix, place, count):
    return np.array([[matrix[place(lane, i)] for i in range(count)] for lane in range(32)])


def check(shape, format_a, format_b, format_c, form="operation"):
    m, n, k = (int(x) for x in shape[1:].replace("n", "k").split("k"))
    bits_a, a = make_matrix(format_a, m, k)
    bits_b, b = make_matrix(format_b, k, n)
    c = np.arange(m * n).reshape(m, n) % 23 - 11
    place_a, place_b, place_c = fragments(shape, bits_a.itemsize)
    d = a @ b + c
    packed = [gather(bits_a, place_a, m * k // 32), gather(bits_b, place_b, k * n // 32),
              gather(encode(format_c, c), place_c, m * n // 32)]
    packed = [words(x).reshape(32, -1) for x in packed]
    expected = words(gather(encode(format_c, d), place_c, m * n // 32)).reshape(32, -1)

    kernel = Kernel()
    source, target = kernel.pointer(), kernel.pointer()
    inputs = np.concatenate(packed, axis=1)
    mine = kernel.at(source, kernel.times(kernel.tid, inputs.shape[1] * 4))
    types = [{"f16": "vector<2xf16>", "f64": "f64"}.get(f, "i32") for f in (format_a, format_b)]
    types.append({"f16": "vector<2xf16>", "f64": "f64", "s32": "i32"}.get(format_c, "f32"))
    registers, offset = [], 0
    for array, type in zip(packed, types):
        wide = 8 if type == "f64" else 4
        names = []
        for _ in range(array.shape[1] * 4 // wide):
            names.append(kernel.load(kernel.at(mine, offset), type))
            offset += wide
        registers.append(names)
    layouts = "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>"
    if format_a not in ("f16", "f64"):
        layouts += (f", multiplicandAPtxType = #nvvm.mma_type<{format_a}>, "
                    f"multiplicandBPtxType = #nvvm.mma_type<{format_b}>")
    if format_c == "s32":
        layouts += ", intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>"
    result = f"!llvm.struct<({', '.join([types[2]] * len(registers[2]))})>"
    if form == "operation":
        a_list, b_list, c_list = (", ".join(r) for r in registers)
        d = kernel.op(f"nvvm.mma.sync A[{a_list}] B[{b_list}] C[{c_list}] {{{layouts}, shape = "
                      f"#nvvm.shape<m = {m}, n = {n}, k = {k}>}} : ({', '.join(types)}) -> {result}")
    else:
        # $0... are the outputs. The accumulators follow A and B as inputs, or are the
        # outputs themselves, to which the inputs are tied.
        sizes = [len(r) for r in registers]
        starts = [sizes[2], sizes[2] + sizes[0], 0 if form == "tied" else sum(sizes)]
        braces = lambda start, count: "{" + ", ".join(f"${start + i}" for i in range(count)) + "}"
        text = (f"mma.sync.aligned.{shape}.row.col.{format_c}.{format_a}.{format_b}.{format_c} "
                + ", ".join([braces(0, sizes[2])] + [braces(*x) for x in zip(starts, sizes)]) + ";")
        letters = [{"f32": "f", "f64": "d"}.get(type, "r") for type in types]
        constraints = ["=" + letters[2]] * sizes[2] + [letters[0]] * sizes[0] + [letters[1]] * sizes[1]
        constraints += [str(i) if form == "tied" else letters[2] for i in range(sizes[2])]
        operand_types = ", ".join(type for type, size in zip(types, sizes) for _ in range(size))
        d = kernel.op(f'llvm.inline_asm has_side_effects asm_dialect = att "{text}", "{",".join(constraints)}" '
                      f"{', '.join(sum(registers, []))} : ({operand_types}) -> {result}")
    out = kernel.at(target, kernel.times(kernel.tid, expected.shape[1] * 4))
    wide = 8 if types[2] == "f64" else 4
    for i in range(len(registers[2])):
        kernel.store(kernel.field(d, i, result), kernel.at(out, i * wide), types[2])
    rows, columns = expected.shape
    run(f"{shape} {format_a} {format_b} {format_c} {form}", kernel,
        [inputs, f"D=i32:{rows}x{columns}:uninit"], {"D": expected})


def check_forms(*arguments):
    check(*arguments)
    check(*arguments, form="text")


for shape in ("m16n8k8", "m16n8k16"):
    check_forms(shape, "f16", "f16", "f16")
    check(shape, "f16", "f16", "f32")
    check_forms(shape, "bf16", "bf16", "f32")
for shape in ("m16n8k4", "m16n8k8"):
    check_forms(shape, "tf32", "tf32", "f32")
for shape in ("m8n8k16", "m16n8k16", "m16n8k32"):
    for format_a in ("s8", "u8"):
        for format_b in ("s8", "u8"):
            check(shape, format_a, format_b, "s32")
    check(shape, "s8", "u8", "s32", form="text")
check_forms("m8n8k4", "f64", "f64", "f64")
# 8-bit floats: four elements in a register, as for integers of 8 bits.
for shape in ("m16n8k16", "m16n8k32"):
    for format_a in ("e4m3", "e5m2"):
        for format_b in ("e4m3", "e5m2"):
            check(shape, format_a, format_b, "f32", form="text")
check("m16n8k32", "e4m3", "e5m2", "f32", form="tied")
check("m16n8k16", "f16", "f16", "f32", form="tied")
finish()

"""ldmatrix, stmatrix, shuffles, votes, reductions, matches and barriers."""

import numpy as np

from kernel import Kernel, finish, random, run, words

lanes = np.arange(32)


def check_matrices(number, transposed):
    """A lane holds row lane / 4, columns 2 * (lane % 4) and the next, of each 8x8
    matrix, or of its transpose."""
    matrices = random.integers(0, 1 << 16, (number, 8, 8)).astype(np.uint16)
    fragments = np.stack(
        [(x.T if transposed else x).reshape(32, 2) for x in matrices], axis=1)
    fragments = words(fragments).reshape(32, number)
    layout = "col" if transposed else "row"
    shape = "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>"
    suffix = " trans" if transposed else ""

    # Lane i gives row i % 8 of matrix i / 8; with fewer than four, the first lanes do.
    kernel = Kernel(shared=512)
    source, target = kernel.pointer(), kernel.pointer()
    kernel.copy(source, 1, kernel.memory(), 3, number * 128)
    kernel.barrier()
    row = kernel.at(kernel.memory(), kernel.times(kernel.tid, 16), 3)
    result = "i32" if number == 1 else f"!llvm.struct<({', '.join(['i32'] * number)})>"
    loaded = kernel.op(f"nvvm.ldmatrix {row} {{num = {number} : i32, layout = #nvvm.mma_layout<{layout}>, "
                       f"eltType = #nvvm.ld_st_matrix_elt_type<b16>, {shape}}} : (!llvm.ptr<3>) -> {result}")
    out = kernel.at(target, kernel.times(kernel.tid, 4 * number))
    for i in range(number):
        kernel.store(loaded if number == 1 else kernel.field(loaded, i, result),
                     kernel.at(out, 4 * i), "i32")
    run(f"ldmatrix x{number}{suffix}", kernel,
        [words(matrices), f"D=i32:32x{number}:uninit"], {"D": fragments})

    kernel = Kernel(shared=512)
    source, target = kernel.pointer(), kernel.pointer()
    mine = kernel.at(source, kernel.times(kernel.tid, 4 * number))
    registers = ", ".join(kernel.load(kernel.at(mine, 4 * i), "i32") for i in range(number))
    row = kernel.at(kernel.memory(), kernel.times(kernel.tid, 16), 3)
    kernel.do(f"nvvm.stmatrix {row}, {registers} {{layout = #nvvm.mma_layout<{layout}>, "
              f"eltType = #nvvm.ld_st_matrix_elt_type<b16>, {shape}}} : !llvm.ptr<3>, "
              f"{', '.join(['i32'] * number)}")
    kernel.barrier()
    kernel.copy(kernel.memory(), 3, target, 1, number * 128)
    run(f"stmatrix x{number}{suffix}", kernel,
        [fragments, f"D=i32:{number * 32}:uninit"], {"D": words(matrices)})


for number in (1, 2, 4):
    for transposed in (False, True):
        check_matrices(number, transposed)


def check_lanes(name, body, inputs, *columns):
    """A kernel whose `body` makes one i32 per column from the lane's inputs."""
    inputs = np.array(inputs, np.int32).reshape(32, -1)
    kernel = Kernel()
    source, target = kernel.pointer(), kernel.pointer()
    mine = kernel.at(source, kernel.times(kernel.tid, 4 * inputs.shape[1]))
    values = [kernel.load(kernel.at(mine, 4 * i), "i32") for i in range(inputs.shape[1])]
    out = kernel.at(target, kernel.times(kernel.tid, 4 * len(columns)))
    for i, value in enumerate(body(kernel, *values)):
        kernel.store(value, kernel.at(out, 4 * i), "i32")
    expected = np.stack([np.broadcast_to(c, 32) for c in columns], axis=1)
    run(name, kernel, [inputs, f"D=i32:32x{len(columns)}:uninit"],
        {"D": expected.astype(np.int64).astype(np.int32)})


# Shuffles within segments of `width` lanes, as CUDA documents __shfl_*_sync.
values = random.integers(-1000, 1000, 32)
for width in (32, 16, 8, 2):
    first, inside = lanes - lanes % width, lanes % width
    for delta in (0, 1, 3, 9):
        sources = {
            "up": (lanes - delta, inside >= delta),
            "down": (lanes + delta, inside + delta < width),
            "bfly": (lanes ^ delta, (lanes ^ delta) < first + width),
            "idx": (first + delta % width, np.full(32, True)),
        }
        for mode, (source, valid) in sources.items():
            # c: the clamp (0 for up, 31 for the others), and the mask of segments.
            clamp = (0 if mode == "up" else 31) | (32 - width) << 8
            valid = np.array(valid)
            expected = values[np.where(valid, source, lanes) % 32]

            def shuffle(kernel, value):
                pair = "!llvm.struct<(i32, i1)>"
                both = kernel.op(
                    f"nvvm.shfl.sync {mode} {kernel.constant(-1)}, {value}, {kernel.constant(delta)}, "
                    f"{kernel.constant(clamp)} {{return_value_and_is_valid}} : i32 -> {pair}")
                return kernel.field(both, 0, "!llvm.struct<(i32, i1)>"), kernel.widen(
                    kernel.field(both, 1, "!llvm.struct<(i32, i1)>"))

            check_lanes(f"shfl {mode} {delta} of {width}", shuffle, values, expected, valid)

# Votes over all lanes and over the even ones.
for name, bits in {"some": lanes % 3 == 0, "none": lanes < 0, "all": lanes >= 0}.items():
    ballot = int(sum(1 << int(l) for l in lanes[bits]))

    def vote(kernel, bit):
        predicate = kernel.op(f"llvm.trunc {bit} : i32 to i1")
        mask = kernel.constant(-1)
        forms = [kernel.op(f"nvvm.vote.sync {kind} {mask}, {predicate} -> i1")
                 for kind in ("any", "all", "uni")]
        return [kernel.widen(form) for form in forms] + [
            kernel.op(f"nvvm.vote.sync ballot {mask}, {predicate} -> i32")]

    check_lanes(f"vote {name}", vote, bits, bits.any(), bits.all(), bits.all() or not bits.any(), ballot)

# match: the lanes that have the same value.
for name, values in {"any": lanes * 7 % 5, "one": lanes * 0 + 3}.items():
    equal = [int(sum(1 << int(l) for l in lanes[values == v])) for v in values]
    same = (values == values[0]).all()

    def match(kernel, value):
        mask = kernel.constant(-1)
        wide = kernel.op(f"llvm.sext {value} : i32 to i64")
        high = kernel.op(f"llvm.shl {wide}, {kernel.constant(40, 'i64')} : i64")
        pair = "!llvm.struct<(i32, i1)>"
        both = kernel.op(f"nvvm.match.sync all {mask}, {value} : i32 -> {pair}")
        return (kernel.op(f"nvvm.match.sync any {mask}, {value} : i32 -> i32"),
                kernel.op(f"nvvm.match.sync any {mask}, {high} : i64 -> i32"),
                kernel.field(both, 0, pair), kernel.widen(kernel.field(both, 1, pair)))

    check_lanes(f"match {name}", match, values, equal, equal, -1 if same else 0, same)

# redux
values = random.integers(-1 << 31, 1 << 31, 32)
unsigned = values.astype(np.uint32)
kinds = {"add": values.sum() & 0xffffffff, "and": np.bitwise_and.reduce(values),
         "or": np.bitwise_or.reduce(values), "xor": np.bitwise_xor.reduce(values),
         "min": values.min(), "max": values.max(), "umin": unsigned.min(), "umax": unsigned.max()}


def reduce(kernel, value):
    return [kernel.op(f"nvvm.redux.sync {kind} {value}, {kernel.constant(-1)} : i32 -> i32")
            for kind in kinds]


check_lanes("redux", reduce, values, *kinds.values())

floats = random.integers(-100, 100, 32).astype(np.float32)


def reduce_floats(kernel, value):
    real = kernel.op(f"llvm.bitcast {value} : i32 to f32")
    for kind in ("fmin", "fmax"):
        got = kernel.op(f"nvvm.redux.sync {kind} {real}, {kernel.constant(-1)} : f32 -> f32")
        yield kernel.op(f"llvm.bitcast {got} : f32 to i32")


check_lanes("redux of floats", reduce_floats, words(floats),
            words(floats.min())[0], words(floats.max())[0])


# elect: one lane of the mask.
kernel = Kernel()
target = kernel.pointer()
chosen = kernel.widen(kernel.op("nvvm.elect.sync -> i1"))
kernel.store(kernel.op(f"nvvm.redux.sync add {chosen}, {kernel.constant(-1)} : i32 -> i32"),
             kernel.at(target, kernel.times(kernel.tid, 4)), "i32")
run("elect", kernel, ["D=i32:32:uninit"], {"D": np.full(32, 1, np.int32)})

# nvvm.exit: odd lanes are gone, and nobody waits for them at the barrier.
kernel = Kernel(64)
target = kernel.pointer()
odd = kernel.op(f"llvm.trunc {kernel.tid} : i32 to i1")
kernel.where(odd, lambda: kernel.do("nvvm.exit"))
kernel.barrier()
kernel.store(kernel.tid, kernel.at(target, kernel.times(kernel.tid, 4)), "i32")
run("exit", kernel, ["D=i32:64:zero"],
    {"D": np.where(np.arange(64) % 2, 0, np.arange(64)).astype(np.int32)})

# barrier.red over three warps.
threads = np.arange(96)
for kind in ("popc", "and", "or"):
    for name, limit in {"some": 37, "all": 1000, "none": 0}.items():
        holds = threads < limit
        expected = {"popc": holds.sum(), "and": holds.all(), "or": holds.any()}[kind]
        kernel = Kernel(96)
        target = kernel.pointer()
        bit = kernel.op(f'llvm.icmp "ult" {kernel.tid}, {kernel.constant(limit)} : i32')
        got = kernel.op(f"nvvm.barrier #nvvm.reduction<{kind}> {kernel.widen(bit)} -> i32")
        kernel.store(got, kernel.at(target, kernel.times(kernel.tid, 4)), "i32")
        run(f"barrier {kind} {name}", kernel, ["D=i32:96:uninit"],
            {"D": np.full(96, expected, np.int32)})
finish()

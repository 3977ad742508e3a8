"""How fast does the emulator run Tensor Core kernels, with checks on?

    emulator.py BUILD_DIR

One line per kernel: GFLOP/s for each second of one core, the best of three runs. The wgmma
kernel is the persistent GEMM of the tests; that of mma.sync is made here: tiles of
128x128x32 through cp.async, ldmatrix, m16n8k16 of f16 with f32 sums.
"""

import os
import re
import subprocess
import sys
import tempfile

inputs = os.path.join(os.path.dirname(__file__), "..", "Emulator", "Inputs")
sys.path.insert(0, inputs)
sys.dont_write_bytecode = True
from kernel import Kernel  # noqa: E402

M = N = 256
K = 512


def multiply():
    """D = A * B, both row-major, K a multiple of 32. Shared memory has a row of A (32
    elements) every 80 bytes, and one of B (128) every 272: no bank conflicts."""
    pitch_a, pitch_b, start_b = 80, 272, 128 * 80
    kernel = Kernel(128, shared=start_b + 32 * pitch_b)
    a, b, d = kernel.pointer(), kernel.pointer(), kernel.pointer()
    part = lambda op, value, number: kernel.op(f"llvm.{op} {value}, {kernel.constant(number)} : i32")
    add = lambda x, y: kernel.op(f"llvm.add {x}, {y} : i32")
    row = kernel.times(kernel.op("nvvm.read.ptx.sreg.ctaid.y : i32"), 128)
    column = kernel.times(kernel.op("nvvm.read.ptx.sreg.ctaid.x : i32"), 128)
    lane, warp = part("and", kernel.tid, 31), part("lshr", kernel.tid, 5)
    warp_row = kernel.times(part("lshr", warp, 1), 64)
    warp_column = kernel.times(part("and", warp, 1), 64)
    types = ", ".join(["f32"] * 128)
    sums = [kernel.op("llvm.mlir.zero : f32") for _ in range(128)]
    loop, done = "^loop", "^done"
    zero = kernel.constant(0)
    kernel.do(f"llvm.br {loop}({zero}, {', '.join(sums)} : i32, {types})")
    sums = [f"%s{i}" for i in range(128)]
    kernel.lines.append(f"{loop}(%k: i32, {', '.join(s + ': f32' for s in sums)}):")
    for i in range(4):
        # 512 pieces of 16 bytes of each, four in a row of A, sixteen in one of B.
        piece = add(kernel.tid, kernel.constant(128 * i))
        r, c = part("lshr", piece, 2), part("and", piece, 3)
        source = add(kernel.times(add(row, r), 2 * K), add(kernel.times("%k", 2), kernel.times(c, 16)))
        target = add(kernel.times(r, pitch_a), kernel.times(c, 16))
        copy = "nvvm.cp.async.shared.global"
        kind = "16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>"
        kernel.do(f"{copy} {kernel.at(kernel.memory(), target, 3)}, {kernel.at(a, source)}, {kind}")
        r, c = part("lshr", piece, 4), part("and", piece, 15)
        source = add(kernel.times(add("%k", r), 2 * N), add(kernel.times(column, 2), kernel.times(c, 16)))
        target = add(kernel.times(r, pitch_b), kernel.times(c, 16))
        kernel.do(f"{copy} {kernel.at(kernel.memory(start_b), target, 3)}, {kernel.at(b, source)}, {kind}")
    kernel.do("nvvm.cp.async.commit.group")
    kernel.do("nvvm.cp.async.wait.group 0")
    kernel.barrier()
    four = "!llvm.struct<(i32, i32, i32, i32)>"

    def load(address, layout):
        loaded = kernel.op(
            f"nvvm.ldmatrix {address} {{num = 4 : i32, layout = #nvvm.mma_layout<{layout}>, eltType = "
            "#nvvm.ld_st_matrix_elt_type<b16>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
            f"(!llvm.ptr<3>) -> {four}")
        fields = [kernel.field(loaded, i, four) for i in range(4)]
        return [kernel.op(f"llvm.bitcast {f} : i32 to vector<2xf16>") for f in fields]

    low, high = part("and", lane, 15), part("lshr", lane, 4)
    for k in (0, 16):
        tiles_a, tiles_b = [], []
        for i in range(4):
            at = add(kernel.times(add(warp_row, add(low, kernel.constant(16 * i))), pitch_a), kernel.times(high, 16))
            tiles_a.append(load(kernel.at(kernel.memory(2 * k), at, 3), "row"))
        for j in range(4):
            at = add(kernel.times(low, pitch_b), add(kernel.times(warp_column, 2), kernel.times(high, 16)))
            loaded = load(kernel.at(kernel.memory(start_b + k * pitch_b + 32 * j), at, 3), "col")
            tiles_b += [loaded[:2], loaded[2:]]
        half, result = "vector<2xf16>", "!llvm.struct<(f32, f32, f32, f32)>"
        for i in range(4):
            for j in range(8):
                first = (i * 8 + j) * 4
                value = kernel.op(
                    f"nvvm.mma.sync A[{', '.join(tiles_a[i])}] B[{', '.join(tiles_b[j])}] "
                    f"C[{', '.join(sums[first:first + 4])}] {{layoutA = #nvvm.mma_layout<row>, layoutB = "
                    "#nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : "
                    f"({half}, {half}, f32) -> {result}")
                sums[first:first + 4] = [kernel.field(value, x, result) for x in range(4)]
    kernel.barrier()
    following = add("%k", kernel.constant(32))
    more = kernel.op(f'llvm.icmp "ult" {following}, {kernel.constant(K)} : i32')
    kernel.do(f"llvm.cond_br {more}, {loop}({following}, {', '.join(sums)} : i32, {types}), {done}")
    kernel.lines.append(done + ":")
    group, pair = part("lshr", lane, 2), kernel.times(part("and", lane, 3), 8)
    at = add(kernel.times(add(add(row, warp_row), group), 4 * N), add(kernel.times(add(column, warp_column), 4), pair))
    for i in range(4):
        for j in range(8):
            for x in range(4):
                offset = (16 * i + 8 * (x >> 1)) * 4 * N + 32 * j + 4 * (x & 1)
                kernel.store(sums[(i * 8 + j) * 4 + x], kernel.at(kernel.at(d, at), offset), "f32")
    return kernel.text()


def measure(emulator, name, kind, file, options):
    best = 0.0
    for _ in range(3):
        done = subprocess.run([emulator, file, "--statistics", *options], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        best = max(best, float(re.search(rf"{re.escape(kind)}: .*, ([0-9.]+) GFLOP/s", done.stdout)[1]))
    print(f"emulator {name:28} {best:7.3f} GFLOP/s", flush=True)


def main():
    emulator = os.path.join(sys.argv[1], "bin", "amp-emu")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "mma.mlir")
        with open(file, "w", encoding="utf-8") as out:
            out.write(multiply())
        measure(emulator, "mma.sync f16 128x128x32", "mma.sync", file,
                [f"--arg=A=f16:{M}x{K}:int", f"--arg=B=f16:{K}x{N}:int", f"--arg=D=f32:{M}x{N}:uninit",
                 f"--grid={N // 128},{M // 128}", "--expect=D=matmul(A,B)"])
    measure(emulator, "wgmma bf16 128x128x64", "wgmma", os.path.join(inputs, "persistent-gemm.mlir"),
            ["--buffer=A=bf16:512x512:int", "--buffer=B=bf16:256x512:int", "--buffer=D=bf16:512x256:nan",
             "--arg=tma:A,box=128x64,swizzle=128", "--arg=tma:B,box=64x64,swizzle=128",
             "--arg=tma:D,box=64x64,swizzle=128", "--arg=i32:512", "--arg=i32:256", "--arg=i32:512",
             "--grid=4", "--smem=229472", "--expect=D=matmul(A,B,tb)"])


if __name__ == "__main__":
    main()

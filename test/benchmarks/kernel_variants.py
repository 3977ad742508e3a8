"""Compiles what the cost model chooses from, to be measured where there is a GPU.

    kernel_variants.py BUILD FOLDER [WORD...]

For each problem below: the kernel that the model chooses, and its alternatives in tile,
cluster and parts of K, in a folder of its own that `amp-kernel-bench` reads; an
alternative's name is its options. WORDs select problems whose names contain one of them.
No GPU is needed here, and no compiler where the kernels run: amp-kernel-bench, libamp-rt
and FOLDER are enough. compare_variants.py reads what amp-kernel-bench --json wrote.
"""

import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MULTIPROCESSORS = 132
TILES = ((128, 256), (128, 128), (64, 128), (64, 64))
#: The longest ring of a small tile, beside the one that follows from it.
LONGEST_RING = 8
PLAIN_TILES = ((128, 128), (128, 64))
SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)

# name, M, N, K, batch, layout, operands, result. A weight gradient's A is stored [K][M].
PRODUCTS = [
    ("square 8192", 8192, 8192, 8192, 1, "nt", "bf16", "bf16"),
    ("square 4096", 4096, 4096, 4096, 1, "nt", "f16", "f16"),
    ("square 4096 nn", 4096, 4096, 4096, 1, "nn", "bf16", "bf16"),
    ("square 4096 tn", 4096, 4096, 4096, 1, "tn", "bf16", "bf16"),
    ("square 2048", 2048, 2048, 2048, 1, "nn", "bf16", "bf16"),
    ("square 1024", 1024, 1024, 1024, 1, "nt", "bf16", "bf16"),
    ("square 512", 512, 512, 512, 1, "nt", "bf16", "bf16"),
    ("skinny", 512, 4096, 4096, 1, "nt", "bf16", "bf16"),
    ("decode", 16, 4096, 4096, 1, "nt", "bf16", "bf16"),
    ("long sum", 256, 256, 16384, 1, "nn", "f16", "f32"),
    ("gpt2 mlp", 8192, 3072, 768, 1, "nt", "f16", "f16"),
    ("gpt2 mlp dgrad", 8192, 768, 3072, 1, "nn", "f16", "f16"),
    ("gpt2 mlp wgrad", 768, 3072, 8192, 1, "tn", "f16", "f16"),
    ("gpt2 mlp wgrad f32", 768, 3072, 8192, 1, "tn", "f16", "f32"),
    ("gpt2 vocabulary", 8192, 50257, 768, 1, "nt", "f16", "f16"),
    ("gpt2 scores", 1024, 1024, 64, 96, "nt", "f16", "f16"),
    ("gpt2 values", 1024, 64, 1024, 96, "nn", "f16", "f16"),
    ("gpt_mid qkv", 1024, 1536, 512, 1, "nt", "bf16", "bf16"),
    ("gpt_mid qkv dgrad", 1024, 512, 1536, 1, "nn", "bf16", "bf16"),
    ("gpt_mid qkv wgrad", 1536, 512, 1024, 1, "tn", "bf16", "bf16"),
    ("gpt_mid fc", 1024, 2048, 512, 1, "nt", "bf16", "bf16"),
    ("gpt_mid fc dgrad", 1024, 512, 2048, 1, "nn", "bf16", "bf16"),
    ("gpt_mid fc wgrad", 2048, 512, 1024, 1, "tn", "bf16", "bf16"),
    ("gpt_mid out", 1024, 512, 2048, 1, "nt", "bf16", "bf16"),
    ("gpt_mid out dgrad", 1024, 2048, 512, 1, "nn", "bf16", "bf16"),
    ("gpt_mid proj", 1024, 512, 512, 1, "nt", "bf16", "bf16"),
    ("gpt_mid proj dgrad", 1024, 512, 512, 1, "nn", "bf16", "bf16"),
    ("gpt_mid proj wgrad", 512, 512, 1024, 1, "tn", "bf16", "bf16"),
    ("gpt_mid logits dgrad", 1024, 512, 8192, 1, "nn", "bf16", "bf16"),
    ("gpt_mid logits", 1024, 8192, 512, 1, "nt", "bf16", "bf16"),
    ("gpt_mid logits wgrad", 8192, 512, 1024, 1, "tn", "bf16", "bf16"),
    ("f8", 4096, 4096, 4096, 1, "nt", "f8E4M3FN", "bf16"),
    ("f8 large", 8192, 8192, 8192, 1, "nt", "f8E4M3FN", "bf16"),
    ("O0", 2048, 2048, 2048, 1, "nn", "f32", "f32"),
    ("O0 large", 4096, 4096, 4096, 1, "nt", "f32", "f32"),
]
# name, images, side, channels, filters, filter, stride, padding: ResNet-50's, 32 images.
CONVOLUTIONS = [
    ("stem", 32, 224, 3, 64, 7, 2, 3),
    ("56 3x3", 32, 56, 64, 64, 3, 1, 1),
    ("56 1x1", 32, 56, 64, 256, 1, 1, 0),
    ("56 3x3 by 2", 32, 56, 128, 128, 3, 2, 1),
    ("28 3x3", 32, 28, 128, 128, 3, 1, 1),
    ("28 1x1", 32, 28, 512, 128, 1, 1, 0),
    ("14 3x3", 32, 14, 256, 256, 3, 1, 1),
    ("14 1x1", 32, 14, 256, 1024, 1, 1, 0),
    ("7 3x3", 32, 7, 512, 512, 3, 1, 1),
]
KINDS = ("forward", "data-gradient", "weight-gradient")


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def splits(tiles, stages):
    """Parts of K that leave four stages each, and fill the chip less than four times."""
    for split in SPLITS:
        if split == 1 or (stages // split >= 4 and tiles * split <= 4 * MULTIPROCESSORS):
            yield split


def product_variants(m, n, k, batch, layout, operand, result):
    """Options of amp-generate-gemm, of the problem and of each alternative."""
    plain = operand == "f32"
    tile_k = 32 if plain else 128 if operand.startswith("f8") else 64
    problem = f"chip={'sm_90' if plain else 'sm_90a'} m={m} n={n} k={k} batch={batch} layout={layout} " + " ".join(
        f"{name}-type={form}" for name, form in (("a", operand), ("b", operand), ("d", result)))
    for (rows, columns), cluster in itertools.product(PLAIN_TILES if plain else TILES, (1,) if plain else (1, 2)):
        if cluster > 1 and m <= rows:
            continue
        tiles = -(-m // rows) * -(-n // columns) * batch
        for split in splits(tiles, -(-k // tile_k)):
            options = f"tile={rows}x{columns} cluster={cluster} split-k={split}"
            yield problem, options
            if not plain and rows == 64 and tiles * split <= MULTIPROCESSORS:
                yield problem, f"{options} stages={LONGEST_RING}"


def convolution_variants(images, side, channels, filters, filter, stride, padding, kind):
    out = (side + 2 * padding - filter) // stride + 1
    problem = (
        f"kind={kind} a-type=f16 d-type=f16 batch={images} height={side} width={side} channels={channels} "
        f"filters={filters} filter={filter}x{filter} stride={stride}x{stride} padding={padding}x{padding}")
    taps = filter * filter
    m, n, k = {
        "forward": (images * out * out, filters, taps * channels),
        "data-gradient": (images * side * side, channels, taps * filters),
        "weight-gradient": (filters, taps * channels, images * out * out),
    }[kind]
    for rows, columns in TILES:
        for split in splits(-(-m // rows) * -(-n // columns), -(-k // 64)):
            yield problem, f"tile={rows}x{columns} split-k={split}"


def problems():
    for name, *shape in PRODUCTS:
        yield name, "amp-generate-gemm", list(product_variants(*shape)), shape
    for name, *shape in CONVOLUTIONS:
        for kind in KINDS:
            yield f"conv {name} {kind}", "amp-generate-convolution", list(convolution_variants(*shape, kind)), None


def export(build, module, chip, target):
    opt, export = (os.path.join(build, "bin", tool) for tool in ("amp-opt", "amp-kernel-export"))
    code, cubins, errors = run([opt, f"--amp-kernels-to-cubin=chip={chip}"], module)
    if not code:
        code, _, errors = run([export, "-", "-o", target], cubins)
    if code:
        raise RuntimeError(errors)


def pack(build, folder, name, generator, variants):
    """Writes the kernels of one problem; returns how many, and what could not be made."""
    target = os.path.join(folder, name.replace(" ", "_"))
    shutil.rmtree(target, ignore_errors=True)
    opt = os.path.join(build, "bin", "amp-opt")
    refused, module, names = [], "module {}", {}
    for i, (problem, options) in enumerate(variants):
        chip = re.search(r"chip=(\w+)", problem)
        # Each by itself, so that one that is refused does not take the others along.
        code, made, errors = run([opt, "-", f"--{generator}={problem} {options} name=k{i}"], module)
        if code:
            refused.append(f"{name}: {options}: {errors.strip().splitlines()[0]}")
            continue
        module, names[f"k{i}"] = made, options
    export(build, module, chip.group(1) if chip else "sm_90a", target)
    path = os.path.join(target, "index.json")
    with open(path) as file:
        index = json.load(file)
    for kernel in index["kernels"]:
        kernel["name"] = names[kernel["name"]]
    with open(path, "w") as file:
        json.dump(index, file)
    return len(names), refused


def main():
    if len(sys.argv) < 3:
        sys.exit("kernel_variants.py: expected a build folder and a folder to write to; see the top of this file")
    build, folder, *words = sys.argv[1:]
    chosen = [problem for problem in problems() if not words or any(word in problem[0] for word in words)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        packed = pool.map(lambda p: pack(build, folder, *p[:3]), chosen)
        for (name, *_), (count, refused) in zip(chosen, packed):
            print(f"{name}: {count} kernels" + (f", {len(refused)} refused" if refused else ""))
            for line in refused:
                print("  " + line)


if __name__ == "__main__":
    main()

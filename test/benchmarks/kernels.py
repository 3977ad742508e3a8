"""What is expected of generated kernels, and what they take: no GPU is needed.

    kernels.py BUILD_DIR [WORD...]

For each problem below and each chip: the configuration that the cost model chooses, the
roofline (docs/Rationale/Kernels.md), and what ptxas says of the kernel; as a Markdown
table. WORDs select rows whose kernel or chip contains one of them. Where there is a GPU, the sm_90a
kernels are run and measured by amp-kernel-bench afterwards.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

CHIPS = ("sm_90a", "sm_80")
# name, m, n, k, batch, operands, result, B is stored [N][K]
PROBLEMS = [
    ("large", 8192, 8192, 8192, 1, "bf16", "bf16", True),
    ("large", 4096, 4096, 4096, 1, "f16", "f16", True),
    ("large", 2048, 2048, 2048, 1, "bf16", "bf16", False),
    ("skinny", 512, 4096, 4096, 1, "bf16", "bf16", True),
    ("decode", 16, 4096, 4096, 1, "bf16", "bf16", True),
    ("wgrad", 768, 3072, 8192, 1, "f16", "f32", False),
    ("long sum", 256, 256, 16384, 1, "f16", "f32", False),
    ("attention", 1024, 1024, 64, 96, "f16", "f16", True),
    ("gpt2 mlp", 8192, 3072, 768, 1, "f16", "f16", True),
    ("gpt2 vocabulary", 8192, 50257, 768, 1, "f16", "f16", True),
    ("digits mlp", 32, 128, 64, 1, "f16", "f16", True),
    ("f8", 4096, 4096, 4096, 1, "f8E4M3FN", "bf16", True),
    ("O0", 2048, 2048, 2048, 1, "f32", "f32", False),
]
COLUMNS = ("kernel", "chip", "problem", "tile", "stages", "cluster", "split", "registers", "shared KiB",
           "GFLOP", "MB", "waves", "full", "us", "of peak", "bound by", "compile s")


def source(m, n, k, batch, operand, result, transposed):
    """A product and its cast, as a linalg.generic on tensors."""
    b = "(b, n, k)" if transposed else "(b, k, n)"
    wide = operand != "f32"
    extend = f"%x = arith.extf %l : {operand} to f32\n%y = arith.extf %r : {operand} to f32" if wide else ""
    x, y = ("%x", "%y") if wide else ("%l", "%r")
    types = [f"tensor<{batch}x{m}x{k}x{operand}>",
             f"tensor<{batch}x{n}x{k}x{operand}>" if transposed else f"tensor<{batch}x{k}x{n}x{operand}>"]
    sums, out = f"tensor<{batch}x{m}x{n}xf32>", f"tensor<{batch}x{m}x{n}x{result}>"
    cast = f"%d = arith.truncf %s : {sums} to {out}" if result != "f32" else ""
    return f"""
func.func @product(%a: {types[0]}, %b: {types[1]}) -> {out} {{
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : {sums}
  %z = linalg.fill ins(%c0 : f32) outs(%e : {sums}) -> {sums}
  %s = linalg.generic {{indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                                        affine_map<(b, m, n, k) -> {b}>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%a, %b : {types[0]}, {types[1]}) outs(%z : {sums}) {{
  ^bb0(%l: {operand}, %r: {operand}, %o: f32):
    {extend}
    %p = arith.mulf {x}, {y} : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  }} -> {sums}
  {cast}
  return {"%d" if cast else "%s"} : {out}
}}
"""


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def ptxas_report(opt, chip, module, folder):
    """Registers of the main kernel, or nothing without ptxas."""
    text = run([opt, f"--amp-kernels-to-cubin=chip={chip} format=isa"], module)
    assembly = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text, re.S).group(1)
    assembly = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), assembly)
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as file:
        file.write(assembly.replace("\\\\", "\\").rstrip("\0"))
    done = subprocess.run(["ptxas", "-v", "-O3", f"-arch={chip}", path, "-o", os.devnull],
                          capture_output=True, text=True)
    # The second kernel of a split sum is not the one to look at.
    found = re.search(r"Compiling entry function 'gemm_0'.*?Used (\d+) registers", done.stderr, re.S)
    return found.group(1) if found else "-"


def row(opt, chip, problem, folder, has_ptxas):
    name, m, n, k, batch, operand, result, transposed = problem
    module = run([opt, f"--convert-linalg-to-tensor-core=chip={chip} always"], source(*problem[1:]))
    cost = re.search(r"amp\.cost = \{(.*?)\}", module)
    if not cost:
        return None  # the chip has no such kernel

    def value(key):
        text = re.search(rf'\b{key} = (?:array<i64: )?"?([^",>]*?)(?: : \w+)?[",>}}]', cost.group(1) + ",").group(1)
        return text

    def real(key):
        text = value(key)
        if text.startswith("0x"):
            return __import__("struct").unpack(">d", bytes.fromhex(text[2:]))[0]
        return float(text)

    tile = re.search(r"tile = array<i64: (\d+), (\d+), (\d+)>", cost.group(1)).groups()
    shared = int(re.search(r"order = 0 : i64, shared_memory = (\d+)", module).group(1))
    registers, seconds = "-", "-"
    if has_ptxas:
        start = time.time()
        run([opt, f"--amp-kernels-to-cubin=chip={chip}", "-o", os.devnull], module)
        seconds = f"{time.time() - start:.2f}"
        registers = ptxas_report(opt, chip, module, folder)
    layout = "n" + ("t" if transposed else "n")
    sizes = f"{m}x{n}x{k}" + (f" x{batch}" if batch > 1 else "")
    return (name, chip, f"{sizes} {operand} {result} {layout}", "x".join(tile), value("stages"), value("cluster"),
            value("split_k"), registers, f"{shared / 1024:.0f}", f"{real('flops') / 1e9:.2f}",
            f"{real('bytes') / 1e6:.1f}", f"{real('waves'):.2f}", f"{real('wave_efficiency') * 100:.0f} %",
            f"{real('seconds') * 1e6:.1f}", f"{real('share_of_peak') * 100:.0f} %", value("bound"), seconds), module


def main():
    build, *words = sys.argv[1:]
    tools = os.path.join(build, "bin")
    opt = os.path.join(tools, "amp-opt")
    has_ptxas = subprocess.run(["sh", "-c", "command -v ptxas"], capture_output=True).returncode == 0
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    modules = []
    with tempfile.TemporaryDirectory() as folder:
        for chip in CHIPS:
            for problem in PROBLEMS:
                if words and not any(word in f"{problem[0]} {chip}" for word in words):
                    continue
                found = row(opt, chip, problem, folder, has_ptxas)
                if not found:
                    continue
                cells, module = found
                print("| " + " | ".join(cells) + " |", flush=True)
                if chip == "sm_90a":
                    modules.append(module)
        if not os.path.exists("/dev/nvidiactl"):
            print("\nexpected, not measured: no GPU here")
            return
        for number, module in enumerate(modules):
            target = os.path.join(folder, str(number))
            compiled = run([opt, "--amp-kernels-to-cubin"], module)
            run([os.path.join(tools, "amp-kernel-export"), "-", "-o", target], compiled)
            subprocess.run([os.path.join(tools, "amp-kernel-bench"), target])


if __name__ == "__main__":
    main()

"""Instructions of epilogues, as the cost model counts them, against their SASS.

    check_epilogue_work.py CHIP

One kernel for each function, of its product's sums, and one without any; each module says
in `amp.cost` how many instructions the model expects for an element. What the function
adds to the kernel that ptxas makes, for each element of a thread, is within an eighth of
that, or half an instruction. Instructions of f64 count as two.

One line for each function that is not, and exit status 1 if there is any.
"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import check_kernels

M, N, K = 64, 64, 64

UNARY = """exp2 round exp sqrt tanh erf rsqrt expm1 sinh cosh log log2 log10 sin cos atan log1p cbrt atanh asin
    acos tan asinh acosh erfc floor ceil trunc roundeven absf""".split()

# The operations between the sum, %x, and %y.
EPILOGUES = {name: f"%y = math.{name} %x : f32" for name in UNARY}
EPILOGUES |= {
    "powf": "%y = math.powf %x, %k : f32",
    "atan2": "%y = math.atan2 %x, %k : f32",
    "copysign": "%y = math.copysign %k, %x : f32",
    "addf": "%y = arith.addf %x, %k : f32",
    "maximumf": "%y = arith.maximumf %x, %k : f32",
    "divf": "%y = arith.divf %k, %x : f32",
    "remf": "%y = arith.remf %x, %k : f32",
    "select": "%s = arith.constant 1.5 : f32\n%c = arith.cmpf ogt, %x, %k : f32\n%y = arith.select %c, %x, %s : f32",
    "rounding": "%h = arith.truncf %x : f32 to bf16\n%w = arith.extf %h : bf16 to f32\n%y = arith.addf %w, %k : f32",
    "quotient of a half": "%q = arith.divf %k, %x : f32\n%h = arith.truncf %q : f32 to f16\n"
    "%w = arith.extf %h : f16 to f32\n%y = arith.addf %w, %k : f32",
    "gelu of tanh": """%x2 = arith.mulf %x, %x : f32
        %x3 = arith.mulf %x2, %x : f32
        %t = arith.mulf %x3, %k : f32
        %u = arith.addf %x, %t : f32
        %v = arith.mulf %u, %k : f32
        %w = math.tanh %v : f32
        %s = arith.addf %w, %k : f32
        %h = arith.mulf %x, %k : f32
        %y = arith.mulf %h, %s : f32""",
}


def module(bodies):
    """One product for each body, whose result is the product's by one number."""
    functions = "".join(f"""
func.func @step_{i}(%a: tensor<{M}x{K}xbf16>, %b: tensor<{K}x{N}xbf16>) -> tensor<{M}x{N}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{M}x{N}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %p = linalg.matmul ins(%a, %b : tensor<{M}x{K}xbf16>, tensor<{K}x{N}xbf16>)
    outs(%f : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p : tensor<{M}x{N}xf32>) outs(%e : tensor<{M}x{N}xf32>) {{
  ^bb0(%sum: f32, %o: f32):
    %k = arith.constant 0.7 : f32
    %x = arith.addf %sum, %k : f32
    {body}
    %z = arith.mulf %y, %k : f32
    linalg.yield %z : f32
  }} -> tensor<{M}x{N}xf32>
  return %r : tensor<{M}x{N}xf32>
}}""" for i, body in enumerate(bodies))
    return "#id = affine_map<(d0, d1) -> (d0, d1)>" + functions


def run(*command, text=""):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_kernel(chip, text):
    """The code of a kernel."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/kernel.ptx", "w") as file:
            file.write(text)
        run("ptxas", "-O3", f"-arch={chip}", f"{folder}/kernel.ptx", "-o", f"{folder}/kernel.cubin")
        with open(f"{folder}/kernel.cubin", "rb") as file:
            return check_kernels.main_code(file.read())


def count(lines):
    """What they take of the lanes of f32."""
    codes = [re.sub(r"^@!?U?P\w+\s+", "", line.split("*/", 1)[1].strip()) for line in lines]
    return len(codes) + sum(bool(re.match(r"D(ADD|MUL|FMA|SETP)\b", code)) for code in codes)


def main(chip):
    # The plainest epilogue first: what the others are compared with.
    names = ["none", *EPILOGUES]
    bodies = ["%y = arith.negf %x : f32", *EPILOGUES.values()]
    converted = run("amp-opt", f"--convert-linalg-to-tensor-core=chip={chip} always", text=module(bodies))
    expected = [float(x) for x in re.findall(r"epilogue_instructions = ([-+.\de]+) : f64", converted)]
    compiled = run("amp-opt", "--amp-record-launches", f"--amp-kernels-to-cubin=chip={chip} format=isa", text=converted)
    texts = check_kernels.read_assemblies(compiled)
    assert len(expected) == len(texts) == len(names), (len(expected), len(texts), len(names))
    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda text: compile_kernel(chip, text), texts))
    counts = [count(lines) for lines in check_kernels.disassemble(chip, codes)]
    wrong = 0
    # A warpgroup, or four warps, have the sums of this tile.
    elements = M * N / 128
    for name, model, instructions in list(zip(names, expected, counts))[1:]:
        seen = (instructions - counts[0]) / elements
        more = model - expected[0]
        if abs(seen - more) > max(0.5, seen / 8):
            print(f"{name}: the model expects {more:g} instructions an element, ptxas makes {seen:g}")
            wrong += 1
    print(f"{len(EPILOGUES)} epilogues on {chip}, {wrong} counted wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

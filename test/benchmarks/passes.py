#!/usr/bin/env python3
"""How long does amp-mixed-precision take, and how does that grow?

    passes.py AMP_OPT [-n 10000,20000,50000,100000] [-l O0,O1,O2] [-r 5] [--count] [SHAPE | FILE.mlir ...]

For each shape of program, size and level: the time of the pipeline's passes as
--mlir-timing reports it, its ratio to the baseline with MLIR's verification after each pass
and without (--verify-each=0), and the peak memory of the process; then the exponents of time
and memory, the slopes of lines fitted by least squares to the logarithms of all sizes. A file
has one size, and with fewer than four sizes an exponent is a guess. The baseline, in the same
run, is the larger of reading and printing the file and of `--canonicalize --cse` on it; it has
an exponent of its own. Each number is the median of -r runs. Goals: a ratio of at most 2,
exponents of at most 1.15. With --count valgrind counts instructions (in 10^9, of one thread)
in the place of seconds: the same on a machine that is busy, and 50 times slower.

Shapes: `chain` of elementwise operations; `exp`, one that feeds an exp; `unit`, one of a single
framework operation; `moves`, of transposes; `loop`, in an scf.for; `mlp`, forward and
backward with a parameter for every ten operations; `stack`, the same with one parameter;
`wide`, a parameter for every two;
`helpers`, each called by the next; `doubling`, each calling the one before twice (as many
as fit: their number is the logarithm of the size).
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

T = "tensor<8x8xf32>"
LEVELS = "O0,O1,O2"


def role(kind, name):
    return f'{{amp.role = "{kind}", amp.name = "{name}"}}'


def chain(n):
    ops = ("linalg.add ins(%v{0}, %y : {1}, {1}) outs(%e : {1}) -> {1}",
           "linalg.abs ins(%v{0} : {1}) outs(%e : {1}) -> {1}",
           "linalg.mul ins(%v{0}, %y : {1}, {1}) outs(%e : {1}) -> {1}")
    body = [f"%v{i + 1} = {ops[i % 3].format(i, T)}" for i in range(n)]
    return function(["%e = tensor.empty() : " + T] + body, f"%v{n}")


def function(body, result):
    return "\n".join([f"func.func @f(%v0: {T}, %y: {T}) -> {T} {{"] + body + [f"return {result} : {T}", "}"])


def exp(n):
    body = [f"%v{i + 1} = arith.addf %v{i}, %y : {T}" for i in range(n)]
    return function(body + [f"%r = math.exp %v{n} : {T}"], "%r")


def unit(n):
    origin = '{amp.function = "torch.nn.functional.layer_norm", amp.scope_id = 1 : i64}'
    return function([f"%v{i + 1} = arith.addf %v{i}, %y {origin} : {T}" for i in range(n)], f"%v{n}")


def moves(n):
    body = [f"%e = tensor.empty() : {T}", f"%m0 = linalg.matmul ins(%v0, %y : {T}, {T}) outs(%e : {T}) -> {T}"]
    body += [f"%m{i + 1} = linalg.transpose ins(%m{i} : {T}) outs(%e : {T}) permutation = [1, 0]"
             for i in range(n)]
    return function(body + [f"%r = arith.addf %m{n}, %m{n} : {T}"], "%r")


def loop(n):
    body = "\n".join(f"%v{i + 1} = arith.addf %v{i}, %x : {T}" for i in range(n))
    return f"""func.func @fb(%w: {T} {role("param", "w")}, %x: {T} {role("batch", "x0")}, %k: index,
    %s: tensor<f32> {role("loss_seed", "l")}) -> ({T} {role("grad", "w")}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = arith.mulf %x, %w : {T}
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v0 = %q) -> {T} {{
{body}
    scf.yield %v{n} : {T}
  }}
  %e = tensor.empty() : {T}
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0, 1]
  %g = arith.mulf %b, %r : {T}
  return %g : {T}
}}"""


def matmul(result, a, b):
    return f"%{result} = linalg.matmul ins(%{a}, %{b} : {T}, {T}) outs(%f : {T}) -> {T}"


def train(layers, weights, get, give, grads):
    """A forward and backward pass, an SGD step and a train step. `get` and `give` are the
    lines that read layer i's weight as %w<i> and hand its gradient %g<i> on."""
    params = ", ".join(f"%{name}: {type} {role('param', name)}" for name, type in weights)
    types = [type for _, type in weights]
    lines = [f"func.func @fb({params}, %x: {T} {role('batch', 'x0')}, %s: tensor<f32> {role('loss_seed', 'l')}) -> ("
             + ", ".join(f"{type} {role('grad', name)}" for name, type in weights)
             + f", tensor<f32> {role('loss', 'l')}) {{",
             f"%z = arith.constant 0.0 : f32\n%zt = arith.constant dense<0.0> : {T}\n%e = tensor.empty() : {T}",
             f"%f = linalg.fill ins(%z : f32) outs(%e : {T}) -> {T}",
             "%f0 = arith.constant dense<0.0> : tensor<f32>", f"%a0 = arith.mulf %x, %x : {T}"]
    lines += grads
    for i in range(layers):
        lines += get(i) + [matmul(f"p{i}", f"a{i}", f"w{i}"), f"%a{i + 1} = arith.maximumf %p{i}, %zt : {T}"]
    lines += [f"%q = arith.mulf %a{layers}, %a{layers} : {T}",
              f"%l = linalg.reduce {{ arith.addf }} ins(%q : {T}) outs(%f0 : tensor<f32>) dimensions = [0, 1]",
              f"%sb = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0, 1]",
              f"%d{layers} = arith.mulf %sb, %a{layers} : {T}"]
    for i in reversed(range(layers)):
        lines += [f"%m{i} = arith.cmpf ogt, %p{i}, %zt : {T}",
                  f"%r{i} = arith.select %m{i}, %d{i + 1}, %zt : tensor<8x8xi1>, {T}",
                  f"%at{i} = linalg.transpose ins(%a{i} : {T}) outs(%e : {T}) permutation = [1, 0]",
                  matmul(f"g{i}", f"at{i}", f"r{i}")] + give(i)
        lines += [f"%wt{i} = linalg.transpose ins(%w{i} : {T}) outs(%e : {T}) permutation = [1, 0]",
                  matmul(f"d{i}", f"r{i}", f"wt{i}")]
    names = [name for name, _ in weights]
    all_types = ", ".join(types)
    lines += ["return " + ", ".join(f"%grad_{name}" for name in names) + f", %l : {all_types}, tensor<f32>", "}"]
    lines.append(f"func.func @step({params}, " + ", ".join(
        f"%g_{name}: {type} {role('grad', name)}" for name, type in weights) + ") -> ("
        + ", ".join(f"{type} {role('param', name)}" for name, type in weights) + ") {")
    lines += [f"%n_{name} = arith.subf %{name}, %g_{name} : {type}" for name, type in weights]
    lines += ["return " + ", ".join(f"%n_{name}" for name in names) + f" : {all_types}", "}"]
    lines.append(f"func.func @train({params}, %x: {T} {role('batch', 'x0')}, %s: tensor<f32> {role('loss_seed', 'l')})"
                 " -> (" + ", ".join(f"{type} {role('param', name)}" for name, type in weights)
                 + f", tensor<f32> {role('loss', 'l')}) {{")
    used = ", ".join(f"%{name}" for name in names)
    count = len(names)
    lines += [f"%g:{count + 1} = call @fb({used}, %x, %s) : ({all_types}, {T}, tensor<f32>) -> ({all_types}, tensor<f32>)",
              f"%n:{count} = call @step({used}, " + ", ".join(f"%g#{i}" for i in range(count))
              + f") : ({all_types}, {all_types}) -> ({all_types})",
              "return " + ", ".join(f"%n#{i}" for i in range(count)) + f", %g#{count} : {all_types}, tensor<f32>", "}"]
    return "\n".join(lines)


def mlp(n):
    layers = max(n // 10, 1)
    give = lambda i: [f"%grad_w{i} = arith.negf %g{i} : {T}"]
    return train(layers, [(f"w{i}", T) for i in range(layers)], lambda i: [], give, [])


def stack(n):
    layers = max(n // 12, 1)
    whole = f"tensor<{layers}x8x8xf32>"
    get = lambda i: [f"%w{i} = tensor.extract_slice %w[{i}, 0, 0] [1, 8, 8] [1, 1, 1] : {whole} to {T}"]

    def give(i):
        into = f"%G{i + 1}" if i + 1 < layers else "%G"
        name = f"%G{i}" if i else "%grad_w"
        return [f"{name} = tensor.insert_slice %g{i} into {into}[{i}, 0, 0] [1, 8, 8] [1, 1, 1] : {T} into {whole}"]
    start = [f"%ew = tensor.empty() : {whole}", f"%G = linalg.fill ins(%z : f32) outs(%ew : {whole}) -> {whole}"]
    return train(layers, [("w", whole)], get, give, start)


def wide(n):
    count = max(n // 2, 1)
    grads = [f"%sd = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0, 1]"]
    grads += [f"%grad_w{i} = arith.mulf %w{i}, %sd : {T}" for i in range(count)]
    return train(0, [(f"w{i}", T) for i in range(count)], None, None, grads)


def evaluate(first):
    return (f"func.func @evaluate(%w: {T} {role('param', 'w')}, %x: {T} {role('batch', 'x0')}) -> "
            f"({T} {role('output', 'y')}) {{\n%0 = call @{first}(%x) : ({T}) -> {T}\n"
            f"%1 = arith.mulf %0, %w : {T}\nreturn %1 : {T}\n}}")


def helpers(n):
    count = max(n // 10, 1)
    made = [f"func.func private @h{i}(%x: {T}) -> {T} {{\n%0 = call @h{i + 1}(%x) : ({T}) -> {T}\n"
            f"%1 = arith.addf %0, %x : {T}\nreturn %1 : {T}\n}}" for i in range(count - 1)]
    last = f"func.func private @h{count - 1}(%x: {T}) -> {T} {{\nreturn %x : {T}\n}}"
    return "\n".join(made + [last, evaluate("h0")])


def doubling(n):
    count = max(int(math.log2(n)), 1)
    made = [f"func.func private @h{i}(%x: {T}) -> {T} {{\n%0 = call @h{i + 1}(%x) : ({T}) -> {T}\n"
            f"%1 = call @h{i + 1}(%0) : ({T}) -> {T}\nreturn %1 : {T}\n}}" for i in range(count)]
    last = f"func.func private @h{count}(%x: {T}) -> {T} {{\n%0 = arith.addf %x, %x : {T}\nreturn %0 : {T}\n}}"
    return "\n".join(made + [last, evaluate("h0")])


SHAPES = (chain, exp, unit, moves, loop, mlp, stack, wide, helpers, doubling)


def run(command, limit):
    """Seconds by part, and the peak memory in MiB; nothing where it takes too long."""
    report = tempfile.NamedTemporaryFile("r")
    try:
        pid = subprocess.Popen(command + ["-o", os.devnull, "--mlir-timing", "--mlir-timing-display=list"],
                               stdout=subprocess.DEVNULL, stderr=open(report.name, "w"))
        try:
            pid.wait(limit)
        except subprocess.TimeoutExpired:
            pid.kill()
            pid.wait()
            return None
        text = report.read()
        if pid.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{text[:2000]}")
    finally:
        report.close()
    times = {}
    for seconds, name in re.findall(r"^ *([\d.]+) \( *[\d.]+%\) +(.*)$", text, re.M):
        times[name.strip()] = times.get(name.strip(), 0) + float(seconds)
    return times


def measure(command, limit, runs, part):
    """Median of the seconds that `part` makes of a run's times."""
    found = []
    for _ in range(runs):
        times = run(command, limit)
        if times is None:
            return math.inf
        found.append(part(times))
    return statistics.median(found)


def count(command, *options):
    """Instructions of a run in 10^9, as valgrind counts them."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *options] + command
        + ["-o", os.devnull, "--mlir-disable-threading"], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{' '.join(command)} under valgrind failed:\n{done.stderr[:2000]}")
    return int(found[1]) / 1e9


def count_passes(command):
    return count(command, "--collect-atstart=no", "--toggle-collect=mlir::PassManager::run*")


def peak_memory(command):
    """MiB, of a process of its own that waits for the command."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
            " stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", code] + command + ["-o", os.devnull], capture_output=True, text=True)
    return int(done.stdout) / 1024


def exponent(sizes, values):
    """Slope of the line through the logarithms whose squared distances are least."""
    if len(set(sizes)) < 2 or not all(value > 0 and math.isfinite(value) for value in values):
        return math.nan
    return statistics.linear_regression([math.log(n) for n in sizes], [math.log(value) for value in values]).slope


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("amp_opt")
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("-n", default="10000,20000,50000,100000")
    parser.add_argument("-l", default=LEVELS)
    parser.add_argument("-r", type=int, default=5)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--count", action="store_true")
    args = parser.parse_intermixed_args()
    sizes = [int(n) for n in args.n.split(",")]
    files = [s for s in args.shapes if s.endswith(".mlir")]
    names = {s.__name__: s for s in SHAPES}
    for name in args.shapes:
        if name not in names and name not in files:
            parser.error(f"expected a file or one of {', '.join(names)}, but got '{name}'")
    programs = [(name, [(n, lambda n=n, s=shape: s(n)) for n in sizes])
                for name, shape in names.items() if not args.shapes or name in args.shapes]
    for file in files:
        with open(file) as source:
            text = source.read()
        programs.append((os.path.splitext(os.path.basename(file))[0], [(len(re.findall(r"^ *%[^\n=]* = ", text, re.M)), lambda text=text: text)]))
    outside = lambda times: times.get("Parser", 0) + times.get("Output", 0)
    # Not the sum of the passes: those inside another one count there as well.
    inside = lambda times: times["Total"] - outside(times) - times.get("Rest", 0)
    unit = "10^9" if args.count else "s"
    print(f"{'shape':15}{'level':6}{'operations':>11}{'passes ' + unit:>12}{'baseline':>10}{'ratio':>7}{'unverified':>11}"
          f"{'MiB':>7}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.mlir")
        base = {}
        if args.count:
            with open(path, "w") as file:
                file.write("module {}\n")
            start = count([args.amp_opt, path])
            in_passes, in_tool = count_passes, lambda command: count(command) - start
        else:
            in_passes = lambda command: measure(command, args.limit, args.r, inside)
            in_tool = lambda command: measure(command, args.limit, args.r, outside)
        for name, variants in programs:
            for size, write in variants:
                with open(path, "w") as file:
                    file.write(write() + "\n")
                plain = [args.amp_opt, path]
                base[size] = max(in_tool(plain), in_passes(plain + ["--canonicalize", "--cse"]))
            for level in args.l.split(","):
                passes, memory = [], []
                for size, write in variants:
                    with open(path, "w") as file:
                        file.write(write() + "\n")
                    command = [args.amp_opt, path, f"--amp-mixed-precision=opt-level={level} verbosity=0"]
                    passes.append(in_passes(command))
                    unverified = in_passes(command + ["--verify-each=0"])
                    peak = lambda: statistics.median(peak_memory(command) for _ in range(args.r))
                    memory.append(peak() if math.isfinite(passes[-1]) else math.nan)
                    print(f"{name:15}{level:6}{size:11,}{passes[-1]:12.3f}{base[size]:10.3f}"
                          f"{passes[-1] / base[size]:7.2f}{unverified / base[size]:11.2f}{memory[-1]:7.0f}", flush=True)
                if len(variants) > 1:
                    baseline = exponent(sizes, [base[size] for size in sizes])
                    print(f"{'':21}{'exponents':>11}{exponent(sizes, passes):12.2f}{baseline:10.2f} in "
                          f"{'instructions' if args.count else 'time'}, {exponent(sizes, memory):.2f} in memory", flush=True)


if __name__ == "__main__":
    main()

"""Where does a library multiply matrices faster than generated code?

    libraries.py BUILD [--library NAME] [--quick] [--filter TEXT...]

What runtime/src/Library/OneDnnRatios.def holds: a Markdown table of products of f32 and of
bf16 with results in f32, and then a row of that file for each class of them. NAME is what
AMP_BLAS takes (onednn).

A ratio is another's time divided by the library's, above 1 where the library wins; of f32
the other is the faster one of generated code and OpenBLAS. Both multiply matrices as they
lie in memory and add to C, on one thread of one CPU, in turn for several rounds: a ratio is
that of each round, and of these the median. So is the noise that of generated code and the
same once more: of a class, the largest distance from 1.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROUNDS = 9
# Multiplications from which a product is of a class: those that caches hold, those whose
# packed operands they hold, and others.
CLASSES = (1 << 17, 1 << 21, 1 << 27)
TYPES = {"f32": "F32", "bf16": "Bf16"}


def make_case(m, n, k, layout="nn", batch=1):
    """A of m x k by B of k x n; one that the layout has a t for is stored the other way round."""
    prefix, outer = ("b, ", [batch]) if batch > 1 else ("", [])

    def describe(rows, columns, sides, is_transposed):
        names = (columns, rows) if is_transposed else (rows, columns)
        shape = outer + (sides[::-1] if is_transposed else sides)
        return (f"affine_map<({prefix}m, n, k) -> ({prefix}{', '.join(names)})>",
                "".join(f"{extent}x" for extent in shape))

    (a_map, a), (b_map, b), (c_map, c) = (
        describe("m", "k", [m, k], layout[0] == "t"), describe("k", "n", [k, n], layout[1] == "t"),
        describe("m", "n", [m, n], False))
    name = f"{m}x{n}x{k} {layout}" + (f", {batch} times" if batch > 1 else "")
    operation = f"linalg.{'batch_' if batch > 1 else ''}matmul indexing_maps = [{a_map}, {b_map}, {c_map}] " \
        "ins(%a, %b : $A, $B) outs(%c : $C)"
    return {"name": name, "m": m, "n": n, "k": k, "batch": batch, "a": a, "b": b, "c": c, "operation": operation}


def make_cases():
    """Each layout of squares, and what small models and a GPT of 512 columns multiply."""
    layouts = ("nn", "nt", "tn")
    cases = [make_case(*[side] * 3, layout) for side in (64, 128, 256, 512, 1024) for layout in layouts]
    for rows, inputs, outputs in ((32, 64, 128), (128, 64, 128), (128, 64, 256), (1024, 512, 1536), (1024, 512, 2048),
                                  (1024, 2048, 512)):
        cases += [make_case(rows, outputs, inputs, "nt"), make_case(rows, inputs, outputs, "nn"),
                  make_case(outputs, inputs, rows, "tn")]
    return cases + [make_case(256, 256, 64, "nt", 32), make_case(256, 64, 256, "nn", 32),
                    make_case(256, 64, 256, "tn", 32)]


def get_class(case):
    work = case["m"] * case["n"] * case["k"]
    return max(start for start in CLASSES if start <= work)


class Bench:
    """contraction-bench, which waits for cases."""

    def __init__(self, build, library, is_quick):
        tool = pathlib.Path(build) / "bin" / "contraction-bench"
        if not tool.exists():
            sys.exit(f"libraries.py: expected '{tool}' to be built; ./dev bench libraries builds it")
        command = [tool, "--cases", "--median", f"--rounds={3 if is_quick else ROUNDS}", f"--library={library}",
                   *[f"--mode={mode}" for mode in ("generated", "again", "blas", "library")],
                   *[f"--type={name}" for name in TYPES]]
        self.process = subprocess.Popen(command + ["--quick"] * is_quick, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.description = self.process.stderr.readline().strip()

    def measure(self, case):
        """The rounds of each type and mode. All of a type compute the same."""
        try:
            print(json.dumps(case), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            sys.exit("libraries.py: " + (self.description + "\n" + self.process.stderr.read()).strip())
        answer = json.loads(line)
        for name in TYPES:
            sums = {value for key, value in answer["sum"].items() if key.split()[0] == name}
            if len(sums) != 1:
                sys.exit(f"libraries.py: '{case['name']}' has several results in {name}: {answer['sum']}")
        return answer["rounds"]


def get_ratios(rounds, name):
    """Of one case and type: the library's ratio, and that of the same code."""
    generated, again, blas, library = (rounds[f"{name} {mode}"] for mode in ("generated", "again", "blas", "library"))
    others = [min(pair) for pair in zip(generated, blas)] if name == "f32" else generated
    return (statistics.median(other / own for other, own in zip(others, library)),
            statistics.median(one / two for one, two in zip(generated, again)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--library", default="onednn", metavar="NAME", help="what AMP_BLAS takes (onednn)")
    parser.add_argument("--quick", action="store_true", help="a part of the time for each cell")
    parser.add_argument("--filter", nargs="+", default=[""], metavar="TEXT", help="cases whose names have one")
    options = parser.parse_args()
    cases = [case for case in make_cases() if any(text in case["name"] for text in options.filter)]
    if not cases:
        sys.exit("libraries.py: no case has '" + "' or '".join(options.filter) + "' in its name")
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    bench = Bench(options.build, options.library, options.quick)
    measured = {}
    for case in cases:
        rounds = bench.measure(case)
        if not measured:
            print(f"CPU {cpu}, {bench.description}\n")
            print("| product | f32, GFLOP/s | ratio | noise | bf16, GFLOP/s | ratio | noise |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
        cells = [case["name"]]
        for name in TYPES:
            ratio, same = get_ratios(rounds, name)
            measured.setdefault((name, get_class(case)), []).append((ratio, abs(same - 1)))
            operations = 2e-9 * case["m"] * case["n"] * case["k"] * case["batch"]
            rate = operations / statistics.median(rounds[f"{name} library"])
            cells += [f"{rate:.1f}", f"{ratio:.2f}", f"{same:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    print("\nOf each class the median ratio and the largest noise, as in OneDnnRatios.def (type, multiplications from):\n")
    for (name, start), values in sorted(measured.items()):
        ratio = statistics.median(value for value, _ in values)
        noise = max(distance for _, distance in values)
        print(f"{TYPES[name]}, int64_t(1) << {start.bit_length() - 1}, {ratio:.2f}, {noise:.2f}")


if __name__ == "__main__":
    main()

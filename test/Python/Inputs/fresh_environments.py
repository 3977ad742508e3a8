"""Installs a wheel into a fresh virtual environment for each extra, and there runs every
example and the tests, with nothing but the environment on the path.

    fresh_environments.py WHEEL SOURCE FOLDER [EXTRA...]

Prints a line for each example and the counts of each environment; the exit status is 1
where something failed, or an environment skipped more than what belongs to another.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

# What is installed before the wheel, so that no extra asks for another build of it.
FIRST = {"torch": ["torch==2.13.0"], "compile": ["torch==2.13.0"]}
# What tests of an extra need beside it.
MORE = {"jax": ["flax==0.12.8"]}
SHORT = ["--steps", "40"]
EXAMPLES = {
    "torch": [
        ["digits_cnn.py", "--opt-level", level, *SHORT] for level in ("O0", "O1", "O2", "O3", "O4", "O5")
    ] + [[name, "--opt-level", level, *SHORT] for name in ("char_gpt.py", "gan_digits.py", "lstm_names.py", "resnet_digits.py")
         for level in ("O1", "O2")],
    "compile": [
        [name, "--compile", "--opt-level", level, *SHORT]
        for name in ("char_gpt.py", "gan_digits.py", "lstm_names.py", "resnet_digits.py")
        for level in ("O0", "O1", "O2", "O5")
    ] + [["execute_notebook.py", "mixed_precision.ipynb", "--check"]],
    "jax": [["jax_digits.py", "--opt-level", level, *SHORT] for level in ("O0", "O1", "O2", "O5")],
}
BASE = ["compiler", "package", "policy", "scaler"]
EAGER = ["events", "fp16_utils", "functions", "grad_scaler", "gradients", "handles", "modules", "python_functions",
         "scripts", "special", "training"]


def get_tests(source, extra):
    every = {path.stem.removeprefix("test_"): path for path in (source / "python/tests").glob("test_*.py")}
    eager = [f"torch_{name}" for name in EAGER] + ["pages"]
    names = {
        "torch": BASE + eager,
        "compile": sorted(name for name in every if name.startswith("torch_") and name not in eager) + ["examples"],
        "jax": sorted(name for name in every if name.startswith("jax_")),
    }[extra]
    return [str(every[name]) for name in names]


def main():
    wheel, source, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    failed = False
    for extra in sys.argv[4:] or EXAMPLES:
        here = folder / extra
        subprocess.run([sys.executable, "-m", "venv", here / "env"], check=True)
        python = str(here / "env/bin/python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for packages in FIRST.get(extra), [f"{wheel}[{extra},examples,test]"], MORE.get(extra):
            if packages:
                subprocess.run([*pip, *packages], check=True)
        environment = {"PATH": str(here / "env/bin"), "HOME": str(here), "OMP_NUM_THREADS": "1"}

        def run(*command):
            begin = time.perf_counter()
            done = subprocess.run(
                [python, *command], cwd=here, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            return done, time.perf_counter() - begin

        print(f"== {extra}", flush=True)
        for example, *words in EXAMPLES[extra]:
            path = source / "python/examples" / example
            words = [str(path.parent / word) if word.endswith("precision.ipynb") else word for word in words]
            done, seconds = run(str(path), *words)
            lines = done.stdout.strip().splitlines() or [""]
            print(f"{example} {' '.join(words[-4:])}: exit {done.returncode}, {seconds:.0f} s: {lines[-1][:100]}", flush=True)
            if done.returncode:
                failed = True
                print(done.stdout[-3000:])
        done, seconds = run(
            "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-c", str(source / "pyproject.toml"), *get_tests(source, extra)
        )
        print(f"tests: {seconds:.0f} s: {done.stdout.strip().splitlines()[-1]}")
        for line in re.findall("^SKIPPED.*|^FAILED.*|^ERROR.*", done.stdout, re.M):
            print(f"  {line[:200]}")
        failed |= done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

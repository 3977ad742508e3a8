"""Every pass and pipeline on every odd module: a result or a diagnostic.

    odd_input.py FILE [--each-pass]

Runs amp-opt on each part of FILE, for the pipelines at every level, and with
--each-pass for every pass of the project by itself, before and after
amp-initialize-opt-level. A run may succeed or end with exit code 1 and an
`error:`; a signal, a stack dump, a sanitizer's report, a silent failure, or IR that
the verifier refuses, is none.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def list_passes():
    text = subprocess.run(["amp-opt", "--help-list-hidden"], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"--((?:convert-)?amp-[\w-]+|convert-assert-to-runtime|"
                                 r"convert-linalg-to-host-[\w-]+)\b", text)) -
                  {"amp-mixed-precision", "amp-to-host"})


# What the verifier says of IR that a pass left behind.
INVALID = re.compile("does not dominate|failed to verify|op operand #|expected type of operand|"
                     "operand type mismatch|requires the same|must have the same")


def main():
    with open(sys.argv[1]) as file:
        modules = file.read().split("// -----\n")
    runs = []
    for level in ("O0", "O1", "O2", "O3", "O4", "O5"):
        for scale in ("", " loss-scale=dynamic"):
            mixed = f"--amp-mixed-precision=opt-level={level} verbosity=0{scale}"
            runs.append([mixed])
            if level in ("O0", "O2", "O3"):
                runs.append([mixed, "--amp-insert-taps", "--amp-to-host"])
    runs.append(["--amp-to-host"])
    if "--each-pass" in sys.argv:
        passes = list_passes()
        assert len(passes) > 12, passes
        for name in passes:
            runs.append(["--" + name])
            for level in ("O1", "O2", "O3"):
                runs.append([f"--amp-initialize-opt-level=opt-level={level} verbosity=0 loss-scale=dynamic",
                             "--" + name])

    def check(case):
        number, module, options = case
        done = subprocess.run(["amp-opt", "--allow-unregistered-dialect", "-", "-o", "/dev/null", *options],
                              input=module, capture_output=True, text=True)
        if done.returncode == 0 and "runtime error:" not in done.stderr:
            return None
        if done.returncode == 1 and "error:" in done.stderr and "LLVM ERROR" not in done.stderr \
                and "runtime error:" not in done.stderr and "Sanitizer" not in done.stderr \
                and not INVALID.search(done.stderr):
            return None
        return f"module {number}, {' '.join(options)}: exit code {done.returncode}\n{done.stderr[:3000]}"

    cases = [(number, module, options) for number, module in enumerate(modules) for options in runs]
    with ThreadPoolExecutor(2) as pool:
        failures = [text for text in pool.map(check, cases) if text]
    for text in failures:
        print(text)
    print(f"{len(cases)} runs, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

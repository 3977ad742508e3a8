"""Runs a compiled step on a CUDA driver that needs no GPU, and then lets each of its calls fail.

    fake_driver.py FAKE_DRIVER MODULE ARRAYS LEVEL [--failures]

The fake driver (test/unittests/Runtime/FakeDriver) checks each call and its arguments, also of
kernels, whose parameters it reads in the cubins; kernels do nothing. Memory that nobody wrote reads as 1.0f, which no check of a step complains of.

The calls of a step are those of three steps less those of two. What it loads, asks or encodes, it
has loaded, asked and encoded before. Amp-run waits in a step for each copy from or to memory of the
host, which is pageable: each argument of the batch, the loss, the record of a scaler; and when its
call is over, for what its checks found, which is a copy too where there are checks. The test counts
them. Prints a line for each function. With `--failures`, the first, the middle and the last call of each function fails
in a run of its own: amp-run has to end with an error that names the function, and to give back
what it took, or to go on as TOLERATED says.

Exit status 1, and a line for each thing that is wrong.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

driver, module, arrays, level, *options = sys.argv[1:]

ERROR = 999
ONE = 0x3F800000
# Settings of the caller's: another GPU.
GPU = [os.environ["FAKE_CUDA_SET"]] if "FAKE_CUDA_SET" in os.environ else []
# What the process keeps until it ends, and before the device is open.
KEPT = "1 streams, 1 pools, 1 contexts", ""
# Calls of a step; all others belong to its first.
STEP = {"cuCtxPushCurrent", "cuCtxPopCurrent", "cuLaunchKernelEx", "cuMemAllocFromPoolAsync", "cuMemFreeAsync",
        "cuMemcpyDtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuStreamSynchronize",
        # Results lie where the allocator has room, and a map has an address.
        "cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col"}
# What a run can do without: every call, the last one, or the last one for each kernel. It goes on as if nothing had failed.
TOLERATED = {
    "cuGetProcAddress cuFuncGetParamInfo": "all: drivers before 12.4 do not have it",
    "cuFuncGetParamInfo": "all: the same",
    "cuMemFreeAsync": "all: the pool goes with the process",
    "cuModuleUnload": "all: the same",
    "cuCtxPopCurrent": "all: it fails in a context that nothing else works in",
    "cuCtxPushCurrent": "last: in front of a module that is unloaded",
    "cuStreamSynchronize": "last: in front of memory that is freed",
    "cuFuncGetAttribute": "kernel: clusters that a kernel requires, which drivers before 11.8 do not know",
}


class Run:
    """Status and output of amp-run; what the driver counted, and what it complains of."""

    def __init__(self, steps, failure=""):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "driver.log")
            environment = {**os.environ, "AMP_RT_CUDA_DRIVER": driver, "FAKE_CUDA_LOG": log,
                           "FAKE_CUDA_SET": ",".join([f"unwritten={ONE},lateCopies=1", *GPU]),
                           "FAKE_CUDA_FAIL": failure}
            done = subprocess.run(
                ["amp-run", module, "--device=cuda", f"--opt-level={level}", "--verbosity=0", f"--steps={steps}",
                 "--replay", arrays, "--save", os.path.join(folder, "state.npz")],
                capture_output=True, text=True, env=environment)
            self.status, self.output = done.returncode, done.stdout + done.stderr
            if not os.path.exists(log):
                self.counts, self.arguments, self.violations, self.leaks = {}, [], "the process has not ended by itself\n", ""
                return
            with open(log) as file:
                text = file.read()
        self.counts = {name: int(count) for name, count in re.findall(r"^(cu.*) (\d+)$", text, re.M)}
        self.arguments = re.findall(r"^launch (\S+) .* arguments (\w+)$", text, re.M)
        self.violations = re.search(r"^violations:\n(.*)^leaks: ", text, re.S | re.M)[1]
        self.leaks = re.search(r"^leaks: (.*)", text, re.M)[1]

    def log(self):
        """What does not depend on the time."""
        return re.findall(r"^step .*?(?=, [\d.e+]+ (?:steps/s|s/step)|$)|^largest .*", self.output, re.M)

    def complaints(self):
        wrong = [f"driver: {line}" for line in self.violations.splitlines()]
        return wrong + ([f"not given back: {self.leaks}"] if self.leaks not in KEPT else [])


def fail(name, place, whole):
    """What is wrong with a run in which that call of that function fails."""
    run = Run(2, f"{name}={ERROR}@{place}")
    calls = TOLERATED.get(name, "").split(":")[0]
    count, kernels = whole.counts[name], whole.counts["cuModuleGetFunction"]
    if calls == "all" or (calls == "last" and place == count) or (calls == "kernel" and place % (count // kernels) == 0):
        wrong = [] if run.log() == whole.log() else ["expected it to be tolerated"]
    else:
        wrong = run.complaints()
        if run.status != 1 or not re.search(rf"error: .*{name.split()[-1]}", run.output):
            wrong.append("expected an error that names it")
    return [f"{name}, call {place}: {line}: status {run.status}: {run.output.strip()[-300:]}" for line in wrong]


def main():
    two, three = Run(2), Run(3)
    wrong = [line for run in (two, three) for line in run.complaints()]
    if two.status or three.status or len(three.log()) != 4:
        sys.exit(two.output + three.output)
    for name, count in sorted(three.counts.items()):
        step = count - two.counts[name]
        if not name.startswith("cuGetProcAddress"):
            print(f"{name}: {step} a step, {count} in three")
        if step and name not in STEP:
            wrong.append(f"{name}: {step} calls in the third step")
    unknown = sorted({kernel for kernel, count in three.arguments if count == "unknown"})
    wrong += [f"{kernel}: its parameters are not known" for kernel in unknown]
    checked = [int(count) for _, count in three.arguments if count != "unknown"]
    print(f"{sum(checked)} arguments of {len(checked)} launches checked")
    if "--failures" in options:
        jobs = [(name, place) for name, count in two.counts.items() for place in sorted({1, (count + 1) // 2, count})]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda job: fail(*job, two), jobs))
        print(f"{len(jobs)} failures, {sum(not lines for lines in found)} named")
        wrong += [line for lines in found for line in lines]
    print("\n".join(["", *wrong] if wrong else ["right"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

"""Kernels of a module as PTX, ptxas's report of them, and SASS; and what is counted in these."""

import os
import re
import subprocess
import sys
import tempfile

#: Instructions of a kernel that are counted, without their predicates.
COUNTS = {
    "instructions": r".",
    "ldg": r"LDG",
    "ldg64": r"LDG\S*\.64",
    "ldg128": r"LDG\S*\.128",
    "stg": r"STG",
    "stg64": r"STG\S*\.64",
    "stg128": r"STG\S*\.128",
    "lds": r"LDS(?!M)",
    "sts": r"STS",
    "bar": r"BAR",
    "shfl": r"SHFL",
    "mufu": r"MUFU",
    "ex2": r"MUFU\.EX2",
    "lg2": r"MUFU\.LG2",
    "rsq": r"MUFU\.RSQ",
    "tanh": r"MUFU\.TANH",
    "atomics": r"(?:RED|REDG|ATOMG?)\b(?!UX)",
    "local": r"LDL|STL",
    "calls": r"CALL",
}
#: What a multiprocessor has; a block takes 1 KiB of shared memory more than it asks for.
REGISTERS, THREADS, BLOCKS = 65536, 2048, 32
SHARED = {"sm_80": 164 * 1024, "sm_90a": 228 * 1024}


def tool(name):
    """A tool of CUDA, by CUDA_HOME or on PATH."""
    home = os.environ.get("CUDA_HOME")
    path = os.path.join(home, "bin", name) if home else name
    return path if os.path.exists(path) else name


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout + done.stderr


def part(source, name):
    """The function of that name of a source whose parts are divided by `// -----`."""
    return next(each for each in source.split("// -----") if re.search(rf"func\.func (?:private )?@{name}\b", each))


def binaries(text):
    """Of each binary of a module, by name, its PTX and the bytes of shared memory that a launch asks for."""
    def unescape(ptx):
        return re.sub(r"\\([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), ptx).replace("\x00", "")

    found = {}
    for each in re.split(r"^ *gpu\.binary @", text, flags=re.M)[1:]:
        memory = re.search(r"\bshared_memory = (\d+)", each)
        found[re.match(r"\w+", each)[0]] = (unescape(re.search(r'assembly = "(.*?)"\s*[>,]', each, re.S)[1]),
                                           int(memory[1]) if memory else 0)
    return found


def assemble(ptx, chip):
    """ptxas's report and SASS."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {kind: os.path.join(folder, "kernels." + kind) for kind in ("ptx", "cubin")}
        with open(paths["ptx"], "w") as file:
            file.write(ptx)
        report = run([tool("ptxas"), "-v", "-arch=" + chip, paths["ptx"], "-o", paths["cubin"]])
        return report, run([tool("nvdisasm"), paths["cubin"]])


def compile_source(source, *options):
    """The binaries that amp-opt makes of a source."""
    return binaries(run(["amp-opt", *options], input=source))


def compile_function(source, name, conversion, chip):
    """PTX, ptxas's report and SASS of what `conversion`, an option of amp-opt, makes of one
    function of `source`, whose parts are divided by `// -----`."""
    to_ptx = f"--amp-kernels-to-cubin=chip={chip} format=isa"
    (ptx, _), = compile_source(part(source, name), conversion, to_ptx).values()
    return ptx, *assemble(ptx, chip)


def instructions(sass, kernel):
    """Those of one kernel, without predicates, the functions that stand behind it (quotients and roots of
    numbers out of the ordinary) and what fills the rest."""
    code = re.search(rf"^\.text\.{kernel}:.*?(?=^\.text\.|^\$__internal|\Z)", sass, re.S | re.M)[0]
    lines = [re.sub(r"^@!?U?P\w+\s+", "", line) for line in re.findall(r"^\s+/\*[0-9a-f]+\*/\s+(.*?);", code, re.M)]
    while lines and re.match(r"NOP|BRA", lines[-1]):
        lines.pop()
    return lines


def measure(ptx, shared, kernel, chip):
    """Numbers of a kernel: COUNTS; registers, bytes of stack and spills; threads of a block, and how many
    blocks and threads a multiprocessor holds by its registers and its `shared` memory."""
    report, sass = assemble(ptx, chip)
    lines = instructions(sass, kernel)
    numbers = {what: sum(bool(re.match(pattern, line)) for line in lines) for what, pattern in COUNTS.items()}
    report = re.search(rf"entry function '{kernel}' .*?Used \d+ registers", report, re.S)[0]
    registers = int(re.search(r"Used (\d+) registers", report)[1])
    threads = int(re.search(rf"\.entry {kernel}\(.*?\.(?:reqntid|maxntid) (\d+)", ptx, re.S)[1])
    # A thread has a multiple of eight.
    fit = REGISTERS // (-(-registers // 8) * 8 * threads)
    blocks = min(fit, SHARED[chip] // (shared + 1024), THREADS // threads, BLOCKS)
    return {"threads": threads, "registers": registers, "shared": shared, "blocks": blocks,
            "resident": blocks * threads, "stack": int(re.search(r"(\d+) bytes stack frame", report)[1]),
            "spills": sum(map(int, re.findall(r"(\d+) bytes spill", report))), **numbers}

"""lit configuration of the suite.

Substitutions
  %shared    folder with oracles and samples (feature `shared-data`)
  %inputs    test/Inputs of the source tree
  %src       source tree
  %build     build tree
  %fake_cuda      a CUDA driver that needs no GPU (feature `amp-kernel-bench`)
  %fake_cublaslt, %fake_cudnn  the libraries on its memory
  %plugin    the plugin for the stock mlir-opt (feature `plugin`)
  %python    the interpreter CMake found
  %pytest    pytest over one file of python/tests, where a skip is a failure: a test
             that needs more has its own .test (feature `python-package`)
  %mlir_amp  python -m mlir_amp, of the build tree
  %cmake     the CMake that configured the build
  %outside_options  what an outside project needs to use the same compiler

Features
  shared-data  oracles and samples lie beside the checkout
  plugin       AmpPlugin.so is built, and a stock mlir-opt is there to load it
  capi         libAmpC.so is built
  amp-emu      the emulator of GPU kernels is built
  emulator-device  so is the library by which the runtime runs them on it
  amp-run      the training tool is built
  amp-compile  so is the tool that compiles ahead of time, and a linker is there
  amp-random-steps  so is the tool that makes random training steps
  machine-bench, threads-bench      so are these benchmarks,
  contraction-bench                 and this one with OpenBLAS
  amp-rt       the runtime library is built
  amp-kernel-bench  the kernels' benchmark and the fake driver are built
  ahead-of-time  clang, llc and mlir-translate, to compile a program outside the JIT
  ptxas        CUDA's assembler is on PATH, or from PyPI's nvidia-cuda-nvcc
  nvdisasm     CUDA's disassembler is on PATH, or from PyPI's nvidia-cuda-nvdisasm
  numpy, torch, torch-mlir, jaxlib, scikit-build  importable by %python
  jax, flax    so are jax with optax, and flax
  python-package  the Python package is built (-DMLIR_AMP_PYTHON=ON, which
             `./dev` sets where nanobind and pytest are installed)
  onednn       oneDNN is installed, in a version that the runtime takes
  sanitize     our code carries sanitizers
  long         `./dev test --all` (lit --param long=1)
"""

import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "mlir-amp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib", "benchmarks", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

bin_dir = os.path.join(config.amp_build_dir, "bin")
lib_dir = os.path.join(config.amp_build_dir, "lib")
plugin = os.path.join(lib_dir, "AmpPlugin.so")

config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "CCACHE_DIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Threads of OpenBLAS and OpenMP that have nothing to do sleep at once: a process of a
# tenth of a second would spend as much again on a thread that waits for products, and
# two tests at a time take the cores from each other. As many threads as ever compute.
config.environment["OPENBLAS_THREAD_TIMEOUT"] = "4"
config.environment["OMP_WAIT_POLICY"] = "passive"
if config.sanitize:
    # LLVM's libraries are not instrumented: a vector that they grew, or a slab of
    # a BumpPtrAllocator that they took memory from, carries no annotations of it.
    config.environment.setdefault(
        "ASAN_OPTIONS", "detect_container_overflow=0:allow_user_poisoning=0"
    )
    # One schedule of a kernel visits the code that twenty do.
    config.environment["AMP_TEST_SEEDS"] = "1"

to_llvm = (
    "canonicalize,cse,convert-linalg-to-loops,lower-affine,convert-scf-to-cf,"
    "convert-vector-to-llvm{enable-x86vector=true},expand-strided-metadata,lower-affine,"
    "finalize-memref-to-llvm,convert-math-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,convert-ub-to-llvm,"
    "convert-index-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts"
)


def find_interpreter():
    """What CMake's interpreter ends in: pyenv's is a script that looks for it at each
    start, for longer than Python takes itself."""
    command = [config.python, "-c", "import sys; print(sys.executable)"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout.strip() or config.python


config.python = find_interpreter()

for name, value in {
    "%shared": config.shared_dir,
    "%inputs": os.path.join(config.test_source_root, "Inputs"),
    "%src": config.amp_source_dir,
    "%build": config.amp_build_dir,
    "%fake_cuda": os.path.join(config.amp_build_dir, "unittests", "libAmpFakeCuda.so"),
    "%fake_cublaslt": os.path.join(
        config.amp_build_dir, "unittests", "libAmpFakeCublasLt.so"
    ),
    "%fake_cudnn": os.path.join(
        config.amp_build_dir, "unittests", "libAmpFakeCudnn.so"
    ),
    "%plugin": plugin,
    # The libraries with the print functions of mlir-runner.
    "%mlir_lib": os.path.join(os.path.dirname(config.llvm_tools_dir), "lib"),
    # From memrefs, and from linalg on tensors, down to the LLVM dialect with
    # upstream's passes alone.
    "%to_llvm": to_llvm,
    # Of modules with tiles, whose type crosses branches.
    "%amx_to_llvm": to_llvm.replace("convert-cf-to-llvm", "convert-to-llvm{filter-dialects=amx,cf}"),
    "%tensors_to_llvm": "canonicalize,cse,"
    f"one-shot-bufferize{{bufferize-function-boundaries=true}},{to_llvm}",
    # A step with the bytes that it has to move, ready for amp-annotate-fusion-plan.
    "%before_gpu_groups": "convert-amp-to-runtime,convert-amp-to-linalg,amp-mark-entry-points,"
    "inline,symbol-dce,canonicalize,cse,amp-strip-contract,func.func(expand-host-ops,"
    "convert-elementwise-to-linalg,linalg-generalize-named-ops,amp-separate-asserts),"
    "amp-count-least-traffic,func.func(amp-recompute-widenings),amp-fuse-elementwise,"
    "canonicalize,cse,func.func(amp-separate-fills)",
    # What amp-to-host does to a step before amp-tile-fusion-groups.
    "%before_groups": "convert-amp-to-runtime,convert-amp-to-linalg,amp-mark-entry-points,"
    "inline,symbol-dce,canonicalize,cse,amp-strip-contract,func.func(expand-host-ops,"
    "convert-elementwise-to-linalg,linalg-generalize-named-ops,amp-separate-asserts),"
    "amp-fuse-elementwise,canonicalize,cse",
    # Of amp-tile-fusion-groups, as the host pipeline bufferizes them.
    "%tiles_to_buffers": "canonicalize,cse,func.func(amp-separate-fills),"
    "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries=true}",
    "%python": config.python,
    "%pytest": f"env PYTHONPATH={config.amp_build_dir}/python PYTHONDONTWRITEBYTECODE=1 "
    f"{config.python} -m pytest -q -rs --no-skips -c {config.amp_source_dir}/pyproject.toml "
    f"{config.amp_source_dir}/python/tests",
    "%mlir_amp": f"env PYTHONPATH={config.amp_build_dir}/python {config.python} -m mlir_amp",
    "%cmake": config.cmake,
    "%outside_options": config.outside_options,
}.items():
    config.substitutions.append((name + r"\b", value))


def find_installed(tool):
    """The folder of a tool of CUDA that PyPI installed, or an empty string."""
    command = [config.python, "-c", "import nvidia; print(*nvidia.__path__, sep='\\n')"]
    run = subprocess.run(command, capture_output=True, text=True)
    found = [
        path
        for folder in run.stdout.split()
        for path in glob.glob(os.path.join(folder, "*", "bin", tool))
    ]
    return os.path.dirname(found[0]) if found else ""


for tool in "nvdisasm", "ptxas":
    if folder := find_installed(tool):
        config.environment["PATH"] += os.pathsep + folder


def has_tool(name):
    return shutil.which(name, path=config.environment["PATH"]) is not None


def exists(*parts):
    return os.path.exists(os.path.join(*parts))


def read(path):
    """What the file says; nothing if there is none."""
    try:
        with open(path) as file:
            return file.read().replace("\n", " ")
    except OSError:
        return ""


def can_import(module):
    command = [config.python, "-c", "import " + module]
    return subprocess.run(command, capture_output=True).returncode == 0


def can_open(*sonames):
    command = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    return any(
        subprocess.run([config.python, "-c", command, soname], capture_output=True).returncode == 0
        for soname in sonames
    )


for feature, present in {
    "shared-data": bool(config.shared_dir),
    # An uninstrumented mlir-opt cannot load an instrumented plugin.
    "plugin": exists(plugin) and has_tool("mlir-opt") and not config.sanitize,
    "capi": exists(lib_dir, "libAmpC.so"),
    "amp-emu": exists(bin_dir, "amp-emu"),
    "emulator-device": exists(lib_dir, "libAmpEmulatorDevice.so"),
    "amp-run": exists(bin_dir, "amp-run"),
    "amp-compile": exists(bin_dir, "amp-compile")
    and any(map(has_tool, ("ld.lld", "ld.lld-22", "cc"))),
    "amp-random-steps": exists(bin_dir, "amp-random-steps"),
    "machine-bench": exists(bin_dir, "machine-bench"),
    "threads-bench": exists(bin_dir, "threads-bench"),
    "contraction-bench": exists(bin_dir, "contraction-bench"),
    "amp-rt": exists(lib_dir, "libamp-rt.so"),
    "amp-kernel-bench": exists(bin_dir, "amp-kernel-bench")
    and exists(config.amp_build_dir, "unittests", "libAmpFakeCuda.so"),
    "ahead-of-time": all(map(has_tool, ("clang", "llc", "mlir-translate"))),
    "ptxas": has_tool("ptxas"),
    "nvdisasm": has_tool("nvdisasm"),
    "numpy": can_import("numpy"),
    "torch": can_import("torch"),
    "torch-mlir": can_import("torch_mlir"),
    "jaxlib": can_import("jaxlib"),
    "jax": can_import("jax, optax"),
    "flax": can_import("flax"),
    "tensorboard": can_import("tensorboard"),
    "matplotlib": can_import("matplotlib"),
    "scikit-build": can_import("scikit_build_core"),
    # An uninstrumented interpreter cannot load an instrumented module.
    "python-package": bool(glob.glob(
        os.path.join(config.amp_build_dir, "python", "mlir_amp", "_native.*")
    ))
    and can_import("pytest")
    and not config.sanitize,
    "sanitize": bool(config.sanitize),
    "valgrind": has_tool("valgrind") and not config.sanitize,
    "onednn": can_open("libdnnl.so.3", "libdnnl.so.2"),
    "avx512bf16": " avx512_bf16 " in read("/proc/cpuinfo"),
    "amx": " amx_bf16 " in read("/proc/cpuinfo"),
    "amx-fp16": " amx_fp16 " in read("/proc/cpuinfo"),
    "avx512fp16": " avx512_fp16 " in read("/proc/cpuinfo"),
    "long": bool(lit_config.params.get("long")),
}.items():
    if present:
        config.available_features.add(feature)

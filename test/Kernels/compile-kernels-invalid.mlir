// What is missing, where it was looked for, and what to do.
// RUN: split-file %s %t
// RUN: chmod +x %t/old/bin/ptxas %t/odd/bin/ptxas %t/failing/bin/ptxas
// RUN: env PATH=%t %build/bin/amp-opt %t/kernel.mlir --amp-compile-kernels=format=isa -o /dev/null
// RUN: not env -u CUDA_HOME -u CUDA_ROOT -u CUDA_PATH PATH=%t %build/bin/amp-opt %t/kernel.mlir --amp-compile-kernels 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not amp-opt %t/kernel.mlir --amp-compile-kernels=toolkit=%t/none 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not amp-opt %t/kernel.mlir --amp-compile-kernels=toolkit=%t/old 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not amp-opt %t/kernel.mlir --amp-compile-kernels=toolkit=%t/odd 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not amp-opt %t/kernel.mlir --amp-compile-kernels=toolkit=%t/failing 2>&1 | FileCheck %s --check-prefix=FAILING
// RUN: not env TMPDIR=%t/nowhere amp-opt %t/kernel.mlir --amp-compile-kernels=toolkit=%t/failing 2>&1 | FileCheck %s --check-prefix=PLACE --implicit-check-not=toolkit
// RUN: not amp-opt %t/kernel.mlir --amp-compile-kernels=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not amp-opt %t/target.mlir --amp-compile-kernels 2>&1 | FileCheck %s --check-prefix=TARGET
// Without kernels nothing is asked for.
// RUN: amp-opt %t/empty.mlir --amp-compile-kernels=toolkit=%t/none -o /dev/null

// PATH: error: expected 'ptxas' of the CUDA toolkit in PATH or under CUDA_HOME, but found none; install the toolkit, or name its folder ('toolkit' of the pass, '--cuda-toolkit' of amp-compile and amp-run); PTX needs none ('format=isa' of the pass)
// FOLDER: error: expected 'ptxas' of the CUDA toolkit in '{{.*}}none/bin', but found none; install the toolkit
// OLD: error: expected CUDA 12.0 or later, but '{{.*}}old/bin/ptxas' is of CUDA 11; install a later one, or name its folder ('toolkit' of the pass, '--cuda-toolkit' of amp-compile and amp-run)
// ODD: error: expected '{{.*}}odd/bin/ptxas --version' to name a release of CUDA, but got 'hello'; install the toolkit, or name its folder ('toolkit' of the pass, '--cuda-toolkit' of amp-compile and amp-run)
// FAILING: `ptxas` invocation failed
// FAILING: error: expected ptxas and LLVM to compile the kernels for #nvvm.target<
// PLACE: error: cannot make a temporary file in '{{.*}}nowhere': No such file or directory; set TMPDIR to a folder that can be written to
// FORMAT: error: expected 'format' to be bin, isa or llvm, but got 'elf'
// TARGET: error: expected a target to compile for; run nvvm-attach-target first

//--- kernel.mlir
gpu.module @one [#nvvm.target<chip = "sm_80", features = "+ptx80">] {
  llvm.func @one() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
//--- target.mlir
gpu.module @one {
}
//--- empty.mlir
func.func private @nothing()
//--- old/bin/ptxas
#!/bin/sh
echo "Cuda compilation tools, release 11.8, V11.8.89"
//--- odd/bin/ptxas
#!/bin/sh
echo hello
//--- failing/bin/ptxas
#!/bin/sh
[ "$1" != --version ] || exec echo "Cuda compilation tools, release 13.0, V13.0.88"
echo "ptxas fatal: out of registers"
exit 255

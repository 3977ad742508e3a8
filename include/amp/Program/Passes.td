//===- Passes.td - Programs that a host calls --------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes compiled code a program: it can be left with a status, says what
// memory it needs, and describes itself.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PROGRAM_PASSES
#define AMP_PROGRAM_PASSES

include "mlir/Pass/PassBase.td"

def MeasureWorkspacePass : Pass<"amp-measure-workspace", "ModuleOp"> {
  let summary = "know the memory of a step when it is compiled";
  let description = [{
    Adds up the allocations of static size of each entry point (a function with
    `amp.signature`) and of the functions it calls, and leaves the sum on it as
    `amp.workspace_bytes`. A driver compares it with the memory that there is
    before it starts. Runs after `amp-plan-buffers`.

    Refused: a buffer, or buffers together, whose size 63 bits do not hold.
  }];
}

def ConvertParallelCallsPass : Pass<"amp-convert-parallel-calls", "ModuleOp"> {
  let summary = "hand the parts of a loop to the threads of a run";
  let description = [{
    A call with `amp.parallel` stands for one call for each part of a loop, see
    `amp-outline-parallel-loops`: its first argument is the number of parts, the
    callee's is which. It becomes a call of the runtime, which calls a function
    of its own signature, and that the callee, for each part and on the threads
    that there are (`amp-rt/Pool.h`).

    Runs on the LLVM dialect, before `amp-return-status`, which makes
    `@ampRtRunParallel` of `@ampRtParallel`.

    ```mlir
    llvm.func @part(%i: i64, %x: !llvm.ptr) {
      llvm.return
    }
    llvm.func @fill(%x: !llvm.ptr, %count: i64) {
      llvm.call @part(%count, %x) {amp.parallel} : (i64, !llvm.ptr) -> ()
      llvm.return
    }
    ```

    becomes

    ```mlir
    llvm.func @ampRtParallel(i64, !llvm.ptr, !llvm.ptr)
    llvm.func @part(%i: i64, %x: !llvm.ptr) {
      llvm.return
    }
    llvm.func @fill(%x: !llvm.ptr, %count: i64) {
      %one = llvm.mlir.constant(1 : i64) : i64
      %context = llvm.alloca %one x !llvm.struct<(ptr)> : (i64) -> !llvm.ptr
      %field = llvm.getelementptr %context[0, 0]
          : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr)>
      llvm.store %x, %field : !llvm.ptr, !llvm.ptr
      %task = llvm.mlir.addressof @amp_parallel_part : !llvm.ptr
      llvm.call @ampRtParallel(%count, %task, %context)
          : (i64, !llvm.ptr, !llvm.ptr) -> ()
      llvm.return
    }
    llvm.func internal @amp_parallel_part(%i: i64, %context: !llvm.ptr)
        attributes {amp.parallel} {
      %field = llvm.getelementptr %context[0, 0]
          : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr)>
      %x = llvm.load %field : !llvm.ptr -> !llvm.ptr
      llvm.call @part(%i, %x) : (i64, !llvm.ptr) -> ()
      llvm.return
    }
    ```
  }];
  let statistics = [
    Statistic<"numConverted", "calls converted", "Calls for all parts of a loop">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ReturnStatusPass : Pass<"amp-return-status", "ModuleOp"> {
  let summary = "let a program be left, with a status";
  let description = [{
    A failed assertion has to leave the function that it stands in and those
    that called it, up to the host, in a shared object as well as under a JIT;
    so has an allocation for which there is no memory. Each function that may
    fail returns a status, an `i32` behind its other results, and its callers
    look at it.

    What went wrong, and what memory the program holds, is kept in a run
    (`amp-rt/Run.h`). Its handle is a new first argument of each function that
    needs it, and of the program entry points of the runtime, which have names
    of their own then: `@ampRtReportAssert` becomes `@ampRtRunReportAssert`, the
    generic functions of `finalize-memref-to-llvm` become `@ampRtRunAllocate`,
    `@ampRtRunAllocateAligned` and `@ampRtRunFree`, and so on. C interfaces begin
    and end the call, and are the only way in afterwards: the functions behind
    them become internal.

    Runs on the LLVM dialect, last. Functions that call neither the runtime nor
    one that does stay as they are.

    ```mlir
    llvm.mlir.global internal constant @text("n is 0\00")
    llvm.func @ampRtReportAssert(!llvm.ptr)
    llvm.func @check(%failed: i1) {
      llvm.cond_br %failed, ^bb1, ^bb2
    ^bb1:
      %text = llvm.mlir.addressof @text : !llvm.ptr
      llvm.call @ampRtReportAssert(%text) : (!llvm.ptr) -> ()
      llvm.br ^bb2
    ^bb2:
      llvm.return
    }
    ```

    becomes

    ```mlir
    llvm.func @ampRtRunReportAssert(i64, !llvm.ptr)
    llvm.mlir.global internal constant @text("n is 0\00")
    llvm.func @check(%run: i64, %failed: i1) -> i32 {
      llvm.cond_br %failed, ^bb1, ^bb2
    ^bb1:
      %text = llvm.mlir.addressof @text : !llvm.ptr
      llvm.call @ampRtRunReportAssert(%run, %text) : (i64, !llvm.ptr) -> ()
      %error = llvm.mlir.constant(6 : i32) : i32
      llvm.br ^bb3(%error : i32)
    ^bb2:
      %ok = llvm.mlir.constant(0 : i32) : i32
      llvm.return %ok : i32
    ^bb3(%status: i32):
      llvm.return %status : i32
    }
    ```
  }];
  let statistics = [
    Statistic<"numFunctions", "functions with a status", "Functions that may fail">,
    Statistic<"numEntryPoints", "entry points", "C interfaces that begin and end a call">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmbedKernelsPass : Pass<"amp-embed-kernels", "ModuleOp"> {
  let summary = "make the kernels of a step part of its program";
  let description = [{
    Takes each `gpu.binary` and each `gpu.module` out of the module and leaves its
    image in `amp.images`, by name: the code of the one, the text of the other,
    which is what the emulator loads. `amp.chip` says what they run on: `chip`, or
    nothing for text. With `amp.launches` (`amp-record-launches`), that is what
    `amp-describe-program` makes the device's part of a program of.

    Runs when kernels are compiled, or lowered to the NVVM dialect.

    ```mlir
    gpu.module @zero {
      llvm.func @zero(%to: !llvm.ptr<1>) attributes {gpu.kernel} {
        llvm.return
      }
    }
    ```

    becomes

    ```
    module attributes {amp.chip = "", amp.images = {zero = "module ..."}} {}
    ```

    Refused: a `gpu.binary` with code for several chips.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "what the code of a gpu.binary was compiled for">
  ];
  let statistics = [
    Statistic<"numImages", "images", "Modules of kernels that became images">
  ];
}

def DescribeProgramPass : Pass<"amp-describe-program", "ModuleOp"> {
  let summary = "let a program carry its signature as data";
  let description = [{
    Turns what the lowering kept of the contract (`amp.signature` of entry
    points, `amp.scalers` of the module, `amp.workspace_bytes`) into a constant
    `@ampProgram` of the type `AmpRtProgram` (`amp-rt/Program.h`): functions with
    roles, names, types, shapes and layouts of arguments and results, the loss
    scalers that the program wants, and for each function one that can be called
    with an array of addresses. A driver reads it from the compiled code, under
    a JIT or in a shared object, and needs no MLIR.

    A module that says which CPU it is compiled for (`amp.cpu`) hands that on, and
    with it how many versions of the program stand before it for CPUs that can do
    more: `@ampProgram.ampVersion0` and so on, which modules of their own describe.

    Runs on the LLVM dialect, after `amp-return-status`. A module without entry
    points stays as it is.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // AMP_PROGRAM_PASSES

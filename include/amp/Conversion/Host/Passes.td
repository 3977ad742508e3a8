//===- Passes.td - Conversions for a CPU -------------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_HOST_PASSES
#define AMP_CONVERSION_HOST_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// LinalgToHostContraction
//===----------------------------------------------------------------------===//

/// The CPU that code is for.
defvar cpuOptions = [
  Option<"cpu", "cpu", "std::string", /*default=*/"",
         "The CPU that the code is for: 'native', or what LLVM calls it; empty: "
         "any of the target, with vectors of 256 bits">,
  Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"0",
         "Width of the vector registers: 128, 256 or 512; 0: the CPU's">
];

/// How products of halves are computed.
defvar halfProductOptions = [
  Option<"bf16", "bf16", "::mlir::amp::Bf16Products",
         /*default=*/"::mlir::amp::Bf16Products::Auto",
         "How bf16 is multiplied by bf16",
         [{::llvm::cl::values(
             clEnumValN(::mlir::amp::Bf16Products::Auto, "auto",
                        "what the CPU does fastest"),
             clEnumValN(::mlir::amp::Bf16Products::Widened, "widened",
                        "as f32, widened when it is packed"),
             clEnumValN(::mlir::amp::Bf16Products::Pairs, "pairs",
                        "packed in pairs, multiplied as f32"),
             clEnumValN(::mlir::amp::Bf16Products::Avx512, "avx512",
                        "packed in pairs, multiplied by vdpbf16ps"),
             clEnumValN(::mlir::amp::Bf16Products::Amx, "amx",
                        "in tiles, multiplied by tdpbf16ps"))}]>,
  Option<"f16", "f16", "::mlir::amp::F16Products",
         /*default=*/"::mlir::amp::F16Products::Auto",
         "How f16 is multiplied by f16",
         [{::llvm::cl::values(
             clEnumValN(::mlir::amp::F16Products::Auto, "auto",
                        "what the CPU does fastest"),
             clEnumValN(::mlir::amp::F16Products::Widened, "widened",
                        "as f32, widened when it is packed"),
             clEnumValN(::mlir::amp::F16Products::AmxParts, "amx-parts",
                        "as two bf16 each, in tiles, multiplied by "
                        "tdpbf16ps"),
             clEnumValN(::mlir::amp::F16Products::Amx, "amx",
                        "in tiles, multiplied by tdpfp16ps"))}]>
];

def ConvertLinalgToHostContractionPass
    : Pass<"convert-linalg-to-host-contraction", "ModuleOp"> {
  let summary = "lower contractions and convolutions to packed panels and a micro-kernel";
  let description = [{
    Matrix products and convolutions take most of a training step's time, and a
    loop nest per operation reaches a few percent of what a CPU can do. This pass
    gives each of them the structure of a tuned matrix product: operands are
    copied into panels that the inner loop reads in order, f16 and bf16 widen to
    f32 once during that copy, and a block of the output stays in vector
    registers while the panels pass by.

    **Input.** Linalg on buffers, after bufferization. An operation is taken if

    1. it has two inputs and one output, all memrefs in the default memory space
       with a strided layout;
    2. its body is `out + a * b`, where `a` and `b` are the two inputs, each used
       once, `arith.extf` to f32 in between where an input is f16 or bf16;
    3. the output is f32;
    4. its indexing maps are linear, and the output's names each dimension once:
       no two points of the parallel loops write one element;
    5. at least one loop reduces, and at least one parallel loop belongs to one
       input alone (so an elementwise product that is summed is not taken).

    Whether it is a named operation (`linalg.matmul`, `linalg.batch_matmul`,
    `linalg.conv_2d_nchw_fchw`, ...) or a `linalg.generic` makes no difference.
    Transposes, broadcasts, strides, dilations and subviews are part of the copy.
    Shapes may be dynamic and sizes may be zero.

    **Guarantee.** Such an operation is replaced by calls of private functions
    `amp_host_*`, one per kind and element type in a module, with sizes and
    strides as run-time arguments. The value in the output is where a sum starts,
    and products are added to it in the order of the reduction loops, as the
    loops of `convert-linalg-to-loops` would: on f16 and bf16 inputs the result
    is the same bit for bit, on f32 inputs it differs where the target fuses the
    multiplication and the addition. (Exceptions: a product of bf16 values that
    overflows or underflows f32, and everything that BLAS computes.)

    Where a fill of the output by 0.0 stands directly in front, with nothing but
    operations free of memory effects between them, it is erased and the sums
    start from 0.0, to the same bits: if the number of steps of the sum is known
    and not zero, and the output is no input. Elsewhere the fill stays.

    A product of known sizes directly in an `scf.for` (a loop over tiles) keeps the
    panels of B, the input that has the loop over the output's last dimension, if
    nothing in the loop writes it, up to 16 MiB of them. Where tiles read columns of
    one matrix all of it is packed in front of the loop, by all threads; elsewhere
    where B begins at another place than in the iteration before. That takes
    arguments that the loop writes to be marked `llvm.noalias`.

    An input of which elements are read several times (windows of an image) is
    multiplied where it is, without panels, if its strides are known, the other
    input has at most 128 columns or rows (64 where packing is fast), and the
    product has 2^20 multiplications or more: f32, or bf16 in pairs that lie
    together. An input whose last loop is the output's is exchanged with the other
    one for that, and so is a matrix that is read along its rows beside at most 32
    rows of the other one. No bit changes.

    **Left alone.** All other operations, among them contractions of other
    element types; `convert-linalg-to-loops` takes them.

    With `blas=auto`, large products call the runtime's `ampRtBlasSgemm`: from
    `blas-min-work` multiplications on if all operands are f32 matrices as they
    lie in memory, from `blas-min-copied-work` on if some must be copied into one
    first. Products of bf16 matrices in memory call `ampRtBlasSbgemm` from
    `blas-min-bf16-work` on, which is never unless it is set: oneDNN has such
    products, a CBLAS has none. The runtime takes the library that the variable
    AMP_BLAS names, or one that is right for the CPU (`amp-rt/Blas.h`). A call that
    reports an error, as there is none, is followed by the generated kernel.

    Scratch memory is one `memref.alloc` per product for panels and one for
    offsets, of static size where the shapes are static, each freed after use.
    The pass therefore stands after buffer deallocation.

    Where the CPU multiplies pairs of bf16 faster than f32 (`bf16`), panels of
    products of bf16 by bf16 hold pairs of bf16, and a tile takes two steps of
    the sum at once. Products are exact and sums f32 in either form; only the
    order of a pair's two additions differs. vdpbf16ps takes subnormal numbers as
    zero, in the operands and in the sum, and where it is used no BLAS multiplies
    bf16 as f32.

    Where the CPU has AMX, bf16 is multiplied in tiles: `amx.tile_mulf` takes 32
    steps of a sum at once, the even ones in one chain of fused additions from
    zero, the odd ones in another, and adds both to what is there. It takes
    subnormal numbers as zero and gives zero for them. f16 goes the same way as two
    parts, `bf16(x)` cut off and the rest, which add up to it exactly: a product is
    four. An infinity of f16 has no such parts: its products are NaN where f32
    arithmetic gives infinities. A CPU with AMX-FP16 multiplies f16 as it is, by the
    same steps, subnormal numbers and infinities too. `expand-amx-tiles` runs all
    this on CPUs without tiles. Linux lets a process use tiles once it has asked
    (`arch_prctl`), as this project's JIT does, and its runtime for what `amp-compile`
    made: who runs such code otherwise has to.

    With `threads` above 1, products that are worth it are divided among the
    iterations of an `scf.parallel`, by their batch or by the longer side of the
    output, each with scratch memory of its own. Each element of the output is
    the same sum of the same products, so no result depends on the number.

    ```mlir
    func.func @linear(%x: memref<32x64xf16>, %w: memref<64x128xf16>,
                      %y: memref<32x128xf32>) {
      linalg.matmul ins(%x, %w : memref<32x64xf16>, memref<64x128xf16>)
                    outs(%y : memref<32x128xf32>)
      return
    }
    ```

    becomes, with `blas=off`,

    ```
    func.func @linear(...) {
      %offsets = memref.alloc() : memref<448xindex>
      call @amp_host_fill_offsets(%offsets, ...)      // three times: M, K, N
      %scratch = memref.alloc() : memref<10504xf32>
      call @amp_host_product_f16_f16(%x, ..., %w, ..., %y, ..., %scratch)
      memref.dealloc ...
      return
    }
    func.func private @amp_host_pack_f16(...)         // into panels, as f32
    func.func private @amp_host_tiles(...)            // the micro-kernel
    func.func private @amp_host_product_f16_f16(...)  // cache blocks over both
    ```
  }];
  let options = cpuOptions # halfProductOptions # [
    Option<"blas", "blas", "::mlir::amp::BlasUse",
           /*default=*/"::mlir::amp::BlasUse::Auto",
           "Whether large products may go to a BLAS library at run time",
           [{::llvm::cl::values(
               clEnumValN(::mlir::amp::BlasUse::Auto, "auto",
                          "one that fits the CPU, or that AMP_BLAS names"),
               clEnumValN(::mlir::amp::BlasUse::Off, "off",
                          "never; results do not depend on what is installed"))}]>,
    Option<"blasMinWork", "blas-min-work", "int64_t",
           /*default=*/"::mlir::amp::kBlasMinWork",
           "Multiplications from which a product of f32 matrices goes to BLAS">,
    Option<"blasMinCopiedWork", "blas-min-copied-work", "int64_t",
           /*default=*/"::mlir::amp::kBlasMinCopiedWork",
           "The same where an operand must be copied first: f16, bf16, windows "
           "of a convolution, strides that BLAS cannot take">,
    Option<"blasMinBf16Work", "blas-min-bf16-work", "int64_t",
           /*default=*/"::mlir::amp::kBlasNever",
           "Multiplications from which a product of bf16 matrices goes to a "
           "library that multiplies bf16">,
    Option<"expandTiles", "expand-tiles", "bool", /*default=*/"false",
           "'expand-amx-tiles' follows: take tiles where the CPU has none">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads among which products are divided, as iterations of an "
           "scf.parallel; those of BLAS are not">,
    Option<"partWork", "part-work", "int64_t",
           /*default=*/"::mlir::amp::kHostPartWork",
           "Multiplications that are worth a thread">,
    Option<"reference", "reference", "bool", /*default=*/"false",
           "Leave contractions to convert-linalg-to-loops: one fixed order of "
           "summation, no fused arithmetic, slow">
  ];
  let statistics = [
    Statistic<"numConverted", "contractions converted",
              "Contractions that became calls of generated kernels">,
    Statistic<"numFromZero", "fills taken over",
              "Fills with zeros that became part of the product behind them">,
    Statistic<"numBlas", "contractions offered to BLAS",
              "Contractions whose work may reach the BLAS threshold">,
    Statistic<"numKernels", "kernel functions",
              "Private functions that the module got">
  ];
  let dependentDialects = [
    "::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

def MarkEntryPointsPass : Pass<"amp-mark-entry-points", "ModuleOp"> {
  let summary = "make the functions that a host calls public, the others private";
  let description = [{
    Entry points are the train steps and the evaluate functions. A module
    without a train step has all its functions with roles as entry points: their
    caller is elsewhere. Entry points get a C interface, and their arguments are
    marked as not writable, so that bufferization never updates a caller's array
    in place: a driver hands the same array to two calls.

    Refused: a module in which no function has roles.
  }];
}

def VerifyRecursionPass : Pass<"amp-verify-recursion", "ModuleOp"> {
  let summary = "refuse functions that call themselves without an end";
  let description = [{
    A step whose helper calls itself on every path takes memory until there is no
    more. In the functions that public ones reach, each that calls itself, directly
    or by others, has to have a path that returns without doing so. What decides is
    the shape of the program and not its values: a call in one branch of an
    `scf.if`, in the body of a loop or in a block that a path goes around is
    conditional, whatever the condition.

    Refused: a function without such a path, at its call; the calls by which it
    goes on until it is called again are notes.

    Runs after `amp-mark-entry-points` and before inlining. Changes nothing.

    Accepted, since the call stands under a condition:
    ```mlir
    func.func private @halve(%x: f32, %limit: f32) -> f32 {
      %half = arith.constant 0.5 : f32
      %isLarge = arith.cmpf ogt, %x, %limit : f32
      %result = scf.if %isLarge -> f32 {
        %smaller = arith.mulf %x, %half : f32
        %again = func.call @halve(%smaller, %limit) : (f32, f32) -> f32
        scf.yield %again : f32
      } else {
        scf.yield %x : f32
      }
      return %result : f32
    }
    ```
  }];
}

def StripContractPass : Pass<"amp-strip-contract", "ModuleOp"> {
  let summary = "remove roles, origins and classes";
  let description = [{
    Once every decision is taken, the attributes of the contract (`amp.*` on the
    module, functions, arguments, results and operations) have no reader left:
    roles speak of tensors, and equal kernels with different origins should be
    equal.

    What a driver needs stays as data for `amp-describe-program`: entry points
    (functions with `llvm.emit_c_interface`) get an `amp.signature` with kind,
    arguments and results as they were, and the module keeps `amp.scalers` and
    `amp.cpu`.
  }];
}

def ConvertIndexSwitchToIfPass : Pass<"convert-index-switch-to-if", "::mlir::func::FuncOp"> {
  let summary = "turn scf.index_switch into scf.if";
  let description = [{
    One `scf.if` for each case, each in the else region of the one before, the
    default case last. Upstream's one-shot bufferization does not see that a
    tensor which a region of `scf.index_switch` yields is still read behind it, and
    writes another value into its buffer (LLVM 22); of `scf.if` it knows.

    Before:
    ```mlir
    func.func @f(%i: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = scf.index_switch %i -> tensor<4xf32>
      case 1 {
        scf.yield %x : tensor<4xf32>
      }
      default {
        scf.yield %y : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%i: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %0 = arith.cmpi eq, %i, %c1 : index
      %r = scf.if %0 -> (tensor<4xf32>) {
        scf.yield %x : tensor<4xf32>
      } else {
        scf.yield %y : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def CopySharedStartsPass : Pass<"amp-copy-shared-starts", "::mlir::func::FuncOp"> {
  let summary = "copy what several results of a tile start as";
  let description = [{
    Where several operations in an `scf.forall` have one tensor for the start of their results, upstream's
    `eliminate-empty-tensors` and one-shot bufferization (LLVM 22) are wrong in silence: the start is put into the slice that the first
    result is inserted into, another result is computed in place there, and the first one is copied over it before it is taken out.
    All but the last of them start as copies, which bufferization would make anyway. It runs in front of the two, for both targets, behind `amp-separate-fills`,
    which gives each result a fill of its own.

    Before:
    ```mlir
    func.func @tiles(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0:2 = scf.forall (%i) in (4) shared_outs(%a = %e, %b = %e) -> (tensor<4xf32>, tensor<4xf32>) {
        %part = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
        %empty = tensor.empty() : tensor<1xf32>
        %start = linalg.exp ins(%part : tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
        %p = linalg.map {arith.addf} ins(%part, %part : tensor<1xf32>, tensor<1xf32>) outs(%start : tensor<1xf32>)
        %q = linalg.map {arith.mulf} ins(%part, %part : tensor<1xf32>, tensor<1xf32>) outs(%start : tensor<1xf32>)
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %p into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
          tensor.parallel_insert_slice %q into %b[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
        }
      }
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    }
    ```

    After:
    ```mlir
    func.func @tiles(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0:2 = scf.forall (%i) in (4) shared_outs(%a = %e, %b = %e) -> (tensor<4xf32>, tensor<4xf32>) {
        %part = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
        %empty = tensor.empty() : tensor<1xf32>
        %start = linalg.exp ins(%part : tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
        %copy = bufferization.alloc_tensor() copy(%start) : tensor<1xf32>
        %p = linalg.map {arith.addf} ins(%part, %part : tensor<1xf32>, tensor<1xf32>) outs(%copy : tensor<1xf32>)
        %q = linalg.map {arith.mulf} ins(%part, %part : tensor<1xf32>, tensor<1xf32>) outs(%start : tensor<1xf32>)
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %p into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
          tensor.parallel_insert_slice %q into %b[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
        }
      }
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numCopies", "copies", "starts that became copies">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def CopySharedYieldsPass : Pass<"amp-copy-shared-yields", "::mlir::func::FuncOp"> {
  let summary = "copy what loops hand on under two numbers, or for a tensor that a condition writes to";
  let description = [{
    Upstream's one-shot bufferization (LLVM 22) is wrong in silence about two forms of loops. It runs right behind this pass, for both targets.

    - What an `scf.for` or `scf.while` hands on under two numbers becomes two buffers that a later iteration writes to one by one, though
      it may be one that the iteration has allocated. The second one, of the same tensor or of one that may be a view of it, through
      slices, reshapes, branches and loops, is a copy.
    - What the body of an `scf.while` yields becomes the memory of the tensor that the next condition gets, whoever else has it. Where
      the region of the condition may write to that tensor, the body yields a copy, unless it yields what it computed in place of
      its own argument and nothing else that may be there.

    Other loops stay as they are.

    Before:
    ```mlir
    func.func @f(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.while (%i = %c0, %a = %p) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
        %b = tensor.insert %x into %a[%i] : tensor<4xf32>
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i, %b : index, tensor<4xf32>
      } do {
      ^bb0(%i: index, %b: tensor<4xf32>):
        %next = arith.addi %i, %c1 : index
        scf.yield %next, %q : index, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%p: tensor<4xf32>, %q: tensor<4xf32>, %x: f32, %n: index) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.while (%i = %c0, %a = %p) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
        %b = tensor.insert %x into %a[%i] : tensor<4xf32>
        %more = arith.cmpi ult, %i, %n : index
        scf.condition(%more) %i, %b : index, tensor<4xf32>
      } do {
      ^bb0(%i: index, %b: tensor<4xf32>):
        %next = arith.addi %i, %c1 : index
        %own = bufferization.alloc_tensor() copy(%q) : tensor<4xf32>
        scf.yield %next, %own : index, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numCopied", "tensors copied", "Yielded tensors that became copies">,
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def ExpandMasksPass : Pass<"amp-expand-masks", "::mlir::func::FuncOp"> {
  let summary = "choices and operands for masks around operations on vectors";
  let description = [{
    A `vector.multi_reduction` in a `vector.mask` becomes one without, of what the mask leaves and of the number that changes no result elsewhere:
    -0 for a sum of floating point, NaN for `minnumf`. Upstream takes reductions over an extent of 1 apart, and then gives
    the vector's elements where the mask leaves the accumulator (LLVM 22). A mask around a transfer, gather or compressed store becomes its
    operand, by upstream's patterns: of two equal reads, one of them with a mask around it, CSE keeps one. Stands before all that folds.

    **Left alone.** Other operations with masks, such as `vector.reduction` and `vector.contract`.

    Before:
    ```mlir
    func.func @sum(%m: vector<4x2xi1>, %v: vector<4x2xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
      %r = vector.mask %m { vector.multi_reduction <add>, %v, %acc [1] : vector<4x2xf32> to vector<4xf32> } : vector<4x2xi1> -> vector<4xf32>
      return %r : vector<4xf32>
    }
    ```

    After:
    ```mlir
    func.func @sum(%m: vector<4x2xi1>, %v: vector<4x2xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
      %none = arith.constant dense<-0.0> : vector<4x2xf32>
      %left = arith.select %m, %v, %none : vector<4x2xi1>, vector<4x2xf32>
      %r = vector.multi_reduction <add>, %left, %acc [1] : vector<4x2xf32> to vector<4xf32>
      return %r : vector<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numExpanded", "expanded", "Reductions without their masks">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def ExpandPartialWritesPass : Pass<"amp-expand-partial-writes", "::mlir::func::FuncOp"> {
  let summary = "loops for what writes a part of its destination";
  let description = [{
    A `linalg.generic` on tensors keeps what its destination held where no iteration
    writes. Upstream's bufferization and fusion give memory that nobody wrote there,
    if the body does not read the destination (LLVM 22). Each of the kind becomes a
    nest of `scf.for` over its iterations: where an output's indexing map is no
    projected permutation (a diagonal, an offset), or a loop that the map does not
    name may have no iteration. A `vector.transfer_write` with a mask, which is taken
    for one without where it is bufferized or folded, reads what is there and writes
    the whole vector; that it is in bounds is believed only where extents and a constant index say so, as it may be
    said of what the mask leaves. Stands before all that folds.

    Before:
    ```mlir
    func.func @diagonal(%x: tensor<4xf32>, %to: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %r = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<4xf32>) outs(%to : tensor<4x4xf32>) {
      ^bb0(%a: f32, %old: f32):
        linalg.yield %a : f32
      } -> tensor<4x4xf32>
      return %r : tensor<4x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @diagonal(%x: tensor<4xf32>, %to: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%held = %to) -> (tensor<4x4xf32>) {
        %a = tensor.extract %x[%i] : tensor<4xf32>
        %new = tensor.insert %a into %held[%i, %i] : tensor<4x4xf32>
        scf.yield %new : tensor<4x4xf32>
      }
      return %r : tensor<4x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
}

def ExpandAmxTilesPass : Pass<"expand-amx-tiles", "::mlir::func::FuncOp"> {
  let summary = "multiply AMX's tiles by loops over vectors";
  let description = [{
    Kernels that are made of tiles run on CPUs without them, slowly, and to the same
    bits: `tdpbf16ps` adds the products of the even steps to a sum that begins with
    zero, those of the odd steps to another, each by one fused operation, and then
    the sum of both to what is in the tile. (It takes subnormal numbers as zero and
    gives zero for them, which this pass does not imitate.) `tdpfp16ps` does the same
    with f16, whose subnormal numbers it multiplies as they are; those of f32 are
    zero to it too.

    A tile becomes a vector of its rows. Taken are loads and stores with an explicit
    stride, and products of bf16 or f16 in tiles of 16 rows and 16 columns of f32;
    others are refused.

    ```mlir
    func.func @f(%a: memref<?xf32>, %c: memref<?xf32>, %i: index, %stride: index) {
      %x = amx.tile_load %a[%i], %stride : memref<?xf32> into !amx.tile<16x16xf32>
      amx.tile_store %c[%i], %x, %stride : memref<?xf32>, !amx.tile<16x16xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandHostOpsPass : Pass<"expand-host-ops", "::mlir::func::FuncOp"> {
  let summary = "expand operations that no lowering to the host knows";
  let description = [{
    Upstream lowers most operations of `arith`, `math` and `tensor` to loops and
    to LLVM. The others, and those for which kernels of a GPU would need code of their own, are expanded, on tensors and
    in bodies alike:

    | operation | becomes |
    | --- | --- |
    | `math.clampf` | `arith.maximumf`, `arith.minimumf` |
    | `math.isinf`, `math.isnormal` | comparisons of `math.absf` |
    | `math.isfinite`, `math.isnan` | whether `x - x`, or `x`, is no NaN, or is one |
    | `math.sincos` | `math.sin`, `math.cos` |
    | `math.powf` with the exponent 2 | `arith.mulf` of x and x, which is what the power rounds to |
    | `math.fpowi` with an exponent that is not i32 | the same with one of i32, where it is narrower or a number; else `math.powf` of f64, with the sign that the exponent gives |
    | `arith.mului_extended`, `arith.mulsi_extended` of up to 32 or of 64 bits | `arith.muli`, and the upper half of a product of twice the width, or of four of halves |
    | `arith.addui_extended` of the same | `arith.addi`, and whether the sum is less than a summand |
    | `linalg.softmax` | maxima, exponentials, their sums and quotients, each a `linalg.generic`; of f16 and bf16 by f32 |
    | `linalg.winograd_*` | products with constant matrices, in loops over tiles |
    | `linalg.pack` | `tensor.pad`, `tensor.expand_shape`, `linalg.transpose` |
    | `linalg.unpack` | `linalg.transpose`, `tensor.collapse_shape`, `tensor.extract_slice` |
    | `tensor.bitcast` | `arith.bitcast`, which is elementwise |
    | `tensor.gather` | a `linalg.generic` that extracts each element |
    | `tensor.scatter` | loops that insert each element, in their order |
    | `ub.poison` of a tensor | `tensor.empty`, of no elements along extents that are not known |
    | `tensor.extract_slice`, `tensor.insert_slice` of one element along a dimension | the same with a stride of 1 there |

    An exponent of more than 64 bits is refused.

    Tensors have to be ranked and their extents known, but for `linalg.softmax`, `math.clampf`,
    `math.isfinite`, `math.isnan`, `math.sincos`, `tensor.bitcast` and `ub.poison`. Refused are
    a `tensor.expand_shape` of a dimension into two unknown extents, a transfer of a vector from a negative place and what upstream
    does not take apart (tiles of unknown extents, say).

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xi1> {
      %r = math.isinf %x : tensor<4xf32>
      return %r : tensor<4xi1>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xi1> {
      %inf = arith.constant dense<0x7F800000> : tensor<4xf32>
      %0 = math.absf %x : tensor<4xf32>
      %r = arith.cmpf oeq, %0, %inf : tensor<4xf32>
      return %r : tensor<4xi1>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandArithPass : Pass<"amp-expand-arith"> {
  let summary = "expand arithmetic that LLVM has no instruction for";
  let description = [{
    Upstream's `arith-expand` with `include-bf16`, but for `arith.maximumf` and
    `arith.minimumf` on f32 and f64: these become intrinsics of LLVM later, which
    it vectorises in reductions, and which order zeros by sign. Between bf16 and f64,
    which upstream leaves, f32 stands in the middle; a value is rounded once all the same.

    ```mlir
    func.func @greater(%x: f32, %y: f32, %n: index) -> (f32, index) {
      %0 = arith.maximumf %x, %y : f32
      %c4 = arith.constant 4 : index
      %1 = arith.ceildivui %n, %c4 : index
      return %0, %1 : f32, index
    }
    ```

    becomes

    ```mlir
    func.func @greater(%x: f32, %y: f32, %n: index) -> (f32, index) {
      %0 = arith.maximumf %x, %y : f32
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %none = arith.cmpi eq, %n, %c0 : index
      %c1 = arith.constant 1 : index
      %before = arith.subi %n, %c1 : index
      %whole = arith.divui %before, %c4 : index
      %next = arith.addi %whole, %c1 : index
      %1 = arith.select %none, %c0, %next : index
      return %0, %1 : f32, index
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def FoldMovesIntoContractionsPass
    : Pass<"amp-fold-moves-into-contractions", "::mlir::func::FuncOp"> {
  let summary = "read the operands of products where they are";
  let description = [{
    A `linalg.generic` that only moves elements (a transpose, a slice, a filter
    turned around, by whatever linear map) in front of a host contraction
    becomes part of the operand's map: the contraction copies its operands into
    panels by tables of offsets, whatever their order in memory is, so the move
    is no pass over memory of its own. It may have other readers.

    Padding by a constant and slices between the move and the contraction stay, in
    front of what is moved. Where dimensions were merged behind the move (heads of
    an attention, with the batch), the contraction gets the loops of before.

    A reduction loop that would stand nowhere by itself, which linalg does not
    allow, is counted from its other end: taps of a filter that is read
    backwards. Its sum is then the same terms in the opposite order.

    **Left alone.** Moves that round or compute, those with which the operation
    would no longer be a contraction, such as a broadcast along the loop that gives
    it rows, and those of a part of a dimension that would become a loop by itself.
    A move with dimensions merged behind it, where one of the contraction's loops
    walks an extent that is known of one tensor and not of another.

    Before:
    ```mlir
    func.func @product(%a: tensor<8x4xf32>, %w: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
      %empty = tensor.empty() : tensor<4x8xf32>
      %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%a : tensor<8x4xf32>) outs(%empty : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%t, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) {
      ^bb0(%p: f32, %q: f32, %acc: f32):
        %m = arith.mulf %p, %q : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      } -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```

    After:
    ```mlir
    func.func @product(%a: tensor<8x4xf32>, %w: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %w : tensor<8x4xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) {
      ^bb0(%p: f32, %q: f32, %acc: f32):
        %m = arith.mulf %p, %q : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      } -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numFolded", "folded", "Moves that became part of a map">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Pass<"amp-fuse-elementwise", "ModuleOp"> {
  let summary = "fuse elementwise producers into their consumers";
  let description = [{
    Upstream's elementwise fusion, told where to stop: an operation whose only
    user is elementwise or a reduction is computed there, in registers. A
    contraction keeps its operands, because it is recognised by its body and
    packs them itself. Roundings (`arith.truncf`, `arith.extf`) move into the
    fused body and are never folded, so values are the same bit for bit.

    A body of more than 256 operations is not made: each fusion copies both bodies. Nor is one that reads
    more than four results of products, rounded or not: with its products it would be a group whose tiles
    are there all at once.

    Operations at the ends of a reshape get the loops of the longer shape, unless
    one of their loops walks an extent that is known of one tensor and not of
    another.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def RecomputeWideningsPass : Pass<"amp-recompute-widenings", "::mlir::func::FuncOp"> {
  let summary = "each reader widens half values for itself";
  let description = [{
    What takes more bytes than what it is computed from, by cheap elementwise
    operations, and has several readers is computed once for each of them;
    `amp-fuse-elementwise` then moves it into their bodies. The wide tensor is never
    in memory, and each reader reads the narrow one. A chain of such operations
    counts as one. Values are the same bit for bit.

    The unscaled gradient at O2 is the largest of these: without this it is
    written in f32 where it is checked, and read again by the update.

    **Left alone.** What a contraction, a result or anything but a `linalg.generic`
    reads too: then it is in memory anyway. What has more than eight readers, or
    rounds, divides or calls a function.

    Before:
    ```mlir
    func.func @unscaled(%grad: tensor<4xf16>, %scale: f32, %p: tensor<4xf32>, %m: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %empty = tensor.empty() : tensor<4xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%grad : tensor<4xf16>) outs(%empty : tensor<4xf32>) {
      ^bb0(%in: f16, %out: f32):
        %w = arith.extf %in : f16 to f32
        %u = arith.mulf %w, %scale : f32
        linalg.yield %u : f32
      } -> tensor<4xf32>
      %p1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
          ins(%p, %g : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.subf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      %m1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
          ins(%m, %g : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      return %p1, %m1 : tensor<4xf32>, tensor<4xf32>
    }
    ```

    After:
    ```mlir
    func.func @unscaled(%grad: tensor<4xf16>, %scale: f32, %p: tensor<4xf32>, %m: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %empty = tensor.empty() : tensor<4xf32>
      %g0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%grad : tensor<4xf16>) outs(%empty : tensor<4xf32>) {
      ^bb0(%in: f16, %out: f32):
        %w = arith.extf %in : f16 to f32
        %u = arith.mulf %w, %scale : f32
        linalg.yield %u : f32
      } -> tensor<4xf32>
      %g1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%grad : tensor<4xf16>) outs(%empty : tensor<4xf32>) {
      ^bb0(%in: f16, %out: f32):
        %w = arith.extf %in : f16 to f32
        %u = arith.mulf %w, %scale : f32
        linalg.yield %u : f32
      } -> tensor<4xf32>
      %p1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
          ins(%p, %g1 : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.subf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      %m1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                            iterator_types = ["parallel"]}
          ins(%m, %g0 : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      return %p1, %m1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numRecomputed", "recomputed", "Computations that a reader has for itself">];
}

def OrderContractionResultsPass
    : Pass<"amp-order-contraction-results", "::mlir::func::FuncOp"> {
  let summary = "write the results of products in the order in which they are read";
  let description = [{
    Where the only reader of a host contraction is an elementwise operation that
    walks the result with its dimensions permuted, the contraction writes it
    with them permuted, which costs it nothing, and the reader walks memory by
    one: gradients of filters that a front end transposes, heads of an attention. A
    reader that does nothing else is then the identity, which canonicalization
    removes. Values are the same bit for bit.

    **Left alone.** Results with several readers, shapes that are not static, and
    sums that start with anything but a fill.

    Before:
    ```mlir
    func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x4xf16> {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<4x2xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x2xf32>) -> tensor<4x2xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) {
      ^bb0(%p: f32, %q: f32, %acc: f32):
        %m = arith.mulf %p, %q : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      } -> tensor<4x2xf32>
      %e1 = tensor.empty() : tensor<2x4xf16>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%0 : tensor<4x2xf32>) outs(%e1 : tensor<2x4xf16>) {
      ^bb0(%in: f32, %out: f16):
        %h = arith.truncf %in : f32 to f16
        linalg.yield %h : f16
      } -> tensor<2x4xf16>
      return %1 : tensor<2x4xf16>
    }
    ```

    After:
    ```mlir
    func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x4xf16> {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<2x4xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (n, m)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<2x4xf32>) {
      ^bb0(%p: f32, %q: f32, %acc: f32):
        %m = arith.mulf %p, %q : f32
        %s = arith.addf %acc, %m : f32
        linalg.yield %s : f32
      } -> tensor<2x4xf32>
      %e1 = tensor.empty() : tensor<2x4xf16>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%0 : tensor<2x4xf32>) outs(%e1 : tensor<2x4xf16>) {
      ^bb0(%in: f32, %out: f16):
        %h = arith.truncf %in : f32 to f16
        linalg.yield %h : f16
      } -> tensor<2x4xf16>
      return %1 : tensor<2x4xf16>
    }
    ```
  }];
  let statistics = [Statistic<"numOrdered", "ordered", "Results in the order of their reader">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertAssertToRuntimePass : Pass<"convert-assert-to-runtime", "ModuleOp"> {
  let summary = "report failed assertions through the runtime";
  let description = [{
    `cf.assert` would end the process. Instead the message goes to
    `@ampRtReportAssert`, behind which the program is not to go on:
    `amp-return-status` turns the call into one of the runtime that takes the
    run, and leaves the function with a status.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def SeparateAssertsPass : Pass<"amp-separate-asserts", "::mlir::func::FuncOp"> {
  let summary = "take assertions out of what computes";
  let description = [{
    Each `cf.assert` in the body of a `linalg.generic` on tensors becomes an
    operation in front of it, over the loops that its condition depends on. One
    that asserts what an earlier one of the block does is left out.

    **Left alone.** Conditions that read `outs`, or whose loops no operand of
    theirs walks from end to end; loops that may run no time; assertions behind one
    that stays.

    Before:
    ```mlir
    func.func @update(%x: tensor<8xf32>, %step: tensor<f32>) -> tensor<8xf32> {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%x, %step : tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%in: f32, %s: f32, %out: f32):
        %nonzero = arith.cmpf one, %s, %zero : f32
        cf.assert %nonzero, "no steps"
        %q = arith.divf %in, %s : f32
        linalg.yield %q : f32
      } -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @update(%x: tensor<8xf32>, %step: tensor<f32>) -> tensor<8xf32> {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<8xf32>
      linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} ins(%step : tensor<f32>) {
      ^bb0(%s: f32):
        %nonzero = arith.cmpf one, %s, %zero : f32
        cf.assert %nonzero, "no steps"
        linalg.yield
      }
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%x, %step : tensor<8xf32>, tensor<f32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%in: f32, %s: f32, %out: f32):
        %q = arith.divf %in, %s : f32
        linalg.yield %q : f32
      } -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSeparated", "separated", "assertions that became operations">,
    Statistic<"numKnown", "known", "assertions that an earlier one makes">
  ];
}

def SeparateEmptiesPass : Pass<"amp-separate-empties", "::mlir::func::FuncOp"> {
  let summary = "one empty tensor for each result that begins as it";
  let description = [{
    Results that begin as the same empty tensor are aliases of each other to one-shot
    bufferization, which compares each with each. Here each of them begins as its own,
    which stands in front of its operation. It runs in front of bufferization, for the
    host: what allocates for a device takes buffers in another order then.

    Before:
    ```mlir
    func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %empty = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
      %b = linalg.log ins(%a : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```

    After:
    ```mlir
    func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %empty = tensor.empty() : tensor<4xf32>
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
      %other = tensor.empty() : tensor<4xf32>
      %b = linalg.log ins(%a : tensor<4xf32>) outs(%other : tensor<4xf32>) -> tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numEmpties", "empties", "empty tensors that were added">
  ];
}

def SeparateFillsPass : Pass<"amp-separate-fills", "::mlir::func::FuncOp"> {
  let summary = "one fill for each result that begins with it";
  let description = [{
    Where a tensor that is filled with one value is the start of several results, or
    what several loops carry begins with it, all but one of them would be copies of
    it after bufferization, which cost twice what filling does. Each of them gets a fill of its own. Operations that
    read the tensor share one as before. With `constants` a start that is a constant of one number becomes a fill, too.

    ```mlir
    func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<4xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
      %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
      %b = linalg.reduce {arith.addf} ins(%y : tensor<4x8xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    ```

    becomes

    ```
    %empty0 = tensor.empty() : tensor<4xf32>
    %zeros0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<4xf32>) -> tensor<4xf32>
    %a = linalg.reduce {arith.addf} ins(%x) outs(%zeros0) dimensions = [1]
    %empty1 = tensor.empty() : tensor<4xf32>
    %zeros1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.reduce {arith.addf} ins(%y) outs(%zeros1) dimensions = [1]
    ```
  }];
  let options = [
    Option<"constants", "constants", "bool", "false", "fill what starts as a constant of one number">
  ];
  let statistics = [
    Statistic<"numFills", "fills of their own", "Results that got a fill of their own">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def WriteResultsInPlacePass : Pass<"amp-write-results-in-place", "::mlir::func::FuncOp"> {
  let summary = "compute results where the caller wants them";
  let description = [{
    After `buffer-results-to-out-params` each result is computed in a buffer of
    its own and copied to the caller's at the end. Where nobody can tell, the
    buffer becomes the caller's. A copy of a branch's result is first moved into
    the branches: a guarded update then writes new values straight into the
    results, and a skipped one copies the old values once.

    Assumes that no argument which is written overlaps another argument.

    ```mlir
    func.func @relu(%x: memref<8xf32>, %out: memref<8xf32>) {
      %c0 = arith.constant 0.0 : f32
      %a = memref.alloc() : memref<8xf32>
      linalg.fill ins(%c0 : f32) outs(%a : memref<8xf32>)
      memref.copy %a, %out : memref<8xf32> to memref<8xf32>
      return
    }
    ```

    becomes

    ```mlir
    func.func @relu(%x: memref<8xf32>, %out: memref<8xf32>) {
      %c0 = arith.constant 0.0 : f32
      linalg.fill ins(%c0 : f32) outs(%out : memref<8xf32>)
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numSunk", "copies sunk", "Copies of results moved into branches">,
    Statistic<"numRemoved", "copies removed", "Results computed in place">
  ];
}

def UpdateInPlacePass : Pass<"amp-update-in-place", "::mlir::func::FuncOp"> {
  let summary = "let updated states have the memory of the old ones";
  let description = [{
    A state is an argument of a step and, updated, a result. Callers that have one buffer for both,
    as a model of PyTorch has, would have it copied in each step: results are written before
    arguments were read for the last time. Where an update reads each element before it writes
    it, and nothing reads the argument afterwards, the step works in the result's memory, to which it copies the
    argument unless both have one address. The signature says so: the result `overwrites` the argument of this
    number (`AmpRtValue` in `amp-rt/Program.h`).

    Argument and result of a role and a name belong together (`amp.signature`); the results' memory
    stands behind the arguments.

    **Left alone.** States that are read after they were written, in the order of blocks, branches and loops over parts;
    those of which a part is written by something else than an elementwise operation or a copy; extents that are not
    static; updates in front of an assertion, which would leave a half updated model.

    Before:
    ```mlir
    func.func @step(%w: memref<8xf32>, %g: memref<8xf32>, %out: memref<8xf32>) attributes {
        amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>},
                                                           {name = "g", role = "batch", type = tensor<8xf32>} ],
                         results = [{name = "w", role = "param", type = tensor<8xf32>} ]}} {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]}
          ins(%w, %g : memref<8xf32>, memref<8xf32>) outs(%out : memref<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.subf %a, %b : f32
        linalg.yield %s : f32
      }
      return
    }
    ```

    After:
    ```mlir
    func.func @step(%w: memref<8xf32>, %g: memref<8xf32>, %out: memref<8xf32>) attributes {
        amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>},
                                                           {name = "g", role = "batch", type = tensor<8xf32>} ],
                         results = [{name = "w", overwrites = 0 : i64, role = "param", type = tensor<8xf32>} ]}} {
      %old = memref.extract_aligned_pointer_as_index %w : memref<8xf32> -> index
      %new = memref.extract_aligned_pointer_as_index %out : memref<8xf32> -> index
      %differ = arith.cmpi ne, %old, %new : index
      scf.if %differ {
        memref.copy %w, %out : memref<8xf32> to memref<8xf32>
      }
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                      iterator_types = ["parallel"]}
          ins(%out, %g : memref<8xf32>, memref<8xf32>) outs(%out : memref<8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.subf %a, %b : f32
        linalg.yield %s : f32
      }
      return
    }
    ```
  }];
  let statistics = [Statistic<"numStates", "states", "States that are updated in their own memory">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def OutlineKernelsPass : Pass<"amp-outline-kernels", "ModuleOp"> {
  let summary = "make each operation on buffers a function, equal ones once";
  let description = [{
    Every linalg operation on buffers and every `memref.copy`, also inside loops
    and branches, becomes a call of a private function `amp_kernel_N` that is
    never inlined. Operations that differ in nothing but their operands call the
    same function. Constants move into the kernel; other values are arguments.

    A contraction that `convert-linalg-to-host-contraction` takes shares a
    function with the fill of its output by 0.0 that stands somewhere in front of
    it, if all between them is known to touch other buffers; the conversion then
    makes one pass over memory of both.

    A kernel whose buffers all have static shape and layout is called with their
    addresses alone (`llvm.bareptr`). A buffer that it writes and that overlaps
    no other argument is `llvm.noalias`.

    Assumes that no argument of a public function which is written overlaps
    another argument.

    ```mlir
    func.func @two(%a: memref<8xf32>, %b: memref<8xf32>) {
      %c0 = arith.constant 0.0 : f32
      linalg.fill ins(%c0 : f32) outs(%a : memref<8xf32>)
      linalg.fill ins(%c0 : f32) outs(%b : memref<8xf32>)
      return
    }
    ```

    becomes

    ```
    func.func @two(%a: memref<8xf32>, %b: memref<8xf32>) {
      call @amp_kernel_0(%a) : (memref<8xf32>) -> ()
      call @amp_kernel_0(%b) : (memref<8xf32>) -> ()
      return
    }
    func.func private @amp_kernel_0(%x: memref<8xf32> {llvm.noalias}) {
      %c0 = arith.constant 0.0 : f32
      linalg.fill ins(%c0 : f32) outs(%x : memref<8xf32>)
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numOutlined", "operations outlined", "Operations that became calls">,
    Statistic<"numKernels", "kernels", "Different functions among them">,
    Statistic<"numJoined", "fills joined", "Fills in the kernel of the contraction behind them">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def OutlineParallelLoopsPass : Pass<"amp-outline-parallel-loops", "ModuleOp"> {
  let summary = "one function for each loop whose iterations threads share";
  let description = [{
    Each outermost `scf.parallel` of one dimension, from 0 in steps of 1 and
    without reductions, becomes a private function that takes the number of an
    iteration and the values that the body uses, and a call with `amp.parallel`,
    which gives the number of iterations in its place. It is called as the
    function that the loop stood in, with `_part` behind it.
    `amp-convert-parallel-calls` hands them to the runtime, in the LLVM dialect.
    Other loops are left alone; `convert-scf-to-cf` runs them in order.

    ```mlir
    func.func @fill(%x: memref<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %one = arith.constant 1.0 : f32
      scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
        memref.store %one, %x[%i] : memref<8xf32>
      }
      return
    }
    ```

    becomes

    ```
    func.func @fill(%x: memref<8xf32>) {
      %c8 = arith.constant 8 : index
      call @fill_part(%c8, %x) {amp.parallel} : (index, memref<8xf32>) -> ()
      return
    }
    func.func private @fill_part(%i: index, %x: memref<8xf32>) {
      %one = arith.constant 1.0 : f32
      memref.store %one, %x[%i] : memref<8xf32>
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numOutlined", "loops outlined", "Loops that became functions">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def PlanBuffersPass : Pass<"amp-plan-buffers", "::mlir::func::FuncOp"> {
  let summary = "place all buffers of a function in one allocation";
  let description = [{
    Allocations of static shape become views of one arena, at offsets such that
    buffers in use at the same time do not overlap. A step then allocates once,
    and its memory is known when it is compiled.

    Runs before buffer deallocation. Left alone: allocations of dynamic shape,
    those that are returned, freed, or carried from one iteration of a loop to
    the next, and functions with branches between blocks.

    ```mlir
    func.func @chain(%x: memref<16xf32>, %y: memref<16xf32>) {
      %a = memref.alloc() : memref<16xf32>
      memref.copy %x, %a : memref<16xf32> to memref<16xf32>
      memref.copy %a, %y : memref<16xf32> to memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      memref.copy %y, %b : memref<16xf32> to memref<16xf32>
      memref.copy %b, %x : memref<16xf32> to memref<16xf32>
      return
    }
    ```

    becomes

    ```mlir
    func.func @chain(%x: memref<16xf32>, %y: memref<16xf32>) {
      %arena = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
      %c0 = arith.constant 0 : index
      %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      memref.copy %x, %a : memref<16xf32> to memref<16xf32>
      memref.copy %a, %y : memref<16xf32> to memref<16xf32>
      %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
      memref.copy %y, %b : memref<16xf32> to memref<16xf32>
      memref.copy %b, %x : memref<16xf32> to memref<16xf32>
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numBuffers", "buffers placed", "Allocations that became views">,
    Statistic<"numBytes", "bytes asked for", "Sum of their sizes">,
    Statistic<"arenaBytes", "bytes allocated", "Size of the arenas">,
    Statistic<"busiestBytes", "bytes needed", "Most that is in use at one time">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ProfileKernelsPass : Pass<"amp-profile-kernels", "ModuleOp"> {
  let summary = "let kernels say when they begin and end";
  let description = [{
    Each call of a kernel, as `amp-outline-kernels` makes them, stands between
    calls of `@ampRtKernelBegin` and `@ampRtKernelEnd` afterwards, which become
    the runtime's (`amp-rt/Profile.h`) in `amp-return-status`. The list of
    kernels is left on the module as `amp.kernels`: the kernel's name, what it
    computes, where that was written, the floating-point operations of a call
    and the bytes of its operands, -1 where sizes are not known. Without `timed`
    there is the list alone, and calls stay as they are: names for a profiler
    that takes samples.

    ```mlir
    func.func private @amp_kernel_0(%x: memref<8xf32>, %y: memref<8xf32>) {
      linalg.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      return
    }
    func.func @step(%x: memref<8xf32>, %y: memref<8xf32>) {
      call @amp_kernel_0(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
      return
    }
    ```

    becomes

    ```
    module attributes {amp.kernels = [ {bytes = 64, name = "amp_kernel_0", operations = 0,
                                       source = "step.mlir:2", what = "loops 8 f32"} ]} {
      func.func @step(%x: memref<8xf32>, %y: memref<8xf32>) {
        %begin = call @ampRtKernelBegin() : () -> i64
        call @amp_kernel_0(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
        %kernel = arith.constant 0 : i64
        call @ampRtKernelEnd(%kernel, %begin) : (i64, i64) -> ()
        return
      }
    }
    ```
  }];
  let options = [
    Option<"timed", "timed", "bool", /*default=*/"true",
           "let kernels say when they begin and end; off: list them only">
  ];
  let statistics = [
    Statistic<"numCalls", "calls profiled", "Calls of kernels that tell their time">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def PackSharedOperandsPass : Pass<"amp-pack-shared-operands", "::mlir::func::FuncOp"> {
  let summary = "pack a matrix once that several products of few rows read";
  let description = [{
    A product of few rows takes a tenth of its time and more to pack its right
    operand. A tensor that several such products read in one way, the weight of a
    recurrent layer above all, is packed once where it is defined, into a tensor of
    panels in f32 that are as wide as the micro-kernel of
    `convert-linalg-to-host-contraction`. Products of panels are not packed again:
    that pass knows them by their strides. A product in a loop that the tensor is
    outside of counts as several, one in a branch as none. Sums are those of the same
    products in the same order, and the same bit for bit.

    Left alone: products of more than 256 rows or of one, of batches, of dynamic
    extents, whose columns are no multiple of a panel's, whose operand is walked by
    more than one loop of columns (tiles of columns in a fusion group are others for each),
    and of halves that the machine multiplies as they are. All tiles of rows of a group
    count as one product, since what the first packs is kept for the others.

    Before:
    ```mlir
    func.func @two_steps(%h: tensor<32x64xf32>, %w: tensor<64x64xf32>, %zero: tensor<32x64xf32>)
        -> tensor<32x64xf32> {
      %h1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                             affine_map<(m, n, k) -> (m, n)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%h, %w : tensor<32x64xf32>, tensor<64x64xf32>) outs(%zero : tensor<32x64xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %product = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<32x64xf32>
      %h2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                             affine_map<(m, n, k) -> (m, n)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%h1, %w : tensor<32x64xf32>, tensor<64x64xf32>) outs(%zero : tensor<32x64xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %product = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<32x64xf32>
      return %h2 : tensor<32x64xf32>
    }
    ```

    After, with vectors of 256 bits:
    ```mlir
    func.func @two_steps(%h: tensor<32x64xf32>, %w: tensor<64x64xf32>, %zero: tensor<32x64xf32>)
        -> tensor<32x64xf32> {
      %columns = tensor.expand_shape %w [[0, 1], [2]] output_shape [4, 16, 64]
          : tensor<64x64xf32> into tensor<4x16x64xf32>
      %empty = tensor.empty() : tensor<4x64x16xf32>
      %panels = linalg.generic {indexing_maps = [affine_map<(p, k, n) -> (p, n, k)>, affine_map<(p, k, n) -> (p, k, n)>],
                                iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%columns : tensor<4x16x64xf32>) outs(%empty : tensor<4x64x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x64x16xf32>
      %init1 = tensor.expand_shape %zero [[0], [1, 2]] output_shape [32, 4, 16]
          : tensor<32x64xf32> into tensor<32x4x16xf32>
      %split1 = linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>,
                                                 affine_map<(m, p, n, k) -> (m, p, n)>],
                                iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%h, %panels : tensor<32x64xf32>, tensor<4x64x16xf32>) outs(%init1 : tensor<32x4x16xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %product = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<32x4x16xf32>
      %h1 = tensor.collapse_shape %split1 [[0], [1, 2]] : tensor<32x4x16xf32> into tensor<32x64xf32>
      %init2 = tensor.expand_shape %zero [[0], [1, 2]] output_shape [32, 4, 16]
          : tensor<32x64xf32> into tensor<32x4x16xf32>
      %split2 = linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>,
                                                 affine_map<(m, p, n, k) -> (m, p, n)>],
                                iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%h1, %panels : tensor<32x64xf32>, tensor<4x64x16xf32>) outs(%init2 : tensor<32x4x16xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %product = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<32x4x16xf32>
      %h2 = tensor.collapse_shape %split2 [[0], [1, 2]] : tensor<32x4x16xf32> into tensor<32x64xf32>
      return %h2 : tensor<32x64xf32>
    }
    ```
  }];
  let options = cpuOptions # halfProductOptions;
  let statistics = [
    Statistic<"numPacked", "matrices packed", "Tensors that several products read in panels">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertLinalgToHostMatvecPass
    : Pass<"convert-linalg-to-host-matvec", "::mlir::func::FuncOp"> {
  let summary = "lower products of a matrix and a vector to vectors read in place";
  let description = [{
    A product of one column uses each element of its matrix once, and a depthwise
    convolution each pixel once for each element of a small window, so that packing
    takes longer than multiplying. This pass takes the operations of
    `convert-linalg-to-host-contraction`, in front of which it stands, whose loops
    over rows of the output, or all over its columns, have extent 1, and multiplies
    vectors where they lie.

    One loop is along the lanes of a vector, at least four of them. It is a loop over
    the output, or one of the sum, along which an input has a stride
    of 0, 1 or 2. The one with more lanes is taken, among equals one over the output's neighbours in memory, then one of the sum;
    along another loop of the output sums are scattered. Other loops may walk an input backwards. Several vectors of sums are in registers at once,
    where they share what they are multiplied with.

    Each element is the sum of the same products, whatever `threads` is. Along a loop of
    the output they are added in the order of the loops of the sum; lanes of a sum are
    added in the end, two halves of a vector at a time. More than 2048 additions
    to a lane are partial sums, one for each iteration of the outermost loop of the sum, or, where that is
    the only one, for each part of 256 to 2048 steps, if it has such equal parts.
    f16 and bf16 are widened to f32 as they are loaded. A fill of the output by 0.0
    directly in front is erased and sums start from 0.0.

    Left alone: operations with dynamic shapes or strides, or a loop that walks an
    operand backwards, and those without such lanes.

    ```mlir
    func.func @depthwise(%image: memref<8x16x18x18xf32>, %filter: memref<16x3x3xf32>,
                         %out: memref<8x16x16x16xf32>) {
      linalg.generic {indexing_maps = [
          affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>,
          affine_map<(n, c, y, x, i, j) -> (c, i, j)>,
          affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel",
                            "reduction", "reduction"]}
          ins(%image, %filter : memref<8x16x18x18xf32>, memref<16x3x3xf32>)
          outs(%out : memref<8x16x16x16xf32>) {
      ^bb0(%p: f32, %f: f32, %sum: f32):
        %product = arith.mulf %p, %f : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      }
      return
    }
    ```

    becomes

    ```
    scf.for %c = %c0 to %c16 step %c1 {
      scf.for %n = %c0 to %c8 step %c1 {
        scf.for %y = %c0 to %c16 step %c6 {
          // twelve vectors of %out: six rows of two, each
          %sum = vector.load %out[...] : memref<32768xf32>, vector<8xf32>
          // and for each of nine elements of the filter
          %pixels = vector.load %image[...] : memref<41472xf32>, vector<8xf32>
          %f = vector.broadcast %element : f32 to vector<8xf32>
          %product = arith.mulf %pixels, %f fastmath<contract> : vector<8xf32>
          ...
    ```
  }];
  let options = cpuOptions # [
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads among which large products are divided">,
    Option<"partWork", "part-work", "int64_t", /*default=*/"1 << 17",
           "Multiplications that are worth a thread: some ten microseconds of them">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertLinalgToHostLoopsPass
    : Pass<"convert-linalg-to-host-loops", "::mlir::func::FuncOp"> {
  let summary = "lower linalg on buffers to loops that LLVM vectorises";
  let description = [{
    Loops of an operation on static shapes are put in the order that walks memory
    by one in the innermost loop, and neighbours that walk it as one loop become
    one. Sums whose innermost loop is the reduction stay in registers; they are
    sums of partial sums of at most 4096 elements where the extents allow it, and
    the combining addition may be reassociated. Every other operation computes
    what its body says, in particular each rounding. `memref.copy` is such an operation
    too. Where it reads an input of f32, f16 or bf16 across what it writes, both extents 8 or more, that input is read in
    blocks of 32 by 32, turned in registers into a buffer on the stack.

    With `threads` above 1, the outermost parallel loop of a large operation is
    cut in as many pieces as are worth a thread, the iterations of an
    `scf.parallel`. Loops that reduce are not cut, so no result depends on the
    number.

    Left alone: operations with dynamic shapes, strides or offsets, and indexing
    maps that are not linear; `convert-linalg-to-loops` takes them.

    ```mlir
    func.func @sum(%x: memref<4x8x16xf32>, %y: memref<4xf32>) {
      linalg.reduce {arith.addf} ins(%x : memref<4x8x16xf32>) outs(%y : memref<4xf32>)
        dimensions = [1, 2]
      return
    }
    ```

    becomes

    ```
    scf.for %i = %c0 to %c4 step %c1 {
      %start = memref.load %y[%i]
      %sum = scf.for %j = %c0 to %c128 step %c1 iter_args(%s = %start) -> (f32) {
        %v = memref.load %x[%i * 128 + %j]
        %t = arith.addf %v, %s fastmath<reassoc> : f32
        scf.yield %t
      }
      memref.store %sum, %y[%i]
    }
    ```
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads among which large operations are divided">,
    Option<"partWork", "part-work", "int64_t", /*default=*/"1 << 15",
           "Points of the loops that are worth a thread: some ten microseconds "
           "of them">
  ];
  let statistics = [
    Statistic<"numConverted", "operations converted", "Operations that became loops">,
    Statistic<"numLeft", "operations left", "Operations of unknown shape or layout">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def TileFusionGroupsPass : Pass<"amp-tile-fusion-groups", "::mlir::func::FuncOp"> {
  let summary = "compute what belongs together tile by tile";
  let description = [{
    Operations that share a pass over memory by the fusion plan
    (`amp/Fusion/FusionPlan.h`) become one `scf.forall` over tiles of their tensors.
    What only they read exists in a tile, which stays in a cache.

    A sum (or maximum, or what else has a neutral element) that goes along loops of its
    group, and that nobody in the group reads, is in parts: each tile writes one, and a
    reduction behind the loops combines them. Sums in half precision are not divided.
    A result that an `scf.for` carries, and that starts from what it carried, is written there, unless
    `carried-in-place` is false; each other one to a new tensor.
    With `sums-alone`, a sum that shares its pass with nothing is such a loop, too, and a product of a matrix and a
    vector is a sum.

    `close-bytes`, `tile-bytes` and `run-bytes` describe the machine: how much of all
    tensors a tile may hold, from which size on it is not made larger, and the
    shortest run of consecutive bytes of a tensor that is larger than that.

    A matrix product is in a group with what reads its result (a bias, an activation,
    a rounding, the softmax of an attention) and with what computes an operand, another
    product too, where a tile has all of it that the product sums over: scores, softmax
    and values of an attention are one group. `product-bytes` is what tiles may
    hold, operands from outside left out, `product-columns` how long columns are at
    least, if the product's are, `product-rows` how long rows have to be at most (fewer
    do where little of B is read again for each tile), `packed-bytes` how much of B
    that is, and `product-tiles` how many tiles there should be. A product that nothing
    can be computed with stays as it is, and so does a convolution, and an operation of
    which one loop walks an extent that is known of one tensor and not of another.

    Before:
    ```mlir
    func.func @center(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
      %zero = arith.constant 0.0 : f32
      %n = arith.constant 512.0 : f32
      %sums = tensor.empty() : tensor<64xf32>
      %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%sums : tensor<64xf32>) {
      ^bb0(%out: f32):
        linalg.yield %zero : f32
      } -> tensor<64xf32>
      %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %s = arith.addf %acc, %in : f32
        linalg.yield %s : f32
      } -> tensor<64xf32>
      %empty = tensor.empty() : tensor<64x512xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
      ^bb0(%in: f32, %s: f32, %out: f32):
        %mean = arith.divf %s, %n : f32
        %d = arith.subf %in, %mean : f32
        linalg.yield %d : f32
      } -> tensor<64x512xf32>
      return %0 : tensor<64x512xf32>
    }
    ```
    After:
    ```mlir
    func.func @center(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
      %zero = arith.constant 0.0 : f32
      %n = arith.constant 512.0 : f32
      %empty = tensor.empty() : tensor<64x512xf32>
      %0 = scf.forall (%row) = (0) to (64) step (4) shared_outs(%result = %empty) -> (tensor<64x512xf32>) {
        %sums = tensor.empty() : tensor<4xf32>
        %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            outs(%sums : tensor<4xf32>) {
        ^bb0(%out: f32):
          linalg.yield %zero : f32
        } -> tensor<4xf32>
        %rows = tensor.extract_slice %x[%row, 0] [4, 512] [1, 1] : tensor<64x512xf32> to tensor<4x512xf32>
        %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                               iterator_types = ["parallel", "reduction"]}
            ins(%rows : tensor<4x512xf32>) outs(%zeros : tensor<4xf32>) {
        ^bb0(%in: f32, %acc: f32):
          %s = arith.addf %acc, %in : f32
          linalg.yield %s : f32
        } -> tensor<4xf32>
        %again = tensor.extract_slice %x[%row, 0] [4, 512] [1, 1] : tensor<64x512xf32> to tensor<4x512xf32>
        %part = tensor.empty() : tensor<4x512xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
            ins(%again, %sum : tensor<4x512xf32>, tensor<4xf32>) outs(%part : tensor<4x512xf32>) {
        ^bb0(%in: f32, %s: f32, %out: f32):
          %mean = arith.divf %s, %n : f32
          %d = arith.subf %in, %mean : f32
          linalg.yield %d : f32
        } -> tensor<4x512xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %1 into %result[%row, 0] [4, 512] [1, 1]
              : tensor<4x512xf32> into tensor<64x512xf32>
        }
      }
      return %0 : tensor<64x512xf32>
    }
    ```
  }];
  let options = [
    Option<"closeBytes", "close-bytes", "int64_t", "262144",
           "bytes of a tile's parts of all tensors, at most">,
    Option<"tileBytes", "tile-bytes", "int64_t", "24576",
           "bytes up to which a tile grows">,
    Option<"runBytes", "run-bytes", "int64_t", "512",
           "shortest run of a large tensor, in bytes">,
    Option<"tiles", "tiles", "int64_t", "1",
           "tiles of a group below which they do not grow">,
    Option<"productBytes", "product-bytes", "int64_t", "1572864",
           "bytes of a tile with a product, its operands left out, at most">,
    Option<"packedBytes", "packed-bytes", "int64_t", "2097152",
           "bytes of B in a tile with a product, at most">,
    Option<"productRows", "product-rows", "int64_t", "128",
           "rows of a product in a tile, at least">,
    Option<"productColumns", "product-columns", "int64_t", "1024",
           "columns of a product in a tile, at least">,
    Option<"productTiles", "product-tiles", "int64_t", "8",
           "tiles of a product below which they are not made larger">,
    Option<"sumsAlone", "sums-alone", "bool", "false",
           "tile sums that share a pass with nothing, too">,
    Option<"carriedInPlace", "carried-in-place", "bool", "true",
           "let a group that computes the next value of what an scf.for carries from that write over it">
  ];
  let statistics = [
    Statistic<"numGroups", "groups", "loops over tiles">,
    Statistic<"numOperations", "operations", "operations in them">,
    Statistic<"numBytesBefore", "bytes before",
              "bytes that operations read and write one by one">,
    Statistic<"numBytesAfter", "bytes after", "bytes that they do in groups">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerTileLoopsPass : Pass<"amp-lower-tile-loops", "::mlir::func::FuncOp"> {
  let summary = "divide the tiles of a group among threads";
  let description = [{
    An `scf.forall` on buffers becomes a loop over its tiles, numbered in the order
    of its loops; for several threads this loop stands in an `scf.parallel` over
    pieces of consecutive tiles, where there is enough work. Buffers of known size
    that a tile allocates are on the stack, once for each piece. Those of one type that are not needed at
    the same time are one, also where an elementwise operation reads one last and writes the other first.

    Before:
    ```mlir
    func.func @scale(%x: memref<64x512xf32>, %y: memref<64x512xf32>) {
      scf.forall (%row) = (0) to (64) step (4) {
        %in = memref.subview %x[%row, 0] [4, 512] [1, 1]
            : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
        %out = memref.subview %y[%row, 0] [4, 512] [1, 1]
            : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
        linalg.exp ins(%in : memref<4x512xf32, strided<[512, 1], offset: ?>>)
                   outs(%out : memref<4x512xf32, strided<[512, 1], offset: ?>>)
      }
      return
    }
    ```
    After:
    ```mlir
    func.func @scale(%x: memref<64x512xf32>, %y: memref<64x512xf32>) {
      %c16 = arith.constant 16 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %tile = %c0 to %c16 step %c1 {
        %row = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%tile]
        %in = memref.subview %x[%row, 0] [4, 512] [1, 1]
            : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
        %out = memref.subview %y[%row, 0] [4, 512] [1, 1]
            : memref<64x512xf32> to memref<4x512xf32, strided<[512, 1], offset: ?>>
        linalg.exp ins(%in : memref<4x512xf32, strided<[512, 1], offset: ?>>)
                   outs(%out : memref<4x512xf32, strided<[512, 1], offset: ?>>)
      }
      return
    }
    ```
  }];
  let options = [
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads among which tiles are divided">,
    Option<"partWork", "part-work", "int64_t", /*default=*/"1 << 15",
           "Points of the loops that are worth a thread: some ten microseconds "
           "of them">
  ];
  let statistics = [
    Statistic<"numLowered", "loops lowered", "Loops over tiles">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CountLeastTrafficPass : Pass<"amp-count-least-traffic", "ModuleOp"> {
  let summary = "count the bytes that a step has to move";
  let description = [{
    Leaves on the module, as `amp.least_traffic`, the bytes of the tensors of its
    train step (by `amp.signature`) that have to be in memory however it is fused:
    arguments, results, operands and results of contractions (rounded, where one
    rounding is all that reads them), and what the forward pass keeps for the
    backward pass, each written once and read once
    (`amp/Fusion/StepTraffic.h`); as `amp.least_memory_bound_traffic` those of them
    that others than contractions write and read. Runs on tensors, before anything is
    fused.
  }];
}

def CountKernelTrafficPass : Pass<"amp-count-kernel-traffic", "ModuleOp"> {
  let summary = "count the bytes that the kernels of a step move";
  let description = [{
    Leaves on the module, as `amp.kernel_traffic`, the bytes that the kernels of its
    train step read from and write to the buffers that they are given. What a kernel
    wrote and reads again is close, and does not count. Of branches the one counts that
    moves most: a step that is taken, not one that is skipped. Runs on buffers, after
    `amp-outline-kernels`.
  }];
}

def CountLaunchTrafficPass : Pass<"amp-count-launch-traffic", "ModuleOp"> {
  let summary = "count the bytes that the launches of a step move";
  let description = [{
    As `amp-count-kernel-traffic`, for a device: leaves on the module, as
    `amp.kernel_traffic`, the bytes of the buffers that the launches and copies of its
    train step (by `amp.signature`) move. Of an `amp.launch_kernels` each buffer counts
    once, also where it is several operands, of a `memref.copy` its source and its target. Of branches the one counts that
    moves most, and a loop for each of its rounds, if their number is known.

    `amp.kernel_memory_bound_traffic` is what is left of it without the operands that a
    product, a convolution or an attention has to read and write for itself
    (`amp.contraction` on its kernels, by the conversions to them).

    An operand counts whole: of one that kernels read only in part, as a slice or by
    index, too much, and of one that they read again from memory too little. Of a window on
    a buffer with strides (`convert-copies-to-kernels`) the buffer's elements count. What the
    host reads and writes itself does not count. Runs on buffers.

    Before:
    ```mlir
    func.func @step(%x: memref<16xf32>, %y: memref<16xf32>) attributes {
        amp.signature = {kind = "train_step"}} {
      memref.copy %x, %y : memref<16xf32> to memref<16xf32>
      return
    }
    ```
    After:
    ```mlir
    module attributes {amp.kernel_memory_bound_traffic = 128 : i64, amp.kernel_traffic = 128 : i64} {
      func.func @step(%x: memref<16xf32>, %y: memref<16xf32>) attributes {
          amp.signature = {kind = "train_step"}} {
        memref.copy %x, %y : memref<16xf32> to memref<16xf32>
        return
      }
    }
    ```
  }];
}

def ApproximateMathPass : Pass<"amp-approximate-math", "::mlir::func::FuncOp"> {
  let summary = "replace exp, tanh, erf, expm1 and log1p by polynomials";
  let description = [{
    `math.exp`, `math.tanh` and `math.erf` on f32 become straight-line arithmetic
    that vectorises and does not depend on the host's C library. The error is at
    most 6 units in the last place; `exp` does not produce subnormal numbers, and
    `erf` of -0.0 is 0.0.

    So do `math.expm1` and `math.log1p`, on f16 and bf16 by f32. Their error is at
    most 2 units in the last place, of subnormal numbers too: what is near 0 keeps
    its digits, and its sign. Other functions and types are left to libm. Not part
    of the reference mode.

    ```mlir
    func.func @softplus_slope(%x: f32) -> f32 {
      %0 = math.exp %x : f32
      return %0 : f32
    }
    ```

    becomes about thirty operations of `arith` and `math.fma`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CallLibmPass : Pass<"amp-call-libm", "ModuleOp"> {
  let summary = "call libm for expm1 and log1p";
  let description = [{
    `convert-math-to-llvm` computes `exp(x) - 1` and `log(1 + x)`, which lose the
    digits of a small argument. What `amp-approximate-math` has left of
    `math.expm1` and `math.log1p` becomes a call of libm here; f16 and bf16 by f32.

    Before:
    ```mlir
    func.func @growth(%x: f64) -> f64 {
      %0 = math.expm1 %x : f64
      return %0 : f64
    }
    ```

    After:
    ```mlir
    func.func private @expm1(f64) -> f64 attributes {llvm.readnone}
    func.func @growth(%x: f64) -> f64 {
      %0 = call @expm1(%x) : (f64) -> f64
      return %0 : f64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def VerifyHostLoweringPass : Pass<"amp-verify-host-lowering", "ModuleOp"> {
  let summary = "refuse what the lowering to the host has left";
  let description = [{
    Runs after all conversions to the LLVM dialect, where nothing else may be left:
    what they do not know would be an error of the translation, at a cast far from
    its cause.

    Refused: each operation that is neither a module nor of the LLVM dialect, by
    its name and where it stands; if there is none, a cast that no conversion has
    resolved. Changes nothing.

    Accepted:
    ```mlir
    llvm.func @negate(%x: f32) -> f32 {
      %0 = llvm.fneg %x : f32
      llvm.return %0 : f32
    }
    ```
  }];
}

def StoreBooleansAsBytesPass : Pass<"amp-store-booleans-as-bytes"> {
  let summary = "load and store i1 as i8";
  let description = [{
    In the LLVM dialect, where a boolean takes a byte of memory: `llvm.load` of i1
    becomes one of i8 and `llvm.trunc`, `llvm.store` becomes `llvm.zext` and one of
    i8. LLVM vectorises those and not the others (masks of an attention, signs of an
    activation).

    Before:
    ```mlir
    llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
      %mask = llvm.load %from : !llvm.ptr -> i1
      llvm.store %mask, %to : i1, !llvm.ptr
      llvm.return
    }
    ```

    After:
    ```mlir
    llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
      %byte = llvm.load %from : !llvm.ptr -> i8
      %mask = llvm.trunc %byte : i8 to i1
      %stored = llvm.zext %mask : i1 to i8
      llvm.store %stored, %to : i8, !llvm.ptr
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def StoreF8AsI8Pass : Pass<"amp-store-f8-as-i8", "::mlir::func::FuncOp"> {
  let summary = "keep floats of 8 bits as integers";
  let description = [{
    `f8E4M3FN`, `f8E5M2` and the other floats of 8 bits with a sign and a fraction exist in MLIR alone: no CPU, no conversion to LLVM, and of kernels only those of products on sm_90a
    knows them, which `convert-linalg-to-tensor-core` makes before. Here they are what they are in memory, an `i8`: numbers, tensors, what loops carry, arguments of functions.

    - `arith.extf` decodes the bits, to f32 and from there, which is exact.
    - `arith.truncf` rounds to the nearest, ties to even, once, from f64 as well. What is too large becomes infinity, or NaN in a
      type that has none, as constant folding does.
    - Other operations of `arith` and `math` extend, compute in f32 (`math.fma` in f64), and round. Sums, products, quotients and roots are rounded as
      if at once.
    - Constants become their bits, `arith.bitcast` to `i8` nothing, and named operations of `linalg` are `linalg.generic` before.

    **Refused**, where it stands: floats of 4 and 6 bits and `f8E8M0FNU`, complex numbers of small floats, other roundings than to the nearest,
    arithmetic on tensors of unknown extents outside of `linalg` (on bits it has constants), conversions with a scale, and operations of other
    dialects than `arith`, `bufferization`, `cf`, `func`, `linalg`, `math`, `scf`, `tensor` and `ub`, but for launches, whose kernels have taken what is stored.

    Before:
    ```mlir
    func.func @two(%out: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {
      %c1 = arith.constant 1 : index
      %two = arith.constant 2.0 : f8E5M2
      %0 = tensor.insert %two into %out[%c1] : tensor<2xf8E5M2>
      return %0 : tensor<2xf8E5M2>
    }
    ```
    After:
    ```mlir
    func.func @two(%out: tensor<2xi8>) -> tensor<2xi8> {
      %c1 = arith.constant 1 : index
      %two = arith.constant 64 : i8
      %0 = tensor.insert %two into %out[%c1] : tensor<2xi8>
      return %0 : tensor<2xi8>
    }
    ```
  }];
  let statistics = [
    Statistic<"numOperations", "operations", "Operations on floats of 8 bits">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect"];
}

#endif // AMP_CONVERSION_HOST_PASSES

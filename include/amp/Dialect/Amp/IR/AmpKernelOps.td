//===- AmpKernelOps.td - Operations that run kernels -------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands in a step where a generated kernel computes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPKERNELOPS_TD
#define AMP_DIALECT_AMP_IR_AMPKERNELOPS_TD

include "amp/Dialect/Amp/IR/AmpDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Amp_LaunchKernelsOp : Op<Amp_Dialect, "launch_kernels", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run the kernels of a gpu.module on tensors or buffers";
  let description = [{
    Runs the kernels of the named module one after the other, in the order that
    their `amp.launch` attributes give (see the pass `amp-generate-gemm`). How a
    kernel is launched, and its numbers, stand there; this operation says which
    tensors its pointers and tensor maps are. Each operand has the name of such
    an argument. Kernels see memory, not shapes: an operand may have any static
    shape of the argument's size, its elements row by row.

    `outs` are written and not read, every element of them, but for those that
    `partial` names: of these the kernels leave out some elements, which are in the
    results what they were in the operands, or add to what is there, which is the operand. So a product
    becomes some columns of a larger matrix, or joins the bits of a check. A workspace
    is one of `outs`, whose result nobody uses. No element of an `outs` may be one of
    another operand's. (On buffers, a copy between strides has operands with gaps,
    elements that it neither reads nor writes, and a kernel of loops reads what it
    writes: see `convert-copies-to-kernels` and `convert-loops-to-kernels`.)

    Rules:

    1. All operands are ranked tensors, or all are buffers whose elements follow
       one another; the shapes are static.
    2. Names are distinct, one for each operand.
    3. The symbol is a module with kernels that carry `amp.launch`, or one that
       was compiled and whose kernels stand in `amp.launches` of the module
       around it.
    4. Each pointer, tensor map and entry of a table of the kernels has an operand
       of its name, and each operand one of them.
    5. An operand has as many bytes as its argument.
    6. Names of entries of tables are those of no other argument.
    7. `partial` names some of `outs`, each once.

    On tensors without effect. On buffers reads `ins` and writes `outs`; it also
    reads those that are `partial`. Made by `convert-linalg-to-tensor-core`.

    Example:

    ```mlir
    module attributes {gpu.container_module} {
      func.func @product(%x: tensor<4x8x64xbf16>, %w: tensor<64x128xbf16>)
          -> tensor<4x8x128xbf16> {
        %init = tensor.empty() : tensor<4x8x128xbf16>
        %y = amp.launch_kernels @gemm ins(a = %x, b = %w) outs(d = %init)
            : (tensor<4x8x64xbf16>, tensor<64x128xbf16>, tensor<4x8x128xbf16>)
            -> tensor<4x8x128xbf16>
        return %y : tensor<4x8x128xbf16>
      }
      gpu.module @gemm {
        llvm.func @gemm(!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) attributes {
          gpu.kernel,
          amp.launch = {
            order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>,
            cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
              {kind = "buffer", name = "a", type = bf16, elements = 2048},
              {kind = "buffer", name = "b", type = bf16, elements = 8192},
              {kind = "buffer", name = "d", type = bf16, elements = 4096}
            ]}}
      }
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernels, StrArrayAttr:$names,
                       Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
                       Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
                       OptionalAttr<StrArrayAttr>:$partial);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::StringRef":$kernels,
                                 "::mlir::ArrayRef<::mlir::StringRef>":$names,
                                 "::mlir::ValueRange":$inputs,
                                 "::mlir::ValueRange":$outputs,
                                 CArg<"::mlir::ArrayRef<::mlir::StringRef>", "{}">:$partial)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// The name of an operand, by its number.
    ::mlir::StringRef getOperandName(unsigned index);
    /// Whether `operand` is read: one of `ins`, or named by `partial`.
    bool reads(::mlir::OpOperand &operand);
  }];
}

#endif // AMP_DIALECT_AMP_IR_AMPKERNELOPS_TD

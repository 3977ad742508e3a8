//===- Passes.td - Passes over linalg on tensors -----------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same values with less work, for whatever machine comes after: linalg and
// tensor go in and come out.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_LINALG_TRANSFORMS_PASSES
#define AMP_DIALECT_LINALG_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def RaiseExtractsPass : Pass<"amp-raise-extracts", "::mlir::func::FuncOp"> {
  let summary = "make what a body reads by linear indices an operand";
  let description = [{
    The body of a `linalg.generic` may read a tensor by `tensor.extract`, which
    says nothing to whoever asks the operation for its operands. Where all
    indices are sums of multiples of the loops (`linalg.index`, constants,
    `arith.addi`, `subi` and `muli`), the tensor becomes an input with these sums
    as its map. Front ends write the flipped filter of a convolution's backward
    pass like this.

    The only index of a dimension of extent 1 is written as a loop of extent 1
    where there is one. A loop that walks the first part of a longer dimension
    reads a slice of the tensor.

    **Left alone.** Indices that depend on data, reads under a condition, shapes
    that are not static, and indices that leave the tensor.

    Before:
    ```mlir
    func.func @turned(%w: tensor<4x3x1xf32>, %out: tensor<3x4x1xf32>) -> tensor<3x4x1xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          outs(%out : tensor<3x4x1xf32>) {
      ^bb0(%o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %back = arith.subi %c2, %i : index
        %x = tensor.extract %w[%j, %back, %c0] : tensor<4x3x1xf32>
        linalg.yield %x : f32
      } -> tensor<3x4x1xf32>
      return %t : tensor<3x4x1xf32>
    }
    ```

    After:
    ```mlir
    func.func @turned(%w: tensor<4x3x1xf32>, %out: tensor<3x4x1xf32>) -> tensor<3x4x1xf32> {
      %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, -i + 2, k)>,
                                            affine_map<(i, j, k) -> (i, j, k)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%w : tensor<4x3x1xf32>) outs(%out : tensor<3x4x1xf32>) {
      ^bb0(%x: f32, %o: f32):
        linalg.yield %x : f32
      } -> tensor<3x4x1xf32>
      return %t : tensor<3x4x1xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numRaised", "raised", "Reads that became operands">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseCountedLoopsPass : Pass<"amp-raise-counted-loops", "::mlir::func::FuncOp"> {
  let summary = "make loops of a known number of rounds `scf.for`";
  let description = [{
    A front end that knows tensors alone writes a loop as `scf.while` that compares a tensor it carries, of one element, with another.
    Where that counts by a constant, from a constant, to a constant, the loop becomes an `scf.for` with its rounds; whoever
    runs it need not ask a device after each. A loop that counts by ones, from a constant that is not negative, up to a number that does not change in it
    has its rounds by that number. What else counts along, from a constant by a constant, follows from the round too, and is not carried.

    **Input.** A condition that compares by `arith.cmpi` and does nothing else, and hands on what it is given. Numbers may be in tensors
    of one element, and in bodies of `linalg.generic` on such.

    **Left alone.** Loops whose counter would pass the largest number of its type, or that do not end; conditions that
    compare with what changes, or by `eq`; conditions that hand on something else.

    Before:
    ```mlir
    func.func @powers(%x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
      %zero = arith.constant dense<0> : tensor<i32>
      %one = arith.constant dense<1> : tensor<i32>
      %ten = arith.constant dense<10> : tensor<i32>
      %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
        %c = arith.cmpi slt, %i, %ten : tensor<i32>
        %more = tensor.extract %c[] : tensor<i1>
        scf.condition(%more) %i, %y : tensor<i32>, tensor<4xf32>
      } do {
      ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
        %next = arith.addi %i, %one : tensor<i32>
        %z = arith.mulf %y, %x : tensor<4xf32>
        scf.yield %next, %z : tensor<i32>, tensor<4xf32>
      }
      return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
    }
    ```

    After:
    ```mlir
    func.func @powers(%x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
      %zero = arith.constant dense<0> : tensor<i32>
      %one = arith.constant dense<1> : tensor<i32>
      %ten = arith.constant dense<10> : tensor<i32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c10 = arith.constant 10 : index
      %y = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
        %n = arith.index_cast %k : index to i32
        %i = tensor.from_elements %n : tensor<i32>
        %next = arith.addi %i, %one : tensor<i32>
        %z = arith.mulf %a, %x : tensor<4xf32>
        scf.yield %z : tensor<4xf32>
      }
      %last = arith.constant 10 : i32
      %r = tensor.from_elements %last : tensor<i32>
      return %r, %y : tensor<i32>, tensor<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numRaised", "raised", "Loops with their rounds">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseScalarsPass : Pass<"amp-raise-scalars", "::mlir::func::FuncOp"> {
  let summary = "compute integers that are read from tensors of one element as numbers";
  let description = [{
    Where a slice begins, or which branch is taken, is an integer that a front end which knows tensors alone reads from a tensor of one
    element. Where constants and numbers alone decide it, such as the index of a loop, the arithmetic in between is done on numbers. On a device
    the host then need not read it.

    **Input.** A `tensor.extract` of an integer from a tensor of one element, which comes from constants and numbers through `tensor.from_elements`,
    reshapes, operations on elements and `linalg.generic` on tensors of one element; at most 64 operations.

    **Left alone.** What elements of larger tensors, sums or results of loops and branches decide; operations that may be undefined, such as quotients;
    floating point, whose place is with the tensors that it scales.

    Before:
    ```mlir
    func.func @backwards(%k: index, %x: tensor<8xf32>) -> tensor<1xf32> {
      %seven = arith.constant dense<7> : tensor<i32>
      %n = arith.index_cast %k : index to i32
      %i = tensor.from_elements %n : tensor<i32>
      %last = arith.subi %seven, %i : tensor<i32>
      %m = tensor.extract %last[] : tensor<i32>
      %at = arith.index_cast %m : i32 to index
      %y = tensor.extract_slice %x[%at] [1] [1] : tensor<8xf32> to tensor<1xf32>
      return %y : tensor<1xf32>
    }
    ```

    After:
    ```mlir
    func.func @backwards(%k: index, %x: tensor<8xf32>) -> tensor<1xf32> {
      %seven = arith.constant dense<7> : tensor<i32>
      %n = arith.index_cast %k : index to i32
      %i = tensor.from_elements %n : tensor<i32>
      %last = arith.subi %seven, %i : tensor<i32>
      %number = arith.constant 7 : i32
      %m = arith.subi %number, %n : i32
      %at = arith.index_cast %m : i32 to index
      %y = tensor.extract_slice %x[%at] [1] [1] : tensor<8xf32> to tensor<1xf32>
      return %y : tensor<1xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numRaised", "raised", "Integers that no tensor is read for">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RecomputeInBlocksPass : Pass<"amp-recompute-in-blocks", "::mlir::func::FuncOp"> {
  let summary = "compute the probabilities of attentions again instead of keeping them";
  let description = [{
    An attention over T positions has T x T scores and probabilities for each head, computed from T x d
    queries and keys. Where all that the backward pass would read of such matrices takes `kept-bytes` or more, it
    computes them again, for a block of rows at a time, and with each block all that it does with them; the
    forward pass has no matrix of all rows either. That is what is called flash attention elsewhere, except that
    rows are whole: there is no running maximum.

    **Input.** For the backward pass a product that sums over the rows of a large matrix, which a
    `linalg.generic` of static shape computes. With it, in its block, as far as they are not of the forward pass
    (the product does not depend on them):

    * who reads a large result of one of them;
    * who computes a large operand; if it is of the forward pass, another time;
    * who computes a small operand and depends on one of them.

    Each of them has the rows as a parallel loop, or is a product that sums over them, in f32 or f64. Loops
    over the batch are parallel in all. Large is what has as many elements as the matrix. What is small,
    and arguments, are read a block of rows at a time. For the forward pass
    it begins with a product that keeps the rows of a large matrix.

    Nothing is done where something else reads a large result, where what is computed twice is not
    cheap (a product of more than `max-steps` steps, or one whose result has not six times the elements of its operands; two
    products), or where something in a block would read a sum over all rows (a softmax, by columns).

    **Cost.** Of an attention's seven products of the size of its scores one more; of exponentials one more. On one core of a
    Zen 4 a step of two layers with 4096 positions takes as long as before in f32 and 6 % longer in
    bf16, and 290 MB of memory instead of 1.3 GB.

    **Numbers.** Rows are summed in the same order, and what is computed again is what was computed before: the same bits
    by plain loops. Later, sums over rows are sums of blocks of `rows` products, where a product of all rows has
    blocks of its own length, and the fusion plan may divide a sum along a row otherwise.

    Before:
    ```mlir
    func.func @gradient(%x: tensor<2x64x2xf32>, %y: tensor<2x2x64xf32>, %v: tensor<2x64x2xf32>) -> tensor<2x64x2xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x64x64xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
      %f = tensor.empty() : tensor<2x64x2xf32>
      %w = linalg.fill ins(%zero : f32) outs(%f : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>,
                                            affine_map<(b, i, j, k) -> (b, i, j)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %y : tensor<2x64x2xf32>, tensor<2x2x64xf32>) outs(%z : tensor<2x64x64xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<2x64x64xf32>
      %o = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (b, j, d)>,
                                            affine_map<(b, i, d, j) -> (b, i, d)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %c, %m : f32
        linalg.yield %t : f32
      } -> tensor<2x64x2xf32>
      %dv = linalg.generic {indexing_maps = [affine_map<(b, j, d, i) -> (b, i, j)>, affine_map<(b, j, d, i) -> (b, i, d)>,
                                             affine_map<(b, j, d, i) -> (b, j, d)>],
                            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%p, %o : tensor<2x64x64xf32>, tensor<2x64x2xf32>) outs(%w : tensor<2x64x2xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %c, %m : f32
        linalg.yield %t : f32
      } -> tensor<2x64x2xf32>
      return %dv : tensor<2x64x2xf32>
    }
    ```

    After, by `--amp-recompute-in-blocks="rows=32 kept-bytes=1 min-bytes=1"`:
    ```mlir
    func.func @gradient(%arg0: tensor<2x64x2xf32>, %arg1: tensor<2x2x64xf32>, %arg2: tensor<2x64x2xf32>) -> tensor<2x64x2xf32> {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<2x64x64xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
      %2 = tensor.empty() : tensor<2x64x2xf32>
      %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x64x2xf32>) -> tensor<2x64x2xf32>
      %4 = tensor.empty() : tensor<2x64x2xf32>
      %5 = scf.forall (%arg3) in (2) shared_outs(%arg4 = %4) -> (tensor<2x64x2xf32>) {
        %8 = tensor.empty() : tensor<1x64x2xf32>
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %c32 = arith.constant 32 : index
        %extracted_slice = tensor.extract_slice %arg1[%arg3, 0, 0] [1, 2, 64] [1, 1, 1] : tensor<2x2x64xf32> to tensor<1x2x64xf32>
        %extracted_slice_0 = tensor.extract_slice %arg2[%arg3, 0, 0] [1, 64, 2] [1, 1, 1] : tensor<2x64x2xf32> to tensor<1x64x2xf32>
        %9 = scf.for %arg5 = %c0 to %c64 step %c32 iter_args(%arg6 = %8) -> (tensor<1x64x2xf32>) {
          %extracted_slice_1 = tensor.extract_slice %arg0[%arg3, %arg5, 0] [1, 32, 2] [1, 1, 1] : tensor<2x64x2xf32> to tensor<1x32x2xf32>
          %10 = tensor.empty() : tensor<1x32x64xf32>
          %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x32x64xf32>) -> tensor<1x32x64xf32>
          %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%extracted_slice_1, %extracted_slice : tensor<1x32x2xf32>, tensor<1x2x64xf32>) outs(%11 : tensor<1x32x64xf32>) {
          ^bb0(%in: f32, %in_2: f32, %out: f32):
            %16 = arith.mulf %in, %in_2 : f32
            %17 = arith.addf %out, %16 : f32
            linalg.yield %17 : f32
          } -> tensor<1x32x64xf32>
          %13 = tensor.empty() : tensor<1x32x2xf32>
          %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<1x32x2xf32>) -> tensor<1x32x2xf32>
          %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%12, %extracted_slice_0 : tensor<1x32x64xf32>, tensor<1x64x2xf32>) outs(%14 : tensor<1x32x2xf32>) {
          ^bb0(%in: f32, %in_2: f32, %out: f32):
            %16 = arith.mulf %in, %in_2 : f32
            %17 = arith.addf %out, %16 : f32
            linalg.yield %17 : f32
          } -> tensor<1x32x2xf32>
          %inserted_slice = tensor.insert_slice %15 into %arg6[0, %arg5, 0] [1, 32, 2] [1, 1, 1] : tensor<1x32x2xf32> into tensor<1x64x2xf32>
          scf.yield %inserted_slice : tensor<1x64x2xf32>
        }
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %9 into %arg4[%arg3, 0, 0] [1, 64, 2] [1, 1, 1] : tensor<1x64x2xf32> into tensor<2x64x2xf32>
        }
      }
      %6 = tensor.empty() : tensor<2x64x2xf32>
      %7 = scf.forall (%arg3) in (2) shared_outs(%arg4 = %6) -> (tensor<2x64x2xf32>) {
        %8 = tensor.empty() : tensor<1x64x2xf32>
        %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<1x64x2xf32>) -> tensor<1x64x2xf32>
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %c32 = arith.constant 32 : index
        %extracted_slice = tensor.extract_slice %arg1[%arg3, 0, 0] [1, 2, 64] [1, 1, 1] : tensor<2x2x64xf32> to tensor<1x2x64xf32>
        %10 = scf.for %arg5 = %c0 to %c64 step %c32 iter_args(%arg6 = %9) -> (tensor<1x64x2xf32>) {
          %extracted_slice_0 = tensor.extract_slice %arg0[%arg3, %arg5, 0] [1, 32, 2] [1, 1, 1] : tensor<2x64x2xf32> to tensor<1x32x2xf32>
          %11 = tensor.empty() : tensor<1x32x64xf32>
          %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1x32x64xf32>) -> tensor<1x32x64xf32>
          %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%extracted_slice_0, %extracted_slice : tensor<1x32x2xf32>, tensor<1x2x64xf32>) outs(%12 : tensor<1x32x64xf32>) {
          ^bb0(%in: f32, %in_2: f32, %out: f32):
            %15 = arith.mulf %in, %in_2 : f32
            %16 = arith.addf %out, %15 : f32
            linalg.yield %16 : f32
          } -> tensor<1x32x64xf32>
          %extracted_slice_1 = tensor.extract_slice %5[%arg3, %arg5, 0] [1, 32, 2] [1, 1, 1] : tensor<2x64x2xf32> to tensor<1x32x2xf32>
          %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
              iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
              ins(%13, %extracted_slice_1 : tensor<1x32x64xf32>, tensor<1x32x2xf32>) outs(%arg6 : tensor<1x64x2xf32>) {
          ^bb0(%in: f32, %in_2: f32, %out: f32):
            %15 = arith.mulf %in, %in_2 : f32
            %16 = arith.addf %out, %15 : f32
            linalg.yield %16 : f32
          } -> tensor<1x64x2xf32>
          scf.yield %14 : tensor<1x64x2xf32>
        }
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %10 into %arg4[%arg3, 0, 0] [1, 64, 2] [1, 1, 1] : tensor<1x64x2xf32> into tensor<2x64x2xf32>
        }
      }
      return %7 : tensor<2x64x2xf32>
    }
    ```
  }];
  let options = [
    Option<"keptBytes", "kept-bytes", "int64_t", /*default=*/"int64_t(1) << 29",
           "Bytes of all large matrices that the backward pass would read, from which on it computes them again.">,
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"int64_t(1) << 22", "Bytes from which on a matrix is large.">,
    Option<"rows", "rows", "int64_t", /*default=*/"128", "Rows of a block.">,
    Option<"maxSteps", "max-steps", "int64_t", /*default=*/"128",
           "Steps of the sums of a product that is computed twice, at most.">
  ];
  let statistics = [
    Statistic<"numRegions", "regions", "Passes over the rows of a matrix">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitMaskedRowsPass : Pass<"amp-split-masked-rows", "::mlir::func::FuncOp"> {
  let summary = "compute of a causal attention what counts";
  let description = [{
    Row i of a causal attention's scores counts up to column i; half of its products, exponentials
    and memory is for what is masked. Rows are cut in blocks, and each operation on scores, forward
    and backward, is computed for each block with the columns that its last row has.

    **Input.** An elementwise `linalg.generic` of static shape that makes minus infinity, or -1e30 and less, of
    elements whose column is beyond their row plus a constant, by a comparison of two indices in its body or
    in what computes its mask. With it, in its block:

    * elementwise operations that make zero or minus infinity of such elements;
    * sums, maxima and the like along rows or columns to which they add nothing;
    * products along rows or columns in which they are zero;
    * products, in front of all these, of which nobody else reads the result.

    A matrix that something else reads has to be zero there: it is put together over zeros. Where one is
    not, or there is no product, nothing is done; nor where one is, or a number stands for minus infinity,
    and a row may be masked as a whole: by a constant below zero, or where something else than a product's
    result is masked, or by something else than the comparison.

    **Cost.** At most `blocks` blocks of at least `rows` rows: of n blocks (n - 1) / 2n of the work is left
    out.

    **Numbers.** Sums are over fewer elements, the others being zero, and may round differently.
    Zero times a value of a masked position is left out, which matters if that is infinite or NaN; so is
    the NaN that the softmax of a row masked as a whole has in columns beyond its block. Scores of -1e30 and less
    count as masked where a number does.

    Before:
    ```mlir
    func.func @values(%s: tensor<4x4xf32>, %v: tensor<4x8xf32>, %e: tensor<4x4xf32>,
                      %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %lowest = arith.constant 0xFF800000 : f32
      %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
      ^bb0(%x: f32, %o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %seen = arith.cmpi sle, %j, %i : index
        %masked = arith.select %seen, %x, %lowest : f32
        %y = math.exp %masked : f32
        linalg.yield %y : f32
      } -> tensor<4x4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>,
                                            affine_map<(i, d, j) -> (i, d)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %v : tensor<4x4xf32>, tensor<4x8xf32>) outs(%z : tensor<4x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.mulf %a, %b : f32
        %t = arith.addf %o, %m : f32
        linalg.yield %t : f32
      } -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```

    After, by `--amp-split-masked-rows=rows=2`:
    ```mlir
    func.func @values(%arg0: tensor<4x4xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x4xf32>, %arg3: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %cst = arith.constant 0xFF800000 : f32
      %extracted_slice = tensor.extract_slice %arg0[0, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
      %extracted_slice_0 = tensor.extract_slice %arg2[0, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%extracted_slice : tensor<2x2xf32>) outs(%extracted_slice_0 : tensor<2x2xf32>) {
      ^bb0(%in: f32, %out: f32):
        %5 = linalg.index 0 : index
        %6 = linalg.index 1 : index
        %7 = arith.cmpi sle, %6, %5 : index
        %8 = arith.select %7, %in, %cst : f32
        %9 = math.exp %8 : f32
        linalg.yield %9 : f32
      } -> tensor<2x2xf32>
      %extracted_slice_1 = tensor.extract_slice %arg0[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
      %extracted_slice_2 = tensor.extract_slice %arg2[2, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%extracted_slice_1 : tensor<2x4xf32>) outs(%extracted_slice_2 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %5 = linalg.index 0 : index
        %c2 = arith.constant 2 : index
        %6 = arith.addi %5, %c2 : index
        %7 = linalg.index 1 : index
        %8 = arith.cmpi sle, %7, %6 : index
        %9 = arith.select %8, %in, %cst : f32
        %10 = math.exp %9 : f32
        linalg.yield %10 : f32
      } -> tensor<2x4xf32>
      %extracted_slice_3 = tensor.extract_slice %arg1[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
      %extracted_slice_4 = tensor.extract_slice %arg3[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
      %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%0, %extracted_slice_3 : tensor<2x2xf32>, tensor<2x8xf32>) outs(%extracted_slice_4 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_8: f32, %out: f32):
        %5 = arith.mulf %in, %in_8 : f32
        %6 = arith.addf %out, %5 : f32
        linalg.yield %6 : f32
      } -> tensor<2x8xf32>
      %extracted_slice_5 = tensor.extract_slice %arg1[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
      %extracted_slice_6 = tensor.extract_slice %arg3[2, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
      %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%1, %extracted_slice_5 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%extracted_slice_6 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_8: f32, %out: f32):
        %5 = arith.mulf %in, %in_8 : f32
        %6 = arith.addf %out, %5 : f32
        linalg.yield %6 : f32
      } -> tensor<2x8xf32>
      %4 = tensor.empty() : tensor<4x8xf32>
      %inserted_slice = tensor.insert_slice %2 into %4[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      %inserted_slice_7 = tensor.insert_slice %3 into %inserted_slice[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      return %inserted_slice_7 : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"blocks", "blocks", "int64_t", /*default=*/"4", "Blocks of rows, at most">,
    Option<"rows", "rows", "int64_t", /*default=*/"160",
           "Rows of a block, at least: contexts of 256 win a hundredth, and take a second more to "
           "compile in six layers">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ReduceBeforeBroadcastPass : Pass<"amp-reduce-before-broadcast", "::mlir::func::FuncOp"> {
  let summary = "compute equal sums once";
  let description = [{
    A sum that walks no input along a loop of its result is the same for each iteration of that loop:
    the product of a weight with a state of zeros, with which recurrent layers begin, or with ones. It is
    computed without the loop, and the result repeated.

    **Input.** A `linalg.generic` of static shape with one result, loops that reduce, and an output that is
    filled with a constant. An input whose elements are one constant counts as not walked and becomes that
    constant in the body. Loops of which the body asks the index stay.

    **Numbers.** The same bits: zero times infinity or NaN is still computed, once.

    Before:
    ```mlir
    func.func @state(%w: tensor<8x16xf32>) -> tensor<4x8xf32> {
      %c0 = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : tensor<4x16xf32>
      %e = tensor.empty() : tensor<4x8xf32>
      %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%zeros, %w : tensor<4x16xf32>, tensor<8x16xf32>) outs(%f : tensor<4x8xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %o, %p : f32
        linalg.yield %s : f32
      } -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```

    After:
    ```mlir
    func.func @state(%arg0: tensor<8x16xf32>) -> tensor<4x8xf32> {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant dense<0.000000e+00> : tensor<4x16xf32>
      %0 = tensor.empty() : tensor<4x8xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x8xf32>) -> tensor<4x8xf32>
      %2 = tensor.empty() : tensor<8xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
      %cst_2 = arith.constant 0.000000e+00 : f32
      %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%arg0 : tensor<8x16xf32>) outs(%3 : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %7 = arith.mulf %cst_2, %in : f32
        %8 = arith.addf %out, %7 : f32
        linalg.yield %8 : f32
      } -> tensor<8xf32>
      %5 = tensor.empty() : tensor<4x8xf32>
      %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%4 : tensor<8xf32>) outs(%5 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x8xf32>
      return %6 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AddInsertedSlicesPass : Pass<"amp-add-inserted-slices", "::mlir::func::FuncOp"> {
  let summary = "add what was inserted into zeros where it was inserted";
  let description = [{
    The gradient of a tensor of which a step reads n slices, as a loop over a sequence does, is a sum
    of n tensors of its size, each of which is zero but for a slice. Adding one is adding a slice
    in its place: n slices are read and written, not n times the whole.

    **Input.** An elementwise `arith.addf` of two tensors of known shape, one of which is a `tensor.insert_slice`
    into zeros at a known place, or is widened from one. The slice has at most half of the elements: a
    larger one is better read in one pass with what else is computed of the sum.
    Where the other tensor is widened and the sum rounded to its type again, both move into the slice.

    **Numbers.** Each element is the same sum, but that a -0 beside the slice stays one, where -0 + 0 was 0.

    Before:
    ```mlir
    func.func @gradient(%x: tensor<16x8xf32>, %g: tensor<1x8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %zero = arith.constant dense<0.0> : tensor<16x8xf32>
      %0 = tensor.insert_slice %g into %zero[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %0 : tensor<16x8xf32>, tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    }
    ```

    After:
    ```mlir
    func.func @gradient(%x: tensor<16x8xf32>, %g: tensor<1x8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %0 = tensor.extract_slice %x[5, 0] [1, 8] [1, 1] : tensor<16x8xf32> to tensor<1x8xf32>
      %1 = tensor.empty() : tensor<1x8xf32>
      %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%0, %g : tensor<1x8xf32>, tensor<1x8xf32>) outs(%1 : tensor<1x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<1x8xf32>
      %3 = tensor.insert_slice %2 into %x[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
      return %3 : tensor<16x8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSums", "sums", "sums that became sums of slices">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def JoinSummedProductsPass : Pass<"amp-join-summed-products", "::mlir::func::FuncOp"> {
  let summary = "make one product of a sum of products";
  let description = [{
    The gradient of a weight that a recurrent layer uses in each step of a sequence is a sum of
    products, one for each step, whose own sums are as short as a batch is large. Computed one by one
    their results, as large as the weight, are written and read again for each. They become one
    product of their operands side by side, which has one sum and is written once.

    **Input.** A tree of elementwise `arith.addf` of f32 tensors, in one block, of which nothing else
    reads a part. Products in it that differ in the length of their sum alone: one loop, which walks one dimension
    of each input by itself. They start from zero, and have static shapes.

    **Cost.** The operands are copied side by side, and n - 1 results are neither written nor read
    again: products join where the operands have no more elements than those results.

    **Numbers.** What was the sum of n sums is one sum in the same order; what else is added stays in
    order behind or in front of it. Roundings between a product and its addition stand in the way.

    Before:
    ```mlir
    func.func @gradient(%x: tensor<2x8xf32>, %g: tensor<2x8xf32>, %y: tensor<2x8xf32>, %h: tensor<2x8xf32>,
                        %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %c0 = arith.constant 0.0 : f32
      %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                            affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %g : tensor<2x8xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %o, %m : f32
        linalg.yield %s : f32
      } -> tensor<8x8xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                            affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%y, %h : tensor<2x8xf32>, tensor<2x8xf32>) outs(%zero : tensor<8x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %o, %m : f32
        linalg.yield %s : f32
      } -> tensor<8x8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%p, %q : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<8x8xf32>
      return %r : tensor<8x8xf32>
    }
    ```

    After:
    ```mlir
    func.func @gradient(%x: tensor<2x8xf32>, %g: tensor<2x8xf32>, %y: tensor<2x8xf32>, %h: tensor<2x8xf32>,
                        %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %c0 = arith.constant 0.0 : f32
      %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      %l0 = tensor.empty() : tensor<4x8xf32>
      %l1 = tensor.insert_slice %x into %l0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      %l2 = tensor.insert_slice %y into %l1[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      %r0 = tensor.empty() : tensor<4x8xf32>
      %r1 = tensor.insert_slice %g into %r0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      %r2 = tensor.insert_slice %h into %r1[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                            affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%l2, %r2 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%zero : tensor<8x8xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %o, %m : f32
        linalg.yield %s : f32
      } -> tensor<8x8xf32>
      return %r : tensor<8x8xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numProducts", "products", "Products that became parts of others">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RaiseConcatenationsPass : Pass<"amp-raise-concatenations", "::mlir::func::FuncOp"> {
  let summary = "make a body that puts tensors side by side a concatenation";
  let description = [{
    StableHLO's lowering writes a concatenation as a `linalg.generic` that asks
    for each element from which tensor it comes, by comparing an index with
    constants in nested `scf.if`. That is a `tensor.concat`, which says so: where a
    part is what becomes of a contraction, elementwise, its kernel can write it
    where it is to be (`convert-linalg-to-tensor-core`,
    `convert-attention-to-kernels`). Where each branch widens its element
    (`arith.extf`, of one type), the concatenation is of narrow tensors and is
    widened as a whole.

    **Left alone.** Concatenations of which no part is made so: one kernel reads
    them all. Parts that are read not whole or in another order, bodies that compute
    anything else of the elements or assert, and shapes that are not static.

    Before:
    ```mlir
    func.func @side_by_side(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>,
                            %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
      %c2 = arith.constant 2 : index
      %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>)
                               outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
      %e = tensor.empty() : tensor<4x5xf32>
      %all = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
          outs(%e : tensor<4x5xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %first = arith.cmpi ult, %j, %c2 : index
        %x = scf.if %first -> (f32) {
          %l = tensor.extract %product[%i, %j] : tensor<4x2xf32>
          scf.yield %l : f32
        } else {
          %k = arith.subi %j, %c2 : index
          %r = tensor.extract %d[%i, %k] : tensor<4x3xf32>
          scf.yield %r : f32
        }
        linalg.yield %x : f32
      } -> tensor<4x5xf32>
      return %all : tensor<4x5xf32>
    }
    ```

    After:
    ```mlir
    func.func @side_by_side(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>,
                            %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
      %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>)
                               outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
      %all = tensor.concat dim(1) %product, %d : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
      return %all : tensor<4x5xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numRaised", "raised", "Bodies that became concatenations">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ReadThroughPadsPass : Pass<"amp-read-through-pads", "::mlir::func::FuncOp"> {
  let summary = "let the readers of a padded tensor ask where it ends";
  let description = [{
    A max pool whose windows overlap pads its image, and often a tensor of indices beside it; its gradient pads both
    again. Each pad is a pass over memory of its own. What reads it can as well read the image: by an
    index of its loops, with the number around the image where that index lies outside.

    **Input.** `tensor.pad` of a constant, or `tensor.insert_slice` with strides of 1 into a tensor that is filled
    with one, where all that read the result, by themselves or through a slice, are inputs of
    `linalg.generic`. A slice that lies inside of the image becomes one of the image.

    **Left alone.** Pads that something else reads (a reshape, a result of the function, a kernel), or a contraction, which has
    ways of its own; readers whose loops have extents that nothing but the pad tells; shapes and
    places that are not known; pads that cut off elements in front.

    Before:
    ```mlir
    func.func @neighbours(%x: tensor<8xf32>, %y: tensor<9xf32>, %e: tensor<9xf32>) -> tensor<9xf32> {
      %zero = arith.constant 0.0 : f32
      %p = tensor.pad %x low[1] high[0] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<8xf32> to tensor<9xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%p, %y : tensor<9xf32>, tensor<9xf32>) outs(%e : tensor<9xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      } -> tensor<9xf32>
      return %s : tensor<9xf32>
    }
    ```

    After:
    ```mlir
    func.func @neighbours(%x: tensor<8xf32>, %y: tensor<9xf32>, %e: tensor<9xf32>) -> tensor<9xf32> {
      %zero = arith.constant 0.0 : f32
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%y : tensor<9xf32>) outs(%e : tensor<9xf32>) {
      ^bb0(%b: f32, %o: f32):
        %i = linalg.index 0 : index
        %c0 = arith.constant 0 : index
        %c-1 = arith.constant -1 : index
        %j = arith.addi %i, %c-1 : index
        %c8 = arith.constant 8 : index
        %inside = arith.cmpi ult, %j, %c8 : index
        %k = arith.select %inside, %j, %c0 : index
        %x_k = tensor.extract %x[%k] : tensor<8xf32>
        %around = arith.constant 0.0 : f32
        %a = arith.select %inside, %x_k, %around : f32
        %c = arith.addf %a, %b : f32
        linalg.yield %c : f32
      } -> tensor<9xf32>
      return %s : tensor<9xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numPads", "pads", "Padded tensors that are not made">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ReadThroughRepeatsPass : Pass<"amp-read-through-repeats", "::mlir::func::FuncOp"> {
  let summary = "read slices of repeated elements from what is repeated";
  let description = [{
    The gradient of a max pool by 3x3 with strides of 2 repeats indices and gradients twice in
    rows and columns, and compares four slices of what that gives, one pixel apart. Each slice
    becomes an operation that reads what is repeated, by an index of its loops; elementwise
    fusion takes it into its reader. The tensor with repetitions, four times as large, is not made.

    **Input.** `tensor.extract_slice` of a `tensor.collapse_shape` of a `linalg.generic` that
    broadcasts its input, where each dimension that is joined is one of the input's and one of
    repetitions behind it. Slices have known offsets, unit strides and sizes that are multiples
    of the repetitions. They begin at a multiple, or there are two repetitions.

    **Left alone.** Repeated tensors that something else reads too, in either shape; shapes that are not static.

    Before:
    ```mlir
    func.func @odd(%x: tensor<5xf32>, %e: tensor<5x2xf32>) -> tensor<8xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i)>, affine_map<(i, b) -> (i, b)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<5xf32>) outs(%e : tensor<5x2xf32>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
      } -> tensor<5x2xf32>
      %c = tensor.collapse_shape %r [[0, 1]] : tensor<5x2xf32> into tensor<10xf32>
      %s = tensor.extract_slice %c[1] [8] [1] : tensor<10xf32> to tensor<8xf32>
      return %s : tensor<8xf32>
    }
    ```

    After:
    ```mlir
    func.func @odd(%x: tensor<5xf32>, %e: tensor<5x2xf32>) -> tensor<8xf32> {
      %f = tensor.empty() : tensor<4x2xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, b) -> (i + b)>, affine_map<(i, b) -> (i, b)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<5xf32>) outs(%f : tensor<4x2xf32>) {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32
      } -> tensor<4x2xf32>
      %s = tensor.collapse_shape %r [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
      return %s : tensor<8xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numSlices", "slices", "Slices that read what is repeated">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RoundBeforeMovesPass : Pass<"amp-round-before-moves", "::mlir::func::FuncOp"> {
  let summary = "narrow what a contraction gives before it is moved";
  let description = [{
    Elementwise fusion makes one operation of a transpose and the rounding behind it.
    A kernel that stores the result of a contraction in its own order could round it,
    check it, and leave a narrow tensor to be moved. So an operation that computes each element from one
    of a contraction's result in another order, and gives a narrower type of floats, becomes
    two: one that computes in the contraction's order, one that moves.

    **Left alone.** Operations in the contraction's order, or with results as wide, wider or not of floats; with further
    operands or indices. Contractions that something else reads, too. Shapes that are not static.

    Before:
    ```mlir
    func.func @gradient(%x: tensor<8x4xf16>, %y: tensor<8x6xf16>, %zero: tensor<4x6xf32>,
                        %out: tensor<6x4xf16>) -> tensor<6x4xf16> {
      %sum = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                              affine_map<(i, j, k) -> (i, j)>]
          ins(%x, %y : tensor<8x4xf16>, tensor<8x6xf16>) outs(%zero : tensor<4x6xf32>) -> tensor<4x6xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%sum : tensor<4x6xf32>) outs(%out : tensor<6x4xf16>) {
      ^bb0(%s: f32, %o: f16):
        %h = arith.truncf %s : f32 to f16
        linalg.yield %h : f16
      } -> tensor<6x4xf16>
      return %g : tensor<6x4xf16>
    }
    ```

    After:
    ```mlir
    func.func @gradient(%x: tensor<8x4xf16>, %y: tensor<8x6xf16>, %zero: tensor<4x6xf32>,
                        %out: tensor<6x4xf16>) -> tensor<6x4xf16> {
      %sum = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                              affine_map<(i, j, k) -> (i, j)>]
          ins(%x, %y : tensor<8x4xf16>, tensor<8x6xf16>) outs(%zero : tensor<4x6xf32>) -> tensor<4x6xf32>
      %e = tensor.empty() : tensor<4x6xf16>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%sum : tensor<4x6xf32>) outs(%e : tensor<4x6xf16>) {
      ^bb0(%s: f32, %o: f16):
        %h = arith.truncf %s : f32 to f16
        linalg.yield %h : f16
      } -> tensor<4x6xf16>
      %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%r : tensor<4x6xf16>) outs(%out : tensor<6x4xf16>) {
      ^bb0(%h: f16, %o: f16):
        linalg.yield %h : f16
      } -> tensor<6x4xf16>
      return %g : tensor<6x4xf16>
    }
    ```
  }];
  let statistics = [Statistic<"numSplit", "split", "Operations that became two">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RoundBeforeSlicesPass : Pass<"amp-round-before-slices", "::mlir::func::FuncOp"> {
  let summary = "narrow what all readers of its parts narrow";
  let description = [{
    Queries, keys and values of an attention are slices of one product's result. Where each of
    them is rounded by whoever reads it, the result is stored wide, and an attention's kernel, which
    reads half precision where it lies, has no tensor to read. So an operation whose result is read by
    way of slices and reshapes alone, and rounded to one type by all that read it, rounds it itself.

    **Left alone.** Results that something reads as they are, or that are rounded to two types, or by another
    mode than the nearest; operations that are sums, or have several results; results that are read without a slice or
    a reshape, which elementwise fusion takes care of.

    Before:
    ```mlir
    func.func @halves(%x: tensor<8xf32>, %e: tensor<8xf32>, %h: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %b = math.exp %a : f32
        linalg.yield %b : f32
      } -> tensor<8xf32>
      %s = tensor.extract_slice %y[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %t = tensor.extract_slice %y[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%s : tensor<4xf32>) outs(%h : tensor<4xf16>) {
      ^bb0(%a: f32, %o: f16):
        %b = arith.truncf %a : f32 to f16
        linalg.yield %b : f16
      } -> tensor<4xf16>
      %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%t : tensor<4xf32>) outs(%h : tensor<4xf16>) {
      ^bb0(%a: f32, %o: f16):
        %b = arith.truncf %a : f32 to f16
        %c = arith.negf %b : f16
        linalg.yield %c : f16
      } -> tensor<4xf16>
      return %p, %q : tensor<4xf16>, tensor<4xf16>
    }
    ```

    After:
    ```mlir
    func.func @halves(%x: tensor<8xf32>, %e: tensor<8xf32>, %h: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
      %f = tensor.empty() : tensor<8xf16>
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%f : tensor<8xf16>) {
      ^bb0(%a: f32, %o: f16):
        %b = math.exp %a : f32
        %c = arith.truncf %b : f32 to f16
        linalg.yield %c : f16
      } -> tensor<8xf16>
      %s = tensor.extract_slice %y[0] [4] [1] : tensor<8xf16> to tensor<4xf16>
      %t = tensor.extract_slice %y[4] [4] [1] : tensor<8xf16> to tensor<4xf16>
      %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%s : tensor<4xf16>) outs(%h : tensor<4xf16>) {
      ^bb0(%a: f16, %o: f16):
        linalg.yield %a : f16
      } -> tensor<4xf16>
      %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%t : tensor<4xf16>) outs(%h : tensor<4xf16>) {
      ^bb0(%a: f16, %o: f16):
        %c = arith.negf %a : f16
        linalg.yield %c : f16
      } -> tensor<4xf16>
      return %p, %q : tensor<4xf16>, tensor<4xf16>
    }
    ```
  }];
  let statistics = [Statistic<"numRounded", "rounded", "Results that are narrow">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def BubbleUpSlicesPass : Pass<"amp-bubble-up-slices", "::mlir::func::FuncOp"> {
  let summary = "compute only what a slice takes";
  let description = [{
    A tensor of which nothing is used but a slice is computed for that slice
    alone: the slice moves above the linalg operation that makes the tensor, onto
    its operands, and from there further up. A front end that takes the gradient of a
    filter with strides computes more taps than the filter has, and cuts them
    off: of a filter of 1x1 with strides of 2, three taps of four. Values are the
    same bit for bit: each is the same sum in the same order. The rewrite is
    upstream's, of one operation into a tile of itself.

    **Left alone.** What has another reader or stands outside of the loop that
    slices it, slices with strides, operands that are read backwards or from an
    offset, shapes that are not static, and operations whose body may end the run
    (`cf.assert`): they are for all elements.

    Before:
    ```mlir
    func.func @taps(%x: tensor<8x4x4xf32>, %g: tensor<8x2x2xf32>, %zeros: tensor<2x2xf32>) -> tensor<1x1xf32> {
      %all = linalg.generic {
          indexing_maps = [affine_map<(r, s, n, p, q) -> (n, r + p * 2, s + q * 2)>,
                           affine_map<(r, s, n, p, q) -> (n, p, q)>,
                           affine_map<(r, s, n, p, q) -> (r, s)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %g : tensor<8x4x4xf32>, tensor<8x2x2xf32>) outs(%zeros : tensor<2x2xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<2x2xf32>
      %first = tensor.extract_slice %all[0, 0] [1, 1] [1, 1] : tensor<2x2xf32> to tensor<1x1xf32>
      return %first : tensor<1x1xf32>
    }
    ```

    After:
    ```mlir
    func.func @taps(%x: tensor<8x4x4xf32>, %g: tensor<8x2x2xf32>, %zeros: tensor<2x2xf32>) -> tensor<1x1xf32> {
      %read = tensor.extract_slice %x[0, 0, 0] [8, 3, 3] [1, 1, 1] : tensor<8x4x4xf32> to tensor<8x3x3xf32>
      %zero = tensor.extract_slice %zeros[0, 0] [1, 1] [1, 1] : tensor<2x2xf32> to tensor<1x1xf32>
      %first = linalg.generic {
          indexing_maps = [affine_map<(r, s, n, p, q) -> (n, r + p * 2, s + q * 2)>,
                           affine_map<(r, s, n, p, q) -> (n, p, q)>,
                           affine_map<(r, s, n, p, q) -> (r, s)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%read, %g : tensor<8x3x3xf32>, tensor<8x2x2xf32>) outs(%zero : tensor<1x1xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<1x1xf32>
      return %first : tensor<1x1xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numSliced", "sliced", "Operations that compute a slice">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SkipZeroStepsPass : Pass<"amp-skip-zero-steps", "::mlir::func::FuncOp"> {
  let summary = "spare a sum the steps in which an operand is zero";
  let description = [{
    The gradient of a filter of a convolution with strides is, in JAX, a convolution whose filter is
    the gradient of the result with zeros between its pixels. Where a loop of a sum walks an operand
    with such zeros by itself, it walks what is not zero instead, and the other operand with a stride: with
    strides of 2 in two dimensions a quarter of the multiplications.

    **Input.** A contraction (`matchContraction`) on tensors of known shape, and an input that `tensor.insert_slice` into
    zeros or `tensor.pad` with them spread or padded. Each of its dimensions that has zeros is the index of one loop of the
    sum and of nothing else.

    **Numbers.** Each sum keeps its order; it lacks the terms that are 0 times an element of the other
    operand, which are NaN where that is infinite or NaN.

    Before:
    ```mlir
    func.func @gradient(%x: tensor<4x9xf32>, %g: tensor<4x8xf32>) -> tensor<8x3xf32> {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<7x8xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<7x8xf32>) -> tensor<7x8xf32>
      %filter = tensor.insert_slice %g into %zeros[0, 0] [4, 8] [2, 1] : tensor<4x8xf32> into tensor<7x8xf32>
      %e1 = tensor.empty() : tensor<8x3xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x3xf32>) -> tensor<8x3xf32>
      %row = tensor.extract_slice %x[0, 0] [1, 9] [1, 1] : tensor<4x9xf32> to tensor<9xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(k, p, t) -> (p + t)>, affine_map<(k, p, t) -> (t, k)>,
                           affine_map<(k, p, t) -> (k, p)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%row, %filter : tensor<9xf32>, tensor<7x8xf32>) outs(%start : tensor<8x3xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<8x3xf32>
      return %y : tensor<8x3xf32>
    }
    ```

    After:
    ```mlir
    func.func @gradient(%x: tensor<4x9xf32>, %g: tensor<4x8xf32>) -> tensor<8x3xf32> {
      %zero = arith.constant 0.0 : f32
      %e1 = tensor.empty() : tensor<8x3xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x3xf32>) -> tensor<8x3xf32>
      %row = tensor.extract_slice %x[0, 0] [1, 9] [1, 1] : tensor<4x9xf32> to tensor<9xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(k, p, t) -> (p + t * 2)>, affine_map<(k, p, t) -> (t, k)>,
                           affine_map<(k, p, t) -> (k, p)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%row, %g : tensor<9xf32>, tensor<4x8xf32>) outs(%start : tensor<8x3xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<8x3xf32>
      return %y : tensor<8x3xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numInputs", "inputs", "inputs whose zeros are left out">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SkipInsertedZerosPass : Pass<"amp-skip-inserted-zeros", "::mlir::func::FuncOp"> {
  let summary = "spare a convolution the zeros between the pixels of its image";
  let description = [{
    The data gradient of a convolution with strides is a convolution of the
    gradient with zeros between its pixels, as is a transposed convolution. With
    strides of 2 three of four multiplications are with those zeros. This pass
    divides the result instead: pixels of one remainder by the stride meet the same taps
    of the filter, so that each remainder is a convolution of its own, of the
    image without zeros and a part of the filter: the polyphase decomposition of a
    convolution of a dilated image.

    The zeros may come of several insertions, one in the other, and of pads around
    them. Products are recognised by their loops and body (`matchContraction`), in any
    order of dimensions, in any number of strided ones, with dilations, and with
    the filter turned around. Each sum keeps its order; it lacks the terms that
    are 0 times an element of the filter. Where that element is infinite or NaN,
    those terms were NaN: such an element makes NaN only of pixels that it meets.
    A remainder that meets no tap stays what the result started with.

    **Left alone.** Images that are read with a stride themselves, what stands
    between pixels and is not 0 (`-0.0` counts as 0), divisions into more than 64
    parts, and into more than 16 where one has less than 2^20 multiplications.

    Before:
    ```mlir
    func.func @gradient(%g: tensor<8x3xf32>, %w: tensor<4x8x3xf32>) -> tensor<4x5xf32> {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<8x7xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x7xf32>) -> tensor<8x7xf32>
      %image = tensor.insert_slice %g into %zeros[0, 1] [8, 3] [1, 2] : tensor<8x3xf32> into tensor<8x7xf32>
      %e1 = tensor.empty() : tensor<4x5xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x5xf32>) -> tensor<4x5xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                           affine_map<(k, p, c, r) -> (k, p)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%image, %w : tensor<8x7xf32>, tensor<4x8x3xf32>) outs(%start : tensor<4x5xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<4x5xf32>
      return %y : tensor<4x5xf32>
    }
    ```

    After, of pixels 0, 2 and 4 with tap 1, and of pixels 1 and 3 with taps 0 and 2:
    ```mlir
    func.func @gradient(%g: tensor<8x3xf32>, %w: tensor<4x8x3xf32>) -> tensor<4x5xf32> {
      %zero = arith.constant 0.0 : f32
      %e1 = tensor.empty() : tensor<4x5xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x5xf32>) -> tensor<4x5xf32>
      %tap = tensor.extract_slice %w[0, 0, 1] [4, 8, 1] [1, 1, 1] : tensor<4x8x3xf32> to tensor<4x8x1xf32>
      %s0 = tensor.extract_slice %start[0, 0] [4, 3] [1, 2] : tensor<4x5xf32> to tensor<4x3xf32>
      %y0 = linalg.generic {
          indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                           affine_map<(k, p, c, r) -> (k, p)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%g, %tap : tensor<8x3xf32>, tensor<4x8x1xf32>) outs(%s0 : tensor<4x3xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<4x3xf32>
      %half = tensor.insert_slice %y0 into %start[0, 0] [4, 3] [1, 2] : tensor<4x3xf32> into tensor<4x5xf32>
      %taps = tensor.extract_slice %w[0, 0, 0] [4, 8, 2] [1, 1, 2] : tensor<4x8x3xf32> to tensor<4x8x2xf32>
      %s1 = tensor.extract_slice %half[0, 1] [4, 2] [1, 2] : tensor<4x5xf32> to tensor<4x2xf32>
      %y1 = linalg.generic {
          indexing_maps = [affine_map<(k, p, c, r) -> (c, p + r)>, affine_map<(k, p, c, r) -> (k, c, r)>,
                           affine_map<(k, p, c, r) -> (k, p)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%g, %taps : tensor<8x3xf32>, tensor<4x8x2xf32>) outs(%s1 : tensor<4x2xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<4x2xf32>
      %y = tensor.insert_slice %y1 into %half[0, 1] [4, 2] [1, 2] : tensor<4x2xf32> into tensor<4x5xf32>
      return %y : tensor<4x5xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSkipped", "skipped", "Convolutions of images with zeros between pixels">,
    Statistic<"numParts", "parts", "Convolutions that took their place">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CheckExtentsPass : Pass<"amp-check-extents", "::mlir::func::FuncOp"> {
  let summary = "assert that extents which a run brings fit each other";
  let description = [{
    A batch of `?x?` may come with 5 columns for weights of 3 rows; what is compiled
    would read beyond them. Of each operation on tensors of which an extent is not
    known, this asserts what it needs:

    | operation | needs |
    | --- | --- |
    | linalg | one extent of a loop in all operands; windows, and a place that is read, inside of their tensor, unless a loop makes no step |
    | elementwise operations, `tensor.concat` | operands of the same extents (of a concatenation, but along it, where they are the result's together) |
    | `tensor.extract_slice`, `tensor.insert_slice` | a slice inside of its tensor, and a source of the size that it names |
    | `tensor.expand_shape` | an extent that is the product of what it is divided into |
    | `tensor.pad` | amounts that are not below 0, or are negative numbers that do not cut off more than there is; the extent that the result says |
    | `tensor.extract` | indices of the tensor |
    | `tensor.empty` | no extent below 0 |
    | `tensor.cast` | the extents that it says; between ranks by upstream's `RuntimeVerifiableOpInterface` |

    The text has the operation and its place. What depends on extents of arguments
    alone is asserted before anything else, and once; so are places in tensors whose
    extents are known, where they depend on those.

    The canonicalizer takes what operations need for what there is (it folds a cast into
    the slice that it casts, whose size is then what the cast says). The pipelines begin
    with this pass.

    **Left alone.** Indices, offsets and sizes that are computed from elements of
    tensors or in a loop, windows that are read backwards, `tensor.reshape`, and casts
    that were folded before.

    Before:
    ```mlir
    func.func @scaled(%x: tensor<?xf32>, %w: tensor<3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
      %r = linalg.mul ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%out : tensor<3xf32>) -> tensor<3xf32>
      return %r : tensor<3xf32>
    }
    ```

    After:
    ```mlir
    func.func @scaled(%x: tensor<?xf32>, %w: tensor<3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %c3 = arith.constant 3 : index
      %fits = arith.cmpi eq, %n, %c3 : index
      cf.assert %fits, "dimension 0 of operand 0 has another extent than dimension 0 of operand 1 of 'linalg.mul' at loc(\22<stdin>\22:2:8): expected a batch of the shape that the step is written for"
      %r = linalg.mul ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%out : tensor<3xf32>) -> tensor<3xf32>
      return %r : tensor<3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"];
}

def CutNegativePadsPass : Pass<"amp-cut-negative-pads", "::mlir::func::FuncOp"> {
  let summary = "what a negative pad cuts off becomes a slice";
  let description = [{
    JAX's `lax.pad` and gradients of pads have negative amounts. `tensor.pad` takes
    them, and is an insertion later, which is never in front of its tensor or beyond
    its end. So what a negative number cuts off is taken off by a slice before, and
    the pad has 0 there.

    **Left alone.** Amounts that are no numbers: `amp-check-extents` asserts that these
    are not below 0.

    Before:
    ```mlir
    func.func @shifted(%x: tensor<4xf32>) -> tensor<4xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.pad %x low[-1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<4xf32> to tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @shifted(%x: tensor<4xf32>) -> tensor<4xf32> {
      %zero = arith.constant 0.0 : f32
      %part = tensor.extract_slice %x[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
      %0 = tensor.pad %part low[0] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<3xf32> to tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def RecomputeGatheredPass : Pass<"amp-recompute-gathered", "::mlir::func::FuncOp"> {
  let summary = "compute the few elements that are taken by index";
  let description = [{
    Where a `linalg.generic` takes elements of a tensor by index (`tensor.extract`), at most an eighth as many as it has, and
    the tensor is computed element by element, those elements are computed where they are taken, from the operands. A
    loss that takes one probability of each row leaves no reason to store the others, in f32, between the pass that
    computes them and the one for the gradient. Reshapes are followed. Bits stay: the same operations on the same
    elements.

    **Left alone.** What sums or products compute; what is computed from a tensor of more bytes, as a rounding, which
    would have to be stored instead; shapes that are not static; operations that read what they write to. With
    `of-arguments`, for hosts: what reads anything but arguments of the function; roundings of these are taken.

    Before:
    ```mlir
    func.func @pick(%x: tensor<4x64xf16>, %label: tensor<4xindex>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4x64xf32>
      %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x64xf16>) outs(%e : tensor<4x64xf32>) {
      ^bb0(%a: f16, %o: f32):
        %s = arith.extf %a : f16 to f32
        linalg.yield %s : f32
      } -> tensor<4x64xf32>
      %f = tensor.empty() : tensor<4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%label : tensor<4xindex>) outs(%f : tensor<4xf32>) {
      ^bb0(%j: index, %o: f32):
        %i = linalg.index 0 : index
        %t = tensor.extract %w[%i, %j] : tensor<4x64xf32>
        linalg.yield %t : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @pick(%x: tensor<4x64xf16>, %label: tensor<4xindex>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4x64xf32>
      %unused = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x64xf16>) outs(%e : tensor<4x64xf32>) {
      ^bb0(%a: f16, %o: f32):
        %s = arith.extf %a : f16 to f32
        linalg.yield %s : f32
      } -> tensor<4x64xf32>
      %f = tensor.empty() : tensor<4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%label : tensor<4xindex>) outs(%f : tensor<4xf32>) {
      ^bb0(%j: index, %o: f32):
        %i = linalg.index 0 : index
        %t = tensor.extract %x[%i, %j] : tensor<4x64xf16>
        %w = arith.extf %t : f16 to f32
        linalg.yield %w : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"ofArguments", "of-arguments", "bool", /*default=*/"false",
           "Only what is computed from arguments of the function, and that of any size">
  ];
  let statistics = [
    Statistic<"numRecomputed", "recomputed", "Elements by index that are computed where they are taken">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def DropUnitDimsPass : Pass<"amp-drop-unit-dims", "::mlir::func::FuncOp"> {
  let summary = "drop dimensions of extent 1 from what is no product";
  let description = [{
    A sum that keeps the dimension that it sums, as frameworks' losses and norms have them, is written and read by
    maps with a constant index, and `amp-fuse-elementwise` gives such an operation no other loops: what widens a
    tensor on the other side of a reshape is a tensor in memory then. Upstream's patterns drop extents of 1
    (`linalg-fold-unit-extent-dims`), here from each `linalg.generic` on tensors whose maps are permutations of
    loops and constants.

    **Left alone.** Products and convolutions, and what reads or makes an operand or a result of them that has an
    extent of 1: kernels take images by four dimensions, and an epilogue has the shape of its product. With
    `products`, for hosts, whose kernels take any maps, products whose maps are plain too are changed, if they are
    products without such loops: scores of one group of heads then have no reshapes between them, and
    `amp-split-masked-rows` sees that they are causal.

    Before:
    ```mlir
    func.func @sums(%x: tensor<4x6xf32>, %start: tensor<4x1xf32>) -> tensor<4x1xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x6xf32>) outs(%start : tensor<4x1xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
      } -> tensor<4x1xf32>
      return %r : tensor<4x1xf32>
    }
    ```
    After:
    ```mlir
    func.func @sums(%x: tensor<4x6xf32>, %start: tensor<4x1xf32>) -> tensor<4x1xf32> {
      %c = tensor.collapse_shape %start [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x6xf32>) outs(%c : tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.addf %o, %a : f32
        linalg.yield %t : f32
      } -> tensor<4xf32>
      %r = tensor.expand_shape %s [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
      return %r : tensor<4x1xf32>
    }
    ```
  }];
  let options = [
    Option<"products", "products", "bool", /*default=*/"false",
           "Drop extents of 1 from products too, of plain maps, that are products without them">
  ];
  let statistics = [
    Statistic<"numChanged", "changed", "Operations without extents of 1 now">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif // AMP_DIALECT_LINALG_TRANSFORMS_PASSES

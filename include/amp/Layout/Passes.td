//===- Passes.td - Passes over storage orders --------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order the dimensions of tensors lie in memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LAYOUT_PASSES
#define AMP_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"amp-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "store activations and filters as convolution kernels read them";
  let description = [{
    A convolution kernel reads channels as the innermost dimension: input and
    output N,H,W,C, a filter K,R,S,C, and their gradients the same. Programs state
    others (PyTorch N,C,H,W and K,C,R,S; JAX R,S,C,K), and transpose around
    gradients. This pass chooses an order for each tensor of more than two
    dimensions, for the whole function at once, forward and backward, so that the
    copies between orders move as few bytes as possible.

    **Input.** A function on tensors, after `amp-mixed-precision`; best the whole
    step as one function. What is a convolution is asked of its loops and its
    body, so a `linalg.generic` is one, too. Filter gradients, which are
    convolutions of other tensors, are known by their phase and by roles; without
    those, a convolution whose window is larger than the image that it makes is
    taken for one.

    **Guarantee.**

    1. Each convolution has its operands and its result in the orders above.
    2. What the function takes and returns is as its signature says. Matrix
       products, calls and unknown operations read and write tensors as written.
    3. Linalg, elementwise operations, pads, slices, reshapes, concatenations,
       loops and branches take the order that is cheapest; operations with one
       order for all of their tensors, so that no transposition hides in them.
       Tensors that an operation gathers from or reads backwards are taken as
       they come.
    4. A value is copied into another order once, right where it was made, however
       many read it and in whatever loops. Transpositions of the program that an
       order makes needless are gone.
    5. Values stay the same bit for bit: elements move, and each sum keeps its
       order.
    6. Run again, it changes nothing.

    The choice is a minimum cut (`OrderProblem`), with the bytes that a copy reads
    and writes as the price; of two equal ones, the program as written. A reshape
    that mixes dimensions of other orders stays as written.

    **Left alone.** Functions without convolutions, and tensors of one or two
    dimensions.

    Before:
    ```mlir
    func.func @scaled(%x: tensor<2x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %out: tensor<2x8x4x4xf32>,
                      %pooled: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>)
                                    outs(%out : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
      %z = arith.mulf %y, %y : tensor<2x8x4x4xf32>
      %p = linalg.reduce ins(%z : tensor<2x8x4x4xf32>) outs(%pooled : tensor<2x8xf32>) dimensions = [2, 3]
        (%in: f32, %acc: f32) {
          %sum = arith.addf %in, %acc : f32
          linalg.yield %sum : f32
        }
      return %p : tensor<2x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @scaled(%x: tensor<2x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %out: tensor<2x8x4x4xf32>,
                      %pooled: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %e0 = tensor.empty() : tensor<2x4x4x8xf32>
      %out_last = linalg.transpose ins(%out : tensor<2x8x4x4xf32>)
                                   outs(%e0 : tensor<2x4x4x8xf32>) permutation = [0, 2, 3, 1]
      %e1 = tensor.empty() : tensor<8x3x3x4xf32>
      %w_last = linalg.transpose ins(%w : tensor<8x4x3x3xf32>)
                                 outs(%e1 : tensor<8x3x3x4xf32>) permutation = [0, 2, 3, 1]
      %e2 = tensor.empty() : tensor<2x6x6x4xf32>
      %x_last = linalg.transpose ins(%x : tensor<2x4x6x6xf32>)
                                 outs(%e2 : tensor<2x6x6x4xf32>) permutation = [0, 2, 3, 1]
      %y = linalg.generic {
          indexing_maps = [affine_map<(n, p, q, k, c, r, s) -> (n, p + r, q + s, c)>,
                           affine_map<(n, p, q, k, c, r, s) -> (k, r, s, c)>,
                           affine_map<(n, p, q, k, c, r, s) -> (n, p, q, k)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel",
                            "reduction", "reduction", "reduction"]}
          ins(%x_last, %w_last : tensor<2x6x6x4xf32>, tensor<8x3x3x4xf32>)
          outs(%out_last : tensor<2x4x4x8xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %product = arith.mulf %a, %b : f32
        %sum = arith.addf %acc, %product : f32
        linalg.yield %sum : f32
      } -> tensor<2x4x4x8xf32>
      %z = arith.mulf %y, %y : tensor<2x4x4x8xf32>
      %p = linalg.generic {
          indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>,
                           affine_map<(n, h, w, c) -> (n, c)>],
          iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
          ins(%z : tensor<2x4x4x8xf32>) outs(%pooled : tensor<2x8xf32>) {
      ^bb0(%a: f32, %acc: f32):
        %sum = arith.addf %a, %acc : f32
        linalg.yield %sum : f32
      } -> tensor<2x8xf32>
      return %p : tensor<2x8xf32>
    }
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say of each function how many layout changes it has, and what they move">
  ];
  let statistics = [
    Statistic<"numSeparate", "separate changes",
              "Layout changes with each convolution by itself">,
    Statistic<"numSeparateBytes", "separate bytes", "What those would move">,
    Statistic<"numPlanned", "changes", "Layout changes of the program">,
    Statistic<"numPlannedBytes", "bytes", "What those move">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // AMP_LAYOUT_PASSES

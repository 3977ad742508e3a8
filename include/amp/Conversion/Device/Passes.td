//===- Passes.td - Conversions for a GPU -------------------*- tablegen -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_DEVICE_PASSES
#define AMP_CONVERSION_DEVICE_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

def DecomposePadsPass : Pass<"amp-decompose-pads", "::mlir::func::FuncOp"> {
  let summary = "pads and concatenations as insertions";
  let description = [{
    A `tensor.pad` of a constant becomes a `linalg.fill` and a `tensor.insert_slice`, a
    `tensor.concat` one for each part, by upstream's patterns. For a device: an insertion
    is a copy there, and a fill a kernel. Pads that have a kernel are `convert-pads-to-kernels`' before. Parts of no elements are left out; negative pads
    are `amp-cut-negative-pads`' before.

    Before:
    ```mlir
    func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.pad %x low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<4xf32> to tensor<6xf32>
      return %0 : tensor<6xf32>
    }
    ```
    After:
    ```mlir
    func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<6xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
      %0 = tensor.insert_slice %x into %zeros[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
      return %0 : tensor<6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def KeepScalersOnDevicePass : Pass<"amp-keep-scalers-on-device", "::mlir::func::FuncOp"> {
  let summary = "read and advance loss scalers without the host";
  let description = [{
    `convert-amp-to-runtime` leaves calls that ask the host for a scale, and tell it
    whether the step overflowed, for which it waits. They become operations on the
    scaler's record, which the runtime keeps in the device's memory
    (`AmpRtScalerRecord`): the scale is an element of a tensor, and the transition one
    operation, with the rules of all presets. So a step can follow another before the
    host knows how that one ended.

    The numbers are the runtime's own, bit for bit, in f64. Between two updates, or
    calls of other functions, a record is read once in a block.

    Before:
    ```mlir
    func.func private @ampRtScalerScale(i64) -> f32
    func.func @scale(%loss: tensor<f32>, %s: i64) -> tensor<f32> {
      %0 = call @ampRtScalerScale(%s) : (i64) -> f32
      %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                           iterator_types = []}
          ins(%loss : tensor<f32>) outs(%loss : tensor<f32>) {
      ^bb0(%x: f32, %o: f32):
        %y = arith.mulf %x, %0 : f32
        linalg.yield %y : f32
      } -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
    After:
    ```mlir
    func.func private @ampRtScalerScale(i64) -> f32
    func.func @scale(%loss: tensor<f32>, %s: i64) -> tensor<f32> {
      %record = amp.read_scaler %s
      %empty = tensor.empty() : tensor<f32>
      %t = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
          outs(%empty : tensor<f32>) {
      ^bb0(%o: f32):
        %c0 = arith.constant 0 : index
        %bits = tensor.extract %record[%c0] : tensor<17xi64>
        %scale = arith.bitcast %bits : i64 to f64
        %least = arith.constant 1.17549435082228751E-38 : f64
        %low = arith.cmpf olt, %scale, %least : f64
        %up = arith.select %low, %least, %scale : f64
        %most = arith.constant 3.4028234663852886E+38 : f64
        %high = arith.cmpf ogt, %up, %most : f64
        %down = arith.select %high, %most, %up : f64
        %f32 = arith.truncf %down : f64 to f32
        linalg.yield %f32 : f32
      } -> tensor<f32>
      %0 = tensor.extract %t[] : tensor<f32>
      %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                           iterator_types = []}
          ins(%loss : tensor<f32>) outs(%loss : tensor<f32>) {
      ^bb0(%x: f32, %o: f32):
        %y = arith.mulf %x, %0 : f32
        linalg.yield %y : f32
      } -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numScales", "scales", "Scales that are read on the device">,
    Statistic<"numUpdates", "updates", "Transitions that are computed on the device">
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def NumbersToTensorsPass : Pass<"amp-numbers-to-tensors", "::mlir::func::FuncOp"> {
  let summary = "compute numbers from tensors of one element on the device";
  let description = [{
    What is computed of elements of tensors outside of any operation on tensors makes a
    host wait. Where an operation on tensors uses such a number, or a condition with
    results, it is computed by a `linalg.generic` without loops, and is an element of its
    result; passes that make kernels read that from memory. The operations are those of
    `arith` and `math` that may run anywhere.

    An element of a tensor of known extents that has more than one is such a tensor as a `tensor.extract_slice`, and is put into
    one by a `tensor.insert_slice`, where the host knows its place. A `tensor.splat` of such a number becomes a
    `linalg.generic` that reads it from memory, a `tensor.from_elements` of it alone that memory.

    **Left alone.** Numbers that only calls and assertions want: the host waits for them
    in any case. Elements of tensors of unknown extents, and those whose place is a number of the device. Loops and
    branches that compute with elements alone, which become one kernel.

    Before:
    ```mlir
    func.func @twice(%x: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
      %two = arith.constant 2.0 : f32
      %r = tensor.extract %rate[] : tensor<f32>
      %s = arith.mulf %r, %two : f32
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @twice(%x: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
      %number = tensor.empty() : tensor<f32>
      %t = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                           iterator_types = []}
          ins(%rate : tensor<f32>) outs(%number : tensor<f32>) {
      ^bb0(%r: f32, %o: f32):
        %two = arith.constant 2.0 : f32
        %m = arith.mulf %r, %two : f32
        linalg.yield %m : f32
      } -> tensor<f32>
      %s = tensor.extract %t[] : tensor<f32>
      %c = arith.constant 2.0 : f32
      %old = tensor.extract %rate[] : tensor<f32>
      %unused = arith.mulf %old, %c : f32
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numRaised", "raised", "Numbers that are elements of tensors now">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def VariancesInPartsPass : Pass<"amp-variances-in-parts", "::mlir::func::FuncOp"> {
  let summary = "add up columns and the squares around their means in one pass";
  let description = [{
    A batch norm reads its tensor once to add it up and once more for the squares of the distances from the mean.
    Where a block cannot keep a column of it, both are passes over memory. In parts of up to 128 rows, which a block
    keeps, the sum and the squares around the part's own mean are one pass; the sums of the parts are those of
    the whole, and squares around any number follow from those around the means of parts (Chan, Golub and
    LeVeque, 1979), by additions of what is small alone. Results differ from the program's by roundings, as sums in parts do.

    **Input.** A sum in f32 over all dimensions but the last, and behind it in the same block a sum of the squares of
    distances from one number for each column, of the same tensor, widened or not, in whatever reshapes that keep
    its rows. Both begin with zeros. Rows are a multiple of 16 to 128, and rows of `run-bytes` take more than `close-bytes`.

    **Left alone.** Sums of other dimensions, as layer norms have them; tensors that a block keeps; squares without a sum of
    the same tensor; sums that begin with numbers, or are not in f32; shapes that are not static.

    Before:
    ```mlir
    func.func @moments(%x: tensor<65536x32xf32>, %e: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>],
                           iterator_types = ["reduction", "parallel"]}
          ins(%x : tensor<65536x32xf32>) outs(%z : tensor<32xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.addf %o, %a : f32
        linalg.yield %t : f32
      } -> tensor<32xf32>
      %v = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (c)>],
                           iterator_types = ["reduction", "parallel"]}
          ins(%x, %s : tensor<65536x32xf32>, tensor<32xf32>) outs(%z : tensor<32xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %d = arith.subf %a, %m : f32
        %q = arith.mulf %d, %d : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
      } -> tensor<32xf32>
      return %s, %v : tensor<32xf32>, tensor<32xf32>
    }
    ```

    After:
    ```mlir
    func.func @moments(%x: tensor<65536x32xf32>, %e: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
      %p = tensor.expand_shape %x [[0, 1], [2]] output_shape [512, 128, 32] : tensor<65536x32xf32> into tensor<512x128x32xf32>
      %e0 = tensor.empty() : tensor<512x32xf32>
      %zero0 = arith.constant 0.0 : f32
      %z0 = linalg.fill ins(%zero0 : f32) outs(%e0 : tensor<512x32xf32>) -> tensor<512x32xf32>
      %sp = linalg.generic {indexing_maps = [affine_map<(p, r, c) -> (p, r, c)>, affine_map<(p, r, c) -> (p, c)>],
                            iterator_types = ["parallel", "reduction", "parallel"]}
          ins(%p : tensor<512x128x32xf32>) outs(%z0 : tensor<512x32xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.addf %o, %a : f32
        linalg.yield %t : f32
      } -> tensor<512x32xf32>
      %e3 = tensor.empty() : tensor<512x32xf32>
      %zero3 = arith.constant 0.0 : f32
      %z3 = linalg.fill ins(%zero3 : f32) outs(%e3 : tensor<512x32xf32>) -> tensor<512x32xf32>
      %dp = linalg.generic {indexing_maps = [affine_map<(p, r, c) -> (p, r, c)>, affine_map<(p, r, c) -> (p, c)>,
                                             affine_map<(p, r, c) -> (p, c)>],
                            iterator_types = ["parallel", "reduction", "parallel"]}
          ins(%p, %sp : tensor<512x128x32xf32>, tensor<512x32xf32>) outs(%z3 : tensor<512x32xf32>) {
      ^bb0(%a: f32, %s: f32, %o: f32):
        %part = arith.constant 7.812500e-03 : f32
        %m = arith.mulf %s, %part : f32
        %d = arith.subf %a, %m : f32
        %q = arith.mulf %d, %d : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
      } -> tensor<512x32xf32>
      %e1 = tensor.empty() : tensor<32xf32>
      %zero1 = arith.constant 0.0 : f32
      %z1 = linalg.fill ins(%zero1 : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
      %sum = linalg.generic {indexing_maps = [affine_map<(p, c) -> (p, c)>, affine_map<(p, c) -> (c)>],
                             iterator_types = ["reduction", "parallel"]}
          ins(%sp : tensor<512x32xf32>) outs(%z1 : tensor<32xf32>) {
      ^bb0(%s: f32, %o: f32):
        %t = arith.addf %o, %s : f32
        linalg.yield %t : f32
      } -> tensor<32xf32>
      %e2 = tensor.empty() : tensor<32xf32>
      %zero2 = arith.constant 0.0 : f32
      %z2 = linalg.fill ins(%zero2 : f32) outs(%e2 : tensor<32xf32>) -> tensor<32xf32>
      %v = linalg.generic {indexing_maps = [affine_map<(p, c) -> (p, c)>, affine_map<(p, c) -> (p, c)>,
                                            affine_map<(p, c) -> (c)>, affine_map<(p, c) -> (c)>],
                           iterator_types = ["reduction", "parallel"]}
          ins(%dp, %sp, %sum : tensor<512x32xf32>, tensor<512x32xf32>, tensor<32xf32>) outs(%z2 : tensor<32xf32>) {
      ^bb0(%b: f32, %s: f32, %center: f32, %o: f32):
        %part = arith.constant 7.812500e-03 : f32
        %m = arith.mulf %s, %part : f32
        %d = arith.subf %m, %center : f32
        %q = arith.mulf %d, %d : f32
        %rows = arith.constant 128.0 : f32
        %w = arith.mulf %q, %rows : f32
        %all = arith.addf %b, %w : f32
        %t = arith.addf %o, %all : f32
        linalg.yield %t : f32
      } -> tensor<32xf32>
      return %sum, %v : tensor<32xf32>, tensor<32xf32>
    }
    ```
  }];
  let options = [
    Option<"closeBytes", "close-bytes", "int64_t", /*default=*/"232448", "bytes that a block keeps">,
    Option<"runBytes", "run-bytes", "int64_t", /*default=*/"32", "bytes of a row that are read at a time, at least">
  ];
  let statistics = [Statistic<"numVariances", "variances", "Sums of squares that share a pass">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SoftmaxesInPartsPass : Pass<"amp-softmaxes-in-parts", "::mlir::func::FuncOp"> {
  let summary = "take the maxima of rows and add up the exponentials below them in one pass";
  let description = [{
    A softmax, or its logarithm, reads a row for its maximum and once more for the sum of the exponentials of the distances from it.
    Where a block cannot keep a row, both are passes over memory. In parts of 256 to 8192 elements, which a block keeps, the maximum
    and the exponentials below the part's own maximum are one pass; the maximum of the row is that of its parts, and the sum below any number
    follows from those of the parts (Milakov and Gimelshein, 2018). Sums differ from the program's by roundings, as sums in parts
    do; what is infinite or NaN is so as before, rows that `-inf` masks in part or altogether too.

    Exponentials that are a tensor of their own are computed by each of their readers instead, if all of these are operations on elements.
    That alone happens where no part divides a row.

    **Input.** A maximum over the last loop of an operation, and behind it in the same block a sum from zero in f32 of `exp(x - c)`, of the same
    elements `x`, widened or not, computed by the same operations or read, and one number `c` for each row. Twice what is read of a row, and the
    exponentials where they are a tensor, take more than `close-bytes`.

    **Left alone.** Shorter rows; sums that begin with numbers, or are not in f32; exponentials without a maximum of the same elements; rows that lie across;
    shapes that are not static; elements that depend on their place.

    Before:
    ```mlir
    func.func @softmax(%x: tensor<8x24576xf32>, %lowest: tensor<8xf32>, %e: tensor<8xf32>, %r: tensor<8x24576xf32>) -> tensor<8x24576xf32> {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %m = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<8x24576xf32>) outs(%lowest : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.maximumf %a, %o : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %m : tensor<8x24576xf32>, tensor<8xf32>) outs(%r : tensor<8x24576xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %d = arith.subf %a, %b : f32
        %t = math.exp %d : f32
        linalg.yield %t : f32
      } -> tensor<8x24576xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%p : tensor<8x24576xf32>) outs(%z : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.addf %a, %o : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%p, %s : tensor<8x24576xf32>, tensor<8xf32>) outs(%r : tensor<8x24576xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %t = arith.divf %a, %b : f32
        linalg.yield %t : f32
      } -> tensor<8x24576xf32>
      return %y : tensor<8x24576xf32>
    }
    ```

    After:
    ```mlir
    func.func @softmax(%x: tensor<8x24576xf32>, %lowest: tensor<8xf32>, %e: tensor<8xf32>, %r: tensor<8x24576xf32>) -> tensor<8x24576xf32> {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %p = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 3, 8192] : tensor<8x24576xf32> into tensor<8x3x8192xf32>
      %least = arith.constant 0xFF800000 : f32
      %e0 = tensor.empty() : tensor<8x3xf32>
      %m0 = linalg.fill ins(%least : f32) outs(%e0 : tensor<8x3xf32>) -> tensor<8x3xf32>
      %mp = linalg.generic {indexing_maps = [affine_map<(r, p, c) -> (r, p, c)>, affine_map<(r, p, c) -> (r, p)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p : tensor<8x3x8192xf32>) outs(%m0 : tensor<8x3xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.maximumf %a, %o : f32
        linalg.yield %t : f32
      } -> tensor<8x3xf32>
      %zero1 = arith.constant 0.0 : f32
      %e1 = tensor.empty() : tensor<8x3xf32>
      %z1 = linalg.fill ins(%zero1 : f32) outs(%e1 : tensor<8x3xf32>) -> tensor<8x3xf32>
      %sp = linalg.generic {indexing_maps = [affine_map<(r, p, c) -> (r, p, c)>, affine_map<(r, p, c) -> (r, p)>,
                                             affine_map<(r, p, c) -> (r, p)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %mp : tensor<8x3x8192xf32>, tensor<8x3xf32>) outs(%z1 : tensor<8x3xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %infinity = arith.constant 0x7F800000 : f32
        %none = arith.constant 0.0 : f32
        %magnitude = math.absf %m : f32
        %finite = arith.cmpf olt, %magnitude, %infinity : f32
        %center = arith.select %finite, %m, %none : f32
        %d = arith.subf %a, %center : f32
        %q = math.exp %d : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
      } -> tensor<8x3xf32>
      %m = linalg.generic {indexing_maps = [affine_map<(r, p) -> (r, p)>, affine_map<(r, p) -> (r)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%mp : tensor<8x3xf32>) outs(%lowest : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = arith.maximumf %a, %o : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(r, p) -> (r, p)>, affine_map<(r, p) -> (r, p)>, affine_map<(r, p) -> (r)>,
                                            affine_map<(r, p) -> (r)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%sp, %mp, %m : tensor<8x3xf32>, tensor<8x3xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) {
      ^bb0(%part: f32, %a: f32, %center: f32, %o: f32):
        %d = arith.subf %a, %center : f32
        %scale = math.exp %d : f32
        %q = arith.mulf %part, %scale : f32
        %t = arith.addf %o, %q : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>,
                                            affine_map<(r, c) -> (r, c)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x, %m, %s : tensor<8x24576xf32>, tensor<8xf32>, tensor<8xf32>) outs(%r : tensor<8x24576xf32>) {
      ^bb0(%a: f32, %center: f32, %b: f32, %o: f32):
        %d = arith.subf %a, %center : f32
        %q = math.exp %d : f32
        %t = arith.divf %q, %b : f32
        linalg.yield %t : f32
      } -> tensor<8x24576xf32>
      return %y : tensor<8x24576xf32>
    }
    ```
  }];
  let options = [
    Option<"closeBytes", "close-bytes", "int64_t", /*default=*/"232448", "bytes that a block keeps">
  ];
  let statistics = [Statistic<"numInParts", "in-parts", "Sums of exponentials that share a pass with a maximum">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TileSumsPass : Pass<"amp-tile-sums", "::mlir::func::FuncOp"> {
  let summary = "give what is left of sums blocks of threads";
  let description = [{
    A sum that no group has, as of the parts that `amp-tile-fusion-groups` leaves, would be
    added by one thread for each result. Each `linalg.generic` on tensors outside of an
    `scf.forall` that sums at least `least` elements for a result becomes a loop of tiles,
    each of which `convert-fusion-groups-to-kernels` gives to the threads of a block: of `sums`
    results that follow one another in memory, or the least number above that divides them,
    else of all. Sums whose order matters (of halves, or of several numbers that depend on
    each other) and shorter ones stay, and so do more than 256 in a tile or 8192 in all, which have
    threads enough by themselves.

    Before:
    ```mlir
    func.func @total(%x: tensor<1024xf32>, %start: tensor<f32>) -> tensor<f32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
          ins(%x : tensor<1024xf32>) outs(%start : tensor<f32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
      } -> tensor<f32>
      return %0 : tensor<f32>
    }
    ```
    After:
    ```mlir
    func.func @total(%x: tensor<1024xf32>, %start: tensor<f32>) -> tensor<f32> {
      %empty = tensor.empty() : tensor<f32>
      %0 = scf.forall (%i) in (1) shared_outs(%r = %empty) -> (tensor<f32>) {
        %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
            ins(%x : tensor<1024xf32>) outs(%start : tensor<f32>) {
        ^bb0(%a: f32, %o: f32):
          %s = arith.addf %o, %a : f32
          linalg.yield %s : f32
        } -> tensor<f32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %1 into %r[] [] [] : tensor<f32> into tensor<f32>
        }
      }
      return %0 : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"32",
           "elements of a sum from which on it is one, a warp's">,
    Option<"sums", "sums", "int64_t", /*default=*/"8",
           "results of a tile: a sector of f32">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Number of operations that became loops">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def RecomputeElementsPass : Pass<"amp-recompute-elements", "::mlir::func::FuncOp"> {
  let summary = "compute again what follows from tensors that are read anyway";
  let description = [{
    The backward pass of an activation reads what it is the function of, and often values that its
    forward pass computed from that, as JAX's gelu keeps three. An operation on elements that reads a
    tensor and another one that was computed from the first, element by element, gets a copy
    of what computed it, and reads the first alone. `amp-fuse-elementwise` takes the copy into it. The
    values are the same to the last bit, and no tensor is read that was not before.

    The difference from a mean is read by a variance, a norm and its gradient. What takes at most four
    cheap operations on one tensor, which is in memory anyway, is not kept at all: each reader, sums as well, gets a copy.

    **Input.** `linalg.generic` with parallel loops alone. A value is computed again if each tensor that its
    operation reads is an input of the reader too, or has a sixteenth of its elements at most, or is such a value itself; in
    at most 64 operations on elements.

    A value is left out if it is computed from one tensor of its size or less, whose elements are not wider, and rows or
    columns. That tensor is an argument or has another reader.

    **Left alone.** Values of fewer than 4,096 elements; with one reader, which fusion sees to; whose operation asserts;
    of shapes that are not static or that read by index. By the first rule readers that reduce; by the second values that
    a product, a reshape, a slice or the caller reads, or a reader more than once for an element.

    Before:
    ```mlir
    func.func @tanh(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
      %e = tensor.empty() : tensor<4096xf32>
      %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
      ^bb0(%x: f32, %o: f32):
        %y = math.tanh %x : f32
        linalg.yield %y : f32
      } -> tensor<4096xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                            affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%dy, %h, %t : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
      ^bb0(%d: f32, %x: f32, %y: f32, %o: f32):
        %p = arith.mulf %x, %y : f32
        %q = arith.mulf %p, %d : f32
        linalg.yield %q : f32
      } -> tensor<4096xf32>
      return %t, %g : tensor<4096xf32>, tensor<4096xf32>
    }
    ```

    After:
    ```mlir
    func.func @tanh(%h: tensor<4096xf32>, %dy: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
      %e = tensor.empty() : tensor<4096xf32>
      %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
      ^bb0(%x: f32, %o: f32):
        %y = math.tanh %x : f32
        linalg.yield %y : f32
      } -> tensor<4096xf32>
      %own = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%h : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
      ^bb0(%x: f32, %o: f32):
        %y = math.tanh %x : f32
        linalg.yield %y : f32
      } -> tensor<4096xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                            affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%dy, %h, %own : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
      ^bb0(%d: f32, %x: f32, %y: f32, %o: f32):
        %p = arith.mulf %x, %y : f32
        %q = arith.mulf %p, %d : f32
        linalg.yield %q : f32
      } -> tensor<4096xf32>
      return %t, %g : tensor<4096xf32>, tensor<4096xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numReaders", "readers", "Operations that compute what they read">,
                    Statistic<"numLeftOut", "left-out", "Values that all readers compute">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def UnstackNumbersPass : Pass<"amp-unstack-numbers", "::mlir::func::FuncOp"> {
  let summary = "sum up single numbers without putting them into one tensor";
  let description = [{
    PyTorch computes the norm of all gradients by stacking that of each: a tensor of as
    many numbers as there are parameters, into which each is copied, and a reduction of it. A
    copy of four bytes is an operation of the device like any other. A reduction of a tensor that was
    put together of single numbers becomes an operation without loops for each of them, in
    their order; `amp-join-numbers` makes a kernel of those.

    **Input.** A `linalg.generic` with one loop, a reduction, whose only input is a tensor of at most
    1,024 numbers: `tensor.insert_slice` of one number each at known places, all of them, or `tensor.concat`.

    **Left alone.** Tensors some of whose numbers come from elsewhere; bodies that ask for their index.

    Before:
    ```mlir
    func.func @norm(%a: tensor<1xf32>, %b: tensor<1xf32>, %zero: tensor<f32>) -> tensor<f32> {
      %e = tensor.empty() : tensor<2xf32>
      %0 = tensor.insert_slice %a into %e[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
      %1 = tensor.insert_slice %b into %0[1] [1] [1] : tensor<1xf32> into tensor<2xf32>
      %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                             iterator_types = ["reduction"]}
          ins(%1 : tensor<2xf32>) outs(%zero : tensor<f32>) {
      ^bb0(%x: f32, %s: f32):
        %square = arith.mulf %x, %x : f32
        %t = arith.addf %s, %square : f32
        linalg.yield %t : f32
      } -> tensor<f32>
      return %sum : tensor<f32>
    }
    ```

    After:
    ```mlir
    func.func @norm(%a: tensor<1xf32>, %b: tensor<1xf32>, %zero: tensor<f32>) -> tensor<f32> {
      %a0 = tensor.collapse_shape %a [] : tensor<1xf32> into tensor<f32>
      %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
          ins(%a0 : tensor<f32>) outs(%zero : tensor<f32>) {
      ^bb0(%x: f32, %s: f32):
        %square = arith.mulf %x, %x : f32
        %t = arith.addf %s, %square : f32
        linalg.yield %t : f32
      } -> tensor<f32>
      %b0 = tensor.collapse_shape %b [] : tensor<1xf32> into tensor<f32>
      %sum = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
          ins(%b0 : tensor<f32>) outs(%0 : tensor<f32>) {
      ^bb0(%x: f32, %s: f32):
        %square = arith.mulf %x, %x : f32
        %t = arith.addf %s, %square : f32
        linalg.yield %t : f32
      } -> tensor<f32>
      return %sum : tensor<f32>
    }
    ```
  }];
  let statistics = [Statistic<"numUnstacked", "unstacked", "Reductions of numbers that were put together">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def JoinNumbersPass : Pass<"amp-join-numbers", "::mlir::func::FuncOp"> {
  let summary = "compute single numbers that follow from each other in one kernel";
  let description = [{
    A scale, a learning rate, a norm's root and what they are compared with are operations on tensors of one element. Each as a
    kernel of its own costs a launch, which is hundreds of times its work. Operations of a block become one with
    several results.

    **Input.** `linalg.generic` without loops that `convert-linalg-to-element-kernels` takes, on tensors of at most 1,024
    elements, whose results are single numbers of f32, f64 or integers and whose bodies have no effects and no fast-math flags.
    Two become one if the later can be computed where the earlier is, because what it reads is there, or the
    earlier where the later is, because no other operation in between reads it. At most 64 operands and results join.

    **Guarantee.** Every number has the bits that it had: the body does the same operations. A result that only operations of the
    same group read is not written.

    ```mlir
    func.func @clip(%sum: tensor<f32>, %most: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %e = tensor.empty() : tensor<f32>
      %norm = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
          ins(%sum : tensor<f32>) outs(%e : tensor<f32>) {
      ^bb0(%s: f32, %out: f32):
        %root = math.sqrt %s : f32
        linalg.yield %root : f32
      } -> tensor<f32>
      %factor = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                                iterator_types = []}
          ins(%most, %norm : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
      ^bb0(%m: f32, %n: f32, %out: f32):
        %quotient = arith.divf %m, %n : f32
        linalg.yield %quotient : f32
      } -> tensor<f32>
      return %norm, %factor : tensor<f32>, tensor<f32>
    }
    ```

    becomes

    ```
    %norm:2 = linalg.generic {...} ins(%sum, %most : tensor<f32>, tensor<f32>) outs(%0, %1 : tensor<f32>, tensor<f32>) {
    ^bb0(%s: f32, %m: f32, %out: f32, %out_0: f32):
      %root = math.sqrt %s : f32
      %quotient = arith.divf %m, %root : f32
      linalg.yield %root, %quotient : f32, f32
    } -> (tensor<f32>, tensor<f32>)
    ```
  }];
  let statistics = [Statistic<"numJoined", "joined", "Operations that became a part of another">,
                    Statistic<"numGroups", "groups", "What they became">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SinkHostReadsPass : Pass<"amp-sink-host-reads", "::mlir::func::FuncOp"> {
  let summary = "ask a device for what the host wants to know when all is under way";
  let description = [{
    A host that reads an element of a device's tensor waits for all that the device was
    asked before. Where it reads only to report, to the loss scaler or by an assertion,
    nothing behind depends on it: such operations move to the end of the function, with
    the numbers that nobody else needs. Effects keep their order: an operation with an
    effect and results, or regions, and all in front of it stay. An assertion that reads
    no element, but extents, counts as such: it fails before anything is started.

    Runs on tensors; assertions then fail when the step is over, and its results are not
    used.

    Before:
    ```mlir
    func.func private @update(i1)
    func.func @step(%found: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %f = tensor.extract %found[] : tensor<i1>
      call @update(%f) : (i1) -> ()
      %y = arith.addf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func private @update(i1)
    func.func @step(%found: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %y = arith.addf %x, %x : tensor<4xf32>
      %f = tensor.extract %found[] : tensor<i1>
      call @update(%f) : (i1) -> ()
      return %y : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numReports", "reports", "Calls and assertions that moved to the end">
  ];
}

def CarryInPlacePass : Pass<"amp-carry-in-place"> {
  let summary = "let loops keep what they carry in one buffer";
  let description = [{
    Bufferization gives a tensor that an iteration yields a new buffer, unless it happens to be computed in
    the one that the loop carries. Such a step allocates and frees memory in each iteration, and notes at run
    time which buffer is whose. And where one branch of an `scf.if` yields a part of a tensor, the result
    has strides that only run time knows, which no kernel takes.

    Before bufferization both are told where the tensor has to be: what an `scf.for` yields goes where the
    carried tensor is, and what both branches of an `scf.if` yield, if one of them is a slice of known shape, into a
    tensor that is allocated in front of it (`bufferization.materialize_in_destination`). An `scf.while` begins with a copy of
    a slice and hands on one (`bufferization.alloc_tensor`). Of a `tensor.from_elements` upstream takes the strides for
    unknown: one that has dimensions, or is handed on, becomes insertions into a `tensor.empty`.

    Left alone: a carried tensor in whose memory a yielded one may be already, as where loops insert into
    what they carry, hand it on, or let two tensors change places; loops that yield what
    comes from other operations than slices, reshapes, insertions, `scf.for`, `scf.if` and those with destinations;
    numbers; what an `scf.while` computes; and branches of which neither yields a slice.

    Upstream's elimination of empty tensors computes what is put somewhere right there, without asking whether it is one of two
    tensors that are put there, or what one branch gives where the other one gives a tensor that is elsewhere; bufferization then
    refuses the step. Such tensors are computed in a `bufferization.alloc_tensor` of their own instead of a `tensor.empty`.

    Before:
    ```mlir
    func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
        %1 = math.tanh %a : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
        %1 = math.tanh %a : tensor<4xf32>
        %2 = bufferization.materialize_in_destination %1 in %a
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        scf.yield %2 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numCarried", "carried", "Tensors that loops keep in place">,
    Statistic<"numYielded", "yielded", "Results of branches that have a buffer of their own">,
    Statistic<"numApart", "apart", "Tensors that are not computed where they are put">,
    Statistic<"numInserted", "inserted", "Tensors whose numbers are inserted one by one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect"];
}

def CarryNumbersInMemoryPass : Pass<"amp-carry-numbers-in-memory", "::mlir::func::FuncOp"> {
  let summary = "let loops of launches carry numbers of the device in memory";
  let description = [{
    A loop that launches kernels is the host's. A number that it computes from elements and hands on to the next
    iteration, as a loss that is summed up over parts of a batch, would be the host's, too, which would wait for it in
    each. Here it is kept in memory of one element: stored in front of the loop and where an iteration hands it on,
    loaded where an iteration begins and, behind the loop, where it is used. So `amp-store-numbers-by-kernels` finds
    loads and stores with arithmetic between, which it makes kernels of. What an `scf.while` carries and its condition
    hands on likewise, and what an `scf.if` gives; an index as 64 bits.

    **Input.** A function on buffers, before their places are planned.

    Left alone: numbers that follow from no element of the device's memory, which the host knows; loops that compute
    with numbers and elements alone, which are kernels themselves (`amp-store-loop-results`), and branches that compute
    with numbers alone; numbers of more than 64 bits; functions of several blocks.

    Before:
    ```mlir
    func.func @total(%x: memref<f32>, %y: memref<4xf32>, %n: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
        linalg.fill ins(%s : f32) outs(%y : memref<4xf32>)
        %1 = memref.load %x[] : memref<f32>
        %2 = arith.addf %s, %1 : f32
        scf.yield %2 : f32
      }
      return %0 : f32
    }
    ```
    After:
    ```mlir
    func.func @total(%x: memref<f32>, %y: memref<4xf32>, %n: index) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %memory = memref.alloc() : memref<f32>
      memref.store %zero, %memory[] : memref<f32>
      scf.for %i = %c0 to %n step %c1 {
        %0 = memref.load %memory[] : memref<f32>
        linalg.fill ins(%0 : f32) outs(%y : memref<4xf32>)
        %1 = memref.load %x[] : memref<f32>
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %memory[] : memref<f32>
      }
      %3 = memref.load %memory[] : memref<f32>
      return %3 : f32
    }
    ```
  }];
  let statistics = [
    Statistic<"numKept", "kept", "Numbers that are handed on in memory">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def MoveCarriedElementsPass : Pass<"amp-move-carried-elements"> {
  let summary = "keep tensors of loops on elements where they are carried";
  let description = [{
    Loops and branches that compute with elements of tensors become one kernel (`convert-loops-to-kernels`), in which
    no memory can be allocated and a tensor has one place. Where an iteration hands on a tensor in another one's place
    (two change places, or one is taken over), or two branches give different ones, bufferization would allocate and
    copy in each iteration, and the host would read elements.

    Here they are copied (`bufferization.materialize_in_destination`): right behind what computes them into a tensor that
    is allocated in front of all loops and branches on elements around (`bufferization.alloc_tensor`), and then to where the
    loop carries them; what two branches give, or `arith.select` chooses, into one such tensor. `amp-copy-by-elements` makes loops of such copies.

    Left alone: loops and branches with anything else than numbers, `tensor.extract` and `tensor.insert` in them;
    tensors that are handed on in their own place; shapes that are not static; and what the condition of an
    `scf.while` computes.

    Before:
    ```mlir
    func.func @exchange(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
        %1 = tensor.insert %v into %a[%i] : tensor<4xf32>
        scf.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
      }
      return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @exchange(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %0 = bufferization.alloc_tensor() : tensor<4xf32>
      %1:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
        %2 = tensor.insert %v into %a[%i] : tensor<4xf32>
        %3 = bufferization.materialize_in_destination %2 in %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %4 = bufferization.materialize_in_destination %3 in %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        scf.yield %2, %4 : tensor<4xf32>, tensor<4xf32>
      }
      return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numMoved", "moved", "Tensors that are copied to where they are carried">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def CopyByElementsPass : Pass<"amp-copy-by-elements"> {
  let summary = "copy inside loops on elements by loops";
  let description = [{
    Loops and branches that load and store elements become one kernel (`convert-loops-to-kernels`), in which no copy can be
    asked for and no memory be allocated; with a `memref.copy` or a `memref.alloc` in them each of their elements would be
    read by the host. Here, in the outermost loops and branches of which nothing else keeps a kernel, each
    `memref.copy` becomes a loop nest, and each `memref.alloc` is moved in front.

    Left alone: loops and branches that touch no element, or do anything besides; those with memory that an iteration hands on,
    or with shapes that are not static.

    Before:
    ```mlir
    func.func @fill(%x: memref<4xf32>, %y: memref<4xf32>, %v: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %c3 step %c1 {
        %m = memref.alloc() : memref<4xf32>
        memref.copy %x, %m : memref<4xf32> to memref<4xf32>
        memref.store %v, %m[%i] : memref<4xf32>
        %0 = memref.load %m[%c0] : memref<4xf32>
        memref.store %0, %y[%i] : memref<4xf32>
      }
      return
    }
    ```
    After:
    ```mlir
    func.func @fill(%x: memref<4xf32>, %y: memref<4xf32>, %v: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %m = memref.alloc() : memref<4xf32>
      scf.for %i = %c0 to %c3 step %c1 {
        %c0_0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c1_1 = arith.constant 1 : index
        scf.for %j = %c0_0 to %c4 step %c1_1 {
          %1 = memref.load %x[%j] : memref<4xf32>
          memref.store %1, %m[%j] : memref<4xf32>
        }
        memref.store %v, %m[%i] : memref<4xf32>
        %0 = memref.load %m[%c0] : memref<4xf32>
        memref.store %0, %y[%i] : memref<4xf32>
      }
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numCopied", "copied", "Copies that became loops">,
    Statistic<"numAllocated", "allocated", "Buffers that are allocated in front of a loop">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def VectorsToTensorsPass : Pass<"amp-vectors-to-tensors", "::mlir::func::FuncOp"> {
  let summary = "make vectors of a step small tensors";
  let description = [{
    Whoever vectorises a step leaves `vector.transfer_read` and `vector.transfer_write` on its tensors, and
    arithmetic on vectors between them. A host runs them as instructions. A device has its own way to divide
    elements among threads, and passes that make kernels look for operations on tensors. So each vector becomes
    a tensor of its extents:

    - A transfer whose places are all in the tensor, by numbers or by `in_bounds`, is a `tensor.extract_slice` or
      `tensor.insert_slice`; one that may leave it, or that has a mask, a `linalg.generic` that chooses for each element. With a mask, `in_bounds` is not
      believed, as vectorisers promise it of what is left. Permutation maps are transpositions and repetitions.
    - Elementwise operations of `arith` and `math` take tensors as they take vectors; `vector.fma` is `math.fma`.
    - `vector.contract`, `multi_reduction`, `reduction` and `outerproduct` are `linalg.generic`, with their masks, if
      `vector.mask` gives them some (`reduction` and `outerproduct` with something to begin with): a product is rounded before it is added, and sums go in the order of their loops.
    - `vector.broadcast`, `transpose`, `shape_cast`, `extract`, `insert`, their strided slices, `shuffle` of one dimension, `from_elements`,
      `to_elements`, `create_mask`, `constant_mask`, `step` and `bitcast` of one width move elements, or make them.

    Loops, branches and calls hand on tensors instead.

    **Refused**, where it stands: other operations on vectors, scalable ones, tensors of vectors, transfers of buffers, and masks with a
    `passthru` or around anything else.

    Before:
    ```mlir
    func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c4], %zero {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
      %w = arith.addf %v, %v : vector<4xf32>
      %r = vector.transfer_write %w, %x[%c4] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %v = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
      %w = arith.addf %v, %v : tensor<4xf32>
      %r = tensor.insert_slice %w into %x[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numOperations", "operations", "Operations on vectors">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def StoreIndicesAsIntegersPass : Pass<"amp-store-indices-as-integers"> {
  let summary = "make tensors of index tensors of 64-bit integers";
  let description = [{
    Kernels read and write elements of a known width, and `index` has none. Labels that are cast to
    indices before a table is read by them, or places of maxima, are tensors of `index`, though, wherever no
    fusion makes them numbers of one operation.

    Every tensor of `index` becomes one of `i64`, which is what an index is on the host and in a kernel: results,
    what loops and branches carry, arguments and results of functions. Single elements are cast: behind a `tensor.extract`, before a
    `tensor.insert`, `tensor.splat`, `tensor.from_elements` or `linalg.fill`, and in the bodies of `linalg` operations, of
    `tensor.generate` and of `tensor.pad`. A cast between tensors becomes `arith.extsi`, `extui` or
    `trunci`, or nothing. Named operations of `linalg` on such tensors become `linalg.generic`, but for fills.

    **Left alone.** Numbers: what is computed with an index is computed as before.

    **Refused**, where it stands: what hands a tensor of `index` to a buffer or a vector, and operations of other dialects than
    `arith`, `bufferization`, `cf`, `func`, `linalg`, `scf`, `tensor` and `ub`.

    Before:
    ```mlir
    func.func @rows(%labels: tensor<4xi32>, %table: tensor<8xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %places = arith.index_cast %labels : tensor<4xi32> to tensor<4xindex>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%places : tensor<4xindex>) outs(%out : tensor<4xf32>) {
      ^bb0(%place: index, %o: f32):
        %x = tensor.extract %table[%place] : tensor<8xf32>
        linalg.yield %x : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @rows(%labels: tensor<4xi32>, %table: tensor<8xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
      %places = arith.extsi %labels : tensor<4xi32> to tensor<4xi64>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%places : tensor<4xi64>) outs(%out : tensor<4xf32>) {
      ^bb0(%stored: i64, %o: f32):
        %place = arith.index_cast %stored : i64 to index
        %x = tensor.extract %table[%place] : tensor<8xf32>
        linalg.yield %x : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numOperations", "operations", "Operations whose tensors were of index">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def StoreLoopResultsPass : Pass<"amp-store-loop-results"> {
  let summary = "let loops on elements store the numbers that they give";
  let description = [{
    `convert-loops-to-kernels` takes loops without results, for a kernel gives no values. An outermost `scf.for`
    or `scf.while` that loads or stores elements, does nothing else that anybody sees, and gives numbers, of 64 bits at most or indices
    (a running sum, a search), goes into a loop of one iteration: with it the stores that follow it, and
    the arithmetic between them; their memory comes in front of it. Each number that is used further behind gets memory of one element, in which it is stored
    in there, and from which it is loaded behind it, once, and which lives as long as the block.

    Left alone: branches, of whose elements the host reads one; loops that launch kernels or call functions; results that are
    buffers.

    Before:
    ```mlir
    func.func @sum(%x: memref<8xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
        %1 = memref.load %x[%i] : memref<8xf32>
        %2 = arith.addf %s, %1 : f32
        scf.yield %2 : f32
      }
      return %0 : f32
    }
    ```
    After:
    ```mlir
    func.func @sum(%x: memref<8xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %first = arith.constant 0 : index
      %once = arith.constant 1 : index
      %memory = memref.alloc() : memref<f32>
      scf.for %n = %first to %once step %once {
        %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
          %1 = memref.load %x[%i] : memref<8xf32>
          %2 = arith.addf %s, %1 : f32
          scf.yield %2 : f32
        }
        memref.store %0, %memory[] : memref<f32>
      }
      %3 = memref.load %memory[] : memref<f32>
      memref.dealloc %memory : memref<f32>
      return %3 : f32
    }
    ```
  }];
  let statistics = [
    Statistic<"numWrapped", "wrapped", "Loops whose numbers are stored">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def KeepMemoryOnHostPass : Pass<"amp-keep-memory-on-host", "ModuleOp"> {
  let summary = "leave buffers to the host that no kernel touches";
  let description = [{
    All buffers of a step on a device are memory of the device, and the host waits for each element of one
    that it loads. Some are never a kernel's: those in which a deallocation with several owners
    notes who frees what (`bufferization-lower-deallocations`, some thirty elements of a step with loops
    that carry tensors), and what a step computes of numbers by itself. They become
    `memref.alloca` in the function's entry, which is the host's stack, and loads and stores of them are left alone
    by `convert-device-to-runtime`.

    A buffer is the host's if it has known extents, takes at most 64 KiB, and, by itself and by its casts, is only loaded,
    stored to, asked for its extents and freed. A private function that only does so with its arguments, and is
    called with such buffers, is inlined first. Runs behind `convert-loops-to-kernels`, which does not ask whose a buffer is.

    Before:
    ```mlir
    func.func @second(%i: index) -> index {
      %0 = memref.alloc() : memref<2xindex>
      memref.store %i, %0[%i] : memref<2xindex>
      %c1 = arith.constant 1 : index
      %1 = memref.load %0[%c1] : memref<2xindex>
      memref.dealloc %0 : memref<2xindex>
      return %1 : index
    }
    ```
    After:
    ```mlir
    func.func @second(%i: index) -> index {
      %0 = memref.alloca() : memref<2xindex>
      memref.store %i, %0[%i] : memref<2xindex>
      %c1 = arith.constant 1 : index
      %1 = memref.load %0[%c1] : memref<2xindex>
      return %1 : index
    }
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "inlined", "Calls of functions that were inlined">,
    Statistic<"numKept", "kept", "Buffers that are the host's">
  ];
}

def EraseUnusedKernelsPass : Pass<"amp-erase-unused-kernels", "ModuleOp"> {
  let summary = "erase modules of kernels that nothing names";
  let description = [{
    A launch whose results nobody needs goes, and leaves its module of kernels. Each
    `gpu.module` to which no symbol refers is erased: it would be compiled and loaded for
    nothing. A reference is one of any operation and any attribute.

    Runs before `amp-record-launches`, whose attribute names kernels by text.

    Before:
    ```mlir
    module {
      gpu.module @dead {
      }
      gpu.module @kept {
      }
      func.func private @f() attributes {test.kernels = @kept}
    }
    ```
    After:
    ```mlir
    module {
      gpu.module @kept {
      }
      func.func private @f() attributes {test.kernels = @kept}
    }
    ```
  }];
  let statistics = [
    Statistic<"numErased", "erased", "Modules of kernels that nothing named">
  ];
}

def ConvertDeviceToRuntimePass : Pass<"convert-device-to-runtime", "ModuleOp"> {
  let summary = "let a host ask the runtime for what a device does";
  let description = [{
    After bufferization all buffers of a step are memory of the device. What the
    functions around them do with it becomes calls of the runtime (`amp-rt/Run.h`):

    - `amp.launch_kernels`: `@ampRtLaunch` with the number of the module of kernels
      and the addresses of its operands, in the order of `amp.launches`;
    - `memref.copy` of buffers without gaps: `@ampRtCopy`; others are refused;
    - `memref.load`: `@ampRtRead`, which waits for the device;
    - `memref.store`: `@ampRtWrite`; of a `memref.alloca`, which is the host's, both are left;
    - `memref.get_global`: `@ampRtConstant`, the constant's address on the device.

    Views only compute addresses, and allocations become calls when `memref` is
    converted. Runs after `amp-record-launches`.

    Refused, at its location: any other operation on a buffer, and a launch that is
    not recorded.

    Before:
    ```mlir
    func.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func private @ampRtCopy(!llvm.ptr, !llvm.ptr, i64)
    func.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
      %0 = memref.extract_aligned_pointer_as_index %y : memref<4xf32> -> index
      %1 = arith.index_cast %0 : index to i64
      %to = llvm.inttoptr %1 : i64 to !llvm.ptr
      %2 = memref.extract_aligned_pointer_as_index %x : memref<4xf32> -> index
      %3 = arith.index_cast %2 : index to i64
      %from = llvm.inttoptr %3 : i64 to !llvm.ptr
      %bytes = arith.constant 16 : i64
      call @ampRtCopy(%to, %from, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FlattenConditionalsPass : Pass<"amp-flatten-conditionals", "::mlir::func::FuncOp"> {
  let summary = "compute both branches of a condition that the device knows";
  let description = [{
    Where a condition is an element of a tensor, a host that branches on it waits until
    a device has computed it. An `scf.if` becomes both of its branches, and for each
    result a `linalg.generic` that selects, with the condition's tensor as an input;
    elementwise fusion melts it into what computes the new value. The guard of a skipped
    step (`amp.apply_if_finite`) runs so without a question to the host.

    **Input.** On tensors. An `scf.if` is taken if

    1. its condition is a `tensor.extract` from a tensor of one i1;
    2. it has results, each a tensor of static shape without encoding, or a number;
    3. what is in its branches has no effects and may run in vain: no `scf.while`, no
       integer quotients and remainders but by constants, no slices and elements at indices
       that are not known to lie inside, no assertions but in the body of a
       `linalg.generic`.

    Such an assertion holds where the other branch is wanted.

    **Guarantee.** The bits are those of the `scf.if`: a select moves them. A result that
    both branches yield alike needs none. A number is selected in memory of one element
    and taken from there; an index, of which no kernel has memory, by `arith.select`.

    **Left alone.** All other ones: conditions that the host knows anyway, of loop variables
    or arguments, and those of numbers that were computed from elements.

    Before:
    ```mlir
    func.func @guard(%found: tensor<i1>, %old: tensor<8xf32>, %grad: tensor<8xf32>) -> tensor<8xf32> {
      %c = tensor.extract %found[] : tensor<i1>
      %0 = scf.if %c -> (tensor<8xf32>) {
        scf.yield %old : tensor<8xf32>
      } else {
        %new = arith.subf %old, %grad : tensor<8xf32>
        scf.yield %new : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @guard(%found: tensor<i1>, %old: tensor<8xf32>, %grad: tensor<8xf32>) -> tensor<8xf32> {
      %c = tensor.extract %found[] : tensor<i1>
      %new = arith.subf %old, %grad : tensor<8xf32>
      %empty = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]}
          ins(%found, %old, %new : tensor<i1>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
      ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
        %1 = arith.select %in, %in_0, %in_1 : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numFlattened", "flattened", "conditions whose branches both run">,
    Statistic<"numSelects", "selects", "results that an operation selects">,
    Statistic<"numGuarded", "guarded", "operations whose assertions read the condition">,
    Statistic<"numKept", "kept", "conditions that stay with the host">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ChecksToFlagsPass : Pass<"amp-checks-to-flags", "::mlir::func::FuncOp"> {
  let summary = "ask at the end of a function whether its checks held";
  let description = [{
    A kernel cannot stop a program, and a host that stops it where the assertion stands
    waits for the device there. Each assertion that `amp-separate-asserts` has made an
    operation of, a `linalg.generic` without results on tensors, becomes one that computes
    a `tensor<i1>`, whether it was violated at any iteration; in front of the function's
    return the flag is taken from there and `cf.assert` has the message.

    **Input.** Operations on tensors in the function's own block, of one block itself, whose
    bodies hold assertions alone and what computes them. One with several assertions becomes
    one for each, so that `cse` finds what is asserted twice.

    **Guarantee.** A run that violates a check ends before the function returns, with the
    message of the first check that was violated in the order of the text; one that violates
    none is unchanged. What stands behind a check now runs on data that it is about to refuse:
    `convert-linalg-to-element-kernels` clamps what a body reads by index into its tensor,
    unless it is known to lie inside. Loops of the host do not.

    **Left alone.** Checks in loops and branches, and in functions of several blocks.

    Before:
    ```mlir
    func.func @lookup(%rows: tensor<8xi32>) -> tensor<8xi32> {
      %c5 = arith.constant 5 : i32
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%rows : tensor<8xi32>) {
      ^bb0(%row: i32):
        %inside = arith.cmpi ult, %row, %c5 : i32
        cf.assert %inside, "no such row"
        linalg.yield
      }
      return %rows : tensor<8xi32>
    }
    ```
    After:
    ```mlir
    func.func @lookup(%rows: tensor<8xi32>) -> tensor<8xi32> {
      %c5 = arith.constant 5 : i32
      %false = arith.constant false
      %0 = tensor.empty() : tensor<i1>
      %1 = linalg.fill ins(%false : i1) outs(%0 : tensor<i1>) -> tensor<i1>
      %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
          ins(%rows : tensor<8xi32>) outs(%1 : tensor<i1>) {
      ^bb0(%row: i32, %out: i1):
        %inside = arith.cmpi ult, %row, %c5 : i32
        %true = arith.constant true
        %3 = arith.xori %inside, %true : i1
        %4 = arith.ori %out, %3 : i1
        linalg.yield %4 : i1
      } -> tensor<i1>
      %violated = tensor.extract %2[] : tensor<i1>
      %true_0 = arith.constant true
      %held = arith.xori %violated, %true_0 : i1
      cf.assert %held, "no such row"
      return %rows : tensor<8xi32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numFlags", "flags", "assertions that became flags">,
    Statistic<"numKept", "kept", "operations with assertions left where they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def DeferAssertsPass : Pass<"amp-defer-asserts", "::mlir::func::FuncOp"> {
  let summary = "assertions at the end of a step are heard of later";
  let description = [{
    An assertion at the end of a function that says an element of a tensor is false, as
    `amp-checks-to-flags` leaves them, becomes `amp.report_violation`: the runtime is given
    the element in the device's memory, and looks when the host waits for the device. So a
    step ends without a wait, and the caller hears of a violation from
    `ampRtRunSynchronize`, or from a later call.

    The end of a function is behind everything that does more than compute or assert, or
    that is defined only where an assertion holds, such as a slice at an index.

    **Left alone.** Other conditions, assertions that are not at the end, and private
    functions, behind whose end their callers go on.

    Before:
    ```mlir
    func.func @step(%violated: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      %f = tensor.extract %violated[] : tensor<i1>
      %held = arith.xori %f, %true : i1
      cf.assert %held, "no such row"
      return %x : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @step(%violated: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      %f = tensor.extract %violated[] : tensor<i1>
      %held = arith.xori %f, %true : i1
      amp.report_violation %violated, "no such row"
      return %x : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numDeferred", "deferred", "assertions that the host hears of later">,
    Statistic<"numKept", "kept", "assertions at the end that the host waits for">
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect"];
}

def ExpandSliceUpdatesPass : Pass<"amp-expand-slice-updates", "::mlir::func::FuncOp"> {
  let summary = "loops that put slices into a tensor put in elements";
  let description = [{
    A gradient of a table is a loop that adds a row in each iteration, at an index that it
    reads. A host that launched a kernel for each row would read each index before. Where a
    loop does nothing else, the elementwise operation and the insertion of its result become
    loops on elements, which `convert-loops-to-kernels` makes one kernel of.

    **Input.** In an `scf.for` of numbers, slices, elementwise `linalg.generic`, insertions, and
    such loops: an operation of known extents, of which one result, each element once, is
    put in and not used elsewhere. What it reads comes from outside of the loop, as slices or
    whole, is computed by such an operation of the loop, or is the slice that the result takes
    the place of. The rest stays.

    Before:
    ```mlir
    func.func @rows(%at: tensor<8xindex>, %rows: tensor<8x4xf32>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
        %n = tensor.extract %at[%i] : tensor<8xindex>
        %x = tensor.extract_slice %rows[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
        %y = tensor.extract_slice %to[%n, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
        %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
            ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %b, %a : f32
          linalg.yield %s : f32
        } -> tensor<4xf32>
        %next = tensor.insert_slice %z into %to[%n, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<9x4xf32>
        scf.yield %next : tensor<9x4xf32>
      }
      return %r : tensor<9x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @rows(%at: tensor<8xindex>, %rows: tensor<8x4xf32>, %table: tensor<9x4xf32>) -> tensor<9x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%to = %table) -> (tensor<9x4xf32>) {
        %n = tensor.extract %at[%i] : tensor<8xindex>
        %c0_0 = arith.constant 0 : index
        %c1_1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %next = scf.for %j = %c0_0 to %c4 step %c1_1 iter_args(%whole = %to) -> (tensor<9x4xf32>) {
          %a = tensor.extract %rows[%i, %j] : tensor<8x4xf32>
          %b = tensor.extract %whole[%n, %j] : tensor<9x4xf32>
          %s = arith.addf %b, %a : f32
          %put = tensor.insert %s into %whole[%n, %j] : tensor<9x4xf32>
          scf.yield %put : tensor<9x4xf32>
        }
        scf.yield %next : tensor<9x4xf32>
      }
      return %r : tensor<9x4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numExpanded", "updates expanded", "Insertions of slices that became loops">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WriteThroughInsertionsPass : Pass<"amp-write-through-insertions", "::mlir::func::FuncOp"> {
  let summary = "write tiles where their rows are inserted";
  let description = [{
    Rows that are no multiple of 16 bytes long are copied to longer ones for the products that
    read them (`convert-linalg-to-tensor-core`): the gradient of the logits of a vocabulary of
    50,257. Where a loop over tiles makes them, it can as well write them there. Its result gets
    the longer rows, of which it writes the front, and the insertion is gone.

    **Input.** `scf.forall` on tensors whose result is used by one `tensor.insert_slice`, at the
    front of longer rows of a `tensor.empty`, perhaps behind a `tensor.collapse_shape` that
    leaves rows as they are. The loop begins the result with a `tensor.empty` and does not read it.
    The rest stays.

    Before:
    ```mlir
    func.func @rows(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<4x5xf32>
      %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<4x5xf32>) {
        %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
        }
      }
      %p = tensor.empty() : tensor<4x8xf32>
      %q = tensor.insert_slice %r into %p[0, 0] [4, 5] [1, 1] : tensor<4x5xf32> into tensor<4x8xf32>
      return %q : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @rows(%x: tensor<4x5xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<4x5xf32>
      %d = tensor.empty() : tensor<4x8xf32>
      %r = scf.forall (%i) in (4) shared_outs(%o = %d) -> (tensor<4x8xf32>) {
        %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<4x5xf32> to tensor<1x5xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x8xf32>
        }
      }
      %p = tensor.empty() : tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numWritten", "insertions gone", "Results of loops that are written where they were inserted">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ReadThroughSlicesPass : Pass<"amp-read-through-slices", "::mlir::func::FuncOp"> {
  let summary = "read a slice's elements where they lie";
  let description = [{
    A kernel takes a tensor from its first element on, so that a slice is copied for it. An
    operation with a thread for each element of its result can as well index the tensor that the
    slice is cut from: its map is composed with the slice's offsets and strides, and with the
    extents of a `tensor.expand_shape` on top. Queries, keys and values, which are parts of one
    product's rows, go to their heads without a copy so.

    **Input.** Inputs of a `linalg.generic` on tensors whose loops each have a dimension of the result; slices of
    known offsets and strides. A slice that begins at 0, is shorter than its tensor and is indexed by a loop alone
    stays: such a loop would run as far as the tensor.

    Before:
    ```mlir
    func.func @last(%x: tensor<4x6xf32>) -> tensor<2x4xf32> {
      %s = tensor.extract_slice %x[0, 4] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
      %e = tensor.empty() : tensor<2x4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) {
      ^bb0(%a: f32, %b: f32):
        linalg.yield %a : f32
      } -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @last(%x: tensor<4x6xf32>) -> tensor<2x4xf32> {
      %s = tensor.extract_slice %x[0, 4] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
      %e = tensor.empty() : tensor<2x4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i + 4)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x6xf32>) outs(%e : tensor<2x4xf32>) {
      ^bb0(%a: f32, %b: f32):
        linalg.yield %a : f32
      } -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numRead", "slices read", "Operands that are read where they lie">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

//===----------------------------------------------------------------------===//
// LinalgToElementKernels
//===----------------------------------------------------------------------===//

def ConvertLinalgToElementKernelsPass : Pass<"convert-linalg-to-element-kernels", "ModuleOp"> {
  let summary = "run linalg operations as kernels with a thread for each element";
  let description = [{
    Each linalg operation on tensors becomes one `amp.launch_kernels`, and a
    `gpu.module` with its kernel is added to the module. Equal kernels are there once.
    It is for what no kernel of its own computes, so it stands behind
    `convert-linalg-to-tensor-core`: a sum is computed by one thread, in its loops' order.

    **Input.** Operations of which

    1. tensors have static shapes of at most 2^31 - 2^20 elements and no encoding, and elements
       of f16, bf16, f32, f64, i1, i8, i16, i32 or i64;
    2. each result has each parallel loop of several iterations as a dimension of its own;
    3. indices are sums of loops, without quotients, and no loop is empty;
    4. the body has operations on numbers that device code has (see
       `amp-convert-kernels-to-nvvm`), `linalg.index`, and `tensor.extract` from tensors;
    5. numbers from outside, too, are of these types, or constants: they become memory of one
       element, which one that was taken from such a tensor is already.

    Others stay as they are; with `report`, a remark says why.

    **Guarantee.** The bits are those of the loops as they are written: no order of
    additions changes, no rounding is dropped. A thread takes several iterations of the
    innermost loop at once, of which each access has up to 16 bytes, where extents and
    offsets prove that they lie so; else one. An index of `tensor.extract` that lies outside
    of the tensor reads its last place in that dimension, so that a kernel may run before
    the check of its indices is read (`amp-checks-to-flags`).

    The kernels' arguments are `in0` and on, the inputs that are read; `start0` and on, what
    results start from, where that is read; `table0` and on, tensors that are read by index;
    `number0` and on, numbers from outside; and `out0` and on. An i1 is a byte.

    ```mlir
    func.func @scale(%x: tensor<4x8xf16>, %row: tensor<8xf32>) -> tensor<4x8xf32> {
      %empty = tensor.empty() : tensor<4x8xf32>
      %0 = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %row : tensor<4x8xf16>, tensor<8xf32>) outs(%empty : tensor<4x8xf32>) {
      ^bb0(%a: f16, %b: f32, %out: f32):
        %wide = arith.extf %a : f16 to f32
        %product = arith.mulf %wide, %b : f32
        linalg.yield %product : f32
      } -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    becomes

    ```
    func.func @scale(...) -> tensor<4x8xf32> {
      %empty = tensor.empty() : tensor<4x8xf32>
      %0 = amp.launch_kernels @element_0 ins(in0 = %x, in1 = %row) outs(out0 = %empty)
          : (tensor<4x8xf16>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    gpu.module @element_0 {...}
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "a remark for each operation that stays as it is">,
  ];
  let statistics = [
    Statistic<"numConverted", "operations converted", "Operations that became launches">,
    Statistic<"numDeclined", "operations declined", "Operations left as they are">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertElementwiseToMultiTensorKernelsPass
    : Pass<"convert-elementwise-to-multi-tensor-kernels", "ModuleOp"> {
  let summary = "run loops that compute the same of many tensors as one kernel";
  let description = [{
    A step updates each parameter by the same computation: a launch for each of them costs more
    than the work of small ones. Loops of a block that compute the same, whatever the shapes of
    their tensors are, and that do not depend on each other become one `amp.launch_kernels`, and
    a `gpu.module` with its kernel is added to the module. What they compute decides, not what
    it is for: updates, casts of weights, unscaling.

    **Input.** Operations that `convert-linalg-to-element-kernels` would take, and loops over
    tiles that `convert-fusion-groups-to-kernels` would take, in which

    1. there are no sums, and no results that start from a tensor;
    2. bodies read no index, and no tensor by index;
    3. each operand is a number, or has the elements of the results in their order: the same
       loops are its dimensions, and it is no slice of a tensor;
    4. loops over tiles slice all tensors and write all results alike, and their operations hand
       tiles to each other whole.

    5. results leave the block, or the loop reads and writes at most `small-bytes`: it costs a
       launch more than these, while large tensors are best read on at once, from the cache.

    Two compute the same if their bodies do, operation by operation, with the same constants,
    types of elements, and pattern of operands; extents may differ. Others stay as they are; with
    `report`, a remark says why. So do loops without another of their form, or that depend on it.

    **The launch** stands where the last of its loops stood. What depends on the others moves
    behind it; if that has an effect, the launch ends before it.

    **The kernel.** Tensors are cut into chunks of 4096 elements, and blocks take one chunk after
    the other: the kernel has a constant table of extents, and its parameter `tensors` is a table
    of addresses, row by row (`kind = "table"`, see `amp-generate-gemm`). Elements go by 128 bits
    where a thread has so many, and one by one at a tensor's end. Numbers that all loops read are
    parameters of their own, `shared0` and on; of loop 3, `in3_0` and on is read and `out3_0` and
    on written. As many loops share a launch as `parameter-bytes` have addresses; if there are
    more, there are several launches of about as many.

    Where a tensor is only the one side of choices by a number, as what a skipped step keeps is,
    it is read only if the number says so; its entry of the table is `conditional`.

    **Guarantee.** Elements have the bits of the loops as they are written.

    Refused: a chip that is not known.

    ```mlir
    func.func @descend(%w: tensor<64x32xf32>, %dw: tensor<64x32xf32>, %b: tensor<32xf32>, %db: tensor<32xf32>)
        -> (tensor<64x32xf32>, tensor<32xf32>) {
      %rate = arith.constant 0.1 : f32
      %0 = tensor.empty() : tensor<64x32xf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%w, %dw : tensor<64x32xf32>, tensor<64x32xf32>) outs(%0 : tensor<64x32xf32>) {
      ^bb0(%x: f32, %dx: f32, %out: f32):
        %step = arith.mulf %dx, %rate : f32
        %new = arith.subf %x, %step : f32
        linalg.yield %new : f32
      } -> tensor<64x32xf32>
      %2 = tensor.empty() : tensor<32xf32>
      %3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%b, %db : tensor<32xf32>, tensor<32xf32>) outs(%2 : tensor<32xf32>) {
      ^bb0(%x: f32, %dx: f32, %out: f32):
        %step = arith.mulf %dx, %rate : f32
        %new = arith.subf %x, %step : f32
        linalg.yield %new : f32
      } -> tensor<32xf32>
      return %1, %3 : tensor<64x32xf32>, tensor<32xf32>
    }
    ```

    becomes

    ```
    func.func @descend(...) -> (tensor<64x32xf32>, tensor<32xf32>) {
      %0 = tensor.empty() : tensor<64x32xf32>
      %1 = tensor.empty() : tensor<32xf32>
      %2:2 = amp.launch_kernels @multi_tensor_0
          ins(in0_0 = %w, in0_1 = %dw, in1_0 = %b, in1_1 = %db) outs(out0_0 = %0, out1_0 = %1)
          : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32xf32>,
             tensor<64x32xf32>, tensor<32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>)
      return %2#0, %2#1 : tensor<64x32xf32>, tensor<32xf32>
    }
    gpu.module @multi_tensor_0 {...}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "whose shared memory the tiles of loops have to fit">,
    Option<"parameterBytes", "parameter-bytes", "int64_t", "4096",
           "bytes of a kernel's parameters; more than 4096 need PTX 8.1 and a driver of CUDA 12.1">,
    Option<"smallBytes", "small-bytes", "int64_t", "1048576",
           "bytes that a loop reads and writes whose results are read on; of this order is what a GPU "
           "moves in the time of a launch">,
    Option<"report", "report", "bool", "false",
           "a remark for each operation that has no such kernel">,
  ];
  let statistics = [
    Statistic<"numConverted", "loops converted", "Loops that share a launch">,
    Statistic<"numDeclined", "loops declined", "Loops left as they are">,
    Statistic<"numLaunches", "launches", "Launches">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertOrReductionsToMultiTensorKernelsPass
    : Pass<"convert-or-reductions-to-multi-tensor-kernels", "ModuleOp"> {
  let summary = "run checks of many tensors as one kernel";
  let description = [{
    Whether a step has overflowed is found by a chain: each gradient's check ors into what the check
    before has found. As reductions of their own these are two launches a gradient, of which the
    second combines single numbers. An or is the same in any order, so such a chain becomes one
    `amp.launch_kernels`, and a `gpu.module` with its kernels is added to the module. What is
    computed decides, not what it is for.

    **Input.** `linalg.generic` operations

    1. that have one result, an i32, which is an or of what becomes of each element; nothing else in
       the body reads the result so far;
    2. that read one tensor, of which each loop is a dimension, in any order, and that is no slice
       of a tensor;
    3. whose bodies read the element and constants alone, no index, and no tensor by index.

    A chain has two or more of them in one block, each of which begins with the result of the one
    before that nothing else reads. They may compute different things of elements of different
    types. Where others of the first kind stand between them, that read slices or several tensors,
    these stay, and come first. All else stays as it is; with `report`, a remark says why of each
    operation with reductions.

    **The launch** stands where the last of the chain stood, and begins with what the others of
    the chain have found. As many tensors share one as
    `parameter-bytes` have addresses; if there are more, there are several launches of about as
    many, each of which begins with the result of the one before. A chain of tensors without
    elements is what it begins with.

    **The kernels.** The first writes what the chain begins with to the result, `out0`: a constant,
    or what it reads at `start0`. The second cuts tensors into chunks of 8 KiB, over which blocks
    walk, and finds their extents in a constant table and their addresses in its parameter
    `tensors` (`kind = "table"`, see `amp-generate-gemm`), the tensors of one computation one behind
    the other. Elements go by 128 bits, and one by one at a tensor's end. A thread ors in a
    register, a warp by `redux.sync`, and warps that have found something by an atomic or.

    **Guarantee.** Results have the bits of the operations as they are written, for each grid.

    ```mlir
    func.func @overflow(%a: tensor<64x32xf16>, %b: tensor<32xf16>) -> tensor<i32> {
      %exponent = arith.constant 31744 : i16
      %none = arith.constant dense<0> : tensor<i32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                           iterator_types = ["reduction", "reduction"]}
          ins(%a : tensor<64x32xf16>) outs(%none : tensor<i32>) {
      ^bb0(%x: f16, %found: i32):
        %bits = arith.bitcast %x : f16 to i16
        %masked = arith.andi %bits, %exponent : i16
        %is = arith.cmpi eq, %masked, %exponent : i16
        %one = arith.extui %is : i1 to i32
        %any = arith.ori %found, %one : i32
        linalg.yield %any : i32
      } -> tensor<i32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%b : tensor<32xf16>) outs(%0 : tensor<i32>) {
      ^bb0(%x: f16, %found: i32):
        %bits = arith.bitcast %x : f16 to i16
        %masked = arith.andi %bits, %exponent : i16
        %is = arith.cmpi eq, %masked, %exponent : i16
        %one = arith.extui %is : i1 to i32
        %any = arith.ori %found, %one : i32
        linalg.yield %any : i32
      } -> tensor<i32>
      return %1 : tensor<i32>
    }
    ```

    becomes

    ```
    func.func @overflow(...) -> tensor<i32> {
      %0 = tensor.empty() : tensor<i32>
      %1 = amp.launch_kernels @or_reduction_0 ins(in0 = %a, in1 = %b) outs(out0 = %0)
          : (tensor<64x32xf16>, tensor<32xf16>, tensor<i32>) -> tensor<i32>
      return %1 : tensor<i32>
    }
    gpu.module @or_reduction_0 {...}
    ```
  }];
  let options = [
    Option<"parameterBytes", "parameter-bytes", "int64_t", "4096",
           "bytes of a kernel's parameters; more than 4096 need PTX 8.1 and a driver of CUDA 12.1">,
    Option<"report", "report", "bool", "false",
           "a remark for each operation with reductions that has no such kernel">,
  ];
  let statistics = [
    Statistic<"numConverted", "reductions converted", "Reductions that share a launch">,
    Statistic<"numDeclined", "reductions declined", "Operations with reductions left as they are">,
    Statistic<"numLaunches", "launches", "Launches">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertSumsToMultiTensorKernelsPass
    : Pass<"convert-sums-to-multi-tensor-kernels", "ModuleOp"> {
  let summary = "run sums of many tensors as one launch";
  let description = [{
    Clipping by the norm of all gradients asks for the sum of squares of each of them. As
    reductions of their own these are two launches for each shape, one of which adds up parts. Sums that
    compute the same become one `amp.launch_kernels`, and a `gpu.module` with its kernels
    is added to the module. What is computed decides, not what it is for.

    **Input.** `linalg.generic` operations

    1. that have one result, an f32, which begins with 0 and adds up what becomes of each element;
       nothing else in the body reads the sum so far;
    2. that read one tensor with elements, of which each loop is a dimension, in any order, and
       that is no slice of a tensor;
    3. whose bodies read the element, constants and numbers from outside of types that lie in memory as
       kernels read them (f16, bf16, f32, f64, i1, i8, i16, i32, i64), no index, and no tensor by index.

    Two or more of them in one block that compute the same of elements of one type, with the same numbers,
    and do not depend on each other, share a launch, tensors of all shapes. All else stays as it
    is; with `report`, a remark says why of each operation with reductions.

    **The launch** stands where the last of them stood, and what depends on one of them and stood before
    moves behind it, in its order. As many tensors share one as `parameter-bytes` have addresses;
    if there are more, there are several launches of about as many.

    **The kernels.** The first cuts tensors into chunks of 32 KiB, over which blocks walk, and
    leaves the sum of each in `parts`; it finds extents in a constant table and addresses in its
    parameter `tensors` (`kind = "table"`, see `amp-generate-gemm`). Elements go by 128 bits, and one
    by one at a tensor's end. The second adds up the chunks of each tensor, with a warp for each, and
    writes `out0` and on. Numbers are `number0` and on.

    **Guarantee.** The result is the same up to the order of summation, which depends on the tensor's extents
    alone: the same in each run, for each grid, and whatever other tensors share the launch.

    ```mlir
    func.func @norms(%a: tensor<64x32xf16>, %b: tensor<32xf16>) -> (tensor<f32>, tensor<f32>) {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                           iterator_types = ["reduction", "reduction"]}
          ins(%a : tensor<64x32xf16>) outs(%zero : tensor<f32>) {
      ^bb0(%x: f16, %sum: f32):
        %wide = arith.extf %x : f16 to f32
        %square = arith.mulf %wide, %wide : f32
        %next = arith.addf %sum, %square : f32
        linalg.yield %next : f32
      } -> tensor<f32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}
          ins(%b : tensor<32xf16>) outs(%zero : tensor<f32>) {
      ^bb0(%x: f16, %sum: f32):
        %wide = arith.extf %x : f16 to f32
        %square = arith.mulf %wide, %wide : f32
        %next = arith.addf %sum, %square : f32
        linalg.yield %next : f32
      } -> tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    }
    ```

    becomes

    ```
    func.func @norms(...) -> (tensor<f32>, tensor<f32>) {
      ...
      %3:3 = amp.launch_kernels @tensor_sum_0 ins(in0 = %a, in1 = %b)
          outs(out0 = %0, out1 = %1, parts = %2) : (...) -> (tensor<f32>, tensor<f32>, tensor<2xf32>)
      return %3#0, %3#1 : tensor<f32>, tensor<f32>
    }
    gpu.module @tensor_sum_0 {...}
    ```
  }];
  let options = [
    Option<"parameterBytes", "parameter-bytes", "int64_t", "4096",
           "bytes of a kernel's parameters; more than 4096 need PTX 8.1 and a driver of CUDA 12.1">,
    Option<"report", "report", "bool", "false",
           "a remark for each operation with reductions that has no such kernel">,
  ];
  let statistics = [
    Statistic<"numConverted", "sums converted", "Sums that share a launch">,
    Statistic<"numDeclined", "sums declined", "Operations with reductions left as they are">,
    Statistic<"numLaunches", "launches", "Launches">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertFusionGroupsToKernelsPass
    : Pass<"convert-fusion-groups-to-kernels", "ModuleOp"> {
  let summary = "run loops over tiles as kernels with a block of threads for each tile";
  let description = [{
    Each `scf.forall` on tensors, as `amp-tile-fusion-groups` writes it, becomes one
    `amp.launch_kernels`, and a `gpu.module` with its kernel is added to the module.
    Equal kernels are there once.

    **Input.** Loops of which

    1. bounds and steps are known, and results begin as `tensor.empty`, are written in
       slices of known sizes, and not read; there are tiles, less than 2^31;
    2. the body has `linalg.generic` that `convert-linalg-to-element-kernels` would take,
       with less than 2^31 iterations, slices, other shapes of tensors, arithmetic, and
       `affine.apply`, and reads no `tensor.empty`;
    3. what the operations of a tile hand to each other through shared memory, and what
       threads do that share a sum, fit into the chip's;
    4. numbers and tensors from outside are of that pass's types.

    Others stay as they are; with `report`, a remark says why.

    **The kernel.** A block takes one tile after the other. Where operations have the rows
    and columns of a sum along rows, a team of threads has a row, each the same columns in
    all of them: what one operation hands to the next stays in registers, what was read is
    not read again, and all of a team know a sum, by shuffles if it is a warp. Of another
    operation the threads share the iterations. What other threads read is in shared memory,
    with barriers where it is written and read; what leaves the tile is written as it is
    computed. Tensors from outside are read where they lie, also through slices and other
    shapes of them, and accesses have up to 16 bytes where extents, strides and offsets
    prove that elements lie so.

    **Guarantee.** Elements have the bits of the loops as they are written. A sum of f32,
    f64 or integers (or a maximum, or what else has a neutral element) is in parts: each
    thread of a team takes every so many'th element, and the parts are combined in an order
    that depends on shapes alone, and added to what the sum starts from. Products of many
    numbers and sums in half precision keep their order.

    The kernels' arguments are `in0` and on, tensors that are read; `number0` and on, numbers
    from outside, as memory of one element; and `out0` and on. An i1 is a byte.

    ```mlir
    func.func @center(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
      %zero = arith.constant 0.0 : f32
      %n = arith.constant 512.0 : f32
      %empty = tensor.empty() : tensor<64x512xf32>
      %0 = scf.forall (%row) = (0) to (64) step (4) shared_outs(%result = %empty) -> (tensor<64x512xf32>) {
        %rows = tensor.extract_slice %x[%row, 0] [4, 512] [1, 1] : tensor<64x512xf32> to tensor<4x512xf32>
        %sums = tensor.empty() : tensor<4xf32>
        %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
            outs(%sums : tensor<4xf32>) {
        ^bb0(%out: f32):
          linalg.yield %zero : f32
        } -> tensor<4xf32>
        %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                               iterator_types = ["parallel", "reduction"]}
            ins(%rows : tensor<4x512xf32>) outs(%zeros : tensor<4xf32>) {
        ^bb0(%in: f32, %acc: f32):
          %s = arith.addf %acc, %in : f32
          linalg.yield %s : f32
        } -> tensor<4xf32>
        %part = tensor.empty() : tensor<4x512xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i, j)>],
                             iterator_types = ["parallel", "parallel"]}
            ins(%rows, %sum : tensor<4x512xf32>, tensor<4xf32>) outs(%part : tensor<4x512xf32>) {
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

    becomes

    ```
    func.func @center(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
      %empty = tensor.empty() : tensor<64x512xf32>
      %0 = amp.launch_kernels @group_0 ins(in0 = %x) outs(out0 = %empty)
          : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
      return %0 : tensor<64x512xf32>
    }
    gpu.module @group_0 {...}
    ```

    Refused: a chip that is not known.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "whose shared memory a tile has to fit">,
    Option<"report", "report", "bool", "false",
           "a remark for each loop that stays as it is">,
  ];
  let statistics = [
    Statistic<"numConverted", "loops converted", "Loops that became launches">,
    Statistic<"numShared", "loops shared", "Launches of more than one thread with work">,
    Statistic<"numDeclined", "loops declined", "Loops left as they are">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertPadsToKernelsPass : Pass<"convert-pads-to-kernels", "ModuleOp"> {
  let summary = "pad tensors by kernels that write each element once";
  let description = [{
    A fill and a copy would write what lies inside of the padding twice, by two launches. A
    `tensor.pad` of a constant, and a `tensor.insert_slice` into a tensor that is filled with
    one, become one `amp.launch_kernels` instead, and a `gpu.module` with its kernel is added
    to the module. Equal kernels are there once.

    The kernel's arguments are `in0`, the tensor, and `out0`, the result. Extents, offsets and
    strides are known, and both tensors have one rank. A thread takes up to 16 bytes at once
    where the tensor begins and ends at multiples of them. What stays is
    `amp-decompose-pads`' concern; with `report`, a remark says why.

    ```mlir
    func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.pad %x low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<4xf32> to tensor<6xf32>
      return %0 : tensor<6xf32>
    }
    ```

    becomes

    ```
    func.func @pad(%x: tensor<4xf32>) -> tensor<6xf32> {
      %empty = tensor.empty() : tensor<6xf32>
      %0 = amp.launch_kernels @pad_0 ins(in0 = %x) outs(out0 = %empty) : (tensor<4xf32>, tensor<6xf32>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    }
    gpu.module @pad_0 {...}
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "a remark for each pad or insertion that stays as it is">,
  ];
  let statistics = [
    Statistic<"numConverted", "pads converted", "Pads and insertions that became launches">,
    Statistic<"numDeclined", "pads declined", "Pads and insertions left as they are">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertCopiesToKernelsPass : Pass<"convert-copies-to-kernels", "ModuleOp"> {
  let summary = "copy between strides by kernels";
  let description = [{
    A `memref.copy` between buffers that are not both without gaps, of known extents and
    strides, becomes one `amp.launch_kernels`, and a `gpu.module` with its kernel is added
    to the module. Equal kernels are there once. Copies of bytes stay, for one call of the
    runtime makes them; with `report`, a remark says why another one stays.

    The kernel's arguments are `in0` and `out0`, views of one dimension: elements from the
    first to the last, with those between them, which are not touched. It copies up to 16
    bytes at once where both buffers have them in a row, at multiples of them.

    ```mlir
    func.func @copy(%x: memref<4x6xf32>, %y: memref<4x2xf32>) {
      %part = memref.subview %x[0, 1] [4, 2] [1, 1]
          : memref<4x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 1>>
      memref.copy %part, %y : memref<4x2xf32, strided<[6, 1], offset: 1>> to memref<4x2xf32>
      return
    }
    ```

    becomes

    ```
    func.func @copy(%x: memref<4x6xf32>, %y: memref<4x2xf32>) {
      %part = memref.subview %x[0, 1] [4, 2] [1, 1] : ...
      %from = memref.reinterpret_cast %part to offset: [1], sizes: [20], strides: [1] : ...
      %to = memref.reinterpret_cast %y to offset: [0], sizes: [8], strides: [1] : ...
      amp.launch_kernels @copy_0 ins(in0 = %from) outs(out0 = %to) : ...
      return
    }
    gpu.module @copy_0 {...}
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "a remark for each copy that stays as it is">,
  ];
  let statistics = [
    Statistic<"numConverted", "copies converted", "Copies that became launches">,
    Statistic<"numDeclined", "copies declined", "Copies left as they are">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def StoreNumbersByKernelsPass : Pass<"amp-store-numbers-by-kernels", "::mlir::func::FuncOp"> {
  let summary = "compute numbers that the host would load and store again by kernels";
  let description = [{
    A number that follows from elements of the device's memory, and goes back there, makes the host wait if the host
    computes it: what loops carry in memory (`amp-carry-numbers-in-memory`), an element at a place that is an element
    itself, as a label, several numbers that become a tensor. Here such a store goes into a loop of one iteration, with a
    copy of the loads and the arithmetic that it needs, which `convert-loops-to-kernels` makes a kernel of one
    thread of. Stores behind one another share a loop. Stores of constants go there as well.

    A load whose memory is written before the store is reached has its number stored in memory of its own. A number
    that is only moved for launches to read is read by them where it is. Places that the host knows, as a loop's index, become
    views. Places that it does not know are clamped to the buffer: no kernel leaves its memory
    (`amp-checks-to-flags`).

    **Input.** A function on buffers, in which loops and branches on elements are launches already. A buffer that the host
    alone loads and stores is the host's, unless it stores a number of the device in it.

    Left alone: numbers that the host knows but for constants; those that it computes otherwise than
    by arithmetic, or from what a loop carries; what device code has no operations for; functions of several blocks. What decides a branch or
    bounds of a loop of launches is loaded by the host; a condition of several numbers is computed first, and loaded as one.

    Before:
    ```mlir
    func.func @add(%x: memref<f32>, %y: memref<10xf32>, %at: memref<i32>, %sum: memref<f32>) {
      %0 = memref.load %at[] : memref<i32>
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %y[%1] : memref<10xf32>
      %3 = memref.load %x[] : memref<f32>
      %4 = arith.addf %2, %3 : f32
      memref.store %4, %sum[] : memref<f32>
      return
    }
    ```
    After:
    ```mlir
    func.func @add(%x: memref<f32>, %y: memref<10xf32>, %at: memref<i32>, %sum: memref<f32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %c1 step %c1 {
        %0 = memref.load %at[] : memref<i32>
        %1 = arith.index_cast %0 : i32 to index
        %first = arith.constant 0 : index
        %last = arith.constant 9 : index
        %2 = arith.maxsi %1, %first : index
        %3 = arith.minsi %2, %last : index
        %4 = memref.load %y[%3] : memref<10xf32>
        %5 = memref.load %x[] : memref<f32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %sum[] : memref<f32>
      }
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numStored", "stored", "Stores that kernels do">,
    Statistic<"numKernels", "kernels", "Loops of one iteration">,
    Statistic<"numAside", "aside", "Numbers that are kept before their memory is written over">,
    Statistic<"numRead", "read", "Stores of what launches read where it was">,
    Statistic<"numConditions", "conditions", "Conditions of several numbers that the host reads as one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ConvertLoopsToKernelsPass : Pass<"convert-loops-to-kernels", "ModuleOp"> {
  let summary = "run loops and branches on single elements as kernels";
  let description = [{
    What is left of a step on buffers when products, groups, elements and copies have
    kernels: scatters that a front end wrote as loops, and what no other kernel takes.
    The outermost `scf.for`, `scf.while` and `scf.if` that load or store elements become
    one `amp.launch_kernels` each, so that no host waits for each element.

    Threads share a kernel where each element that is written is known to be one thread's,
    which runs all that touches it in the loops' order: results have the bits of one thread's,
    for any grid. A loop is shared by its iterations if all that the kernel writes has a dimension
    that the loop's variable alone indexes, scaled and shifted at most: the columns of a table's
    gradient, or all of a gather. What is left of the index is data in a scatter. For that, all accesses to
    what is written have the same index, which does not depend on what they read, and other
    buffers are apart from it (arguments, allocations, and parts of an arena that do not meet).
    An index outside of the buffer is nobody's. What is not proved is run by one thread.

    Each update of a scatter has blocks of its own, with a thread for each column and at most 256 of them.
    A block looks at the indices of all updates, a warp at 32 at once. If an earlier one is the same,
    the block has nothing to do; else it runs its update and all later ones with that index, in the loops' order.
    The loops through the updates have constant bounds and carry nothing for that, and an
    update has one index for all columns. Where that is not so, or blocks would be more than
    `most-update-blocks`, elements are dealt out to up to 32 parts of threads, each of which
    goes through all updates and runs those of its own elements.

    The option's default is a power of two below half of where both take as long. To go through
    updates takes some 200 cycles for each (125 ns on an H100). A block looks at 32 updates with a dozen
    instructions of a warp, of which 132 multiprocessors run 528 in a cycle: for each
    update, as many cycles as there are blocks, divided by 1,400. That is even at 280,000 blocks.

    What reads or writes a buffer without elements is taken out first: it stands where nothing runs it.

    **Input.** Loops and branches without results, of `scf.for`, `scf.while`, `scf.if`,
    loads, stores and arithmetic that device code has; buffers from outside have known
    extents and strides; numbers from outside are of 1 to 64 bits, or indices. Others stay
    for the host, and those in them are looked at; with `report`, a remark says why.

    The kernel's arguments are `in0` and on, buffers that are read; `number0` and on, numbers,
    as memory of one element, which is freed behind the launch; `out0` and on, buffers that
    are written, which this kernel may read, too. Buffers are windows as in
    `convert-copies-to-kernels`.

    ```mlir
    func.func @scatter(%at: memref<32xi64>, %from: memref<32xf32>, %to: memref<10xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      scf.for %i = %c0 to %c32 step %c1 {
        %n = memref.load %at[%i] : memref<32xi64>
        %j = arith.index_cast %n : i64 to index
        %x = memref.load %from[%i] : memref<32xf32>
        %y = memref.load %to[%j] : memref<10xf32>
        %z = arith.addf %y, %x : f32
        memref.store %z, %to[%j] : memref<10xf32>
      }
      return
    }
    ```

    becomes

    ```
    func.func @scatter(%at: memref<32xi64>, %from: memref<32xf32>, %to: memref<10xf32>) {
      amp.launch_kernels @loop_0 ins(in0 = %at, in1 = %from) outs(out0 = %to) : ...
      return
    }
    gpu.module @loop_0 {...}
    ```
  }];
  let options = [
    Option<"mostUpdateBlocks", "most-update-blocks", "int64_t", "131072",
           "updates of a scatter have blocks of their own if these are at most so many">,
    Option<"report", "report", "bool", "false",
           "a remark for each loop that stays as it is">,
  ];
  let statistics = [
    Statistic<"numConverted", "loops converted", "Loops that became launches">,
    Statistic<"numShared", "loops shared", "Launches of more than one thread with work">,
    Statistic<"numDeclined", "loops declined", "Loops left as they are">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// BatchLaunches
//===----------------------------------------------------------------------===//

def VerifyDeviceLoweringPass : Pass<"amp-verify-device-lowering", "ModuleOp"> {
  let summary = "refuse elements that the host would handle one by one";
  let description = [{
    Runs when everything that can be a kernel is one. What is left works on the host, with a call of the
    runtime that waits for each element: the right numbers, thousands of times later than
    a kernel would have them. A user should hear of it here, not of a step that takes minutes.

    Refused, where it stands in the source and with what a kernel misses: the outermost loops
    (`scf.for`, `scf.while`, `scf.parallel`, `scf.forall`) that load or store elements, launch no kernel and copy no tensor,
    and copies that are not of consecutive bytes. Single elements are left, as a
    number that is read for a condition; so are those in loops that launch
    kernels or copy, which wait once for each iteration. Changes nothing.

    Where extents are unknown, it says whether those of the batch would help. They do not where an extent is computed from
    an element, or where a loop, a block or a call decides on it; a note says which. Complex numbers in memory
    can be two tensors.

    Accepted:
    ```mlir
    func.func @more(%loss: memref<f32>, %least: f32) -> i1 {
      %value = memref.load %loss[] : memref<f32>
      %more = arith.cmpf ogt, %value, %least : f32
      return %more : i1
    }
    ```
  }];
}

def BatchLaunchesPass : Pass<"amp-batch-launches", "ModuleOp"> {
  let summary = "run launches of the same kernel as one launch";
  let description = [{
    Layers of one shape launch the same small kernels, such as the last sum of the parts of a norm's
    gradient, and each launch costs more than its work. Launches of a block that have one kernel and do not
    depend on each other become one, and a `gpu.module` with its kernel is added to the
    module. What a kernel does makes no difference; where launches compute the same with
    other shapes, see `convert-elementwise-to-multi-tensor-kernels`.

    **Input.** Launches on tensors of a module with one kernel,

    1. whose arguments are memory: no tensor maps, tables, numbers, or memory that has to be prepared;
    2. whose blocks know of each other by their number alone: no clusters;
    3. whose results are in memory of their own (`tensor.empty`);
    4. which have operands of at most `small-bytes`.

    Others stay as they are; with `report`, a remark says why.

    **The launch** stands where the last of its launches stood. What depends on the others moves
    behind it; what has an effect, regions, or operands and results of more than `small-bytes` does not
    move, and ends a batch before it.

    **The kernel** has the blocks of all launches, one behind the other, and its parameter
    `launches` is a table of addresses, a row for each launch (`kind = "table"`, see `amp-generate-gemm`). What is `in0` of launch 3
    is `in0_3`. As many share a launch as `parameter-bytes` have addresses; if there are more, there are several of
    about as many.

    **Guarantee.** Results have the bits of the launches alone.

    ```mlir
    func.func @twice(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
      %0 = tensor.empty() : tensor<32xf32>
      %1 = amp.launch_kernels @double ins(in0 = %x) outs(out0 = %0) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      %2 = tensor.empty() : tensor<32xf32>
      %3 = amp.launch_kernels @double ins(in0 = %y) outs(out0 = %2) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
      return %1, %3 : tensor<32xf32>, tensor<32xf32>
    }
    gpu.module @double {
      llvm.func @double(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {
          gpu.kernel, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 32, 1, 1>,
          amp.launch = {order = 0, grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>,
                        cluster = array<i64: 1, 1, 1>, shared_memory = 0, arguments = [
                          {kind = "buffer", name = "in0", type = f32, elements = 32},
                          {kind = "buffer", name = "out0", type = f32, elements = 32}
                        ]}} {
        %thread = nvvm.read.ptx.sreg.tid.x : i32
        %from = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %x = llvm.load %from : !llvm.ptr<1> -> f32
        %y = llvm.fadd %x, %x : f32
        %to = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %y, %to : f32, !llvm.ptr<1>
        llvm.return
      }
    }
    ```

    becomes

    ```
    func.func @twice(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
      %0 = tensor.empty() : tensor<32xf32>
      %1 = tensor.empty() : tensor<32xf32>
      %2:2 = amp.launch_kernels @batch_0 ins(in0_0 = %x, in0_1 = %y) outs(out0_0 = %0, out0_1 = %1)
          : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
      return %2#0, %2#1 : tensor<32xf32>, tensor<32xf32>
    }
    gpu.module @batch_0 {...}
    ```
  }];
  let options = [
    Option<"parameterBytes", "parameter-bytes", "int64_t", "4096",
           "bytes of a kernel's parameters; more than 4096 need PTX 8.1 and a driver of CUDA 12.1">,
    Option<"smallBytes", "small-bytes", "int64_t", "1048576",
           "bytes of a launch's operands; of this order is what a GPU moves in the time of a launch">,
    Option<"report", "report", "bool", "false",
           "a remark for each launch that stays as it is">,
  ];
  let statistics = [
    Statistic<"numBatched", "launches batched", "Launches that became part of another">,
    Statistic<"numBatches", "launches", "Launches of several">,
    Statistic<"numDeclined", "launches declined", "Launches that can be part of no other">,
    Statistic<"numKernels", "kernels", "Different kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// AttentionToKernels
//===----------------------------------------------------------------------===//

def ConvertAttentionToKernelsPass : Pass<"convert-attention-to-kernels", "ModuleOp"> {
  let summary = "run attentions and their gradients as kernels that keep no scores";
  let description = [{
    softmax(scale * Q K^T + mask) V becomes one `amp.launch_kernels`, and its gradients,
    if they are there, another; a `gpu.module` is added for each (see
    `amp-generate-attention`). Scores and probabilities, which are as many as queries times
    keys, are then nowhere in memory: the forward launch leaves two numbers for each query
    from which the backward launch computes them again. Kernels are for every chip from
    sm_80 on.

    **Input.** As for `convert-linalg-to-tensor-core`, in front of which this runs:
    operations on tensors as generics, with elementwise chains fused. An attention is
    known by what it computes, whatever its operations are called and however they are
    fused:

    1. two products with f16 or bf16 operands and f32 sums, with up to two loops for batch and heads,
       of heads of 16, 32, 64 or 128 elements;
    2. between them exponentials of scores minus the greatest of their row, divided by
       their sum over keys; a row without a key may be set to 0;
    3. scores with a factor, constants above 0, which may also stand at Q and K, and a mask:
       a causal one, by comparing numbers of rows and columns, that adds -inf or puts a number
       of at most -1e8 in place; or numbers that are added;
    4. Q, K and V that lie somewhere in rows of a head in one piece each, at multiples of 16
       bytes: slices, reshapes, transposes and factors are looked through;
    5. a result that one operation reads, which rounds it, perhaps in another order;
    6. gradients in any form that equals E dP / Z - E (sum E dP) / Z^2, with exponentials
       E, their sum Z and dP = dO V^T, in the same block; their products are also read by one
       operation each, which rounds them;
    7. and nothing else is computed from the scores: probabilities that are returned, or
       dropped out, have to be computed anyway.

    **Guarantee.** Intermediate roundings of scores and of probabilities to 16 bits or more are left out, but for
    one of probabilities to half precision before each product; factors apply to f32
    scores. A key that a causal mask hides is not read, so that a NaN there stays
    there. All else is the same up to the order of sums.

    The `gpu.module` carries `amp.cost` for `chip`, as `convert-linalg-to-tensor-core` describes it, without tiles.

    ```mlir
    func.func @attention(%q: tensor<64x16xbf16>, %k: tensor<64x16xbf16>,
                         %v: tensor<64x16xbf16>) -> tensor<64x16xbf16> {
      %zero = arith.constant 0.0 : f32
      %least = arith.constant 0xFF800000 : f32
      %square = tensor.empty() : tensor<64x64xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<64x64xf32>)
          -> tensor<64x64xf32>
      %scores = linalg.generic {
          indexing_maps = [affine_map<(i, j, e) -> (i, e)>, affine_map<(i, j, e) -> (j, e)>,
                           affine_map<(i, j, e) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%q, %k : tensor<64x16xbf16>, tensor<64x16xbf16>)
          outs(%zeros : tensor<64x64xf32>) {
      ^bb0(%l: bf16, %r: bf16, %out: f32):
        %0 = arith.extf %l : bf16 to f32
        %1 = arith.extf %r : bf16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %out, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<64x64xf32>
      %row = tensor.empty() : tensor<64xf32>
      %lows = linalg.fill ins(%least : f32) outs(%row : tensor<64xf32>) -> tensor<64xf32>
      %greatest = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%scores : tensor<64x64xf32>) outs(%lows : tensor<64xf32>) {
      ^bb0(%s: f32, %out: f32):
        %0 = arith.maximumf %s, %out : f32
        linalg.yield %0 : f32
      } -> tensor<64xf32>
      %powers = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%scores, %greatest : tensor<64x64xf32>, tensor<64xf32>)
          outs(%square : tensor<64x64xf32>) {
      ^bb0(%s: f32, %m: f32, %out: f32):
        %0 = arith.subf %s, %m : f32
        %1 = math.exp %0 : f32
        linalg.yield %1 : f32
      } -> tensor<64x64xf32>
      %none = linalg.fill ins(%zero : f32) outs(%row : tensor<64xf32>) -> tensor<64xf32>
      %total = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%powers : tensor<64x64xf32>) outs(%none : tensor<64xf32>) {
      ^bb0(%p: f32, %out: f32):
        %0 = arith.addf %p, %out : f32
        linalg.yield %0 : f32
      } -> tensor<64xf32>
      %half = tensor.empty() : tensor<64x64xbf16>
      %probabilities = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%powers, %total : tensor<64x64xf32>, tensor<64xf32>)
          outs(%half : tensor<64x64xbf16>) {
      ^bb0(%p: f32, %t: f32, %out: bf16):
        %0 = arith.divf %p, %t : f32
        %1 = arith.truncf %0 : f32 to bf16
        linalg.yield %1 : bf16
      } -> tensor<64x64xbf16>
      %wide = tensor.empty() : tensor<64x16xf32>
      %start = linalg.fill ins(%zero : f32) outs(%wide : tensor<64x16xf32>)
          -> tensor<64x16xf32>
      %sums = linalg.generic {
          indexing_maps = [affine_map<(i, e, j) -> (i, j)>, affine_map<(i, e, j) -> (j, e)>,
                           affine_map<(i, e, j) -> (i, e)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%probabilities, %v : tensor<64x64xbf16>, tensor<64x16xbf16>)
          outs(%start : tensor<64x16xf32>) {
      ^bb0(%l: bf16, %r: bf16, %out: f32):
        %0 = arith.extf %l : bf16 to f32
        %1 = arith.extf %r : bf16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %out, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<64x16xf32>
      %narrow = tensor.empty() : tensor<64x16xbf16>
      %result = linalg.generic {
          indexing_maps = [affine_map<(i, e) -> (i, e)>, affine_map<(i, e) -> (i, e)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%sums : tensor<64x16xf32>) outs(%narrow : tensor<64x16xbf16>) {
      ^bb0(%s: f32, %out: bf16):
        %0 = arith.truncf %s : f32 to bf16
        linalg.yield %0 : bf16
      } -> tensor<64x16xbf16>
      return %result : tensor<64x16xbf16>
    }
    ```

    becomes

    ```
    func.func @attention(...) -> tensor<64x16xbf16> {
      %empty = tensor.empty() : tensor<64x16xbf16>
      %o = amp.launch_kernels @attention_0 ins(q = %q, k = %k, v = %v) outs(o = %empty)
          : (tensor<64x16xbf16>, tensor<64x16xbf16>, tensor<64x16xbf16>, tensor<64x16xbf16>)
          -> tensor<64x16xbf16>
      return %o : tensor<64x16xbf16>
    }
    gpu.module @attention_0 {...}
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "a remark for each product that is none of an attention: the reason why">,
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "whose time is expected">,
  ];
  let statistics = [
    Statistic<"numConverted", "attentions converted", "Attentions that became launches">,
    Statistic<"numGradients", "gradients converted", "Those with their gradients">,
    Statistic<"numKernels", "kernel modules", "Different modules of kernels that were added">,
  ];
  let dependentDialects = ["::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// LinalgToTensorCore
//===----------------------------------------------------------------------===//

def ConvertLinalgToTensorCorePass : Pass<"convert-linalg-to-tensor-core", "ModuleOp"> {
  let summary = "run matrix products, and what follows them, as generated kernels";
  let description = [{
    Each contraction that a Tensor Core kernel can compute becomes one
    `amp.launch_kernels`, and a `gpu.module` with the kernel is added to the
    module. Equal kernels are there once.

    **Input.** A step on tensors, as `amp-mixed-precision` and the preparation of
    `amp-to-host` leave it. A contraction is recognised by its body (`out + a * b`)
    and its maps, whatever it is called: `linalg.matmul`, `linalg.contract` and a
    `linalg.generic` are the same. It is taken if

    1. its shapes are static, with elements, and its tensors have no encoding;
    2. its sums are f32 and its operands are f16, bf16, f8 (sm_90a) or f32, also
       where a wider operand was made from a narrow one: then the narrow one is
       read;
    3. each dimension of an operand is one loop, and loops that both operands and the
       result have are a batch; or it is a convolution of two dimensions, or the
       gradient of its filters, with images N,H,W,C and filters
       K,R,S,C, in groups N,H,W,G,C and G,K,R,S,C
       (`amp-assign-layouts` sees to that), and its windows go to the end of
       the image, or of one that was cut off behind them. Depthwise filters R,S,G are read
       where an operation moved them from, or transposed; their gradient is transposed, and has no epilogue. A `tensor.pad` of zeros is
       part of the kernel. A convolution of filters that an operation made of others
       with their taps reversed and K and C exchanged is the gradient of an image: it
       reads the gradient of the output without zeros that were inserted between
       pixels or around them, and the filters as they were; so does the gradient of
       filters where zeros are between pixels;
    4. what its sums start with is zero, or its result lies in the order batch,
       rows, columns;
    5. it is a product of two matrices: a matrix and a vector are a sum like those of
       a norm, in whose group it is; and a kernel with one thread for each element of
       the result is not expected to take less than half its time (see
       docs/Rationale/Kernels.md). With `always`, neither is asked.

    **Operands** are followed through casts to wider types, reshapes, transposes
    and permutations to a tensor that is a matrix in memory, stored either way,
    with any row stride: [B, T, C] times [C, D] is one product of B * T rows. The
    matrices of a batch may lie anywhere that up to three loops lead to, as heads
    beside each other in [B, T, H, D] do, or be one matrix for all. Slices are read where they are,
    unless they begin at no multiple of 16 bytes; rows or matrices at others are loaded by threads, which takes
    several times as long. Where a copy to rows at such multiples (`tensor.insert_slice` into a `tensor.empty`) is expected
    to take less, there is one, as of logits with 50,257 columns; launches that read the same share it. An
    operand that is nowhere a matrix is copied into one by `linalg.transpose`; so
    is one of 8 bits whose K is not innermost.

    **Result.** It is written to where operations that only move it would take it, if
    nobody else reads it: heads back between rows and columns, or into a part of a
    tensor, as `tensor.concat` and `tensor.insert_slice` do; then the out is `partial`. A
    concatenation begins with a `tensor.empty` of its own, which `amp.own_memory` tells from others.
    Rows have a stride and columns follow one another, or the product is computed transposed, if its sums
    begin with zero; a part begins at a multiple of 16 bytes. If the kernel is expected to take longer
    than one in order and the copies, there are these.
    What lies otherwise is written in the order batch, rows, columns and copied. Rows at no multiple of 16 bytes are
    stored by threads, or where that takes longer than a copy, written further apart and taken from there by
    `tensor.extract_slice`, through which most kernels read.

    **Epilogue.** What may be computed with a product is decided by the fusion plan
    for the chip (`amp-annotate-fusion-plan` writes it down). Of its group, the
    kernel computes what leads to one value of f16, bf16 or f32, the last that it
    can: each value between has no other use, but for one where products alone read the
    last: it is a second result, as what an activation is the function of; each other operand can be read per
    column, per row, per element or as one number, and the operations are ones that
    device code has (see `amp-convert-kernels-to-nvvm`). The rest of the group stays
    as it is. Each rounding that the program states is kept. Operands that are cheap
    to compute from smaller ones are: a widened bias is read narrow, a comparison is
    made again from what it compared.

    **Checks.** An operation that ors bits of each element of the result into one i32,
    wherever the elements are moved, is part of the kernel: so a step's checks for
    overflows cost no pass over memory. Of a chain of such operations, each of which begins with what
    the one before found, the launches have one number that they or into, an out that is `partial`,
    and the chain ends with it. One check of a result, in its block; not of what is inserted into more, and not
    of depthwise convolutions.

    **Guarantee.** The result is the same up to the order of summation, and without `tf32`.

    With `tf32`, a matrix product or convolution of f32 operands runs on Tensor Cores where that is expected to take less
    time: they read the 10 upper bits of each fraction, so that an operand has a relative error of 2^-10 (cut off, by wgmma
    on sm_90a) or 2^-11 (rounded, by mma.sync before); sums are f32. wgmma needs K innermost in both operands. Of a product, one
    that lies otherwise is copied, which counts. A convolution has it; gradients run as kernels with mma.sync for sm_90,
    and one of an image without strides as a convolution of filters that are copied, where that is faster. What is no
    faster stays in f32; a remark of `report` has a note that says why. With `always`, all that tf32 kernels take runs there.

    With `report`, each contraction gets a remark: what was chosen, or why not, with
    a note at the first operation of its group that is not part of the kernel. The
    `gpu.module` carries `amp.cost`, a dictionary: `chip`, `tile`, `stages`,
    `cluster`, `split_k` and `raster_group` as chosen; `flops` and `bytes` of the
    problem, and the `traffic` with memory that is expected of this raster; `waves`
    of tiles and their `wave_efficiency`; cycles of one stage of a tile for the
    Tensor Cores, shared memory and the L2 cache, and of a tile for its epilogue, of which `epilogue_instructions` are
    those for one element; expected `seconds`,
    `share_of_peak` and what it is `bound` by. A depthwise kernel has no tiles and nothing of them. What `chip=sm_90a` has no kernel for, f32 and gradients in tf32, runs as a kernel for sm_90.

    ```mlir
    func.func @linear(%x: tensor<4x32x64xbf16>, %w: tensor<128x64xbf16>,
                      %bias: tensor<128xf32>) -> tensor<4x32x128xbf16> {
      %c0 = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<4x32x128xf32>
      %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<4x32x128xf32>)
          -> tensor<4x32x128xf32>
      %sum = linalg.generic {
          indexing_maps = [affine_map<(b, t, n, k) -> (b, t, k)>,
                           affine_map<(b, t, n, k) -> (n, k)>,
                           affine_map<(b, t, n, k) -> (b, t, n)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<4x32x64xbf16>, tensor<128x64xbf16>)
          outs(%zero : tensor<4x32x128xf32>) {
      ^bb0(%l: bf16, %r: bf16, %out: f32):
        %0 = arith.extf %l : bf16 to f32
        %1 = arith.extf %r : bf16 to f32
        %2 = arith.mulf %0, %1 : f32
        %3 = arith.addf %out, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<4x32x128xf32>
      %biased = linalg.generic {
          indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>,
                           affine_map<(b, t, n) -> (n)>,
                           affine_map<(b, t, n) -> (b, t, n)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%sum, %bias : tensor<4x32x128xf32>, tensor<128xf32>)
          outs(%empty : tensor<4x32x128xf32>) {
      ^bb0(%s: f32, %v: f32, %out: f32):
        %0 = arith.addf %s, %v : f32
        linalg.yield %0 : f32
      } -> tensor<4x32x128xf32>
      %result = arith.truncf %biased : tensor<4x32x128xf32> to tensor<4x32x128xbf16>
      return %result : tensor<4x32x128xbf16>
    }
    ```

    becomes

    ```
    func.func @linear(...) -> tensor<4x32x128xbf16> {
      %d = tensor.empty() : tensor<4x32x128xbf16>
      %0 = amp.launch_kernels @gemm_0 ins(a = %x, b = %w, operand0 = %bias) outs(d = %d)
          : (tensor<4x32x64xbf16>, tensor<128x64xbf16>, tensor<128xf32>,
             tensor<4x32x128xbf16>) -> tensor<4x32x128xbf16>
      return %0 : tensor<4x32x128xbf16>
    }
    gpu.module @gemm_0 {...} // 128x128x64, layout nt, bias by column
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "what kernels are for">,
    Option<"table", "table", "std::string", "\"\"",
           "file of measured choices, which overrule the cost model">,
    Option<"always", "always", "bool", "false",
           "take also what a plain kernel is expected to compute in half the time">,
    Option<"tf32", "tf32", "bool", "false",
           "read f32 operands of matrix products and convolutions as tf32">,
    Option<"report", "report", "bool", "false",
           "a remark for each contraction: the kernel, or the reason why not">,
  ];
  let statistics = [
    Statistic<"numConverted", "contractions converted",
              "Contractions that became launches">,
    Statistic<"numDeclined", "contractions declined", "Contractions left as they are">,
    Statistic<"numAbsorbed", "operations absorbed",
              "Elementwise operations that kernels compute">,
    Statistic<"numKept", "second results", "Values that kernels store beside their results">,
    Statistic<"numChecks", "checks", "Checks of results that kernels make">,
    Statistic<"numCopies", "copies", "Operands and results that are copied in memory">,
    Statistic<"numKernels", "kernels", "Different modules of kernels">
  ];
  let dependentDialects = [
    "::mlir::amp::AmpDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def EstimateStepPass : Pass<"amp-estimate-step", "ModuleOp"> {
  let summary = "leave the time that a step is expected to take, by a model";
  let description = [{
    Leaves on the module, as `amp.expected_seconds`, what the launches and copies of its train step (by
    `amp.signature`) are expected to take one after the other on `chip`. A model, not a measurement:

    - kernels with an `amp.cost` (products and convolutions, which were chosen by it, and attentions) take its `seconds`;
    - all others take a launch that waits for the one before, 2.5 us, and the bytes of their operands at what
      memory keeps up (docs/Rationale/Kernels.md). What such a kernel computes, and what one thread does alone, is not in it.

    Of branches the one counts that takes most, and a loop for each of its rounds, if their number is known. The
    host's part, its reads among it, does not count, nor does what a graph of the device would save.
    Runs on buffers, before kernels become images.

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
    module attributes {amp.expected_seconds = 2.5000424543946935E-6 : f64} {
      func.func @step(%x: memref<16xf32>, %y: memref<16xf32>) attributes {
          amp.signature = {kind = "train_step"}} {
        memref.copy %x, %y : memref<16xf32> to memref<16xf32>
        return
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "what kernels are for">,
  ];
}

def AnnotateFusionPlanPass : Pass<"amp-annotate-fusion-plan", "::mlir::func::FuncOp"> {
  let summary = "write down which operations share a pass on a GPU";
  let description = [{
    The fusion plan (`amp/Fusion/FusionPlan.h`) for a multiprocessor of `chip`, which
    conversions to its kernels read, as attributes. Operations that share a pass over
    memory get the same number, `amp.fusion_group`; what is computed by itself gets
    none. A function gets `amp.fusion_bytes`, a dictionary: bytes that its operations
    read and write one by one (`before`), and with each tensor once for each group
    that reads or writes it (`after`). What is in a branch or in a loop counts once.

    A product, also a convolution, has in its group the operations that need one of
    its sums, which are in registers, for each element that they compute, and what
    makes something larger for these alone, as a broadcast of a bias does. A softmax, a
    norm or an optimizer is a group as it is on the host, and a sum that no block can
    have all of may be in parts, which another kernel combines. Nothing else changes, and
    no pass reads the attributes.

    Before:
    ```mlir
    func.func @linear(%x: tensor<32x64xf16>, %w: tensor<64x128xf16>, %bias: tensor<128xf32>)
        -> (tensor<32x128xf32>, tensor<32xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<32x128xf32>
      %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x128xf32>) -> tensor<32x128xf32>
      %sums = linalg.matmul ins(%x, %w : tensor<32x64xf16>, tensor<64x128xf16>)
          outs(%start : tensor<32x128xf32>) -> tensor<32x128xf32>
      %wide = linalg.broadcast ins(%bias : tensor<128xf32>) outs(%empty : tensor<32x128xf32>)
          dimensions = [0]
      %y = arith.addf %sums, %wide : tensor<32x128xf32>
      %none = tensor.empty() : tensor<32xf32>
      %first = linalg.fill ins(%zero : f32) outs(%none : tensor<32xf32>) -> tensor<32xf32>
      %norm = linalg.reduce {arith.addf} ins(%y : tensor<32x128xf32>)
          outs(%first : tensor<32xf32>) dimensions = [1]
      return %y, %norm : tensor<32x128xf32>, tensor<32xf32>
    }
    ```

    After:
    ```mlir
    func.func @linear(%x: tensor<32x64xf16>, %w: tensor<64x128xf16>, %bias: tensor<128xf32>)
        -> (tensor<32x128xf32>, tensor<32xf32>)
        attributes {amp.fusion_bytes = {after = 53888 : i64, before = 152448 : i64}} {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<32x128xf32>
      %start = linalg.fill {amp.fusion_group = 0 : i64} ins(%zero : f32)
          outs(%empty : tensor<32x128xf32>) -> tensor<32x128xf32>
      %sums = linalg.matmul {amp.fusion_group = 0 : i64}
          ins(%x, %w : tensor<32x64xf16>, tensor<64x128xf16>)
          outs(%start : tensor<32x128xf32>) -> tensor<32x128xf32>
      %wide = linalg.broadcast ins(%bias : tensor<128xf32>) outs(%empty : tensor<32x128xf32>)
          dimensions = [0] {amp.fusion_group = 0 : i64}
      %y = arith.addf %sums, %wide {amp.fusion_group = 0 : i64} : tensor<32x128xf32>
      %none = tensor.empty() : tensor<32xf32>
      %first = linalg.fill {amp.fusion_group = 1 : i64} ins(%zero : f32)
          outs(%none : tensor<32xf32>) -> tensor<32xf32>
      %norm = linalg.reduce {arith.addf} ins(%y : tensor<32x128xf32>)
          outs(%first : tensor<32xf32>) dimensions = [1] {amp.fusion_group = 1 : i64}
      return %y, %norm : tensor<32x128xf32>, tensor<32xf32>
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "whose multiprocessors the plan is for">,
  ];
}

#endif // AMP_CONVERSION_DEVICE_PASSES

// RUN: amp-opt %s --convert-linalg-to-host-loops --canonicalize --cse | FileCheck %s
// RUN: amp-opt %s --convert-linalg-to-host-loops | FileCheck %s --check-prefix=ANNOTATIONS

#id4 = affine_map<(a, b, c, d) -> (a, b, c, d)>

// ANNOTATIONS-DAG: #[[INTERLEAVE:.*]] = #llvm.loop_interleave<count = 4 : i32>
// ANNOTATIONS-DAG: #llvm.loop_annotation<interleave = #[[INTERLEAVE]], unroll =

// Elementwise on contiguous buffers: one loop over all elements.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG:     %[[N:.*]] = arith.constant 2048 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N]]
// CHECK-NOT:     scf.for
// CHECK:           memref.load %{{.*}}[%[[I]]]
// CHECK:           arith.truncf
func.func @elementwise(%x: memref<16x8x4x4xf32>, %y: memref<16x8x4x4xf16>) {
  linalg.generic {indexing_maps = [#id4, #id4],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<16x8x4x4xf32>) outs(%y : memref<16x8x4x4xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  }
  return
}

// A value per channel is constant in the merged inner loops and breaks the rest.
// CHECK-LABEL: func.func @broadcast
// CHECK-DAG:     %[[INNER:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[CHANNELS:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[BATCH:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} to %[[BATCH]]
// CHECK:           scf.for %[[C:.*]] = %{{.*}} to %[[CHANNELS]]
// CHECK:             scf.for %{{.*}} to %[[INNER]]
// CHECK:               memref.load %{{.*}}[%[[C]]] : memref<8xf32
func.func @broadcast(%x: memref<4x8x4x4xf32>, %m: memref<8xf32>, %y: memref<4x8x4x4xf32>) {
  linalg.generic {indexing_maps = [#id4, affine_map<(a, b, c, d) -> (b)>, #id4],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %m : memref<4x8x4x4xf32>, memref<8xf32>) outs(%y : memref<4x8x4x4xf32>) {
  ^bb0(%in: f32, %mean: f32, %out: f32):
    %0 = arith.subf %in, %mean : f32
    linalg.yield %0 : f32
  }
  return
}

// A sum over the inner dimension: in registers; only the accumulation may be
// regrouped, not the addition before it.
// CHECK-LABEL: func.func @row_sum
// CHECK:         scf.for
// CHECK:           %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK:             %[[V:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:             arith.addf %[[V]], %[[ACC]] fastmath<reassoc> : f32
// CHECK:           memref.store %[[SUM]]
func.func @row_sum(%x: memref<4x64xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x64xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  }
  return
}

// A sum over images: each row of pixels is a partial sum from zero, and partial
// sums are added in order, without regrouping.
// CHECK-LABEL: func.func @channel_sum
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[PIXELS:.*]] = arith.constant 49 : index
// CHECK:         %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[PART:.*]] = scf.for %{{.*}} to %[[PIXELS]] {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32)
// CHECK:             arith.addf %{{.*}}, %[[ACC]] fastmath<reassoc> : f32
// CHECK:           %[[NEXT:.*]] = arith.addf %[[TOTAL]], %[[PART]] : f32
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         memref.store %[[SUM]]
func.func @channel_sum(%x: memref<4x8x7x7xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id4, affine_map<(a, b, c, d) -> (b)>],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : memref<4x8x7x7xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// A maximum has no partial sums.
// CHECK-LABEL: func.func @channel_maximum
// CHECK:         scf.for %{{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}) -> (f32)
// CHECK:           scf.for %{{.*}} iter_args(%{{.*}} = %[[TOTAL]]) -> (f32)
func.func @channel_maximum(%x: memref<4x8x7x7xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id4, affine_map<(a, b, c, d) -> (b)>],
                  iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : memref<4x8x7x7xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// A long sum is cut in blocks of equal length.
// CHECK-LABEL: func.func @long_sum
// CHECK-DAG:     %[[BLOCKS:.*]] = arith.constant 16 : index
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 3125 : index
// CHECK:         scf.for %{{.*}} to %[[BLOCKS]]
// CHECK:           scf.for %{{.*}} to %[[BLOCK]]
func.func @long_sum(%x: memref<50000xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<50000xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// An extent without a divisor for a block is summed in one loop.
// CHECK-LABEL: func.func @prime_sum
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @prime_sum(%x: memref<50021xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<50021xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// A sum over the outer dimension: the row of sums is the accumulator, and the
// order of additions is the order of rows.
// CHECK-LABEL: func.func @column_sum
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 64 : index
// CHECK:         scf.for %{{.*}} to %[[ROWS]]
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %[[COLUMNS]]
// CHECK:             memref.load %{{.*}}[%[[J]]] : memref<64xf32
// CHECK-NOT:         reassoc
// CHECK:             memref.store
func.func @column_sum(%x: memref<4x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// The output decides which dimension is innermost.
// CHECK-LABEL: func.func @transpose
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 64 : index
// CHECK:         scf.for %{{.*}} to %[[COLUMNS]]
// CHECK:           scf.for %{{.*}} to %[[ROWS]]
func.func @transpose(%x: memref<4x64xf32>, %y: memref<64x4xf32>) {
  linalg.transpose ins(%x : memref<4x64xf32>) outs(%y : memref<64x4xf32>) permutation = [1, 0]
  return
}

// A dimension whose index the body reads keeps a loop of its own.
// CHECK-LABEL: func.func @indexed
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for
// CHECK:             arith.index_cast %[[I]]
func.func @indexed(%y: memref<4x64xi64>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>],
                  iterator_types = ["parallel", "parallel"]} outs(%y : memref<4x64xi64>) {
  ^bb0(%out: i64):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    linalg.yield %1 : i64
  }
  return
}

// A copy into the middle of a padded image keeps the rows apart.
// CHECK-LABEL: func.func @strided_copy
// CHECK-NOT:     memref.copy
// CHECK:         scf.for
// CHECK:           scf.for
func.func @strided_copy(%x: memref<8x8xf16>, %y: memref<8x8xf16, strided<[10, 1], offset: 11>>) {
  memref.copy %x, %y : memref<8x8xf16> to memref<8x8xf16, strided<[10, 1], offset: 11>>
  return
}

// Unknown extents are left to convert-linalg-to-loops.
// CHECK-LABEL: func.func @dynamic
// CHECK:         linalg.fill
func.func @dynamic(%y: memref<?xf32>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%y : memref<?xf32>)
  return
}

// Nor is an operand that is walked backwards taken.
// CHECK-LABEL: func.func @backwards
// CHECK:         linalg.generic
func.func @backwards(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// A sum that its own value changes in another way as well is computed in the order of the
// elements, from where it stands.
// CHECK-LABEL: func.func @no_plain_sum
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[P:.*]] = arith.mulf %[[ACC]], %{{.*}} : f32
// CHECK:           arith.addf %[[ACC]], %[[P]] : f32
func.func @no_plain_sum(%x: memref<8192xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]} ins(%x : memref<8192xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %acc: f32):
    %p = arith.mulf %acc, %in : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The index of a loop of one round is 0; a long sum that asks for its index is not cut.
// CHECK-LABEL: func.func @index_of_one
// CHECK:         arith.constant 0 : i64
// CHECK:         return
func.func @index_of_one(%y: memref<1x8xi64>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>],
                  iterator_types = ["parallel", "parallel"]} outs(%y : memref<1x8xi64>) {
  ^bb0(%out: i64):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    linalg.yield %1 : i64
  }
  return
}

// CHECK-LABEL: func.func @sum_with_index
// CHECK-DAG:     %[[N:.*]] = arith.constant 8192 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N]]
// CHECK:           arith.index_cast %[[I]]
// CHECK:         return
func.func @sum_with_index(%x: memref<8192xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]} ins(%x : memref<8192xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %f = arith.sitofp %j : i64 to f32
    %p = arith.mulf %f, %in : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// A long reduction has several accumulators; a short one has not the time.
// CHECK-LABEL: func.func @accumulators
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           arith.maximumf
// CHECK:         } {loop_annotation = #[[LONG:.*]]}
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           arith.maximumf
// CHECK:         } {loop_annotation = #[[SHORT:.*]]}
func.func @accumulators(%x: memref<4x128xf32>, %y: memref<4x64xf32>, %a: memref<4xf32>, %b: memref<4xf32>) {
  linalg.reduce {arith.maximumf} ins(%x : memref<4x128xf32>) outs(%a : memref<4xf32>) dimensions = [1]
  linalg.reduce {arith.maximumf} ins(%y : memref<4x64xf32>) outs(%b : memref<4xf32>) dimensions = [1]
  return
}

// A sum whose running value another output is made of starts where it is, in one
// loop, and is not regrouped; the other may be.
// CHECK-LABEL: func.func @running
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:           %[[K:.*]] = arith.addf %{{.*}}, %{{[0-9]+}} : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %{{.*}}, %[[K]] fastmath<reassoc> : f32
// CHECK-NEXT:      scf.yield %[[K]], %[[Y]]
// CHECK-NOT:     arith.addf
// CHECK:         return
func.func @running(%x: memref<512xf32>, %a: memref<f32>, %b: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%a, %b : memref<f32>, memref<f32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %k = arith.addf %o, %v : f32
    %y = arith.addf %p, %k : f32
    linalg.yield %k, %y : f32, f32
  }
  return
}

// Near miss: two sums that know nothing of each other.
// CHECK-LABEL: func.func @two_sums
// CHECK-COUNT-2: arith.addf %{{.*}} fastmath<reassoc>
func.func @two_sums(%x: memref<512xf32>, %a: memref<f32>, %b: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<512xf32>) outs(%a, %b : memref<f32>, memref<f32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %k = arith.addf %o, %v : f32
    %s = arith.mulf %v, %v : f32
    %y = arith.addf %p, %s : f32
    linalg.yield %k, %y : f32, f32
  }
  return
}

// A polynomial by Horner's rule: its loops stay in their order, though the inner
// one walks by 16; a sum's change places.
// CHECK-LABEL: func.func @horner
// CHECK-DAG:     %[[OUTER:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[INNER:.*]] = arith.constant 24 : index
// CHECK:         scf.for %{{.*}} to %[[OUTER]]
// CHECK:           scf.for %{{.*}} to %[[INNER]]
// CHECK:             arith.mulf
// CHECK-LABEL: func.func @sum_of_columns
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 24 : index
// CHECK:         scf.for %{{.*}} to %[[COLUMNS]]
// CHECK:           scf.for %{{.*}} to %[[ROWS]]
func.func @horner(%x: memref<24x8xf32, strided<[16, 1]>>, %c: f32, %p: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> ()>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<24x8xf32, strided<[16, 1]>>) outs(%p : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.mulf %o, %c : f32
    %s = arith.addf %m, %v : f32
    linalg.yield %s : f32
  }
  return
}
func.func @sum_of_columns(%x: memref<24x8xf32, strided<[16, 1]>>, %p: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> ()>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<24x8xf32, strided<[16, 1]>>) outs(%p : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  return
}

// A part that begins where only the run knows is one loop as well.
// CHECK-LABEL: func.func @part
// CHECK:         %[[PART:.*]] = memref.subview
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[PART]]
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast %[[PART]] to offset: [%[[OFFSET]]], sizes: [256], strides: [1]
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %c256
// CHECK:           memref.store %{{.*}}, %[[FLAT]][%[[I]]]
func.func @part(%x: memref<64x64xf32>, %i: index, %v: f32) {
  %part = memref.subview %x[%i, 0] [4, 64] [1, 1] : memref<64x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
  linalg.fill ins(%v : f32) outs(%part : memref<4x64xf32, strided<[64, 1], offset: ?>>)
  return
}

// What only checks has no output: its loops run as memory that it reads lies, here one
// loop though the operation walks it by columns.
// CHECK-LABEL: func.func @check
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 128 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[ALL]]
// CHECK-NOT:     scf.for
// CHECK:           memref.load %{{.*}}[%[[I]]]
// CHECK:           cf.assert
func.func @check(%x: memref<4x32xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x32xi64>) {
  ^bb0(%in: i64):
    %zero = arith.constant 0 : i64
    %0 = arith.cmpi sge, %in, %zero : i64
    cf.assert %0, "index is negative"
    linalg.yield
  }
  return
}

// What no loop walks is read once, and so is what the body computes of that alone; an element of the output, or what
// is computed of one, is not.
// CHECK-LABEL: func @uniform
// CHECK-SAME:    (%[[X:.*]]: memref<4x8x8xf32, strided<[128, 8, 1]>>, %[[STEP:.*]]: memref<f32>, %[[BETA:.*]]: f32,
// CHECK-NOT:     scf.for
// CHECK:         %[[T:.*]] = memref.load
// CHECK:         %[[P:.*]] = math.powf %[[BETA]], %[[T]]
// CHECK:         %[[R:.*]] = arith.subf %{{.*}}, %[[P]]
// CHECK:         scf.for
// CHECK-NOT:       math.powf
// CHECK:           arith.divf %{{.*}}, %[[R]]
// CHECK:           math.sqrt
func.func @uniform(%x: memref<4x8x8xf32, strided<[128, 8, 1]>>, %step: memref<f32>, %beta: f32, %y: memref<4x8x8xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> ()>, affine_map<(i, j, k) -> ()>,
                                   affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %step, %beta : memref<4x8x8xf32, strided<[128, 8, 1]>>, memref<f32>, f32) outs(%y : memref<4x8x8xf32>) {
  ^bb0(%a: f32, %t: f32, %b: f32, %o: f32):
    %p = math.powf %b, %t : f32
    %r = arith.subf %one, %p : f32
    %d = arith.divf %a, %r : f32
    %s = math.sqrt %d : f32
    linalg.yield %s : f32
  }
  return
}

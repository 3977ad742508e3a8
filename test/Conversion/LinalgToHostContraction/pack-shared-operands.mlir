// RUN: amp-opt %s --amp-pack-shared-operands="vector-bits=256" --split-input-file | FileCheck %s
// RUN: amp-opt %s --amp-pack-shared-operands="vector-bits=512" --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: amp-opt %s --amp-pack-shared-operands="vector-bits=512 bf16=pairs" --split-input-file | FileCheck %s --check-prefix=PAIRS
// RUN: not amp-opt %s --amp-pack-shared-operands="cpu=z80" 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: error: expected 'cpu' to be 'native' or an x86-64 CPU that LLVM knows, such as 'znver4', but got 'z80'

// Two panels of 16 columns, made where the weight is defined; the second product adds to what the first one gave.
// CHECK-DAG:   #[[SOURCE:.+]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG:   #[[ROWS:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG:   #[[PANELS:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-LABEL: func.func @two_products
// CHECK-SAME:    (%[[X:.+]]: tensor<4x8xf32>, %[[Y:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<32x8xf32>, %[[Z:.+]]: tensor<4x32xf32>)
// CHECK:         %[[COLUMNS:.+]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2]] output_shape [2, 16, 8]
// CHECK:         %[[PACKED:.+]] = linalg.generic {indexing_maps = [#[[SOURCE]], #{{.+}}]{{.*}} ins(%[[COLUMNS]] :{{.*}} outs(%{{.+}} : tensor<2x8x16xf32>)
// CHECK:         %[[INIT:.+]] = tensor.expand_shape %[[Z]] {{\[\[}}0], [1, 2]] output_shape [4, 2, 16]
// CHECK:         %[[A:.+]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[PANELS]], #{{.+}}]
// CHECK-SAME:      ins(%[[X]], %[[PACKED]] : {{.*}}) outs(%[[INIT]] :
// CHECK:         %[[FIRST:.+]] = tensor.collapse_shape
// CHECK:         %[[INIT2:.+]] = tensor.expand_shape %[[FIRST]]
// CHECK:         linalg.generic {{.*}} ins(%[[Y]], %[[PACKED]] : {{.*}}) outs(%[[INIT2]] :
// CHECK-NOT:     linalg.generic
// One panel of 32 with vectors of 512 bits.
// WIDE-LABEL:  func.func @two_products
// WIDE:          outs(%{{.+}} : tensor<1x8x32xf32>)
func.func @two_products(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<32x8xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<32x8xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<4x8xf32>, tensor<32x8xf32>) outs(%a : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %b : tensor<4x32xf32>
}

// -----

// What is filled is filled as the product writes it, and the fill that nobody reads goes.
// CHECK-LABEL: func.func @filled
// CHECK-NOT:     outs(%{{.+}} : tensor<4x32xf32>)
// CHECK:         linalg.fill {{.*}} -> tensor<4x2x16xf32>
// CHECK:         linalg.generic
// CHECK:         linalg.fill {{.*}} -> tensor<4x2x16xf32>
// CHECK:         linalg.generic
func.func @filled(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x32xf32>) -> tensor<4x32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<4x8xf32>, tensor<8x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %a, %b : tensor<4x32xf32>, tensor<4x32xf32>
}

// -----

// Halves are widened as they are packed; where the machine multiplies pairs of them, they are left.
// CHECK-LABEL: func.func @halves
// CHECK:         arith.extf %{{.+}} : bf16 to f32
// CHECK-NEXT:    linalg.yield
// CHECK:         ins(%{{.+}}, %{{.+}} : tensor<4x8xbf16>, tensor<2x8x16xf32>)
// CHECK-NEXT:    ^bb0(%[[P:.+]]: bf16, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT:    arith.extf %[[P]]
// CHECK-NEXT:    arith.mulf
// PAIRS-LABEL: func.func @halves
// PAIRS-NOT:     expand_shape
// PAIRS:         return
func.func @halves(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>, %w: tensor<32x8xbf16>, %z: tensor<4x32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xbf16>, tensor<32x8xbf16>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: bf16, %q: bf16, %sum: f32):
    %v = arith.extf %p : bf16 to f32
    %u = arith.extf %q : bf16 to f32
    %product = arith.mulf %v, %u : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<4x8xbf16>, tensor<32x8xbf16>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: bf16, %q: bf16, %sum: f32):
    %v = arith.extf %p : bf16 to f32
    %u = arith.extf %q : bf16 to f32
    %product = arith.mulf %v, %u : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %a, %b : tensor<4x32xf32>, tensor<4x32xf32>
}

// -----

// A product in a loop counts as two: panels are made in front of it.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:         linalg.yield
// CHECK:         scf.for
// CHECK:           ins(%{{.+}}, %{{.+}} : tensor<4x32xf32>, tensor<2x32x16xf32>)
func.func @in_a_loop(%x: tensor<4x32xf32>, %w: tensor<32x32xf32>, %z: tensor<4x32xf32>, %n: index) -> tensor<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4x32xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : tensor<4x32xf32>, tensor<32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
    scf.yield %a : tensor<4x32xf32>
  }
  return %last : tensor<4x32xf32>
}

// -----

// Near miss: another weight each time round.
// CHECK-LABEL: func.func @defined_in_the_loop
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @defined_in_the_loop(%x: tensor<4x32xf32>, %ws: tensor<9x32x32xf32>, %z: tensor<4x32xf32>, %n: index) -> tensor<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4x32xf32>) {
    %w = tensor.extract_slice %ws[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<9x32x32xf32> to tensor<32x32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %w : tensor<4x32xf32>, tensor<32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
    scf.yield %a : tensor<4x32xf32>
  }
  return %last : tensor<4x32xf32>
}

// -----

// Two fusion groups, whose tiles read panels that both share.
// CHECK-LABEL: func.func @tiles
// CHECK-COUNT-1: tensor<2x16x8xf32>
// CHECK:         scf.forall
// CHECK:           ins(%{{.+}}, %{{.+}} : tensor<16x8xf32>, tensor<2x8x16xf32>)
// CHECK:         scf.forall
// CHECK:           ins(%{{.+}}, %{{.+}} : tensor<16x8xf32>, tensor<2x8x16xf32>)
func.func @tiles(%x: tensor<256x8xf32>, %w: tensor<32x8xf32>, %z: tensor<256x32xf32>) -> (tensor<256x32xf32>, tensor<256x32xf32>) {
  %r = scf.forall (%i) = (0) to (256) step (16) shared_outs(%oi = %z) -> (tensor<256x32xf32>) {
    %xi = tensor.extract_slice %x[%i, 0] [16, 8] [1, 1] : tensor<256x8xf32> to tensor<16x8xf32>
    %zi = tensor.extract_slice %oi[%i, 0] [16, 32] [1, 1] : tensor<256x32xf32> to tensor<16x32xf32>
  %ai = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xi, %w : tensor<16x8xf32>, tensor<32x8xf32>) outs(%zi : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %ai into %oi[%i, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<256x32xf32>
    }
  }
  %s = scf.forall (%j) = (0) to (256) step (16) shared_outs(%oj = %z) -> (tensor<256x32xf32>) {
    %xj = tensor.extract_slice %x[%j, 0] [16, 8] [1, 1] : tensor<256x8xf32> to tensor<16x8xf32>
    %zj = tensor.extract_slice %oj[%j, 0] [16, 32] [1, 1] : tensor<256x32xf32> to tensor<16x32xf32>
  %aj = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xj, %w : tensor<16x8xf32>, tensor<32x8xf32>) outs(%zj : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %aj into %oj[%j, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<256x32xf32>
    }
  }
  return %r, %s : tensor<256x32xf32>, tensor<256x32xf32>
}

// -----

// Near miss: the tiles of one group keep panels themselves.
// CHECK-LABEL: func.func @one_group
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @one_group(%x: tensor<256x8xf32>, %w: tensor<32x8xf32>, %z: tensor<256x32xf32>) -> (tensor<256x32xf32>) {
  %r = scf.forall (%i) = (0) to (256) step (16) shared_outs(%oi = %z) -> (tensor<256x32xf32>) {
    %xi = tensor.extract_slice %x[%i, 0] [16, 8] [1, 1] : tensor<256x8xf32> to tensor<16x8xf32>
    %zi = tensor.extract_slice %oi[%i, 0] [16, 32] [1, 1] : tensor<256x32xf32> to tensor<16x32xf32>
  %ai = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xi, %w : tensor<16x8xf32>, tensor<32x8xf32>) outs(%zi : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %ai into %oi[%i, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<256x32xf32>
    }
  }
  return %r : tensor<256x32xf32>
}

// -----

// Near miss: 272 rows in all tiles, for which packing is little.
// CHECK-LABEL: func.func @many_tiles
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @many_tiles(%x: tensor<272x8xf32>, %w: tensor<32x8xf32>, %z: tensor<272x32xf32>) -> (tensor<272x32xf32>, tensor<272x32xf32>) {
  %r = scf.forall (%i) = (0) to (272) step (16) shared_outs(%oi = %z) -> (tensor<272x32xf32>) {
    %xi = tensor.extract_slice %x[%i, 0] [16, 8] [1, 1] : tensor<272x8xf32> to tensor<16x8xf32>
    %zi = tensor.extract_slice %oi[%i, 0] [16, 32] [1, 1] : tensor<272x32xf32> to tensor<16x32xf32>
  %ai = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xi, %w : tensor<16x8xf32>, tensor<32x8xf32>) outs(%zi : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %ai into %oi[%i, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<272x32xf32>
    }
  }
  %s = scf.forall (%j) = (0) to (272) step (16) shared_outs(%oj = %z) -> (tensor<272x32xf32>) {
    %xj = tensor.extract_slice %x[%j, 0] [16, 8] [1, 1] : tensor<272x8xf32> to tensor<16x8xf32>
    %zj = tensor.extract_slice %oj[%j, 0] [16, 32] [1, 1] : tensor<272x32xf32> to tensor<16x32xf32>
  %aj = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xj, %w : tensor<16x8xf32>, tensor<32x8xf32>) outs(%zj : tensor<16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %aj into %oj[%j, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<272x32xf32>
    }
  }
  return %r, %s : tensor<272x32xf32>, tensor<272x32xf32>
}

// -----

// A sum over two dimensions, with the columns between them.
// CHECK-LABEL: func.func @two_sums
// CHECK:         tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] output_shape [2, 2, 16, 8]
// CHECK:         ins(%{{.+}}, %{{.+}} : tensor<4x2x8xf32>, tensor<2x2x8x16xf32>)
func.func @two_sums(%x: tensor<4x2x8xf32>, %w: tensor<2x32x8xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n, l)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x8xf32>, tensor<2x32x8xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n, l)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<4x2x8xf32>, tensor<2x32x8xf32>) outs(%a : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %b : tensor<4x32xf32>
}

// -----

// Near miss: one product packs for itself.
// CHECK-LABEL: func.func @one_product
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @one_product(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<32x8xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<32x8xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %a : tensor<4x32xf32>
}

// -----

// Near miss: rows for the one, columns for the other.
// CHECK-LABEL: func.func @read_in_two_ways
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @read_in_two_ways(%x: tensor<4x32xf32>, %w: tensor<32x32xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x32xf32>, tensor<32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<4x32xf32>, tensor<32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %b : tensor<4x32xf32>
}

// -----

// Near miss: rows of A.
// CHECK-LABEL: func.func @as_left_operand
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @as_left_operand(%w: tensor<32x32xf32>, %x: tensor<32x32xf32>, %y: tensor<32x32xf32>, %z: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  return %a, %b : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// Near miss: the second product may not run.
// CHECK-LABEL: func.func @in_a_branch
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @in_a_branch(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<32x8xf32>, %z: tensor<4x32xf32>, %is: i1) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<32x8xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %r = scf.if %is -> (tensor<4x32xf32>) {
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<4x8xf32>, tensor<32x8xf32>) outs(%a : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
    scf.yield %b : tensor<4x32xf32>
  } else {
    scf.yield %a : tensor<4x32xf32>
  }
  return %r : tensor<4x32xf32>
}

// -----

// Near miss: a row is multiplied in place.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @one_row(%x: tensor<1x8xf32>, %w: tensor<32x8xf32>, %z: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x8xf32>, tensor<32x8xf32>) outs(%z : tensor<1x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x8xf32>, tensor<32x8xf32>) outs(%a : tensor<1x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x32xf32>
  return %b : tensor<1x32xf32>
}

// -----

// Near miss: more than 256 rows.
// CHECK-LABEL: func.func @many_rows
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @many_rows(%x: tensor<257x8xf32>, %w: tensor<32x8xf32>, %z: tensor<257x32xf32>) -> tensor<257x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<257x8xf32>, tensor<32x8xf32>) outs(%z : tensor<257x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<257x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<257x8xf32>, tensor<32x8xf32>) outs(%a : tensor<257x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<257x32xf32>
  return %b : tensor<257x32xf32>
}

// -----

// Near miss: 40 columns are two panels and a half.
// CHECK-LABEL: func.func @broken_panel
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @broken_panel(%x: tensor<4x8xf32>, %w: tensor<40x8xf32>, %z: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<40x8xf32>) outs(%z : tensor<4x40xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x40xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<40x8xf32>) outs(%a : tensor<4x40xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x40xf32>
  return %b : tensor<4x40xf32>
}

// -----

// Near miss: an extent that only a run knows.
// CHECK-LABEL: func.func @unknown_columns
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @unknown_columns(%x: tensor<4x8xf32>, %w: tensor<?x8xf32>, %z: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<?x8xf32>) outs(%z : tensor<4x?xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<?x8xf32>) outs(%a : tensor<4x?xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x?xf32>
  return %b : tensor<4x?xf32>
}

// -----

// Near miss: a matrix for each of a batch.
// CHECK-LABEL: func.func @batch
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @batch(%x: tensor<3x4x8xf32>, %w: tensor<3x32x8xf32>, %z: tensor<3x4x32xf32>) -> tensor<3x4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4x8xf32>, tensor<3x32x8xf32>) outs(%z : tensor<3x4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<3x4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4x8xf32>, tensor<3x32x8xf32>) outs(%a : tensor<3x4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<3x4x32xf32>
  return %b : tensor<3x4x32xf32>
}

// -----

// Near miss: columns in two dimensions.
// CHECK-LABEL: func.func @two_loops_of_columns
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @two_loops_of_columns(%x: tensor<4x8xf32>, %w: tensor<2x16x8xf32>, %z: tensor<4x2x16xf32>) -> tensor<4x2x16xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, o, k) -> (m, k)>, affine_map<(m, n, o, k) -> (n, o, k)>, affine_map<(m, n, o, k) -> (m, n, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<2x16x8xf32>) outs(%z : tensor<4x2x16xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x2x16xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, o, k) -> (m, k)>, affine_map<(m, n, o, k) -> (n, o, k)>, affine_map<(m, n, o, k) -> (m, n, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<2x16x8xf32>) outs(%a : tensor<4x2x16xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x2x16xf32>
  return %b : tensor<4x2x16xf32>
}

// -----

// The result of a product that reads panels is packed for its own readers, and another one is what they start from.
// CHECK-LABEL: func.func @of_products
// CHECK-SAME:    (%[[X:[^:]+]]: tensor<32x32xf32>, %[[Y:[^:]+]]: tensor<32x32xf32>, %[[W:[^:]+]]: tensor<32x32xf32>
// CHECK:         tensor.expand_shape %[[W]]
// CHECK:         %[[PANELS:.+]] = linalg.generic
// CHECK:         %[[H:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[PANELS]] :
// CHECK:         %[[FIRST:.+]] = tensor.collapse_shape %[[H]]
// CHECK:         tensor.expand_shape %[[FIRST]]
// CHECK:         %[[PANELS2:.+]] = linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%[[Y]], %[[PANELS]] :
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[PANELS2]] :
// CHECK:         linalg.generic {{.*}} ins(%[[Y]], %[[PANELS2]] :
func.func @of_products(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>, %w: tensor<32x32xf32>, %z: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %h = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %h : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %h : tensor<32x32xf32>, tensor<32x32xf32>) outs(%g : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  return %u, %v : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// So is what is a product of it with itself.
// CHECK-LABEL: func.func @with_itself
// CHECK-COUNT-2: tensor.expand_shape
// CHECK:         return
func.func @with_itself(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %h = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %h : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u, %h : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  return %v : tensor<32x32xf32>
}

// -----

// Near miss: extents that another operand's type says, not the matrix's.
// CHECK-LABEL: func.func @type_of_matrix
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @type_of_matrix(%x: tensor<32x32xf32>, %w: tensor<32x?xf32>, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x?xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x?xf32>) outs(%a : tensor<32x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x32xf32>
  return %b : tensor<32x32xf32>
}

// -----

// Near miss: nor the result's.
// CHECK-LABEL: func.func @type_of_result
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @type_of_result(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>, %z: tensor<32x?xf32>) -> tensor<32x?xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x?xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x?xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%a : tensor<32x?xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<32x?xf32>
  return %b : tensor<32x?xf32>
}

// -----

// Near miss: a number times each row, which is no matrix.
// CHECK-LABEL: func.func @number
// CHECK-NOT:     expand_shape
// CHECK:         return
func.func @number(%x: f32, %w: tensor<32x32xf32>, %z: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : f32, tensor<32x32xf32>) outs(%z : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : f32, tensor<32x32xf32>) outs(%a : tensor<4x32xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<4x32xf32>
  return %b : tensor<4x32xf32>
}

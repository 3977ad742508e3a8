// RUN: amp-opt %s --pass-pipeline="builtin.module(func.func(amp-copy-shared-starts))" --split-input-file | FileCheck %s

// All but the last of three results start as copies.

// CHECK-LABEL: func @tiles(
// CHECK:         %[[START:.+]] = linalg.exp
// CHECK:         %[[FIRST:.+]] = bufferization.alloc_tensor() copy(%[[START]]) : tensor<1xf32>
// CHECK:         %[[P:.+]] = linalg.abs {{.*}} outs(%[[FIRST]] :
// CHECK:         %[[SECOND:.+]] = bufferization.alloc_tensor() copy(%[[START]]) : tensor<1xf32>
// CHECK:         %[[Q:.+]] = linalg.ceil {{.*}} outs(%[[SECOND]] :
// CHECK:         %[[R:.+]] = linalg.floor {{.*}} outs(%[[START]] :
func.func @tiles(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = scf.forall (%i) in (4) shared_outs(%a = %e, %b = %e, %c = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %empty = tensor.empty() : tensor<1xf32>
    %start = linalg.exp ins(%part : tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
    %p = linalg.abs ins(%part : tensor<1xf32>) outs(%start : tensor<1xf32>) -> tensor<1xf32>
    %q = linalg.ceil ins(%part : tensor<1xf32>) outs(%start : tensor<1xf32>) -> tensor<1xf32>
    %r = linalg.floor ins(%part : tensor<1xf32>) outs(%start : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %q into %b[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %r into %c[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Near misses: one result alone, empty tensors, slices of what is outside (of zeros, as products start), no tiles.

// CHECK-LABEL: func @near_misses(
// CHECK-NOT:     bufferization.alloc_tensor
func.func @near_misses(%x: tensor<4xf32>, %zeros: tensor<4xf32>, %e: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = scf.forall (%i) in (4) shared_outs(%a = %e, %b = %e, %c = %e) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %empty = tensor.empty() : tensor<1xf32>
    %start = linalg.exp ins(%part : tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
    %p = linalg.abs ins(%start : tensor<1xf32>) outs(%start : tensor<1xf32>) -> tensor<1xf32>
    %zero = tensor.extract_slice %zeros[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %q = linalg.ceil ins(%part : tensor<1xf32>) outs(%zero : tensor<1xf32>) -> tensor<1xf32>
    %r = linalg.floor ins(%part : tensor<1xf32>) outs(%zero : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %q into %b[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %r into %c[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %empty = tensor.empty() : tensor<4xf32>
  %start = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.abs ins(%x : tensor<4xf32>) outs(%start : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.ceil ins(%x : tensor<4xf32>) outs(%start : tensor<4xf32>) -> tensor<4xf32>
  return %0#0, %0#1, %0#2, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

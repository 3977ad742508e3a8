// RUN: amp-opt %s --amp-write-results-in-place | FileCheck %s

func.func private @use(memref<8xf32>)

// CHECK-LABEL: func.func @result
// CHECK-SAME:    %[[OUT:.*]]: memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         call @use(%[[OUT]])
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @result(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  return
}

// The taken branch writes its new value in place, the other copies the old one.
// CHECK-LABEL: func.func @guarded
// CHECK-SAME:    %[[C:.*]]: i1, %[[OLD:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK:         scf.if %[[C]] {
// CHECK-NEXT:      func.call @use(%[[OUT]])
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.copy %[[OLD]], %[[OUT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @guarded(%c: i1, %old: memref<8xf32>, %out: memref<8xf32>) {
  %r = scf.if %c -> (memref<8xf32>) {
    %a = memref.alloc() : memref<8xf32>
    func.call @use(%a) : (memref<8xf32>) -> ()
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %old : memref<8xf32>
  }
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  return
}

// The buffer changes after it was copied.
// CHECK-LABEL: func.func @changed_later
// CHECK:         memref.copy
func.func @changed_later(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  return
}

// Somebody reads the target before the copy.
// CHECK-LABEL: func.func @target_read
// CHECK:         memref.copy
func.func @target_read(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  call @use(%out) : (memref<8xf32>) -> ()
  call @use(%a) : (memref<8xf32>) -> ()
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  return
}

// Between the branch and the copy somebody may write the branch's buffer.
// CHECK-LABEL: func.func @changed_after_branch
// CHECK:         %[[R:.*]] = scf.if
// CHECK:         call @use(%[[R]])
// CHECK:         memref.copy %[[R]]
func.func @changed_after_branch(%c: i1, %old: memref<8xf32>, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %old : memref<8xf32>
  }
  call @use(%r) : (memref<8xf32>) -> ()
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  return
}

// So does a copy that is not to a result.
// CHECK-LABEL: func.func @overwritten_after_branch
// CHECK:         %[[R:.*]] = scf.if
// CHECK:         memref.copy %{{.*}}, %[[R]]
// CHECK:         memref.copy %[[R]]
func.func @overwritten_after_branch(%c: i1, %old: memref<8xf32>, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  call @use(%b) : (memref<8xf32>) -> ()
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %old : memref<8xf32>
  }
  memref.copy %b, %r : memref<8xf32> to memref<8xf32>
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  return
}

// The target is read in the same branch.
// CHECK-LABEL: func.func @target_read_in_branch
// CHECK:         scf.if
// CHECK:           memref.copy
func.func @target_read_in_branch(%c: i1, %out: memref<8xf32>) {
  scf.if %c {
    func.call @use(%out) : (memref<8xf32>) -> ()
    %a = memref.alloc() : memref<8xf32>
    func.call @use(%a) : (memref<8xf32>) -> ()
    memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  }
  return
}

// The target lies in memory in another way.
// CHECK-LABEL: func.func @other_layout
// CHECK:         memref.copy
func.func @other_layout(%out: memref<8xf32, strided<[2]>>) {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  memref.copy %a, %out : memref<8xf32> to memref<8xf32, strided<[2]>>
  return
}

// A result in another shape is written in the shape of who writes it.
// CHECK-LABEL: func.func @reshaped
// CHECK:         %[[LONG:.*]] = memref.expand_shape %arg0 {{\[\[}}0, 1]] output_shape [2, 4]
// CHECK-NEXT:    call @use_rows(%[[LONG]])
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @use_rows(memref<2x4xf32>)
func.func @reshaped(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<2x4xf32>
  call @use_rows(%a) : (memref<2x4xf32>) -> ()
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  memref.copy %flat, %out : memref<8xf32> to memref<8xf32>
  return
}

// CHECK-LABEL: func.func @reshaped_back
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK-NEXT:    call @use(%[[FLAT]])
// CHECK-NOT:     memref.copy
func.func @reshaped_back(%out: memref<2x4xf32>) {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  %rows = memref.expand_shape %a [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  memref.copy %rows, %out : memref<2x4xf32> to memref<2x4xf32>
  return
}

// Not where the result does not lie in order.
// CHECK-LABEL: func.func @reshaped_strides
// CHECK:         memref.copy
func.func @reshaped_strides(%out: memref<8xf32, strided<[2]>>) {
  %a = memref.alloc() : memref<2x4xf32>
  call @use_rows(%a) : (memref<2x4xf32>) -> ()
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  memref.copy %flat, %out : memref<8xf32> to memref<8xf32, strided<[2]>>
  return
}

// RUN: amp-opt %s --amp-update-in-place --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>

// An update of parts, and a skipped one, whose copy has nothing to do; the step reads the parameter before.
// CHECK-LABEL: func @guarded
// CHECK-SAME:    (%[[W:.*]]: memref<8xf32>, %[[G:.*]]: memref<8xf32>, %[[SKIP:.*]]: i1, %[[Y:.*]]: memref<8xf32>, %[[NEW:.*]]: memref<8xf32>)
// CHECK-SAME:    results = [{name = "y", role = "output", type = tensor<8xf32>}, {name = "w", overwrites = 0 : i64, role = "param", type = tensor<8xf32>}]
// CHECK:         %[[DIFFER:.*]] = arith.cmpi ne
// CHECK-NEXT:    scf.if %[[DIFFER]] {
// CHECK-NEXT:      memref.copy %[[W]], %[[NEW]]
// CHECK:         linalg.generic {{.*}} ins(%[[NEW]] : memref<8xf32>) outs(%[[Y]] :
// CHECK:         scf.if %[[SKIP]] {
// CHECK-NOT:       memref.copy
// CHECK:         } else {
// CHECK:           scf.forall
// CHECK:             %[[OLD_PART:.*]] = memref.subview %[[NEW]]
// CHECK:             %[[NEW_PART:.*]] = memref.subview %[[NEW]]
// CHECK:             linalg.generic {{.*}} ins(%[[OLD_PART]], %{{.*}} outs(%[[NEW_PART]] :
func.func @guarded(%w: memref<8xf32>, %g: memref<8xf32>, %skip: i1, %y: memref<8xf32>, %new: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step",
      arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "g", role = "batch", type = tensor<8xf32>}, {type = i1}],
      results = [{name = "y", role = "output", type = tensor<8xf32>}, {name = "w", role = "param", type = tensor<8xf32>}]}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  }
  scf.if %skip {
    memref.copy %w, %new : memref<8xf32> to memref<8xf32>
  } else {
    scf.forall (%i) = (0) to (8) step (4) {
      %old = memref.subview %w[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      %part = memref.subview %new[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      %gp = memref.subview %g[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%old, %gp : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32, strided<[1], offset: ?>>) outs(%part : memref<4xf32, strided<[1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.subf %a, %b : f32
        linalg.yield %s : f32
      }
    }
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Read after it was written; written in two places, of which the first comes before a read; part of a result.
// CHECK-LABEL: func @read_later
// CHECK-NOT:     overwrites
// CHECK-NOT:     memref.copy
func.func @read_later(%w: memref<8xf32>, %new: memref<8xf32>, %y: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "y", role = "output", type = tensor<8xf32>}]}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%new : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// Another element than the one that is written.
// CHECK-LABEL: func @transposed
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @transposed(%w: memref<8x8xf32>, %new: memref<8x8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8x8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8x8xf32>}]}} {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%w : memref<8x8xf32>) outs(%new : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Each iteration reads all of what others write.
// CHECK-LABEL: func @whole_in_parts
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @whole_in_parts(%w: memref<8xf32>, %t: memref<8xf32>, %new: memref<8xf32>, %y: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "t", role = "batch", type = tensor<8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "y", role = "output", type = tensor<8xf32>}]}} {
  scf.forall (%i) = (0) to (8) step (4) {
    memref.copy %w, %y : memref<8xf32> to memref<8xf32>
    %p = memref.subview %t[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    %n = memref.subview %new[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %p, %n : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// Parts that overlap: the next iteration reads what this one wrote.
// CHECK-LABEL: func @overlapping_parts
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @overlapping_parts(%w: memref<8xf32>, %new: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}]}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c2 {
    %p = memref.subview %w[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    %n = memref.subview %new[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%p : memref<4xf32, strided<[1], offset: ?>>) outs(%n : memref<4xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  }
  return
}

// A loop that takes the same step several times.
// CHECK-LABEL: func @repeated
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @repeated(%w: memref<8xf32>, %new: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c1 {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%new : memref<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    }
  }
  return
}

// An assertion behind the update would leave the new state of a refused step.
// CHECK-LABEL: func @asserted
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @asserted(%w: memref<8xf32>, %ok: i1, %new: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {type = i1}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}]}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%new : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  cf.assert %ok, "label out of range"
  return
}

// One in front of it does not.
// CHECK-LABEL: func @asserted_before
// CHECK-SAME:    overwrites = 0
func.func @asserted_before(%w: memref<8xf32>, %ok: i1, %new: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {type = i1}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}]}} {
  cf.assert %ok, "label out of range"
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%new : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// The sum of what a product adds to, and of another name.
// CHECK-LABEL: func @others
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @others(%w: memref<8xf32>, %x: memref<8xf32>, %new: memref<8xf32>, %y: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step", arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "x", role = "batch", type = tensor<8xf32>}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "x", role = "output", type = tensor<8xf32>}]}} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : memref<8xf32>) outs(%new : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
}

// Read as what a branch gives, behind the update.
// CHECK-LABEL: func @handed_on
// CHECK-NOT:     overwrites
// CHECK:         return
func.func @handed_on(%w: memref<8xf32>, %other: memref<8xf32>, %c: i1, %new: memref<8xf32>, %y: memref<8xf32>) attributes {
    amp.signature = {kind = "train_step",
      arguments = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "other", role = "batch", type = tensor<8xf32>}, {type = i1}],
      results = [{name = "w", role = "param", type = tensor<8xf32>}, {name = "y", role = "output", type = tensor<8xf32>}]}} {
  %r = scf.if %c -> memref<8xf32> {
    scf.yield %w : memref<8xf32>
  } else {
    scf.yield %other : memref<8xf32>
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%other : memref<8xf32>) outs(%new : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  memref.copy %r, %y : memref<8xf32> to memref<8xf32>
  return
}

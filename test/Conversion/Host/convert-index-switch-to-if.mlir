// RUN: amp-opt %s --convert-index-switch-to-if | FileCheck %s

// Cases in their order, each in the else region of the one before; a switch inside of
// one; values without a switch stay as they are.
// CHECK-LABEL: func.func @cases
// CHECK-SAME:    %[[I:.*]]: index, %[[J:.*]]: index, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @cases(%i: index, %j: index, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, index) {
  // CHECK-NOT: scf.index_switch
  // CHECK:      %[[C3:.*]] = arith.constant 3 : index
  // CHECK-NEXT: %[[IS3:.*]] = arith.cmpi eq, %[[I]], %[[C3]] : index
  // CHECK-NEXT: %[[R:.*]]:2 = scf.if %[[IS3]] -> (tensor<4xf32>, index) {
  // CHECK-NEXT:   scf.yield %[[X]], %[[I]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   %[[CM:.*]] = arith.constant -1 : index
  // CHECK-NEXT:   %[[ISM:.*]] = arith.cmpi eq, %[[I]], %[[CM]] : index
  // CHECK-NEXT:   %[[S:.*]]:2 = scf.if %[[ISM]] -> (tensor<4xf32>, index) {
  // CHECK-NEXT:     %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT:     %[[IS0:.*]] = arith.cmpi eq, %[[J]], %[[C0]] : index
  // CHECK-NEXT:     %[[T:.*]] = scf.if %[[IS0]] -> (index) {
  // CHECK-NEXT:       scf.yield %[[I]]
  // CHECK-NEXT:     } else {
  // CHECK-NEXT:       scf.yield %[[J]]
  // CHECK-NEXT:     }
  // CHECK-NEXT:     scf.yield %[[Y]], %[[T]]
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     %[[A:.*]] = arith.addf %[[X]], %[[Y]]
  // CHECK-NEXT:     scf.yield %[[A]], %[[J]]
  // CHECK-NEXT:   }
  // CHECK-NEXT:   scf.yield %[[S]]#0, %[[S]]#1
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]#0, %[[R]]#1
  %r:2 = scf.index_switch %i -> tensor<4xf32>, index
  case 3 {
    scf.yield %x, %i : tensor<4xf32>, index
  }
  case -1 {
    %t = scf.index_switch %j -> index
    case 0 {
      scf.yield %i : index
    }
    default {
      scf.yield %j : index
    }
    scf.yield %y, %t : tensor<4xf32>, index
  }
  default {
    %a = arith.addf %x, %y : tensor<4xf32>
    scf.yield %a, %j : tensor<4xf32>, index
  }
  return %r#0, %r#1 : tensor<4xf32>, index
}

// Without a case there is nothing to ask.
// CHECK-LABEL: func.func @default_alone
// CHECK-NEXT:    %[[A:.*]] = arith.addf
// CHECK-NEXT:    return %[[A]]
func.func @default_alone(%i: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.index_switch %i -> tensor<4xf32>
  default {
    %a = arith.addf %x, %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

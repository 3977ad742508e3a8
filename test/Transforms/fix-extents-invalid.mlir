// RUN: split-file %s %t
// RUN: amp-opt %t/placed.mlir --split-input-file --verify-diagnostics --amp-fix-extents="extents=x0=8x4"
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN=x0
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN=x0=
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=8x" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN=x0=8x
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=-8x4" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN=x0=-8x4
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=8x99999999999999999999" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN=x0=8x99999999999999999999
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents==8x4" 2>&1 | FileCheck %s --check-prefix=TEXT -DGIVEN==8x4
// TEXT: error: expected 'extents' to be the name of a batch argument and its extents, such as x0=32x64, with ? for one that stays unknown, but got '[[GIVEN]]'
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=8x4,x0=8x4" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: expected 'extents' to name each batch argument once, but got 'x0' twice
// RUN: not amp-opt %t/one.mlir --amp-fix-extents="extents=x0=8x4,w=8" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: expected 'extents' to name batch arguments, but got 'w'; there are 'x0', 'x1'
// RUN: not amp-opt %t/none.mlir --amp-fix-extents="extents=x0=8x4" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected 'extents' to name batch arguments, but got 'x0'; no function has any

//--- placed.mlir
// expected-error @below {{expected extents for 'x0' that fit 'tensor<?x5xf32>', but got 'tensor<8x4xf32>'}}
func.func @extent(%x: tensor<?x5xf32> {amp.role = "batch", amp.name = "x0"}) {
  return
}

// -----

// expected-error @below {{expected extents for 'x0' that fit 'tensor<?xf32>', but got 'tensor<8x4xf32>'}}
func.func @rank(%x: tensor<?xf32> {amp.role = "batch", amp.name = "x0"}) {
  return
}

// -----

// What has these extents already, and is taken by reference, stays.
func.func @known(%x: tensor<8x4xf32> {amp.role = "batch", amp.name = "x0"}) {
  return
}
func.func @callback() -> ((tensor<8x4xf32>) -> ()) {
  %f = constant @known : (tensor<8x4xf32>) -> ()
  return %f : (tensor<8x4xf32>) -> ()
}

// -----

// expected-error @below {{expected '@taken' to be used by calls alone, because 'extents' changes its arguments, but it is taken by reference; take a function without roles that calls it}}
func.func @taken(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"}) {
  return
}
func.func @callback() -> ((tensor<?x4xf32>) -> ()) {
  %f = constant @taken : (tensor<?x4xf32>) -> ()
  return %f : (tensor<?x4xf32>) -> ()
}

//--- one.mlir
func.func @f(%x: tensor<?x4xf32> {amp.role = "batch", amp.name = "x0"}, %y: tensor<?xf32> {amp.role = "batch", amp.name = "x1"}, %w: tensor<?xf32> {amp.role = "param", amp.name = "w"}) {
  return
}

//--- none.mlir
func.func @f(%x: tensor<?x4xf32>) {
  return
}

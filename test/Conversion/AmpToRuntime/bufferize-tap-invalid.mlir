// RUN: amp-opt %s --one-shot-bufferize=bufferize-function-boundaries --split-input-file --verify-diagnostics

// A tap whose handle nobody has made an argument.
func.func @no_handle(%g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'amp.tap' op expected a handle; run convert-amp-to-runtime before bufferization}}
  // expected-error @below {{failed to bufferize op}}
  %0 = amp.tap "grad" "w" %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Elements that the runtime has no name for.
func.func @unknown_element(%g: tensor<4xi4>, %h: i64) -> tensor<4xi4> {
  // expected-error @below {{'amp.tap' op expected elements of a type that the runtime knows, but got 'i4'}}
  // expected-error @below {{failed to bufferize op}}
  %0 = amp.tap "grad" "w" %g via %h : tensor<4xi4>
  return %0 : tensor<4xi4>
}

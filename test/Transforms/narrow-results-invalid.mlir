// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-narrow-results="results=1"

// expected-error@+1 {{expected 'results' to number the 1 results of 'one', but got 1}}
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
// expected-error@+1 {{expected one function, of one block, whose results to narrow}}
func.func @g(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{expected one function, of one block, whose results to narrow}}
func.func @blocks(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  cf.br ^bb1
^bb1:
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

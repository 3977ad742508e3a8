// RUN: amp-opt %s --amp-mark-entry-points --split-input-file --verify-diagnostics

// Nobody to call.
// expected-error @+1 {{expected a function whose arguments have 'amp.role' attributes, but found none; the dialect's page says which roles a training step has}}
module {
  func.func @no_roles(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// A declaration has roles and no body: nobody either.
// expected-error @+1 {{expected a function whose arguments have 'amp.role' attributes, but found none; the dialect's page says which roles a training step has}}
module {
  func.func private @declared(tensor<4xf32> {amp.role = "param", amp.name = "w"})
}

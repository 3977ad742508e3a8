// RUN: amp-opt %s --amp-insert-master-weights --verify-diagnostics

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// RUN: amp-opt %s --amp-insert-casts --verify-diagnostics --split-input-file

// expected-error @+1 {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

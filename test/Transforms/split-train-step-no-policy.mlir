// RUN: amp-opt %s --verify-diagnostics --amp-split-train-step

// expected-error @below {{expected a module with 'amp.policy'; run amp-initialize-opt-level first}}
module {}

// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-describe-program

// expected-error@+1 {{expected 'amp.cpu' to be {cpu = "NAME", features = N : i64, versions = N : i64}, with at most 64 versions, but got 5 : i64; leave it to amp-compile}}
module attributes {amp.cpu = 5 : i64} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", versions = 0 : i64}}}
module attributes {amp.cpu = {cpu = "znver4", versions = 0 : i64}} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", features = 0 : i64, versions = 65 : i64}; leave it to amp-compile}}
module attributes {amp.cpu = {cpu = "znver4", features = 0 : i64, versions = 65 : i64}} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", features = 0 : i64, versions = -1 : i64}; leave it to amp-compile}}
module attributes {amp.cpu = {cpu = "znver4", features = 0 : i64, versions = -1 : i64}} {
}

// -----

// Near miss: no other version, and nothing needed.
module attributes {amp.cpu = {cpu = "x86-64", features = 0 : i64, versions = 0 : i64}} {
}

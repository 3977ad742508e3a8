"""Every case of every GoogleTest executable in build/unittests is one test."""

import os

import lit.formats

config.name = "mlir-amp-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = config.unittest_dir
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.sanitize:
    config.environment.setdefault(
        "ASAN_OPTIONS", "detect_container_overflow=0:allow_user_poisoning=0"
    )
if lit_config.params.get("long"):
    config.environment["AMP_RT_EXHAUSTIVE"] = "1"
if config.shared_dir:
    config.environment["AMP_SHARED_DIR"] = config.shared_dir

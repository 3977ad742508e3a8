"""A plugin of pytest that keeps each module a test compiles, and the passes in front of the lowering.

The folder that AMP_KEPT_MODULES names gets HASH.mlir and HASH.passes.
"""

import hashlib
import os
import pathlib
import re

from mlir_amp import compiler

_compile = compiler.compile
_FOLDER = pathlib.Path(os.environ["AMP_KEPT_MODULES"])


def _keep(module, pipeline, *arguments, **more):
    data = module.encode() if isinstance(module, str) else bytes(module)
    path = _FOLDER / hashlib.sha1(data + pipeline.encode()).hexdigest()[:16]
    passes = re.match(r"builtin\.module\((.*),amp-to-host\b", pipeline)
    if passes:
        path.with_suffix(".mlir").write_bytes(data)
        path.with_suffix(".passes").write_text(passes[1])
    return _compile(module, pipeline, *arguments, **more)


compiler.compile = _keep

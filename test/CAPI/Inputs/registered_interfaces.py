"""Compares the interfaces that libMLIRRegisterAllDialects.a registers with a file's."""

import re
import subprocess
import sys

DIALECTS = "affine arith bufferization builtin cf func linalg LLVM memref scf tensor ub vector".split()
LEFT_OUT = {
    "arith::registerShardingInterfaceExternalModels": "devices",
    "builtin::registerCastOpInterfaceExternalModels": "asked by passes that nobody names",
    "linalg::registerRuntimeVerifiableOpInterfaceExternalModels": "generate-runtime-verification",
    "memref::registerMemorySlotExternalModels": "mem2reg and sroa",
    "memref::registerRuntimeVerifiableOpInterfaceExternalModels": "generate-runtime-verification",
    "tensor::registerFindPayloadReplacementOpInterfaceExternalModels": "the transform dialect",
    "tensor::registerRuntimeVerifiableOpInterfaceExternalModels": "generate-runtime-verification",
}


def main():
    archive, path = sys.argv[1] + "/libMLIRRegisterAllDialects.a", sys.argv[2]
    symbols = subprocess.run(["nm", "-C", archive], capture_output=True, text=True, check=True).stdout
    named = set(re.findall(r"U mlir::((?:\w+::)+register\w+)\(mlir::DialectRegistry&\)", symbols))
    expected = {name for name in named if name.partition("::")[0] in DIALECTS}
    with open(path) as file:
        text = file.read()
    missing = sorted(n for n in expected - LEFT_OUT.keys() if f"{n}(" not in text)
    unknown = sorted(LEFT_OUT.keys() - expected)
    if unknown:
        sys.exit(f"upstream registers no {', '.join(unknown)} any more")
    print(
        f"registered: {len(expected) - len(LEFT_OUT)}, left out: {len(LEFT_OUT)}, "
        f"missing: {', '.join(missing) or 'none'}"
    )


if __name__ == "__main__":
    main()

# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step that amp-compile made for a GPU, run by its C interface (amp-rt/Program.h) on
memory of PyTorch.

The runtime and PyTorch share the GPU's primary context, so tensors of one are addresses
of the other. The runtime has a stream of its own: wait for one before the other goes on.
"""

import contextlib
import ctypes
from typing import NamedTuple

import torch

POINTER, INT, UINT, LONG = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64
ARRAY, SCALER, TAP = 0, 1, 2
TYPES = {
    0: torch.float16, 1: torch.bfloat16, 2: torch.float32, 3: torch.float64,
    4: torch.bool, 5: torch.int8, 6: torch.int16, 7: torch.int32, 8: torch.int64,
}  # fmt: skip
TRAIN_STEP = 1


class Failure(Exception):
    """The runtime refused, in its words."""


class ValueStruct(ctypes.Structure):
    _fields_ = [
        ("structSize", UINT), ("kind", INT), ("role", ctypes.c_char_p),
        ("name", ctypes.c_char_p), ("label", ctypes.c_char_p), ("init", ctypes.c_char_p),
        ("elementKind", INT), ("rank", INT), ("extents", ctypes.POINTER(LONG)),
        ("strides", ctypes.POINTER(LONG)),
    ]  # fmt: skip


class FunctionStruct(ctypes.Structure):
    _fields_ = [
        ("structSize", UINT), ("kind", INT), ("name", ctypes.c_char_p),
        ("argumentCount", INT), ("resultCount", INT),
        ("arguments", ctypes.POINTER(ctypes.POINTER(ValueStruct))),
        ("results", ctypes.POINTER(ctypes.POINTER(ValueStruct))),
        ("call", ctypes.CFUNCTYPE(INT, LONG, ctypes.POINTER(POINTER))),
        ("workspaceBytes", LONG),
    ]  # fmt: skip


class ScalerStruct(ctypes.Structure):
    _fields_ = [
        ("structSize", UINT), ("reserved", UINT), ("name", ctypes.c_char_p),
        ("config", POINTER),
    ]  # fmt: skip


class ProgramStruct(ctypes.Structure):
    _fields_ = [
        ("structSize", UINT), ("runtimeVersion", UINT), ("functionCount", INT),
        ("scalerCount", INT),
        ("functions", ctypes.POINTER(ctypes.POINTER(FunctionStruct))),
        ("scalers", ctypes.POINTER(ctypes.POINTER(ScalerStruct))),
        ("kernelCount", INT), ("reserved", INT), ("kernels", POINTER),
        ("chip", ctypes.c_char_p), ("modules", POINTER), ("moduleCount", INT),
        ("reserved2", INT),
    ]  # fmt: skip


class Value(NamedTuple):
    """An argument or a result of a function."""

    kind: int
    role: str
    name: str
    dtype: torch.dtype | None
    shape: tuple

    @property
    def key(self):
        return self.role, self.name


def read_value(struct):
    return Value(
        struct.kind, struct.role.decode(), struct.name.decode(),
        TYPES.get(struct.elementKind), tuple(struct.extents[i] for i in range(struct.rank)),
    )  # fmt: skip


def describe(tensor):
    """MLIR's memref descriptor of a tensor without gaps."""
    address, sizes = tensor.data_ptr(), tensor.shape
    strides = [max(1, stride) for stride in tensor.stride()]
    values = [address, address, 0, *sizes, *strides]
    return (LONG * len(values))(*values)


class Runtime:
    """libamp-rt and its CUDA device.

    Raises:
        Failure: There is no GPU, or no driver.
    """

    def __init__(self, path):
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.ampRtStatusText.restype = ctypes.c_char_p
        for name in ("RunHandle", "ScalerHandle"):
            getattr(self.library, "ampRt" + name).restype = LONG
        self.device = POINTER()
        self.call("DeviceGet", b"cuda", ctypes.byref(self.device))

    def check(self, status):
        if status:
            raise Failure(self.library.ampRtStatusText().decode())

    def call(self, name, *arguments):
        self.check(getattr(self.library, "ampRt" + name)(*arguments))


class Train:
    """The train step that a shared object describes. The runtime is loaded before.

    Attributes:
        arguments, results: Values in their order.
        moving: (role, name) of each result that is an argument of the next step.
    """

    def __init__(self, path):
        self.code = ctypes.CDLL(path)
        self.program = ProgramStruct.in_dll(self.code, "ampProgram")
        functions = [self.program.functions[i].contents for i in range(self.program.functionCount)]
        self.function = next(each for each in functions if each.kind == TRAIN_STEP)
        self.arguments = [
            read_value(self.function.arguments[i].contents) for i in range(self.function.argumentCount)
        ]
        self.results = [read_value(self.function.results[i].contents) for i in range(self.function.resultCount)]
        self.moving = {value.key for value in self.results} & {value.key for value in self.arguments}


class ProgramRun:
    """A run of a program's train step: its state lies in two sets of tensors, from one of
    which a step reads what it writes to the other.

    Args:
        runtime: The library.
        path: The program's shared object.
        state: Start values by (role, name), tensors of any device; masters begin as the
            values of their parameters, what is missing as zero.
        batch: Tensors, in the order of the step's batch arguments.
    """

    def __init__(self, runtime, path, state, batch):
        self.runtime, self.captures = runtime, None
        self.train = train = Train(path)
        self.loaded, self.run = POINTER(), POINTER()
        runtime.call("ProgramLoad", ctypes.byref(train.program), runtime.device, ctypes.byref(self.loaded))
        runtime.call("RunCreate", ctypes.byref(self.run))
        runtime.call("RunSetProgram", self.run, self.loaded)
        self.handle = LONG(runtime.library.ampRtRunHandle(self.run))
        self.scalers = {}
        for i in range(train.program.scalerCount):
            wanted, scaler = train.program.scalers[i].contents, POINTER()
            runtime.call("ScalerCreate", wanted.name, POINTER(wanted.config), ctypes.byref(scaler))
            self.scalers[wanted.name.decode()] = scaler
        self.make_tensors(state, list(batch))
        torch.cuda.synchronize()
        self.turn = 0  # which of the two sets has the state

    def make_tensors(self, state, batch):
        self.given, self.sets, self.outputs = {}, ({}, {}), {}
        for value in self.train.arguments:
            if value.kind != ARRAY:
                continue
            tensor = torch.zeros(value.shape, dtype=value.dtype, device="cuda")
            if value.role == "batch":
                tensor.copy_(batch.pop(0))
            elif value.role == "loss_seed":
                tensor.fill_(1)
            else:
                start = state.get(value.key, state.get(("param", value.name)) if value.role == "master" else None)
                if start is not None:
                    tensor.copy_(start)
            if value.key in self.train.moving:
                self.sets[0][value.key], self.sets[1][value.key] = tensor, torch.empty_like(tensor)
            else:
                self.given[value.key] = tensor
        for value in self.train.results:
            if value.key not in self.train.moving:
                self.outputs[value.key] = torch.full(value.shape, -1, dtype=value.dtype, device="cuda")
        self.calls = [self.make_call(self.sets[i], self.sets[1 - i]) for i in (0, 1)]

    def make_call(self, before, after):
        """The addresses of a call's arguments and results, and what they point to."""
        held = []
        for value in self.train.arguments:
            if value.kind == SCALER:
                held.append(LONG(self.runtime.library.ampRtScalerHandle(self.scalers[value.name])))
            elif value.kind == ARRAY:
                held.append(describe(before.get(value.key, self.given.get(value.key))))
            else:
                held.append(LONG(0))
        for value in self.train.results:
            held.append(describe(after.get(value.key, self.outputs.get(value.key))))
        return (POINTER * len(held))(*(ctypes.addressof(each) for each in held)), held

    @property
    def state(self):
        """Tensors by (role, name), to be read after `synchronize`."""
        return self.sets[self.turn]

    def step(self):
        """Asks for a step."""
        self.runtime.check(self.train.function.call(self.handle, self.calls[self.turn][0]))
        self.turn = 1 - self.turn

    def capture(self):
        """Makes a CUDA graph for each direction. Steps before have to have gone both ways."""
        assert self.turn == 0
        self.captures = [POINTER(), POINTER()]
        for (arguments, _), capture in zip(self.calls, self.captures):
            self.runtime.call(
                "CaptureCreate", self.run, ctypes.byref(self.train.function), arguments, ctypes.byref(capture)
            )

    def replay(self):
        """Asks for a step by its graph."""
        self.runtime.call("CaptureReplay", self.captures[self.turn])
        self.turn = 1 - self.turn

    def synchronize(self):
        self.runtime.call("RunSynchronize", self.run)

    def loss(self):
        """Of the last step, after waiting for it."""
        self.synchronize()
        return [float(value) for (role, _), value in self.outputs.items() if role == "loss"][0]

    def scale(self):
        """The first scaler's, or 1."""
        for scaler in self.scalers.values():
            scale = ctypes.c_float()
            self.runtime.call("ScalerGetScale", scaler, ctypes.byref(scale))
            return scale.value
        return 1.0

    def close(self):
        for capture in self.captures or ():
            self.runtime.call("CaptureDestroy", capture)
        self.runtime.library.ampRtRunDestroy(self.run)
        for scaler in self.scalers.values():
            self.runtime.library.ampRtScalerDestroy(scaler)
        self.runtime.call("ProgramUnload", self.loaded)


@contextlib.contextmanager
def running(*arguments):
    run = ProgramRun(*arguments)
    try:
        yield run
    finally:
        run.close()

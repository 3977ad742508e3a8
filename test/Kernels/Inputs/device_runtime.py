"""A device of the runtime library, by its C interface (amp-rt/Device.h, amp-rt/Kernel.h)."""

import ctypes

POINTER, INT, LONG = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
TO_DEVICE, FROM_DEVICE = 0, 1
MAP_TYPES = {"f16": 6, "bf16": 9, "f32": 7, "tf32": 7}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
TILED, IM2COL, PROMOTE_256 = 0, 1, 3


class Failure(Exception):
    pass


class Launch(ctypes.Structure):
    _fields_ = [
        ("structSize", ctypes.c_uint32), ("sharedBytes", ctypes.c_uint32),
        ("grid", LONG * 3), ("threads", LONG * 3), ("cluster", LONG * 3),
        ("kernel", POINTER), ("arguments", POINTER), ("argumentBytes", POINTER),
        ("argumentCount", INT), ("flags", ctypes.c_uint32),
    ]  # fmt: skip


class MapDescription(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("structSize",)] + [
        (name, INT) for name in ("kind", "elementType", "rank", "interleave", "swizzle", "promotion", "fill")
    ] + [
        ("address", POINTER), ("sizes", LONG * 5), ("strides", LONG * 4), ("elementSteps", INT * 5), ("box", INT * 5),
        ("lowerCorner", INT * 3), ("upperCorner", INT * 3), ("channels", INT), ("pixels", INT),
    ]  # fmt: skip


class Properties(ctypes.Structure):
    _fields_ = [
        ("structSize", ctypes.c_uint32), ("sharesHostMemory", INT), ("totalBytes", LONG), ("processors", LONG),
        ("alignment", LONG), ("sharedBytesLimit", LONG), ("cacheBytes", LONG), ("computeMajor", INT),
        ("computeMinor", INT), ("model", ctypes.c_char_p),
    ]  # fmt: skip


def aligned(size, to):
    """Memory of the host at a multiple of `to`, and its address."""
    memory = ctypes.create_string_buffer(size + to)
    return memory, (ctypes.addressof(memory) + to - 1) // to * to


class Device:
    def __init__(self, library, name):
        self.library = ctypes.CDLL(library)
        self.library.ampRtStatusText.restype = ctypes.c_char_p
        self.device = POINTER()
        self.call("DeviceGet", name.encode(), ctypes.byref(self.device))

    def call(self, name, *arguments):
        if getattr(self.library, "ampRt" + name)(*arguments):
            raise Failure(self.library.ampRtStatusText().decode())

    def model(self):
        properties = Properties(structSize=ctypes.sizeof(Properties))
        self.call("DeviceGetProperties", self.device, ctypes.byref(properties))
        return f"{properties.model.decode()}, {properties.processors} multiprocessors"

    def allocate(self, size):
        pointer = POINTER()
        self.call("DeviceAllocate", self.device, LONG(size), LONG(1024), ctypes.byref(pointer))
        return pointer.value

    def free(self, pointer):
        self.call("DeviceFree", self.device, POINTER(pointer))

    def write(self, pointer, array):
        self.call("DeviceCopy", self.device, POINTER(pointer), POINTER(array.ctypes.data), LONG(array.nbytes), TO_DEVICE)
        self.synchronize()

    def read(self, pointer, array):
        self.call("DeviceCopy", self.device, POINTER(array.ctypes.data), POINTER(pointer), LONG(array.nbytes), FROM_DEVICE)
        self.synchronize()

    def synchronize(self):
        self.call("DeviceSynchronize", self.device)

    def load(self, name, image):
        module = POINTER()
        self.call("ModuleLoad", self.device, name.encode(), image, LONG(len(image)), ctypes.byref(module))
        return module

    def unload(self, module):
        self.call("ModuleUnload", module)

    def encode(self, argument, address):
        """A tensor map as amp.launch describes it; the memory that holds it, and where."""
        memory, at = aligned(128, 128)
        tiled = argument.kind == "tensor-map"
        map_ = MapDescription(
            structSize=ctypes.sizeof(MapDescription), kind=TILED if tiled else IM2COL,
            elementType=MAP_TYPES.get(argument.type, 0), rank=len(argument.shape),
            swizzle=SWIZZLES[argument.swizzle], promotion=PROMOTE_256, address=address,
            channels=argument.channels or 0, pixels=argument.pixels or 0,
        )  # fmt: skip
        for name, values in (
            ("sizes", [max(size, 1) for size in argument.shape]), ("strides", argument.strides),
            ("elementSteps", argument.steps or [1] * len(argument.shape)), ("box", argument.box),
            ("lowerCorner", argument.lower), ("upperCorner", argument.upper),
        ):  # fmt: skip
            for i, value in enumerate(values):
                getattr(map_, name)[i] = value
        self.call("TensorMapEncode", self.device, ctypes.byref(map_), POINTER(at))
        return memory, at

    def launch(self, module, kernel, addresses, blocks=None):
        """Starts a kernel with at most so many blocks; None is what the device has room for."""
        found = POINTER()
        self.call("ModuleGetKernel", module, kernel.name.encode(), ctypes.byref(found))
        held, values, sizes = [], [], []
        for argument in kernel.arguments:
            if argument.kind == "number":
                memory = INT(argument.value)
                held.append(memory), values.append(ctypes.addressof(memory)), sizes.append(4)
            elif argument.kind == "buffer":
                memory = POINTER(addresses[argument.name])
                held.append(memory), values.append(ctypes.addressof(memory)), sizes.append(8)
            else:
                memory, at = self.encode(argument, addresses[argument.name])
                held.append(memory), values.append(at), sizes.append(128)
        count = len(values)
        values, sizes = (POINTER * count)(*values), (LONG * count)(*sizes)
        launch = Launch(
            structSize=ctypes.sizeof(Launch), sharedBytes=kernel.shared, kernel=found.value,
            grid=(LONG * 3)(kernel.grid if blocks is None else kernel.blocks(blocks), 1, 1),
            threads=(LONG * 3)(*kernel.block), cluster=(LONG * 3)(*kernel.cluster), argumentCount=count,
            arguments=ctypes.addressof(values), argumentBytes=ctypes.addressof(sizes),
        )  # fmt: skip
        if blocks is None and kernel.per_multiprocessor:
            self.call("DeviceFitGrid", self.device, ctypes.byref(launch), LONG(kernel.per_multiprocessor), LONG(kernel.multiple))
        self.call("DeviceLaunch", self.device, ctypes.byref(launch))

"""TMA of every rank and mode, bulk copies, cp.async, and clusters of 4 and 8."""

import itertools
import os

import numpy as np

from kernel import Kernel, finish, folder, run, words


def swizzle_bytes(image, width):
    """Within rows of `width` bytes, eight of them: 16-byte chunk c of 128-byte line l
    goes to c xor l, as far as both vary within the pattern (Swizzle<B,4,3>)."""
    if not width:
        return image
    address = np.arange(image.size)
    mask = width // 16 - 1
    swizzled = address ^ ((address >> 7 & mask) << 4)
    result = np.empty_like(image)
    result[swizzled] = image
    return result


class Copies(Kernel):
    """A kernel with an mbarrier that thread 0 has initialised for `arrivals`."""

    def __init__(self, shared, threads=32, cluster=1, arrivals=1):
        super().__init__(threads, cluster, shared)
        self.bar = self.op("llvm.mlir.addressof @bar : !llvm.ptr<3>")

        def init():
            count = self.constant(arrivals)
            self.do(f"nvvm.mbarrier.init {self.bar}, {count} : !llvm.ptr<3>, i32")
            self.do("nvvm.fence.mbarrier.init")

        self.lead(init)
        self.everyone()

    def everyone(self):
        if self.cluster > 1:
            self.do("nvvm.cluster.arrive")
            self.do("nvvm.cluster.wait")
        else:
            self.barrier()

    def expect(self, size):
        self.do(f"nvvm.mbarrier.arrive.expect_tx {self.bar}, {self.constant(size)} : !llvm.ptr<3>, i32")

    def wait(self):
        self.do(f"nvvm.mbarrier.try_wait.parity {self.bar}, {self.constant(0)}, "
                f"{self.constant(1000)} : !llvm.ptr<3>, i32, i32")

    def window(self, offset=0):
        return self.op(f"llvm.addrspacecast {self.memory(offset)} : !llvm.ptr<3> to !llvm.ptr<7>")

    def coordinates(self, at):
        """The innermost comes first in PTX."""
        return "box[" + ", ".join(self.constant(c) for c in reversed(at)) + "]"

    def drain(self):
        self.do("nvvm.cp.async.bulk.commit.group")
        self.do("nvvm.cp.async.bulk.wait_group 0")


def cut(array, at, box, fill=0):
    """The tile of `box` elements from `at` on, with `fill` outside of the array."""
    tile = np.full(box, fill, array.dtype)
    for index in itertools.product(*(range(size) for size in box)):
        place = tuple(a + i for a, i in zip(at, index))
        if all(0 <= p < size for p, size in zip(place, array.shape)):
            tile[index] = array[place]
    return tile


def load_tile(name, array, at, box, options="", swizzle=0, expected=None, suffix=""):
    if expected is None:
        expected = cut(array, at, box)
    size = expected.nbytes
    kernel = Copies(size)
    map, target = kernel.tensor_map(), kernel.pointer()

    def load():
        kernel.expect(size)
        kernel.do(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {kernel.window()}, {map}, {kernel.bar}, "
                  f"{kernel.coordinates(at)}{suffix and suffix(kernel)} : !llvm.ptr<7>, !llvm.ptr")

    kernel.lead(load)
    kernel.wait()
    kernel.copy(kernel.memory(), 3, target, 1, size)
    image = swizzle_bytes(np.frombuffer(expected.tobytes(), np.uint8), swizzle)
    path = write(name, array)
    if swizzle:
        options += f",swizzle={swizzle}"
    run(name, kernel, [f"tma:A,{options}", f"D=i32:{size // 4}:uninit"], {"D": words(image)},
        [f"--buffer=A={path}"])


def write(name, array):
    path = os.path.join(folder, "in-" + name.replace(" ", "-") + ".npy")
    np.save(path, array)
    return path


def box_text(box):
    return "box=" + "x".join(str(size) for size in box)


def numbered(shape, type=np.float32):
    return (np.arange(np.prod(shape)) + 1).reshape(shape).astype(type)


# Tiles of rank 1 to 5: inside, over each end, and outside altogether.
for shape, box in [((40,), (16,)), ((9, 20), (4, 8)), ((3, 5, 12), (2, 3, 8)),
                   ((3, 2, 4, 8), (2, 2, 3, 4)), ((2, 3, 2, 3, 8), (2, 2, 2, 2, 4))]:
    array = numbered(shape)
    for name, at in {"inside": [0] * len(shape), "high": [size - 1 for size in shape],
                     "low": [-1] * len(shape), "outside": [size + 3 for size in shape]}.items():
        load_tile(f"tile of rank {len(shape)} {name}", array, at, box, box_text(box))

# Element strides: every second row.
array = numbered((12, 16))
load_tile("tile with steps", array, [1, 4], (4, 8), "box=8x8,steps=2x1",
          expected=array[1:9:2, 4:12])

# The buffer seen as another tensor: pairs of its rows, without the last columns.
array = numbered((12, 32))
expected = np.zeros((2, 2, 12), np.float32)
expected[:, 0, :8] = array[3:7:2, 16:24]
load_tile("tile of another shape", array, [1, 1, 16], None, "view=6x2x24,strides=256x128,box=2x2x12",
          expected=expected)

# Every swizzle, with rows as wide as the pattern and narrower; 8 and 16 bit.
for swizzle in (32, 64, 128):
    for width in (swizzle, swizzle // 2):
        if width * 2 == swizzle and swizzle == 32:
            continue
        array = numbered((20, 256), np.float16)
        box = (16, width // 2)
        expected = cut(array, [3, 8], box)
        if width == swizzle:
            load_tile(f"tile swizzled by {swizzle}", array, [3, 8], box, box_text(box), swizzle)

# im2col: NHWC, 3x3 windows, padding 1. The map's corners bound the first pixel of a
# window; an offset says which of its pixels is read.
array = numbered((2, 5, 6, 8))
n, h, w, c = array.shape
padded = np.pad(array, ((0, 0), (1, 1), (1, 1), (0, 0)))
windows = [(b, y, x) for b in range(n) for y in range(h) for x in range(w)]
for first, (dy, dx) in [(0, (0, 0)), (0, (1, 2)), (17, (2, 0)), (40, (2, 2))]:
    pixels = windows[first:first + 16]
    pixels = pixels + [(n, 0, 0)] * (16 - len(pixels))
    expected = np.array([padded[b, y + dy, x + dx, 4:8] if b < n else np.zeros(4)
                         for b, y, x in pixels], np.float32)
    b, y, x = windows[first]

    def offsets(kernel):
        return f" im2col[{kernel.constant(dx, 'i16')}, {kernel.constant(dy, 'i16')}]"

    def mode(kernel):
        return offsets(kernel) + " {mode = #nvvm.tma_load_mode<im2col>}"

    load_tile(f"im2col from {first} at {dy}{dx}", array, [b, y - 1, x - 1, 4], None,
              "lower=-1x-1,upper=-1x-1,channels=4,pixels=16", expected=expected, suffix=mode)

# The same with a stride of 2 in both directions.
windows = [(b, y, x) for b in range(n) for y in range(0, h, 2) for x in range(0, w, 2)]
expected = np.array([padded[b, y + 1, x + 2, 0:4] for b, y, x in windows[2:10]], np.float32)
dy, dx = 1, 2
b, y, x = windows[2]
load_tile("im2col with steps", array, [b, y - 1, x - 1, 0], None,
          "lower=-1x-1,upper=-1x-1,channels=4,pixels=8,steps=1x2x2x1", expected=expected, suffix=mode)


# Stores and reductions, over the high end.
def store_tile(name, start, tile, at, form, combine):
    expected = start.copy()
    for index in itertools.product(*(range(size) for size in tile.shape)):
        place = tuple(a + i for a, i in zip(at, index))
        if all(0 <= p < size for p, size in zip(place, start.shape)):
            expected[place] = combine(start[place], tile[index])
    kernel = Kernel(shared=tile.nbytes)
    map, source = kernel.tensor_map(), kernel.pointer()
    kernel.copy(source, 1, kernel.memory(), 3, tile.nbytes)
    kernel.fence_async()
    kernel.barrier()

    def store():
        coordinates = Copies.coordinates(kernel, at)
        kernel.do(f"nvvm.cp.async.bulk.tensor.{form[0]} {map}, {kernel.memory()}, {coordinates}{form[1]} "
                  ": !llvm.ptr, !llvm.ptr<3>")
        Copies.drain(kernel)

    kernel.lead(store)
    run(name, kernel, [f"tma:A,{box_text(tile.shape)}", words(tile)], {"A": expected},
        [f"--buffer=A={write(name, start)}"])


plain = ("global.shared.cta", "")
for shape, box in [((40,), (16,)), ((9, 20), (4, 8)), ((3, 5, 12), (2, 3, 8)),
                   ((3, 2, 4, 8), (2, 2, 3, 4)), ((2, 3, 2, 3, 8), (2, 2, 2, 2, 4))]:
    start, tile = numbered(shape), -numbered(box)
    store_tile(f"store of rank {len(shape)}", start, tile, [size - 2 for size in shape], plain,
               lambda old, new: new)
for kind, combine in {"add": lambda a, b: a + b, "min": min, "max": max}.items():
    for type in (np.int32, np.float32, np.float16):
        if type == np.float32 and kind != "add":
            continue # the manual has min and max of halves and integers only
        start, tile = numbered((9, 24), type) % 17, numbered((4, 8), type) % 5 * 3
        form = ("reduce", f" {{redKind = #nvvm.tma_redux_kind<{kind}>}}")
        store_tile(f"reduce {kind} {np.dtype(type).name}", start, tile, [6, 20], form, combine)
for kind, combine in {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
                      "inc": lambda a, b: 0 if a >= b else a + 1,
                      "dec": lambda a, b: b if a == 0 or a > b else a - 1}.items():
    form = ("reduce", f" {{redKind = #nvvm.tma_redux_kind<{kind}>}}")
    store_tile(f"reduce {kind}", numbered((9, 24), np.int32) % 17, numbered((4, 8), np.int32) % 11,
               [6, 20], form, combine)

# Bulk copies without a map: in, to a neighbour in the cluster, and out.
data = numbered(64)
kernel = Copies(512)
source, target = kernel.pointer(), kernel.pointer()


def through():
    kernel.expect(256)
    size = kernel.constant(256)
    kernel.do(f"nvvm.cp.async.bulk.shared.cluster.global {kernel.window()}, {source}, {kernel.bar}, {size} "
              ": !llvm.ptr<7>, !llvm.ptr<1>")
    kernel.wait()
    kernel.do(f"nvvm.cp.async.bulk.global.shared.cta {target}, {kernel.memory()}, {size} "
              ": !llvm.ptr<1>, !llvm.ptr<3>")
    kernel.drain()


kernel.lead(through)
run("bulk copy", kernel, [data, "D=f32:64:uninit"], {"D": data})

for cluster in (2, 4, 8):
    # Each block sends its 64 bytes to the next one.
    data = numbered((cluster, 16))
    kernel = Copies(128, cluster=cluster)
    source, target = kernel.pointer(), kernel.pointer()
    rank = kernel.op("nvvm.read.ptx.sreg.cluster.ctarank : i32")
    own = kernel.times(rank, 64)
    kernel.copy(kernel.at(source, own), 1, kernel.memory(), 3, 64)
    kernel.fence_async()
    kernel.barrier()

    def send():
        kernel.expect(64)
        following = kernel.op(f"llvm.add {rank}, {kernel.constant(1)} : i32")
        peer = kernel.op(f"llvm.and {following}, {kernel.constant(cluster - 1)} : i32")
        remote = kernel.op(f"nvvm.mapa {kernel.memory(64)}, {peer} : !llvm.ptr<3> -> !llvm.ptr<7>")
        bar = kernel.op(f"nvvm.mapa {kernel.bar}, {peer} : !llvm.ptr<3> -> !llvm.ptr<7>")
        near = kernel.op(f"llvm.addrspacecast {bar} : !llvm.ptr<7> to !llvm.ptr")
        there = kernel.op(f"llvm.addrspacecast {near} : !llvm.ptr to !llvm.ptr<3>")
        kernel.do(f"nvvm.cp.async.bulk.shared.cluster.shared.cta {remote}, {kernel.memory()}, {there}, "
                  f"{kernel.constant(64)} : !llvm.ptr<7>, !llvm.ptr<3>")

    kernel.lead(send)
    kernel.wait()
    kernel.copy(kernel.memory(64), 3, kernel.at(target, own), 1, 64)
    kernel.everyone()
    run(f"ring of {cluster}", kernel, [data, f"D=f32:{cluster}x16:uninit"],
        {"D": np.roll(data, 1, axis=0)})

    # Each block loads one row for all of them.
    size = cluster * 64
    kernel = Copies(cluster * 128, cluster=cluster)
    map, target = kernel.tensor_map(), kernel.pointer()
    rank = kernel.op("nvvm.read.ptx.sreg.cluster.ctarank : i32")

    def share():
        kernel.expect(size)
        slot = kernel.at(kernel.memory(), kernel.times(rank, 128), 3)
        window = kernel.op(f"llvm.addrspacecast {slot} : !llvm.ptr<3> to !llvm.ptr<7>")
        kernel.do(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {window}, {map}, {kernel.bar}, "
                  f"box[{kernel.constant(0)}, {rank}] multicast_mask = "
                  f"{kernel.constant((1 << cluster) - 1, 'i16')} : !llvm.ptr<7>, !llvm.ptr")

    kernel.lead(share)
    kernel.wait()
    mine = kernel.at(target, kernel.times(rank, size))
    for row in range(cluster):
        kernel.copy(kernel.memory(row * 128), 3, kernel.at(mine, row * 64), 1, 64)
    kernel.everyone()
    run(f"multicast to {cluster}", kernel,
        ["tma:A,box=1x16", f"D=f32:{cluster}x{cluster * 16}:uninit"],
        {"D": np.broadcast_to(data.reshape(-1), (cluster, cluster * 16))},
        [f"--buffer=A={write(f'multicast {cluster}', data)}"])

# cp.async of 4, 8 and 16 bytes that completes on an mbarrier; the second half of
# each piece is zero where the source is shorter.
for wide in (4, 8, 16):
    for short in (False, True):
        for noinc in (False, True):
            data = numbered(32 * wide // 4)
            kernel = Copies(32 * wide, arrivals=32)
            source, target = kernel.pointer(), kernel.pointer()
            offset = kernel.times(kernel.tid, wide)
            slot = kernel.at(kernel.memory(), offset, 3)
            piece = kernel.at(source, offset)
            length = f", {kernel.constant(wide // 2)}" if short else ""
            cache = "cg" if wide == 16 else "ca"
            kernel.do(f"nvvm.cp.async.shared.global {slot}, {piece}, {wide}, cache = {cache}{length} : "
                      f"!llvm.ptr<3>, !llvm.ptr<1>{', i32' if short else ''}")
            # With noinc the arrival is one of those that the barrier counts.
            kernel.do(f"nvvm.cp.async.mbarrier.arrive {kernel.bar} {{noinc = {str(noinc).lower()}}} : !llvm.ptr<3>")
            if not noinc:
                kernel.op(f"nvvm.mbarrier.arrive {kernel.bar} : !llvm.ptr<3> -> i64")
            kernel.wait()
            kernel.copy(kernel.memory(), 3, target, 1, 32 * wide)
            expected = np.frombuffer(data.tobytes(), np.uint8).reshape(32, wide).copy()
            if short:
                expected[:, wide // 2:] = 0
            run(f"cp.async {wide}{' short' if short else ''}{' noinc' if noinc else ''}", kernel,
                [words(data), f"D=i32:{data.size}:uninit"], {"D": words(expected)})
finish()

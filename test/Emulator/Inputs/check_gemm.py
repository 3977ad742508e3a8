"""A warp-specialised GEMM for Hopper: TMA ring, wgmma, multicast, TMA store.

One warpgroup multiplies, a thread of the other loads. Every layout, cluster and type
is exactly right under 20 schedules without a finding; with any of its synchronising
instructions left out, there is one.
"""

import numpy as np

from check_wgmma import descriptor_fields, place_d
from kernel import Kernel, failures, finish, folder, make_matrix, run, seeds

STAGES, TILES, STEPS, SIDE = 2, 2, 3, 8192


class Gemm(Kernel):
    """D (rows x 64) = A * B, 64 rows at a time; K takes STEPS loads of 128 bytes."""

    def __init__(self, layout, format, cluster, without):
        super().__init__(256, cluster, STAGES * 2 * SIDE + 64 * 64 * 4)
        self.layout, self.format, self.without = layout, format, without
        self.per_row = 128 if format == "e4m3" else 64  # elements of K in a step
        self.tags = set()
        self.a, self.b, self.d = (self.tensor_map() for _ in range(3))
        self.bars = self.op("llvm.mlir.addressof @bar : !llvm.ptr<3>")
        self.full = [self.at(self.bars, 8 * s, 3) for s in range(STAGES)]
        self.empty = [self.at(self.bars, 16 + 8 * s, 3) for s in range(STAGES)]
        self.block = self.op("nvvm.read.ptx.sreg.ctaid.x : i32")
        self.rank = self.op("nvvm.read.ptx.sreg.cluster.ctarank : i32")
        self.lead(self.prepare)
        self.meet("start")
        limit = self.constant(128)
        consumes = self.op(f'llvm.icmp "ult" {self.tid}, {limit} : i32')
        loads = self.op(f'llvm.icmp "eq" {self.tid}, {limit} : i32')
        self.where(loads, self.produce)
        self.where(consumes, self.consume)
        if cluster > 1:
            self.meet("end")

    def sync(self, tag, text):
        """A synchronising instruction, which can be left out."""
        self.tags.add(tag)
        if tag != self.without:
            self.do(text)

    def meet(self, tag):
        if self.cluster > 1:
            self.sync(tag, "nvvm.cluster.arrive")
            self.sync(tag, "nvvm.cluster.wait")
        else:
            self.sync(tag, "nvvm.barrier0")

    def prepare(self):
        one, all = self.constant(1), self.constant(128 * self.cluster)
        for s in range(STAGES):
            self.sync("init full", f"nvvm.mbarrier.init {self.full[s]}, {one} : !llvm.ptr<3>, i32")
            self.sync("init empty", f"nvvm.mbarrier.init {self.empty[s]}, {all} : !llvm.ptr<3>, i32")
        self.sync("init fence", "nvvm.fence.mbarrier.init")

    def rounds(self):
        """Tile, step, stage, and how often the stage was used before."""
        for i in range(TILES * STEPS):
            yield i // STEPS, i % STEPS, i % STAGES, i // STAGES

    def wait(self, tag, bar, phase):
        self.sync(tag, f"nvvm.mbarrier.try_wait.parity {bar}, {self.constant(phase)}, "
                       f"{self.constant(1000)} : !llvm.ptr<3>, i32, i32")

    def first_row(self, tile):
        blocks = self.op("nvvm.read.ptx.sreg.nctaid.x : i32")
        before = self.op(f"llvm.mul {blocks}, {self.constant(tile)} : i32")
        return self.times(self.op(f"llvm.add {before}, {self.block} : i32"), 64)

    def produce(self):
        self.do("nvvm.setmaxregister decrease 40")
        half = 64 // self.cluster
        # In bytes and rows the two ways of storing B are alike: rows of 128 bytes.
        own = self.times(self.rank, half)
        mask = self.constant((1 << self.cluster) - 1, "i16")
        for tile, step, s, use in self.rounds():
            if use:
                self.wait_empty(s, use)
            self.sync("expect", f"nvvm.mbarrier.arrive.expect_tx {self.full[s]}, "
                                f"{self.constant(2 * SIDE)} : !llvm.ptr<3>, i32")
            at = self.constant(step * self.per_row)
            row = self.first_row(tile)
            a = self.memory(s * 2 * SIDE)
            window = self.op(f"llvm.addrspacecast {a} : !llvm.ptr<3> to !llvm.ptr<7>")
            where = f"{at}, {row}" if self.layout[0] == "n" else f"{row}, {at}"
            load = "nvvm.cp.async.bulk.tensor.shared.cluster.global"
            types = ": !llvm.ptr<7>, !llvm.ptr"
            self.do(f"{load} {window}, {self.a}, {self.full[s]}, box[{where}] {types}")
            b = self.at(self.memory(s * 2 * SIDE + SIDE), self.times(self.rank, SIDE // self.cluster), 3)
            window = self.op(f"llvm.addrspacecast {b} : !llvm.ptr<3> to !llvm.ptr<7>")
            part = self.op(f"llvm.add {at}, {own} : i32")
            where = f"{at}, {own}" if self.layout[1] == "t" else f"{self.constant(0)}, {part}"
            shared = f" multicast_mask = {mask}" if self.cluster > 1 else ""
            self.do(f"{load} {window}, {self.b}, {self.full[s]}, box[{where}]{shared} {types}")

    def descriptor(self, offset, step, k_major):
        address = self.op(f"llvm.ptrtoint {self.memory(offset)} : !llvm.ptr<3> to i64")
        low = self.op(f"llvm.and {address}, {self.constant(0x3ffff, 'i64')} : i64")
        # 32 bytes of K are two chunks of each row, or 16 rows.
        start = self.op(f"llvm.add {low}, {self.constant(step * (32 if k_major else 2048), 'i64')} : i64")
        chunk = self.op(f"llvm.lshr {start}, {self.constant(4, 'i64')} : i64")
        fields = descriptor_fields(1, 64, 128)
        return self.op(f"llvm.or {chunk}, {self.constant(fields, 'i64')} : i64")

    def release(self, s):
        for rank in range(self.cluster):
            peer = self.op(f"nvvm.mapa {self.empty[s]}, {self.constant(rank)} : !llvm.ptr<3> -> !llvm.ptr<7>")
            self.sync("release", f"nvvm.mbarrier.arrive {peer} {{scope = #nvvm.mem_scope<cluster>}} : !llvm.ptr<7>")

    def wait_empty(self, s, use):
        """Consumers of another block arrive too, so the scope is the cluster."""
        self.tags.add("empty wait")
        if self.without == "empty wait":
            return
        again, after = self.label(), self.label()
        self.do(f"llvm.br {again}")
        self.lines.append(again + ":")
        done = self.op(f"nvvm.mbarrier.try_wait {self.empty[s]}, {self.constant(use + 1 & 1)} "
                       "{scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1")
        self.do(f"llvm.cond_br {done}, {after}, {again}")
        self.lines.append(after + ":")

    def consume(self):
        self.do("nvvm.setmaxregister increase 232")
        result = f"!llvm.struct<({', '.join(['f32'] * 32)})>"
        multiplies = 128 // 32
        k = 32 if self.format == "e4m3" else 16
        a_row, b_row = self.layout[0] == "n", self.layout[1] == "t"
        staging = self.memory(STAGES * 2 * SIDE)
        sum, previous = None, None
        for tile, step, s, use in self.rounds():
            if step == 0:
                sum = self.op(f"llvm.mlir.zero : {result}")
            self.wait("full wait", self.full[s], use & 1)
            self.sync("wgmma fence", "nvvm.wgmma.fence.aligned")
            for i in range(multiplies):
                a = self.descriptor(s * 2 * SIDE, i, a_row)
                b = self.descriptor(s * 2 * SIDE + SIDE, i, b_row)
                sum = self.op(
                    f"nvvm.wgmma.mma_async {a}, {b}, {sum}, #nvvm.shape<m = 64, n = 64, k = {k}>, "
                    "D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>], "
                    f"A [#nvvm.wgmma_type<{self.format}>, #nvvm.wgmma_scale_in<one>, "
                    f"#nvvm.mma_layout<{'row' if a_row else 'col'}>], "
                    f"B [#nvvm.wgmma_type<{self.format}>, #nvvm.wgmma_scale_in<one>, "
                    f"#nvvm.mma_layout<{'col' if b_row else 'row'}>] : {result} -> {result}")
            self.sync("wgmma commit", "nvvm.wgmma.commit.group.sync.aligned")
            if step:
                self.sync("wgmma wait 1", "nvvm.wgmma.wait.group.sync.aligned 1")
                self.release(previous)
            previous = s
            if step + 1 == STEPS:
                self.sync("wgmma wait 0", "nvvm.wgmma.wait.group.sync.aligned 0")
                self.release(s)
                self.write(tile, sum, result, staging)

    def named_barrier(self, tag):
        self.sync(tag, f"nvvm.barrier id = {self.constant(1)} number_of_threads = {self.constant(128)}")

    def write(self, tile, sum, result, staging):
        # Row and column of element 0; the others are at constant distances.
        lane = self.op(f"llvm.and {self.tid}, {self.constant(3)} : i32")
        group = self.op(f"llvm.lshr {self.op(f'llvm.and {self.tid}, {self.constant(31)} : i32')}, {self.constant(2)} : i32")
        warp = self.op(f"llvm.lshr {self.tid}, {self.constant(5)} : i32")
        row = self.op(f"llvm.add {self.times(warp, 16)}, {group} : i32")
        first = self.op(f"llvm.add {self.times(row, 256)}, {self.times(lane, 8)} : i32")
        if tile:
            def drained():
                self.sync("store wait", "nvvm.cp.async.bulk.wait_group 0 {read}")
            self.lead(drained)
            self.named_barrier("staging free")
        for i in range(32):
            r, c = place_d(0, i)
            self.store(self.field(sum, i, result),
                       self.at(self.at(staging, first, 3), r * 256 + c * 4, 3), "f32", 3)
        self.sync("proxy fence", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, "
                                 "space = #nvvm.shared_space<cta>}")
        self.named_barrier("staging full")

        def send():
            self.do(f"nvvm.cp.async.bulk.tensor.global.shared.cta {self.d}, {staging}, "
                    f"box[{self.constant(0)}, {self.first_row(tile)}] : !llvm.ptr, !llvm.ptr<3>")
            self.sync("store commit", "nvvm.cp.async.bulk.commit.group")
            if tile + 1 == TILES:
                self.sync("last store wait", "nvvm.cp.async.bulk.wait_group 0 {read}")

        self.lead(send)


def check(layout, format, cluster, without=None, expected=None):
    kernel = Gemm(layout, format, cluster, without)
    rows, k = TILES * cluster * 2 * 64, STEPS * kernel.per_row
    bits_a, a = make_matrix(format, rows, k)
    bits_b, b = make_matrix(format, k, 64)
    half = 64 // cluster
    name = f"gemm {layout} {format} {cluster}" + (f" without {without}" if without else "")
    path = f"{folder}/{name.replace(' ', '-')}"
    arrays = {"A": bits_a.T if layout[0] == "t" else bits_a, "B": bits_b.T if layout[1] == "t" else bits_b}
    options = [f"--grid={2 * cluster}", f"--buffer=D=f32:{rows}x64:uninit", seeds(1 if without else 20)]
    for buffer, array in arrays.items():
        # Only bits matter: 16-bit floats go as f16, 8-bit ones as bytes.
        array = np.ascontiguousarray(array)
        np.save(f"{path}-{buffer}.npy", array.view(np.float16 if array.itemsize == 2 else np.int8))
        options.append(f"--buffer={buffer}={path}-{buffer}.npy")
    wide = kernel.per_row
    arguments = [f"tma:A,box=64x{wide},swizzle=128", f"tma:B,box={half}x{wide},swizzle=128", "tma:D,box=64x64"]
    if not without:
        run(name, kernel, arguments, {"D": (a @ b).astype(np.float32)}, options)
        return kernel.tags
    before = len(failures)
    text = run(name, kernel, arguments, {}, options, quiet=True)
    del failures[before:]
    if expected not in text:
        failures.append(name)
        print(f"{name}: expected '{expected}', but got: {text}")
    return set()


if __name__ == "__main__":
    for layout in ("nn", "nt", "tn", "tt"):
        for cluster in (1, 2):
            check(layout, "f16", cluster)
    check("nt", "bf16", 1)
    check("nt", "e4m3", 1)
    tags = check("nt", "e4m3", 2)
    findings = {
        "init full": "mbarrier used before its init",
        "init empty": "mbarrier used before its init",
        "init fence": "copy completes on an mbarrier whose init has no fence",
        "start": "mbarrier operation that is not ordered after the init",
        "empty wait": "race: two unordered writes to shared memory",
        "expect": "deadlock: the threads that wait here are never woken",
        "full wait": "race: read of shared memory that is not ordered after its write",
        "wgmma fence": "wgmma without a wgmma.fence since its registers were accessed",
        "wgmma commit": "the read is here (a wgmma)",
        "wgmma wait 1": "the read is here (a wgmma)",
        "wgmma wait 0": "accumulator read before its wgmma has been waited for",
        "release": "deadlock: the threads that wait here are never woken",
        "store wait": "the read is here (a bulk store reading)",
        "staging free": "the read is here (a bulk store reading)",
        "proxy fence": "asynchronous access to shared memory that was written without a proxy fence since",
        "staging full": "race: read of shared memory that is not ordered after its write",
        "store commit": "the read is here (a bulk store reading)",
        "last store wait": "thread exits with a bulk store that it has not waited for",
        "end": "block may exit before this remote arrival on it",
    }
    for tag in sorted(tags):
        check("nt", "f16", 2, tag, findings[tag])
    finish()

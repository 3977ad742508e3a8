"""Reads `amp.launch` of the kernels of a generated module: in which order they run, with how
many blocks, and what their arguments are, as amp-emu takes them."""

import math
import re


def numbers(entry, key):
    found = re.search(rf"\b{key} = array<i64: ([^>]*)>", entry)
    return [int(x) for x in found.group(1).split(",")] if found else []


def number(entry, key):
    found = re.search(rf"\b{key} = (-?\d+)", entry)
    return int(found.group(1)) if found else None


def word(entry, key):
    found = re.search(rf'\b{key} = "?([\w-]+)', entry)
    return found.group(1) if found else ""


def by(sizes):
    return "x".join(str(size) for size in sizes)


class Argument:
    """One dictionary of a launch's arguments."""

    def __init__(self, entry):
        self.kind, self.name = word(entry, "kind"), word(entry, "name")
        self.type, self.operand = word(entry, "type"), word(entry, "operand")
        self.elements, self.value = number(entry, "elements"), number(entry, "value")
        self.output, self.initial = word(entry, "output"), number(entry, "initial")
        self.shape, self.box = numbers(entry, "shape"), numbers(entry, "box")
        self.strides, self.swizzle = numbers(entry, "strides"), number(entry, "swizzle")
        self.lower, self.upper, self.steps = (numbers(entry, key) for key in ("lower", "upper", "steps"))
        self.channels, self.pixels = number(entry, "channels"), number(entry, "pixels")
        self.entries = []

    def memory(self):
        """What it points to: arguments with memory of their own."""
        return self.entries or [self] * (self.kind != "number")

    def memory_shape(self):
        """Of the memory that a buffer or a tensor map asks for, outermost first."""
        if self.kind == "buffer":
            return (max(self.elements, 1),)
        if self.elements is not None:
            # Where a dimension is 0, amp-emu sees 1.
            return (self.elements or math.prod(max(size, 1) for size in self.shape),)
        if self.strides != sorted(self.strides):
            # Groups that lie within the rows.
            return (math.prod(self.shape),)
        size = int(re.search(r"\d+", self.type).group()) // 8
        lengths = [s // size for s in self.strides]  # from one row, one matrix to the next
        shape = lengths[:1]
        for inner, outer in zip(lengths, lengths[1:]):
            shape.append(outer // max(inner, 1))
        return tuple(reversed([max(s, 1) for s in shape + self.shape[-1:]]))

    def emulator_option(self):
        if self.kind == "number":
            return f"--arg=i32:{self.value}"
        if self.kind == "table":
            return "--arg=table:" + ",".join(entry.name for entry in self.entries)
        if self.kind == "buffer":
            return f"--arg={self.name}"
        shape = by(max(size, 1) for size in reversed(self.shape))
        if self.kind == "im2col-map":
            box = f"channels={self.channels},pixels={self.pixels}"
            for key in ("lower", "upper", "steps"):
                box += f",{key}={by(reversed(getattr(self, key)))}"
        else:
            box = f"box={by(reversed(self.box))}"
        if self.kind == "im2col-map" or self.elements is not None or self.strides != sorted(self.strides):
            shape = f"view={shape},strides={by(reversed(self.strides))}"
        else:
            shape = f"shape={shape}"
        return f"--arg=tma:{self.name},{shape},{box},swizzle={self.swizzle}"


class Kernel:
    def __init__(self, name, arguments, rest):
        self.name = name
        self.order = number(rest, "order")
        self.grid, self.block, self.cluster = numbers(rest, "grid")[0], numbers(rest, "block"), numbers(rest, "cluster")
        # None: the grid is as it is.
        self.per_multiprocessor = number(rest, "blocks_per_multiprocessor")
        self.multiple = number(rest, "grid_multiple") or 1
        self.shared = number(rest, "shared_memory")
        # A table is a list of entries before its kind.
        self.arguments, table = [], []
        for entry in re.findall(r'\{([^{}]*)\}|\], (kind = "table")', arguments):
            argument = Argument(entry[0] or entry[1])
            if argument.kind == "table":
                argument.entries, table = table, []
            elif not argument.kind:
                argument.kind = "buffer"
                table.append(argument)
                continue
            self.arguments.append(argument)

    def blocks(self, most):
        """Of a launch on a device that has room for `most`."""
        if not self.per_multiprocessor:
            return self.grid
        return max(min(most, self.grid) // self.multiple, 1) * self.multiple


def read_kernels(module):
    """The kernels of a module's text, in the order in which they run."""
    pattern = r"llvm\.func @(\w+)\([^{]*(?:\{[^{}]*\}[^{]*)*?attributes \{amp\.launch = \{arguments = \[(.*?)\], (block.*?)\}"
    kernels = [Kernel(*found.groups()) for found in re.finditer(pattern, module)]
    return sorted(kernels, key=lambda kernel: kernel.order)

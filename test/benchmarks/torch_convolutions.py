"""How fast does PyTorch compute the convolutions of kernel_variants.py on a GPU?

    torch_convolutions.py

A line of JSON for each convolution and gradient: its name, milliseconds and TFLOP/s. PyTorch
calls cuDNN through its graph interface, in f16 on channels_last tensors, with
cudnn.benchmark, so that the fastest of cuDNN's engines is measured; the functions that
amp-kernel-bench can call reach a tenth of that in places. Calls are captured in a CUDA
graph, which leaves the launches of Python out; several sets of tensors in turn, so that
none is found in the cache; the median of nine rounds.
"""

import json
import sys

try:
    import torch
except ImportError:
    sys.exit("torch_convolutions.py: not measured, python3 has no torch; install it with: pip install torch")

import kernel_variants

CACHE = 50 << 20  # bytes of an H100's last cache
ROUNDS, REPLAYS = 9, 8


def measure(calls):
    """Milliseconds of a call, the mean over `calls`, of which the median round is taken."""
    for call in calls * 2:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(ROUNDS):
        start.record()
        for _ in range(REPLAYS):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / REPLAYS / len(calls))
    return sorted(times)[ROUNDS // 2]


def make_calls(images, side, channels, filters, filter, stride, padding, kind):
    out = (side + 2 * padding - filter) // stride + 1
    shapes = (images, channels, side, side), (filters, channels, filter, filter), (images, filters, out, out)
    bytes_of_set = 2 * sum(torch.Size(shape).numel() for shape in shapes)
    arguments = [stride, stride], [padding, padding], [1, 1], False, [0, 0], 1

    def make_call():
        x, f, y = (
            (torch.rand(shape, device="cuda") * 2 - 1).half().to(memory_format=torch.channels_last) for shape in shapes
        )
        if kind == "forward":
            return lambda: torch.ops.aten.convolution(x, f, None, *arguments)
        wanted = [kind == "data-gradient", kind == "weight-gradient", False]
        return lambda: torch.ops.aten.convolution_backward(y, x, f, None, *arguments, wanted)

    count = min(max(4 * CACHE // bytes_of_set + 1, 1), 8)
    return [make_call() for _ in range(count)], 2 * images * out * out * filters * channels * filter * filter


def main():
    if not torch.cuda.is_available():
        sys.exit("torch_convolutions.py: not measured, torch finds no GPU")
    torch.backends.cudnn.benchmark = True
    for name, *shape in kernel_variants.CONVOLUTIONS:
        for kind in kernel_variants.KINDS:
            calls, operations = make_calls(*shape, kind)
            milliseconds = measure(calls)
            print(json.dumps({"name": f"conv {name} {kind}", "milliseconds": milliseconds,
                              "tflops": operations / milliseconds * 1e-9}), flush=True)


if __name__ == "__main__":
    main()

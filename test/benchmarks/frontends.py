# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a training step costs in PyTorch, by each way that a script can take it.

    frontends.py [--seconds 1] [--threads 1] [--only NAME...]

Four tables, of one process: milliseconds per step of the models of python/examples,
of two of a size that a CPU trains and of other kinds (`model_kinds.py`); O1 and O2 of the eager interface in turns with what computes at
their types; Python's share of a compiled step; what the backend `amp` adds to each call of a
graph, above a backend whose graphs compute nothing.
"""

import argparse
import contextlib
import datetime
import pathlib
import platform
import statistics
import sys
import time
import warnings

import torch
from torch import nn
from torch.nn import functional

PYTHON = pathlib.Path(__file__).parents[2] / "python"
sys.path[:0] = [str(PYTHON / "examples"), str(PYTHON / "benchmarks")]

import char_gpt  # noqa: E402
import digits_cnn  # noqa: E402
import eager  # noqa: E402
import gan_digits  # noqa: E402
import lstm_names  # noqa: E402
import resnet_digits  # noqa: E402
from mlir_amp import compiler, policy  # noqa: E402
from mlir_amp.torch import amp, backend  # noqa: E402
from model_kinds import KINDS, adam, adamw, cross_entropy, momentum  # noqa: E402
from sample_models import ResNetMid  # noqa: E402
from torch._dynamo.backends.common import aot_autograd  # noqa: E402


def resnet_mid():
    """ResNet-50's blocks, two of each width, on 16 images of 64 x 64."""
    batch = torch.randn(16, 3, 64, 64), torch.randint(100, (16,))
    return ResNetMid(), cross_entropy, momentum, batch


def gpt_mid():
    """GPT-2's shape: six layers of width 512, 8192 tokens, four rows of 256."""
    model, x, y = eager.gpt(width=512, layers=6, heads=8, vocabulary=8192, length=256, batch=4)
    for module in model.modules():
        if isinstance(module, nn.Embedding):  # the default makes denormal probabilities
            nn.init.normal_(module.weight, std=0.02)
    return model, cross_entropy, adamw, (x, y)


def cnn_digits():
    batch = torch.rand(64, 1, 8, 8), torch.randint(10, (64,))
    return digits_cnn.Cnn(), cross_entropy, adam, batch


def resnet_digits8():
    batch = torch.rand(32, 1, 8, 8), torch.randint(10, (32,))
    return resnet_digits.ResNet(), cross_entropy, momentum, batch


def char_gpt32():
    return char_gpt.Gpt(60), char_gpt.get_loss, adamw, (torch.randint(60, (16, 33)),)


def lstm():
    batch = torch.randint(40, (32, 14)), torch.randint(40, (32, 14))
    return lstm_names.Namer(40), lstm_names.get_loss, adam, batch


def gan():
    """The discriminator's step."""
    generator, discriminator = gan_digits.make_models()
    model = nn.ModuleDict({"generator": generator.requires_grad_(False), "discriminator": discriminator})
    batch = torch.rand(64, 64), torch.randn(64, gan_digits.NOISE)
    return model, gan_digits.get_judge_loss, adam, batch


MODELS = {
    "digits_cnn": cnn_digits,
    "resnet_digits": resnet_digits8,
    "char_gpt": char_gpt32,
    "lstm_names": lstm,
    "gan_digits": gan,
    "gpt_mid": gpt_mid,
    "resnet_mid": resnet_mid,
    **KINDS,
}


def make(name, **options):
    torch._dynamo.reset()
    torch.manual_seed(1)
    model, get_loss, make_optimizer, batch = MODELS[name]()
    trained = [p for p in model.parameters() if p.requires_grad]
    return model, get_loss, make_optimizer(trained, **options), batch


def in_pytorch(name, compile_with=None, dtype=None, scaled=False):
    """PyTorch's own loop with its fastest optimizer, perhaps with a compiled loss, autocast
    and GradScaler."""
    model, get_loss, optimizer, batch = make(name, fused=True)
    scaler = torch.amp.GradScaler("cpu", enabled=scaled)
    run = get_loss if compile_with is None else torch.compile(get_loss, **compile_with)

    def step():
        optimizer.zero_grad()
        context = torch.autocast("cpu", dtype) if dtype else contextlib.nullcontext()
        with context:
            loss = run(model, *batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    return step


def in_apex(name, level):
    model, get_loss, optimizer, batch = make(name)
    models = list(model.values()) if isinstance(model, nn.ModuleDict) else model  # what is called
    amp.initialize(models, optimizer, opt_level=level, verbosity=0)

    def step():
        optimizer.zero_grad()
        loss = get_loss(model, *batch)
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        optimizer.step()

    return step


def in_float32(function):
    """The function in FP32, whatever torch.autocast makes of it."""

    def widen(value):
        return value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    def call(*args, **kwargs):
        with torch.autocast("cpu", enabled=False):
            return function(*map(widen, args), **{key: widen(value) for key, value in kwargs.items()})

    return call


def is_wide(name):
    """Whether Apex's lists keep a function of torch.nn.functional in FP32."""
    entry = policy.lookup(f"torch.nn.functional.{name}", "float16")
    return entry is not None and entry.list_class == "float32"


def in_autocast_of_apex(name):
    """torch.autocast in f16 with GradScaler, at the types of O1: its lists for CPUs keep less in FP32."""
    step = in_pytorch(name, dtype=torch.float16, scaled=True)
    plain = {key: value for key, value in vars(functional).items() if callable(value) and is_wide(key)}
    wide = {key: in_float32(value) for key, value in plain.items()}

    def with_lists():
        vars(functional).update(wide)
        try:
            step()
        finally:
            vars(functional).update(plain)

    return with_lists


def by_hand(name):
    """A half model with FP32 batch normalisations and masters, at the types of O2."""
    model, get_loss, optimizer, batch = make(name)
    for module in model.modules():
        if not isinstance(module, nn.modules.batchnorm._BatchNorm):
            for parameter in module.parameters(recurse=False):
                parameter.data = parameter.data.half()
    called = model.values() if isinstance(model, nn.ModuleDict) else [model]

    def to(dtype, values):
        return tuple(v.to(dtype) if v.is_floating_point() else v for v in values)

    for module in called:
        module.register_forward_pre_hook(lambda _, values: to(torch.float16, values))
        module.register_forward_hook(lambda _, values, y: to(torch.float32, y) if isinstance(y, tuple) else y.float())
    parameters = [p for p in model.parameters() if p.requires_grad]
    half = [p for p in parameters if p.dtype == torch.float16]
    masters = {p: nn.Parameter(p.detach().float()) for p in half}
    (group,) = optimizer.param_groups
    group["params"] = [masters.get(p, p) for p in parameters]
    scaler = torch.amp.GradScaler("cpu")

    def step():
        for parameter in parameters:
            parameter.grad = None
        scaler.scale(get_loss(model, *batch)).backward()
        for parameter, master in masters.items():
            master.grad = None if parameter.grad is None else parameter.grad.float()
        scaler.step(optimizer)
        scaler.update()
        with torch.no_grad():
            torch._foreach_copy_(half, [*masters.values()])

    return step


def in_one_call(name, level):
    model, get_loss, optimizer, batch = make(name)
    step = amp.compile_step(model, get_loss, optimizer, level)
    return lambda: step(*batch)


AMP = {"backend": backend.amp, "options": {"opt_level": "O1"}}
WAYS = {
    "FP32": in_pytorch,
    "autocast bf16": lambda name: in_pytorch(name, dtype=torch.bfloat16),
    "autocast f16": lambda name: in_pytorch(name, dtype=torch.float16, scaled=True),
    "inductor": lambda name: in_pytorch(name, {}),
    "inductor bf16": lambda name: in_pytorch(name, {}, dtype=torch.bfloat16),
    "autocast as O1": in_autocast_of_apex,
    "O1": lambda name: in_apex(name, "O1"),
    "by hand as O2": by_hand,
    "O2": lambda name: in_apex(name, "O2"),
    "backend O1": lambda name: in_pytorch(name, AMP, scaled=True),
    "step O0": lambda name: in_one_call(name, "O0"),
    "step O1": lambda name: in_one_call(name, "O1"),
    "step O2": lambda name: in_one_call(name, "O2"),
    "step O4": lambda name: in_one_call(name, "O4"),
    "step O5": lambda name: in_one_call(name, "O5"),
}

#: What computes at the types of a way.
BASELINES = {"O1": "autocast as O1", "O2": "by hand as O2"}


def measure(step, seconds):
    """Its first loss, if it gives one, and seconds of a step: the median, of two at least,
    and of what fits into `seconds`."""
    loss = step()
    begin = time.perf_counter()
    step()
    if time.perf_counter() - begin < 0.2:  # caches of what is small
        for _ in range(5):
            step()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 2 or (time.perf_counter() < end and len(times) < 500):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return None if loss is None else float(loss), statistics.median(times)


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_steps(names, ways, seconds):
    print(
        "\nMilliseconds per step; O1 and O2 beside what computes at their types in brackets."
        "\nThe last column is how far first losses are from that of the first way, at most.\n"
    )
    print_row("model", *ways, "losses")
    print_row(*["---"] * (len(ways) + 2))
    for name in names:
        cells, values, losses = [], {}, []
        for way in ways:
            try:
                loss, value = measure(WAYS[way](name), seconds)
            except Exception as error:  # one way that fails is one cell
                print(f"{name}, {way}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                cells.append("failed")
                continue
            finally:
                amp.reset()
            values[way] = value
            losses += [] if loss is None else [loss]
            beside = f" ({value / values[BASELINES[way]]:.2f})" if BASELINES.get(way) in values else ""
            cells.append(f"{value * 1e3:.4g}{beside}")
        distance = max((abs(loss / losses[0] - 1) for loss in losses), default=0)
        print_row(name, *cells, f"{distance:.1e}")


def in_turns(first, second, seconds):
    """Seconds of a step of each, medians; the casts of the second are off in the first."""
    second()
    handle = amp._amp_state.handle
    times = [], []
    end = time.perf_counter() + seconds
    while len(times[0]) < 3 or time.perf_counter() < end:
        if handle is not None:
            handle.mode.remove()
        begin = time.perf_counter()
        first()
        times[0].append(time.perf_counter() - begin)
        if handle is not None:
            handle.mode.install()
        begin = time.perf_counter()
        second()
        times[1].append(time.perf_counter() - begin)
    return map(statistics.median, times)


def print_pairs(names, seconds):
    print("\nMilliseconds per step, in turns with what computes at the same types.\n")
    print_row("model", "way", "beside", "ms", "ms beside it", "ratio")
    print_row(*["---"] * 6)
    for name in names:
        for way, beside in BASELINES.items():
            try:
                baseline = WAYS[beside](name)
                baseline()
                theirs, ours = in_turns(baseline, WAYS[way](name), seconds)
            except Exception as error:  # one pair that fails is one row
                print(f"{name}, {way}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                continue
            finally:
                amp.reset()
            print_row(name, way, beside, f"{ours * 1e3:.4g}", f"{theirs * 1e3:.4g}", f"{ours / theirs:.3f}")


def print_shares(names, seconds):
    print("\nPython's share of a compiled step at O2: microseconds outside of the native call.\n")
    print_row("model", "parameters", "Python", "Python per parameter", "native call")
    print_row(*["---"] * 5)
    call = compiler.Function.call_addresses
    for name in names:
        inside = []

        def timed(self, *given, inside=inside):
            begin = time.perf_counter()
            call(self, *given)
            inside.append(time.perf_counter() - begin)

        compiler.Function.call_addresses = timed
        try:
            step = in_one_call(name, "O2")
            for _ in range(5):
                step()
            outside = []
            end = time.perf_counter() + seconds
            while len(outside) < 3 or (time.perf_counter() < end and len(outside) < 500):
                begin = time.perf_counter()
                step()
                outside.append(time.perf_counter() - begin - inside[-1])
        finally:
            compiler.Function.call_addresses = call
        count = sum(p.requires_grad for p in make(name)[0].parameters())
        share = statistics.median(outside) * 1e6
        print_row(
            name, str(count), f"{share:.0f}", f"{share / count:.1f}", f"{statistics.median(inside[5:]) * 1e6:.0f}"
        )


def null_graph(module, _):
    """A boxed graph that gives memory of its outputs' types and shapes."""
    (output,) = (node for node in module.graph.nodes if node.op == "output")
    given = [node if node is None else node.meta["val"] for node in output.args[0]]
    described = [v if v is None else (v.shape, v.dtype) for v in given]

    def run(inputs):
        inputs.clear()
        return [d if d is None else torch.empty(d[0], dtype=d[1]) for d in described]

    run._boxed_call = True
    return run


class Many(nn.Module):
    """So many parameters that a graph takes, of four numbers each."""

    def __init__(self, count):
        super().__init__()
        self.parts = nn.ParameterList(torch.randn(4) for _ in range(count))

    def forward(self, x):
        for part in self.parts:
            x = x + part
        return x


def per_call(model, x, chosen, backward):
    torch._dynamo.reset()
    run = torch.compile(model, backend=chosen)

    def call():
        y = run(x)
        if backward:
            y.backward(gradient)

    gradient = torch.ones(4)
    with contextlib.nullcontext() if backward else torch.no_grad():
        for _ in range(20):
            call()
        best = float("inf")
        for _ in range(15):
            begin = time.perf_counter()
            for _ in range(200):
                call()
            best = min(best, (time.perf_counter() - begin) / 200)
    return best * 1e6


def print_overheads():
    null = aot_autograd(fw_compiler=null_graph, bw_compiler=null_graph, inference_compiler=null_graph)
    print("\nMicroseconds of a call (forward, then forward and backward, which is two graphs).\n")
    print_row("parameters", "graphs", "nothing computed", "backend O0", "backend, per graph")
    print_row(*["---"] * 5)

    def ours(module, inputs):
        return backend.amp(module, inputs, options={"opt_level": "O0"})

    for count in (1, 10, 50):
        for backward in (False, True):
            model, x = Many(count), torch.randn(4)
            base, full = (per_call(model, x, chosen, backward) for chosen in (null, ours))
            graphs = 1 + backward
            print_row(str(count), str(graphs), f"{base:.1f}", f"{full:.1f}", f"{(full - base) / graphs:.1f}")


def get_cpu():
    lines = pathlib.Path("/proc/cpuinfo")
    names = [n for n in lines.read_text().splitlines() if n.startswith("model name")] if lines.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each cell, beside two steps")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[*MODELS], metavar="NAME", help=f"of {', '.join(MODELS)}")
    parser.add_argument("--ways", nargs="+", default=[*WAYS], metavar="WAY", help=f"of {', '.join(WAYS)}")
    parser.add_argument("--tables", nargs="+", default=["steps", "pairs", "shares", "overheads"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(options.threads)
    print(f"{get_cpu()}, {torch.backends.cpu.get_cpu_capability()}, {datetime.date.today()}")
    print(f"torch {torch.__version__}, {compiler.version()}, {options.threads} thread(s)")
    if "overheads" in options.tables:
        print_overheads()
    if "shares" in options.tables:
        print_shares([name for name in options.only if not name.endswith("mid")], options.seconds)
    if "pairs" in options.tables:
        print_pairs(options.only, options.seconds)
    if "steps" in options.tables:
        print_steps(options.only, options.ways, options.seconds)


if __name__ == "__main__":
    main()

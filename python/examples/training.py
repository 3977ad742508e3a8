# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the examples share: options, both kinds of step, a progress bar, checkpoints, curves."""

import argparse
import os
import pathlib
import time

import torch
from mlir_amp.torch import amp

DATA = pathlib.Path(__file__).parent / "data"


def make_parser(description, steps):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opt-level", default="O1", help="O0 to O5")
    parser.add_argument("--compile", action="store_true", help="take each step as one call of a compiled program")
    parser.add_argument("--steps", type=int, default=steps, help="steps in all, those of a checkpoint included")
    parser.add_argument("--plot", help="PNG to draw loss, scale and skipped steps to")
    parser.add_argument("--tensorboard", metavar="FOLDER", help="folder to write the same to, for TensorBoard")
    parser.add_argument("--losses", help="text file to write each step's loss to")
    return parser


def make_step(model, get_loss, optimizer, options):
    """What takes a step with a batch and gives its loss; what has the scalers' state_dict."""
    if options.compile:
        step = amp.compile_step(model, get_loss, optimizer, opt_level=options.opt_level)
        return step, step
    amp.initialize(model, optimizer, opt_level=options.opt_level, verbosity=0)  # in place

    def step(*batch):
        loss = get_loss(model, *batch)
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step, amp


def show_progress(steps):
    """The steps, with a bar on a terminal where tqdm is installed."""
    try:
        import tqdm
    except ImportError:
        return steps
    return tqdm.tqdm(steps, disable=None)


class Record:
    """Loss and scale of each step."""

    def __init__(self, options):
        self.options = options
        self.writer = make_writer(options.tensorboard)
        self.history = []
        self.seconds = []

    def count_steps(self, begin=0):
        for step in show_progress(range(begin, self.options.steps)):
            started = time.perf_counter()
            yield step
            self.seconds.append(time.perf_counter() - started)

    def add(self, loss, scalers):
        """Takes a step's loss, and what amp.state_dict() or that of a compiled step gives."""
        scale = scalers["loss_scaler0"]["loss_scale"]
        skipped = bool(self.history) and scale < self.history[-1][1]
        self.history.append((loss.item(), scale, skipped))
        if self.writer:
            for name, value in zip(("loss", "scale", "skipped"), self.history[-1], strict=True):
                self.writer.add_scalar(name, value, len(self.history) - 1)

    def report(self):
        """Prints losses, skipped steps and time; draws them if asked to."""
        options, losses = self.options, [loss for loss, _, _ in self.history]
        kind = "compiled" if options.compile else "eager"
        skipped = sum(skip for _, _, skip in self.history)
        print(
            f"{options.opt_level} {kind}: loss {losses[0]:.4f} to {losses[-1]:.4f}, "
            f"{skipped} of {len(losses)} steps skipped"
        )
        if len(self.seconds) > 1:  # the first step compiles
            print(f"first step {self.seconds[0]:.2f} s, then {1e3 * sorted(self.seconds)[len(self.seconds) // 2]:.2f} ms")
        if options.losses:
            pathlib.Path(options.losses).write_text("".join(f"{loss!r}\n" for loss in losses))
        if options.plot:
            draw(options.plot, self.history)
        if self.writer:
            self.writer.close()


def make_writer(folder):
    """Where TensorBoard is installed, what writes curves for it into a folder; else None."""
    if folder is None:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        print("tensorboard is not installed: no curves")
        return None
    return SummaryWriter(folder)


def read_text(name):
    """A file of the folder data, without its first line, which says where it is from."""
    return (DATA / name).read_text().partition("\n")[2].strip()


def save(path, **state):
    """Writes a checkpoint so that a kill leaves the old one or the new one."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def draw(path, history):
    """Draws one (loss, scale, skipped) for each step, where matplotlib is installed."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no plot")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    losses, scales, skipped = zip(*history, strict=True)
    figure, (above, below) = pyplot.subplots(2, sharex=True, figsize=(7, 5), layout="constrained")
    above.plot(losses, linewidth=0.8)
    above.set(ylabel="loss", yscale="log")
    below.step(range(len(scales)), scales, where="post")
    below.plot(
        [i for i, skip in enumerate(skipped) if skip],
        [scales[i] for i, skip in enumerate(skipped) if skip],
        "rx",
        label="skipped",
    )
    below.set(ylabel="loss scale", xlabel="step", yscale="log")
    if any(skipped):
        below.legend()
    figure.savefig(path, dpi=120)

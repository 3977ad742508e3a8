# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step costs in eager PyTorch: ours at O1 and O2, torch.autocast, FP32.

    eager.py [--steps 40] [--threads 1] [MODEL...]

Prints seconds per step of each and the ratio to torch.autocast with GradScaler at the
same half type, in one process, in turns. The goal is a ratio of at most 1.1.
"""

import argparse
import statistics
import time

import torch
from mlir_amp.torch import amp
from torch.nn import functional


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


def gpt(width=128, layers=4, heads=4, vocabulary=256, length=64, batch=8):
    class Gpt(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = torch.nn.Embedding(vocabulary, width), torch.nn.Embedding(length, width)
            self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(layers)))
            self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, vocabulary)

        def forward(self, tokens):
            x = self.embed(tokens) + self.place(torch.arange(length))
            return self.head(self.norm(self.blocks(x))).flatten(0, 1)

    tokens = torch.randint(vocabulary, (batch, length))
    return Gpt(), tokens, torch.randint(vocabulary, (batch * length,))


def mlp(width=256, batch=64):
    layers = []
    for _ in range(3):
        layers += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers), torch.randn(batch, width), torch.randint(width, (batch,))


def cnn(batch=32):
    def block(inputs, outputs):
        return (
            torch.nn.Conv2d(inputs, outputs, 3, padding=1),
            torch.nn.BatchNorm2d(outputs),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
        )

    model = torch.nn.Sequential(*block(1, 16), *block(16, 32), torch.nn.Flatten(), torch.nn.Linear(512, 10))
    return model, torch.randn(batch, 1, 16, 16), torch.randint(10, (batch,))


MODELS = {"mlp": mlp, "cnn": cnn, "gpt": gpt}


def get_steps(name):
    """The ways to take a step, each with a model of its own."""

    def make():
        torch.manual_seed(1)
        model, x, y = MODELS[name]()
        return model, torch.optim.SGD(model.parameters(), lr=0.01), x, y

    model, optimizer, x, y = make()

    def float32(model=model, optimizer=optimizer, x=x, y=y):
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    model, optimizer, x, y = make()
    scaler = torch.amp.GradScaler("cpu")

    def autocast(model=model, optimizer=optimizer, x=x, y=y):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16):
            loss = functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    steps = {"float32": float32, "autocast": autocast}
    for level in ("O1", "O2"):
        model, optimizer, x, y = make()
        state = {}

        def enter(level=level, model=model, optimizer=optimizer, state=state):
            state["pair"] = amp.initialize(model, optimizer, opt_level=level, verbosity=0)

        def ours(state=state, x=x, y=y):
            model, optimizer = state["pair"]
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(x), y)
            with amp.scale_loss(loss, optimizer) as scaled:
                scaled.backward()
            optimizer.step()

        ours.enter = enter
        steps[level] = ours
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; all")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {options.threads} thread(s), median of {options.steps} steps")
    print(f"{'model':6} {'step':10} {'ms/step':>9} {'/autocast':>10}")
    for name in options.models or MODELS:
        seconds = {}
        for way, step in get_steps(name).items():
            if hasattr(step, "enter"):
                step.enter()
            for _ in range(5):
                step()
            times = []
            for _ in range(options.steps):
                begin = time.perf_counter()
                step()
                times.append(time.perf_counter() - begin)
            seconds[way] = statistics.median(times)
            amp.reset()
        for way, value in seconds.items():
            print(f"{name:6} {way:10} {value * 1e3:9.3f} {value / seconds['autocast']:10.2f}")


if __name__ == "__main__":
    main()

# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small ResNet on 8x8 handwritten digits, with momentum and a schedule.

    python resnet_digits.py --opt-level O1 --steps 150 --compile --checkpoint resnet.pt

Run it again with the same checkpoint and it goes on where it was, bit for bit, compiled or
not, also after a kill. A checkpoint has the model's, the optimizer's and the schedule's
state, and that of the loss scaler: amp.state_dict(), or state_dict() of the compiled step.
"""

import os
import pathlib

import numpy
import torch
import training
from torch.nn import functional

DIGITS = pathlib.Path(__file__).parents[2] / "share" / "digits"


class Block(torch.nn.Module):
    """Two convolutions beside a shortcut; with a stride both halve the image."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.conv2 = torch.nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = torch.nn.BatchNorm2d(after), torch.nn.BatchNorm2d(after)
        self.shortcut = torch.nn.Identity()
        if stride != 1 or before != after:
            conv = torch.nn.Conv2d(before, after, 1, stride, bias=False)
            self.shortcut = torch.nn.Sequential(conv, torch.nn.BatchNorm2d(after))

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)))
        return functional.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn = torch.nn.BatchNorm2d(16)
        self.blocks = torch.nn.Sequential(Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2))
        self.fc = torch.nn.Linear(64, 10)

    def forward(self, x):
        x = self.blocks(functional.relu(self.bn(self.stem(x))))
        return self.fc(x.mean((2, 3)))


def get_loss(model, images, labels):
    return functional.cross_entropy(model(images), labels)


def read(name):
    """Images as N x 1 x 8 x 8 in [0, 1], and labels."""
    arrays = numpy.load(DIGITS / name)
    images = torch.from_numpy(arrays["x0"]).float().reshape(-1, 1, 8, 8)
    return images, torch.from_numpy(arrays["x1"]).long()


def main():
    parser = training.make_parser(__doc__, steps=150)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--checkpoint", help="file to go on from, if it is there, and to write")
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    options = parser.parse_args()
    images, labels = read("digits_train.npz")

    torch.manual_seed(1)
    model = ResNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    step, scaling = training.make_step(model, get_loss, optimizer, options)

    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.steps)
    record, begin = training.Record(options), 0
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule, "scaling": scaling}
    if options.checkpoint and os.path.exists(options.checkpoint):
        state = torch.load(options.checkpoint)
        for name, part in parts.items():
            part.load_state_dict(state[name])
        begin, record.history = state["step"], state["history"]
        print(f"going on from step {begin}")

    for number in record.count_steps(begin):
        # By its number, so that a run that goes on sees the same batches.
        batch = torch.randint(len(images), (options.batch,), generator=torch.Generator().manual_seed(number))
        loss = step(images[batch], labels[batch])
        schedule.step()
        record.add(loss, scaling.state_dict())
        if options.checkpoint and ((number + 1) % options.every == 0 or number == options.steps - 1):
            states = {name: part.state_dict() for name, part in parts.items()}
            training.save(options.checkpoint, step=number + 1, history=record.history, **states)

    record.report()
    model.eval()
    images, labels = read("digits_test.npz")
    with torch.no_grad():
        accuracy = (model(images).argmax(1) == labels).float().mean().item()
    print(f"loss {record.history[-1][0]:.4f}, accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()

# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolutional network on 8x8 handwritten digits, at any opt level.

    python digits_cnn.py --opt-level O2 --steps 300 --checkpoint digits.pt --plot digits.png

Run it again with the same checkpoint and it goes on where it was, bit for bit, also
after a kill: the checkpoint is written to another name and renamed. Shows the steps as
they go (tqdm, where installed), and draws loss, scale and skipped steps (matplotlib).
"""

import argparse
import os
import pathlib

import numpy
import torch
import training
from mlir_amp.torch import amp
from torch.nn import functional

DIGITS = pathlib.Path(__file__).parents[2] / "share" / "digits"


class Cnn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.BatchNorm2d(16)
        self.conv2, self.bn2 = torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.BatchNorm2d(32)
        self.fc = torch.nn.Linear(128, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(x))), 2)
        x = functional.max_pool2d(functional.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(x.flatten(1))


def read(name):
    """Images as N x 1 x 8 x 8 in [0, 1], and labels."""
    arrays = numpy.load(DIGITS / name)
    images = torch.from_numpy(arrays["x0"]).float().reshape(-1, 1, 8, 8)
    return images, torch.from_numpy(arrays["x1"]).long()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt-level", default="O1", help="O0 to O5")
    parser.add_argument("--loss-scale", help="'dynamic' or a factor; the level's own")
    parser.add_argument("--steps", type=int, default=300, help="steps in all, those of a checkpoint included")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--checkpoint", help="file to go on from, if it is there, and to write")
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--plot", help="PNG to draw")
    options = parser.parse_args()
    images, labels = read("digits_train.npz")

    torch.manual_seed(1)
    model = Cnn()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, eps=1e-4)
    model, optimizer = amp.initialize(
        model, optimizer, opt_level=options.opt_level, loss_scale=options.loss_scale, verbosity=0
    )
    begin, history = 0, []
    if options.checkpoint and os.path.exists(options.checkpoint):
        state = torch.load(options.checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        amp.load_state_dict(state["amp"])
        begin, history = state["step"], state["history"]
        print(f"going on from step {begin}")

    for step in training.show_progress(range(begin, options.steps)):
        # By its number, so that a run that goes on sees the same batches.
        batch = torch.randint(len(images), (options.batch,), generator=torch.Generator().manual_seed(step))
        loss = functional.cross_entropy(model(images[batch]), labels[batch])
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        scale = amp.state_dict()["loss_scaler0"]["loss_scale"]
        history.append((loss.item(), scale, amp.is_skipping(optimizer)))
        optimizer.step()
        optimizer.zero_grad()
        if options.checkpoint and ((step + 1) % options.every == 0 or step == options.steps - 1):
            training.save(
                options.checkpoint,
                model=model.state_dict(),
                optimizer=optimizer.state_dict(),
                amp=amp.state_dict(),
                step=step + 1,
                history=history,
            )

    model.eval()
    images, labels = read("digits_test.npz")
    with torch.no_grad():
        accuracy = (model(images).argmax(1) == labels).float().mean().item()
    skipped = sum(skip for _, _, skip in history)
    taken = f"{skipped} of {len(history)} steps skipped"
    print(f"{options.opt_level}: loss {history[-1][0]:.4f}, {taken}, accuracy {accuracy:.4f}")
    if options.plot:
        training.draw(options.plot, history)


if __name__ == "__main__":
    main()

# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GAN on 8x8 handwritten digits: two models, two optimizers, three losses.

    python gan_digits.py --opt-level O1 --steps 3000 --samples samples.png

Each loss has a scaler of its own (num_losses=3, loss_id), so that an overflow of one
does not shrink the scale of the others. The discriminator steps once on the sum of two
backward passes, on real images and on generated ones.
"""

import argparse
import pathlib

import numpy
import torch
from mlir_amp.torch import amp
from torch.nn import functional

DIGITS = pathlib.Path(__file__).parents[2] / "share" / "digits"
NOISE = 16


def make_models():
    linear, leaky = torch.nn.Linear, torch.nn.LeakyReLU
    generator = torch.nn.Sequential(
        linear(NOISE, 128),
        torch.nn.BatchNorm1d(128),
        torch.nn.ReLU(),
        linear(128, 128),
        torch.nn.ReLU(),
        linear(128, 64),
    )
    discriminator = torch.nn.Sequential(linear(64, 128), leaky(0.2), linear(128, 64), leaky(0.2), linear(64, 1))
    return generator, discriminator


def draw(path, images):
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no samples")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [torch.cat(list(row), dim=1) for row in images.view(4, 8, 8, 8)]
    sheet = torch.cat(rows).repeat_interleave(8, dim=0).repeat_interleave(8, dim=1)
    pyplot.imsave(path, sheet.numpy(), cmap="gray", vmin=0.0, vmax=1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt-level", default="O1", help="O0 to O5")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--samples", help="PNG of 32 generated digits")
    options = parser.parse_args()
    torch.manual_seed(1)
    digits = torch.from_numpy(numpy.load(DIGITS / "digits_train.npz")["x0"]).float()

    generator, discriminator = make_models()
    make_optimizer = lambda model: torch.optim.Adam(model.parameters(), lr=5e-4, betas=(0.5, 0.999), eps=1e-4)  # noqa: E731
    (generator, discriminator), (step_g, step_d) = amp.initialize(
        [generator, discriminator],
        [make_optimizer(generator), make_optimizer(discriminator)],
        opt_level=options.opt_level,
        num_losses=3,
        verbosity=0,
    )
    # With logits: binary_cross_entropy cannot be computed in half.
    criterion = functional.binary_cross_entropy_with_logits
    ones, zeros = torch.ones(options.batch, 1), torch.zeros(options.batch, 1)
    for step in range(options.steps):
        real = digits[torch.randint(len(digits), (options.batch,))]
        fake = torch.sigmoid(generator(torch.randn(options.batch, NOISE)))

        step_d.zero_grad()
        loss_real = criterion(discriminator(real), 0.9 * ones)
        with amp.scale_loss(loss_real, step_d, loss_id=0) as scaled:
            scaled.backward()
        loss_fake = criterion(discriminator(fake.detach()), zeros)
        with amp.scale_loss(loss_fake, step_d, loss_id=1) as scaled:
            scaled.backward()
        step_d.step()

        step_g.zero_grad()
        loss_g = criterion(discriminator(fake), ones)
        with amp.scale_loss(loss_g, step_g, loss_id=2) as scaled:
            scaled.backward()
        step_g.step()
        if step % 500 == 0 or step == options.steps - 1:
            print(f"step {step}: real {loss_real:.3f}, fake {loss_fake:.3f}, generator {loss_g:.3f}")

    scales = [entry["loss_scale"] for entry in amp.state_dict().values()]
    generator.eval()
    with torch.no_grad():
        images = torch.sigmoid(generator(torch.randn(32, NOISE)).float())
    error = (images.mean(0) - digits.mean(0)).abs().mean().item()
    print(f"{options.opt_level}: scales {scales}, mean image off by {error:.4f}")
    if options.samples:
        draw(options.samples, images)


if __name__ == "__main__":
    main()

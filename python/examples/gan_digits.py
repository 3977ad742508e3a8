# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GAN on 8x8 handwritten digits: two models, two optimizers, three losses.

    python gan_digits.py --opt-level O1 --steps 3000 --samples samples.png
    python gan_digits.py --compile --opt-level O2

Each loss has a scaler of its own (num_losses=3, loss_id), so that an overflow of one
does not shrink the scale of the others. The discriminator steps once on the sum of two
backward passes, on real images and on generated ones. Compiled, each optimizer has a
step and a scaler.
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


# With logits: binary_cross_entropy cannot be computed in half.
criterion = functional.binary_cross_entropy_with_logits


def get_judge_losses(gan, real, noise):
    fake = torch.sigmoid(gan["generator"](noise)).detach()
    on_real, on_fake = gan["discriminator"](real), gan["discriminator"](fake)
    return criterion(on_real, torch.full_like(on_real, 0.9)), criterion(on_fake, torch.zeros_like(on_fake))


def get_judge_loss(gan, real, noise):
    return sum(get_judge_losses(gan, real, noise))


def get_generator_loss(gan, noise):
    judged = gan["discriminator"](torch.sigmoid(gan["generator"](noise)))
    return criterion(judged, torch.ones_like(judged))


def make_compiled_step(gan, optimizer_g, optimizer_d, opt_level):
    """What takes a step of both with images and noise; what has the scalers."""
    step_d = amp.compile_step(gan, get_judge_loss, optimizer_d, opt_level, frozen=[gan["generator"]])
    step_g = amp.compile_step(gan, get_generator_loss, optimizer_g, opt_level, frozen=[gan["discriminator"]])

    def step(real, noise):
        return {"discriminator": step_d(real, noise), "generator": step_g(noise)}

    return step, lambda: [value for one in (step_d, step_g) for value in one.state_dict().values()]


def make_eager_step(gan, optimizer_g, optimizer_d, opt_level):
    """The same with a scaler for each loss."""
    amp.initialize(list(gan.values()), [optimizer_g, optimizer_d], opt_level=opt_level, num_losses=3, verbosity=0)

    def step(real, noise):
        optimizer_d.zero_grad()
        losses = get_judge_losses(gan, real, noise)
        for loss_id, loss in enumerate(losses):
            with amp.scale_loss(loss, optimizer_d, loss_id=loss_id) as scaled:
                scaled.backward()
        optimizer_d.step()

        optimizer_g.zero_grad()
        loss_g = get_generator_loss(gan, noise)
        with amp.scale_loss(loss_g, optimizer_g, loss_id=2) as scaled:
            scaled.backward()
        optimizer_g.step()
        return {"discriminator": sum(losses), "generator": loss_g}

    return step, lambda: list(amp.state_dict().values())


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
    parser.add_argument("--compile", action="store_true", help="take each step as one call of a compiled program")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--samples", help="PNG of 32 generated digits")
    options = parser.parse_args()
    torch.manual_seed(1)
    digits = torch.from_numpy(numpy.load(DIGITS / "digits_train.npz")["x0"]).float()

    generator, discriminator = make_models()
    gan = torch.nn.ModuleDict({"generator": generator, "discriminator": discriminator})
    optimizer_g, optimizer_d = (
        torch.optim.Adam(part.parameters(), lr=5e-4, betas=(0.5, 0.999), eps=1e-4) for part in gan.values()
    )
    make_step = make_compiled_step if options.compile else make_eager_step
    take_step, get_scalers = make_step(gan, optimizer_g, optimizer_d, options.opt_level)
    for step in range(options.steps):
        real = digits[torch.randint(len(digits), (options.batch,))]
        losses = take_step(real, torch.randn(options.batch, NOISE))
        if step % 500 == 0 or step == options.steps - 1:
            print(f"step {step}: " + ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items()))

    scales = [entry["loss_scale"] for entry in get_scalers()]
    generator.eval()
    with torch.no_grad():
        images = torch.sigmoid(generator(torch.randn(32, NOISE)).float())
    error = (images.mean(0) - digits.mean(0)).abs().mean().item()
    print(f"{options.opt_level}: scales {scales}, mean image off by {error:.4f}")
    if options.samples:
        draw(options.samples, images)


if __name__ == "__main__":
    main()

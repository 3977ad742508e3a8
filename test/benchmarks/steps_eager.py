"""The samples' steps in PyTorch: what one costs in eager FP32."""

import sample_models


def make_step(name):
    """A function without arguments that runs one training step of the sample."""
    model, make_optimizer, batch = sample_models.make(name.removeprefix("jax_"))
    optimizer = make_optimizer(model.parameters())

    def step():
        optimizer.zero_grad()
        sample_models.get_loss(model, *batch).backward()
        optimizer.step()

    return step

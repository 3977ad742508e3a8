# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The samples' models in PyTorch: parameters of the same names, the same optimizers.

Benchmarks compare steps of the samples with them, in time and in numbers.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from sample_files import MODELLED
from torch import nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(64, 128), nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 10)

    def forward(self, x):
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(x.flatten(1))


def make_shortcut(before, after, stride):
    """What a block adds its input by, of the block's result's shape."""
    if stride == 1 and before == after:
        return nn.Identity()
    conv = nn.Conv2d(before, after, 1, stride, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after))


class ResidualBlock(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.down = make_shortcut(before, after, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.down(x))


class ResNet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(1, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)
        self.b1, self.b2 = ResidualBlock(8, 8, 1), ResidualBlock(8, 16, 2)
        self.b3 = ResidualBlock(16, 32, 2)
        self.fc = nn.Linear(32, 10)

    def forward(self, x):
        x = self.b3(self.b2(self.b1(F.relu(self.bn(self.stem(x))))))
        return self.fc(x.mean((2, 3)))


class Bottleneck(nn.Module):
    """ResNet-50's block, whose stride is in the convolution of 3 x 3."""

    def __init__(self, before, width, stride):
        super().__init__()
        after = 4 * width
        self.conv1 = nn.Conv2d(before, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, after, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(after)
        self.down = make_shortcut(before, after, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.down(x))


class ResNetMid(nn.Module):
    """ResNet-50 with two blocks of each width, whose residual branches start small.
    With batch norms' weights of 1, roundings of FP32 decide so many signs before a ReLU
    that gradients are off by a hundredth."""

    def __init__(self, classes=100):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        layers, before = [], 64
        for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers.append(Bottleneck(before, width, stride))
            layers.append(Bottleneck(4 * width, width, 1))
            before = 4 * width
        self.layers = nn.Sequential(*layers)
        for block in layers:
            nn.init.constant_(block.bn3.weight, 0.2)
        self.fc = nn.Linear(before, classes)

    def forward(self, x):
        x = self.pool(F.relu(self.bn(self.stem(x))))
        return self.fc(self.layers(x).mean((2, 3)))


def attend(qkv, heads):
    """Causal attention of (batch, tokens, 3 width) to (batch, tokens, width)."""
    batch, tokens, width = qkv.shape
    q, k, v = (
        z.reshape(batch, tokens, heads, -1).transpose(1, 2)
        for z in qkv.split(width // 3, -1)
    )
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return y.transpose(1, 2).reshape(batch, tokens, width // 3)


class GPTBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.proj(attend(self.qkv(self.ln1(x)), self.heads))
        return x + self.out(F.gelu(self.fc(self.ln2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, vocabulary=96, width=64, heads=4, tokens=32):
        super().__init__()
        self.wte, self.wpe = (
            nn.Embedding(vocabulary, width),
            nn.Embedding(tokens, width),
        )
        self.blocks = nn.Sequential(*(GPTBlock(width, heads) for _ in range(layers)))
        self.lnf = nn.LayerNorm(width)
        nn.init.normal_(self.wte.weight, std=0.02)  # 1 makes denormal probabilities
        nn.init.normal_(self.wpe.weight, std=0.02)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        return self.lnf(self.blocks(x)) @ self.wte.weight.t()


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        return self.proj(attend(self.qkv(x), self.heads))


class GPTMidBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.out(F.gelu(self.fc(self.ln2(x)), approximate="tanh"))


class GPTMid(nn.Module):
    """GPT-2's shape: six layers of width 512."""

    def __init__(self, vocabulary=8192, width=512, heads=8, layers=6, tokens=256):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Parameter(0.02 * torch.randn(tokens, width))
        self.blocks = nn.ModuleList(GPTMidBlock(width, heads) for _ in range(layers))
        self.lnf = nn.LayerNorm(width)
        nn.init.normal_(self.wte.weight, std=0.02)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(self.lnf(x), self.wte.weight)


def sgd(rate, decay=0.0):
    return lambda parameters, **options: torch.optim.SGD(
        parameters, lr=rate, momentum=0.9, weight_decay=decay, **options
    )


def adamw(rate, decay):
    return lambda parameters, **options: torch.optim.AdamW(
        parameters, lr=rate, weight_decay=decay, **options
    )


class Sample(NamedTuple):
    """A sample in PyTorch.

    Attributes:
        model: With PyTorch's start values.
        make_optimizer: From an iterable of parameters, and options as `fused`.
        batch: Input and target of the sample's shapes, random.
    """

    model: nn.Module
    make_optimizer: Callable
    batch: tuple[torch.Tensor, torch.Tensor]


def images(shape, classes=10):
    return torch.rand(shape), torch.randint(classes, shape[:1])


def smooth_images(shape, classes):
    """Images that differ from each other as photographs do, and not in noise alone."""
    coarse = torch.randn(*shape[:2], 8, 8)
    x = F.interpolate(coarse, size=shape[2:], mode="bilinear")
    return x, torch.randint(classes, shape[:1])


def tokens(count, shape):
    return torch.randint(count, shape), torch.randint(count, shape)


SAMPLES = {
    "mlp_digits": lambda: Sample(MLP(), sgd(0.1), images((32, 64))),
    "cnn_digits": lambda: Sample(CNN(), sgd(0.05), images((16, 1, 8, 8))),
    "resnet8": lambda: Sample(ResNet8(), sgd(0.05, 5e-4), images((8, 1, 8, 8))),
    "gpt_tiny": lambda: Sample(GPT(2), adamw(1e-3, 0.01), tokens(96, (4, 32))),
    "gpt_tiny_1": lambda: Sample(GPT(1), adamw(1e-3, 0.01), tokens(96, (4, 32))),
    "gpt_mid": lambda: Sample(GPTMid(), adamw(3e-4, 0.1), tokens(8192, (4, 256))),
    "resnet_mid": lambda: Sample(
        ResNetMid(), sgd(0.1, 1e-4), smooth_images((16, 3, 64, 64), 100)
    ),
}
assert (*SAMPLES,) == MODELLED


def make(name, seed=0):
    """The sample of that name; its start values and batch follow from the seed.

    Raises:
        KeyError: There is none of that name.
    """
    torch.manual_seed(seed)
    return SAMPLES[name]()


def get_loss(model, x, y):
    """Cross entropy of the model's last axis, a scalar: the loss of every sample."""
    z = model(x)
    return F.cross_entropy(z.reshape(-1, z.shape[-1]), y.reshape(-1))

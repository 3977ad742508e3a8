# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of other kinds than the samples, as small as still says something of their kind.

Each function gives a model, its loss as a function of model and batch, an optimizer's
constructor and a batch, for `frontends.py`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional


def cross_entropy(model, *batch):
    *inputs, labels = batch
    return functional.cross_entropy(model(*inputs), labels)


momentum = functools.partial(torch.optim.SGD, lr=0.01, momentum=0.9)
adam = functools.partial(torch.optim.Adam, lr=1e-3, eps=1e-4)
adamw = functools.partial(torch.optim.AdamW, lr=3e-4, eps=1e-4)


class Recommender(nn.Module):
    """Embeddings of categories, their pairwise products, and two small networks: DLRM's shape."""

    def __init__(self, tables=6, rows=10000, width=32, numbers=13):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(numbers, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, numbers, categories):
        x = self.bottom(numbers)
        rows = [table(categories[:, i]) for i, table in enumerate(self.tables)]
        all_rows = torch.stack([x, *rows], 1)
        count = all_rows.shape[1]
        first, second = torch.tril_indices(count, count, -1)
        pairs = (all_rows @ all_rows.transpose(1, 2))[:, first, second]
        return self.top(torch.cat([x, pairs], 1)).squeeze(1)


def binary_cross_entropy(model, *batch):
    *inputs, labels = batch
    return functional.binary_cross_entropy_with_logits(model(*inputs), labels)


def recommender():
    batch = torch.randn(256, 13), torch.randint(10000, (256, 6)), torch.rand(256)
    return Recommender(), binary_cross_entropy, momentum, batch


class GraphNetwork(nn.Module):
    """Two layers that add up what comes along edges."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(64, 128), nn.Linear(128, 128)])
        self.out = nn.Linear(128, 10)

    def forward(self, x, source, target):
        for layer in self.layers:
            messages = layer(x)
            x = torch.zeros_like(messages).index_add(0, target, messages[source]).relu()
        return self.out(x)


def graph_network(nodes=1000, edges=5000):
    batch = torch.randn(nodes, 64), *torch.randint(nodes, (2, edges)), torch.randint(10, (nodes,))
    return GraphNetwork(), cross_entropy, adam, batch


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(64, 128)
        self.layers = nn.LSTM(128, 256, 2, batch_first=True)
        self.out = nn.Linear(256, 64)

    def forward(self, letters):
        return self.out(self.layers(self.letters(letters))[0]).flatten(0, 1)


def lstm_layers(rows=32, length=32):
    return Lstm(), cross_entropy, adam, (torch.randint(64, (rows, length)), torch.randint(64, (rows * length,)))


class Attention(nn.Module):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = Attention(width, heads, is_causal)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


class LongGpt(nn.Module):
    def __init__(self, vocabulary=256, width=256, heads=4, layers=2, length=1024):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.words.weight, std=0.02)
        self.places = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.Sequential(*(Block(width, heads, is_causal=True) for _ in range(layers)))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, words):
        return self.out(self.norm(self.blocks(self.words(words) + self.places))).flatten(0, 1)


def gpt_long():
    return LongGpt(), cross_entropy, adamw, (torch.randint(256, (2, 1024)), torch.randint(256, (2048,)))


class VisionTransformer(nn.Module):
    def __init__(self, width=192, heads=3, layers=4):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 8, 8)
        self.places = nn.Parameter(0.02 * torch.randn(64, width))
        self.blocks = nn.Sequential(*(Block(width, heads, is_causal=False) for _ in range(layers)))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.places
        return self.out(self.norm(self.blocks(x)).mean(1))


def images(count, size=64):
    return torch.randn(count, 3, size, size), torch.randint(10, (count,))


def vision_transformer():
    return VisionTransformer(), cross_entropy, adamw, images(16)


class InvertedResidual(nn.Module):
    def __init__(self, channels, out, stride, factor=4):
        super().__init__()
        inside = channels * factor
        self.layers = nn.Sequential(
            nn.Conv2d(channels, inside, 1, bias=False),
            nn.BatchNorm2d(inside),
            nn.ReLU6(),
            nn.Conv2d(inside, inside, 3, stride, 1, groups=inside, bias=False),
            nn.BatchNorm2d(inside),
            nn.ReLU6(),
            nn.Conv2d(inside, out, 1, bias=False),
            nn.BatchNorm2d(out),
        )
        self.is_residual = stride == 1 and channels == out

    def forward(self, x):
        return x + self.layers(x) if self.is_residual else self.layers(x)


def mobilenet():
    stem = nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6()
    shapes = (16, 24, 2), (24, 24, 1), (24, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1)
    blocks = (InvertedResidual(*shape) for shape in shapes)
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    return model, cross_entropy, momentum, images(16)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()

        def pair(channels, out):
            def one(before):
                return nn.Conv2d(before, out, 3, 1, 1), nn.GroupNorm(8, out), nn.SiLU()

            return nn.Sequential(*one(channels), *one(out))

        self.down = nn.ModuleList([pair(3, 32), pair(32, 64), pair(64, 128)])
        self.grow = nn.ModuleList([nn.ConvTranspose2d(128, 64, 2, 2), nn.ConvTranspose2d(64, 32, 2, 2)])
        self.up = nn.ModuleList([pair(128, 64), pair(64, 32)])
        self.out = nn.Conv2d(32, 3, 1)

    def forward(self, x):
        first = self.down[0](x)
        second = self.down[1](functional.max_pool2d(first, 2))
        x = self.down[2](functional.max_pool2d(second, 2))
        for grow, up, beside in zip(self.grow, self.up, (second, first)):
            x = up(torch.cat([grow(x), beside], 1))
        return self.out(x)


def mean_square(model, x, y):
    return functional.mse_loss(model(x), y)


def unet():
    return UNet(), mean_square, adamw, (torch.randn(4, 3, 32, 32), torch.randn(4, 3, 32, 32))


def mlp_batch_norm():
    layers = (
        layer
        for inputs in (784, 1024)
        for layer in (nn.Linear(inputs, 1024), nn.BatchNorm1d(1024), nn.ReLU())
    )
    batch = torch.randn(128, 784), torch.randint(10, (128,))
    return nn.Sequential(*layers, nn.Linear(1024, 10)), cross_entropy, adam, batch


KINDS = {
    make.__name__: make
    for make in (
        recommender,
        graph_network,
        lstm_layers,
        gpt_long,
        vision_transformer,
        mobilenet,
        unet,
        mlp_batch_norm,
    )
}

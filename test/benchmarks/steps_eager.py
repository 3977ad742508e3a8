"""The samples' models in PyTorch: what a step costs in eager FP32."""

import torch
import torch.nn.functional as F
from torch import nn


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


class ResidualBlock(nn.Module):
    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels_out)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels_out)
        self.down = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.down = nn.Sequential(
                nn.Conv2d(channels_in, channels_out, 1, stride, bias=False),
                nn.BatchNorm2d(channels_out),
            )

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.down(x))


class ResNet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(1, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)
        self.blocks = nn.Sequential(
            ResidualBlock(8, 8, 1), ResidualBlock(8, 16, 2), ResidualBlock(16, 32, 2)
        )
        self.fc = nn.Linear(32, 10)

    def forward(self, x):
        x = self.blocks(F.relu(self.bn(self.stem(x))))
        return self.fc(x.mean((2, 3)))


class GPTBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (
            z.reshape(batch, tokens, self.heads, -1).transpose(1, 2)
            for z in self.qkv(self.ln1(x)).split(width, -1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.out(F.gelu(self.fc(self.ln2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, vocabulary=96, width=64, heads=4, tokens=32):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(GPTBlock(width, heads) for _ in range(layers)))
        self.lnf = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        return self.lnf(self.blocks(x)) @ self.wte.weight.t()


def make_step(name):
    """A function without arguments that runs one training step of the sample."""
    name = name.removeprefix("jax_")
    torch.manual_seed(0)
    if name == "gpt_tiny_1":
        model = GPT(layers=1)
    elif name == "gpt_tiny":
        model = GPT(layers=2)
    elif name == "mlp_digits":
        model = nn.Sequential(
            nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)
        )
    else:
        model = {"cnn_digits": CNN, "resnet8": ResNet8}[name]()
    if name.startswith("gpt"):
        x, y = torch.randint(0, 96, (4, 32)), torch.randint(0, 96, (4, 32))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    else:
        shape = {"mlp_digits": (32, 64), "cnn_digits": (16, 1, 8, 8), "resnet8": (8, 1, 8, 8)}
        x = torch.rand(shape[name])
        y = torch.randint(0, 10, (len(x),))
        rate = 0.1 if name == "mlp_digits" else 0.05
        decay = 5e-4 if name == "resnet8" else 0.0
        optimizer = torch.optim.SGD(
            model.parameters(), lr=rate, momentum=0.9, weight_decay=decay
        )

    def step():
        optimizer.zero_grad()
        z = model(x)
        F.cross_entropy(z.reshape(-1, z.shape[-1]), y.reshape(-1)).backward()
        optimizer.step()

    return step

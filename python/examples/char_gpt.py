# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small GPT that learns five of Shakespeare's sonnets by heart, letter by letter.

    python char_gpt.py --opt-level O1 --steps 400 --compile

With --compile each step is one call of a program that the compiler made of the model, of
its gradients and of AdamW (amp.compile_step); without it the step is Apex's. Both train
the same tensors, so what follows the training does not know which it was.
"""

import torch
import training
from torch.nn import functional

CONTEXT = 32


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.proj = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # rows x heads x letters x features
            for part in self.qkv(self.norm1(x)).chunk(3, dim=-1)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Gpt(torch.nn.Module):
    def __init__(self, letters, width=64, heads=4, depth=2):
        super().__init__()
        self.letter = torch.nn.Embedding(letters, width)
        self.place = torch.nn.Parameter(0.02 * torch.randn(CONTEXT, width))
        self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, letters)

    def forward(self, tokens):
        x = self.letter(tokens) + self.place[: tokens.shape[1]]
        return self.head(self.norm(self.blocks(x)))


def get_loss(model, tokens):
    """Of guessing each letter from those before it; tokens: rows x (letters + 1)."""
    logits = model(tokens[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


@torch.no_grad()
def sample(model, tokens, count):
    """The tokens and as many more, each drawn from what the model expects there."""
    for _ in range(count):
        logits = model(tokens[None, -CONTEXT:])[0, -1].float()
        chosen = torch.multinomial(functional.softmax(logits / 0.7, dim=-1), 1)
        tokens = torch.cat([tokens, chosen])
    return tokens


def main():
    parser = training.make_parser(__doc__, steps=400)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sample", type=int, default=160, help="letters to write at the end")
    options = parser.parse_args()
    text = training.read_text("sonnets.txt")
    letters = sorted(set(text))
    tokens = torch.tensor([letters.index(letter) for letter in text])

    torch.manual_seed(1)
    model = Gpt(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.steps)
    step, state = training.make_step(model, get_loss, optimizer, options)

    record = training.Record(options)
    for _ in record.count_steps():
        starts = torch.randint(len(tokens) - CONTEXT, (options.batch, 1))
        loss = step(tokens[starts + torch.arange(CONTEXT + 1)])
        schedule.step()
        record.add(loss, state.state_dict())
    record.report()
    written = sample(model, tokens[:CONTEXT], options.sample)
    print("".join(letters[token] for token in written))


if __name__ == "__main__":
    main()

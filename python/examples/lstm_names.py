# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An LSTM that reads the names of the chemical elements, and makes up more of them.

    python lstm_names.py --opt-level O1 --steps 300 --compile

With --compile each step is one call of a program (amp.compile_step), in which the recurrence
is written out: one cell for each letter of the longest name.
"""

import torch
import training
from torch.nn import functional

NONE = -100  # no letter; cross_entropy leaves it out


class Namer(torch.nn.Module):
    def __init__(self, letters, width=64):
        super().__init__()
        self.letter = torch.nn.Embedding(letters, 16)
        self.lstm = torch.nn.LSTM(16, width, batch_first=True)
        self.head = torch.nn.Linear(width, letters)

    def forward(self, tokens):
        return self.head(self.lstm(self.letter(tokens))[0])


def get_loss(model, tokens, following):
    return functional.cross_entropy(model(tokens).flatten(0, 1), following.flatten(), ignore_index=NONE)


def read_names():
    """Names, letters with the one that ends a name first, and tokens: names x letters."""
    names = training.read_text("elements.txt").split()
    letters = ["\n", *sorted(set("".join(names)))]
    longest = max(map(len, names)) + 1
    tokens = torch.zeros(len(names), longest, dtype=torch.long)
    following = torch.full_like(tokens, NONE)
    for row, name in enumerate(names):
        indices = torch.tensor([letters.index(letter) for letter in "\n" + name + "\n"])
        tokens[row, : len(name) + 1] = indices[:-1]
        following[row, : len(name) + 1] = indices[1:]
    return names, letters, tokens, following


@torch.no_grad()
def make_up(model, letters):
    """A name, letter by letter."""
    name = [0]
    while len(name) < 20 and (len(name) == 1 or name[-1]):
        logits = model(torch.tensor([name]))[0, -1].float()
        name.append(int(torch.multinomial(functional.softmax(logits / 0.8, dim=-1), 1)))
    return "".join(letters[index] for index in name).strip()


def main():
    parser = training.make_parser(__doc__, steps=300)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--names", type=int, default=8, help="names to make up at the end")
    options = parser.parse_args()
    names, letters, tokens, following = read_names()

    torch.manual_seed(1)
    model = Namer(len(letters))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    step, state = training.make_step(model, get_loss, optimizer, options)

    record = training.Record(options)
    for _ in record.count_steps():
        rows = torch.randint(len(names), (options.batch,))
        record.add(step(tokens[rows], following[rows]), state.state_dict())
    record.report()
    made_up = (make_up(model, letters) for _ in range(options.names))
    print(", ".join(name if name not in names else f"({name})" for name in made_up))


if __name__ == "__main__":
    main()

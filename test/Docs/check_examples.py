"""Runs every ```mlir block of Markdown pages through amp-opt.

    check_examples.py AMP_OPT PAGE_OR_FOLDER...

A block is a module, a bare list of operations, or several of them parted by
`// -----`. Two blocks of a pass's section, the first under a line `Before:`, the
second under one that begins with `After`, are what the pass is given and what it
prints. It runs without options, or as the flag in backticks on the second line
says.

Prints one line for each refusal, and the two texts of each difference, at the
block's place in its page, and ends with the counts.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^(?P<indent> *)```mlir\n(?P<text>.*?)^(?P=indent)```",
                   re.MULTILINE | re.DOTALL)
PAIR = re.compile(r"^Before:\n+" + BLOCK.pattern.lstrip("^").replace("?P<text>", "?P<before>")
                  + r"\n+After(?P<options>[^\n]*):\n+```mlir\n(?P<after>.*?)^```",
                  re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^### `-(?P<flag>[a-z0-9-]+)`", re.MULTILINE)


def pages(arguments):
    for path in map(pathlib.Path, arguments):
        if path.is_dir():
            # build/docs/generated holds the parts of the pages in build/docs.
            yield from (p for p in sorted(path.rglob("*.md")) if p.parent.name != "generated")
        else:
            yield path


def run(amp_opt, text, *options):
    return subprocess.run([amp_opt, "--split-input-file", *options], input=textwrap.dedent(text),
                          capture_output=True, text=True)


def pairs(content):
    """Each pair of blocks with the flag that leads from one to the other."""
    sections = list(SECTION.finditer(content))
    for number, section in enumerate(sections):
        end = sections[number + 1].start() if number + 1 < len(sections) else len(content)
        for pair in PAIR.finditer(content, section.end(), end):
            options = re.search(r"`--([^`]*)`", pair["options"])
            flag = options[1].replace('"', "") if options else section["flag"]
            yield pair, "--" + flag


def main():
    amp_opt, *arguments = sys.argv[1:]
    count = refused = compared = different = 0
    for page in pages(arguments):
        content = page.read_text(encoding="utf-8")

        def place(match):
            return f"{page}:{content.count(chr(10), 0, match.start()) + 2}"

        for block in BLOCK.finditer(content):
            count += 1
            result = run(amp_opt, block["text"])
            if result.returncode:
                refused += 1
                print(f"{place(block)}: {result.stderr}")
        for pair, flag in pairs(content):
            compared += 1
            printed = run(amp_opt, pair["before"], flag).stdout
            expected = run(amp_opt, pair["after"]).stdout
            if printed != expected:
                different += 1
                print(f"{place(pair)}: {flag} prints\n{printed}instead of\n{expected}")
    print(f"{count} blocks, {refused} refused")
    print(f"{compared} pairs, {different} different")
    return 1 if refused or different or not count else 0


if __name__ == "__main__":
    sys.exit(main())

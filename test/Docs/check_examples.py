"""Runs every ```mlir block of Markdown pages through amp-opt.

    check_examples.py AMP_OPT PAGE_OR_FOLDER...

A block is a module, a bare list of operations, or several of them parted by
`// -----`. Prints one line for each refusal, at the block's place in its page,
and ends with the counts.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^(?P<indent> *)```mlir\n(?P<text>.*?)^(?P=indent)```",
                   re.MULTILINE | re.DOTALL)


def pages(arguments):
    for path in map(pathlib.Path, arguments):
        if path.is_dir():
            # build/docs/generated holds the parts of the pages in build/docs.
            yield from (p for p in sorted(path.rglob("*.md")) if p.parent.name != "generated")
        else:
            yield path


def main():
    amp_opt, *arguments = sys.argv[1:]
    count = refused = 0
    for page in pages(arguments):
        content = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(content):
            count += 1
            result = subprocess.run([amp_opt, "--split-input-file"],
                                    input=textwrap.dedent(block["text"]),
                                    capture_output=True, text=True)
            if result.returncode:
                refused += 1
                line = content.count("\n", 0, block.start()) + 2
                print(f"{page}:{line}: {result.stderr}")
    print(f"{count} blocks, {refused} refused")
    return 1 if refused or not count else 0


if __name__ == "__main__":
    sys.exit(main())

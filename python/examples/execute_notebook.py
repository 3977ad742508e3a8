# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cells of a notebook in their order, and keeps in it what they gave.

    python execute_notebook.py mixed_precision.ipynb          # writes the outputs
    python execute_notebook.py mixed_precision.ipynb --check  # prints them

For machines without Jupyter: text that is printed, the value of a cell's last line (but
for one that ends in a semicolon) and figures of matplotlib are all that it knows.
"""

import argparse
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import sys


def make_stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def take_figures():
    """The figures that were drawn, as PNG."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=70)
        pyplot.close(number)
        data = {"image/png": base64.b64encode(file.getvalue()).decode()}
        yield {"output_type": "display_data", "data": data, "metadata": {}}


def run(source, names, count):
    """The outputs of a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {count}>", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), f"<cell {count}>", "eval"), names)
    outputs = [make_stream(printed.getvalue())] if printed.getvalue() else []
    outputs += take_figures()
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="leave the file as it is")
    options = parser.parse_args()
    path = options.notebook.resolve()
    notebook = json.loads(path.read_text())
    os.chdir(path.parent)
    os.environ["MPLBACKEND"] = "agg"
    names = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        outputs = run("".join(cell["source"]), names, count)
        if options.check:
            kinds = [output["output_type"] for output in outputs]
            print(f"cell {count}: {', '.join(kinds) or 'nothing'}")
            for output in outputs:
                print("".join(output.get("text", [])), end="")
        else:
            cell.update(outputs=outputs, execution_count=count)
    if not options.check:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

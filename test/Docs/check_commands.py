"""Runs the amp-run and amp-compile commands of Markdown pages.

    check_commands.py SOURCE BUILD PAGE...

A command is an indented line that begins with `amp-run`, `amp-compile` or either
behind `build/bin/`, with the lines that a backslash adds; those that follow one
another count as one. It runs in an empty folder in which `share` is SOURCE's and
`build` is BUILD.

Prints each command that fails with what it said, and ends with the counts.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = r"    (?:build/bin/)?amp-(?:run|compile) (?:.*\\\n)*.*"
COMMANDS = re.compile(rf"^({LINE}(?:\n{LINE})*)$", re.MULTILINE)


def main():
    source, build, *pages = map(pathlib.Path, sys.argv[1:])
    environment = {**os.environ, "PATH": f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    count = failed = 0
    for page in pages:
        for command in COMMANDS.findall(page.read_text()):
            count += 1
            with tempfile.TemporaryDirectory() as folder:
                os.symlink(source / "share", os.path.join(folder, "share"))
                os.symlink(build, os.path.join(folder, "build"))
                done = subprocess.run("set -e\n" + command, shell=True, cwd=folder, env=environment,
                                      capture_output=True, text=True)
            if done.returncode != 0:
                failed += 1
                print(f"{page}: {command}\n{done.stdout}{done.stderr}")
    print(f"{count} commands, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()

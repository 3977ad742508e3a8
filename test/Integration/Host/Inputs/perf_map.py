"""perf_map.py amp-run STEP.mlir [options]: runs it and prints the lines of the map that it left for perf,
addresses replaced by their distance from the first; the map is taken away. Fails unless each line is one
function and none lies in another. With --in-the-way there is a folder where the map belongs."""

import pathlib
import re
import subprocess
import sys

command = sys.argv[1:]
in_the_way = command[0] == "--in-the-way"
if in_the_way:
    # The shell's process becomes the tool's.
    command = ["sh", "-c", 'mkdir /tmp/perf-$$.map && exec "$@"', "sh", *command[1:]]
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
said, _ = process.communicate()
path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
lines = None
if in_the_way:
    path.rmdir()
elif path.exists():
    lines = path.read_text().splitlines()
    path.unlink()
print(said.replace(path.name, "perf-PID.map"), end="")
print("exit code", process.returncode)
if lines is None:
    print("no map" if not in_the_way else "a folder")
    sys.exit()

first, end = int(lines[0].split()[0], 16), 0
for line in lines:
    start, size, name = re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) (\S.*)", line).groups()
    start, size = int(start, 16), int(size, 16)
    assert start >= end and 0 < size < 1 << 20, line
    end = start + size
    print(f"+{start - first:x} {size:x} {name}")

"""Holds the table of `./dev bench step`, on standard input, to bounds.

    device_step.py ... | check_step_bytes.py MEASURED [memory-bound]

MEASURED has a line for each sample and level: its launches, the bytes that it moves of the least, and the same of
what memory binds. Each is at most what is written there and a fiftieth more, so that a pass that no longer fires is
noticed where others leave room. Whatever is written there, bytes moved are at most 1.25 of the least (unless the word
says that it is not asked), so are those that memory binds, and a step's workspace at O2 and O5 is less than at O0. One
line for each that is out of bounds; exit status 1 if there is one, or no row.
"""

import sys

MOST = 1.25
#: Of what was measured: the last of the printed digits, and a launch of fifty.
ROOM = 1.02

measured, *options = sys.argv[1:]
with open(measured) as file:
    limits = {tuple(line.split()[:2]): [float(number) for number in line.split()[2:]]
              for line in file if not line.startswith("#")}
rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in sys.stdin if line.startswith("| ")]
header, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
workspace = header.index("of O0")
COLUMNS = [("launches", "makes {} launches", 1e9), ("ratio", "moves {} of the least", MOST),
           ("memory-bound", "moves {} of the least that memory binds", MOST)]
wrong = 0
for row in rows:
    sample, level = row[:2]
    if (sample, level) not in limits:
        print(f"wrong: {sample} at {level} is not in {measured}")
        wrong += 1
    for (column, text, most), value in zip(COLUMNS, limits.get((sample, level), ())):
        if options == ["memory-bound"] and column == "ratio":
            most = 1e9
        found, limit = row[header.index(column)], min(most, ROOM * value)
        if float(found) > limit:
            print(f"wrong: {sample} at {level} {text.format(found)}, not {limit:.4g}")
            wrong += 1
    if level != "O0" and not float(row[workspace]) < 1:
        print(f"wrong: {sample} at {level} has {row[workspace]} of the workspace at O0")
        wrong += 1
print(f"{len(rows)} steps, {wrong} out of bounds")
sys.exit(bool(wrong) or not rows)

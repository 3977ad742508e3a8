"""Holds the includes of lib/Kernels to the order of its folders.

    check_includes.py LIB_FOLDER PUBLIC_FOLDER

LIB_FOLDER/README.md has the order as a table: floor, folder, what it answers, and its headers
in PUBLIC_FOLDER. A file may include what is in its own folder or on a lower floor; a header
and its source are one, and within a folder no two include each other by any way round.
Prints what is wrong, then a count; exit status 1 if anything is.
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (\d+) \| `(\w+)` \|[^|]*\|([^|]*)\|$", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
BELOW_ALL = {"Passes.h", "Passes.h.inc"}

library, public = map(pathlib.Path, sys.argv[1:])
wrong = []

# What the table says.
floors, owner = {}, {}
for floor, folder, headers in ROW.findall((library / "README.md").read_text()):
    floors[folder] = int(floor)
    owner.update((name, folder) for name in re.findall(r"`(\S+\.h)`", headers))

# What there is: each file with its folder.
files = {path: path.parent.name for path in sorted(library.glob("*/*")) if path.suffix in (".h", ".cpp")}
for folder in sorted(set(files.values()) ^ set(floors)):
    wrong.append(f"{folder}: in the table or on disk, but not in both")
for path in sorted(library.glob("*.h")) + sorted(library.glob("*.cpp")):
    wrong.append(f"{path.name}: in no folder")
for path in sorted(public.glob("*.h")):
    if path.name in owner:
        files[path] = owner[path.name]
    elif path.name not in BELOW_ALL:
        wrong.append(f"{path.name}: a public header that no folder has")
for name in sorted(set(owner) - {path.name for path in public.glob("*.h")}):
    wrong.append(f"{name}: a public header that is not there")


def resolve(path, name):
    """The folder and the stem of what `path` includes as `name`, if it is ours."""
    parts = pathlib.PurePosixPath(name)
    if name.startswith("amp/Kernels/"):
        return (owner[parts.name], parts.stem) if parts.name in owner else None
    if (path.parent / name).exists():
        return files[path], parts.stem
    if (library / name).exists():
        return parts.parent.name, parts.stem
    return None


# Files of one folder, by their stems.
inside = {}
for path, folder in files.items():
    for name in INCLUDE.findall(path.read_text()):
        found = resolve(path, name)
        if not found or folder not in floors or found[0] not in floors:
            continue
        if found[0] != folder and floors[found[0]] >= floors[folder]:
            wrong.append(f"{folder}/{path.name}: includes {found[0]}/{found[1]}.h, which is not below")
        if found[0] == folder and found[1] != path.stem:
            inside.setdefault((folder, path.stem), set()).add(found)


def reach(start):
    reached, left = set(), [start]
    while left:
        for found in inside.get(left.pop(), ()):
            if found not in reached:
                reached.add(found)
                left.append(found)
    return reached


wrong += [f"{folder}/{stem}: includes itself by way of others" for folder, stem in sorted(inside)
          if (folder, stem) in reach((folder, stem))]
print("\n".join(wrong + [f"{len(files)} files, {len(wrong)} wrong"]))
sys.exit(bool(wrong or not files))

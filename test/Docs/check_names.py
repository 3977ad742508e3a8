"""Finds C++ types of one name that are defined in several files.

    check_names.py ROOT

Two definitions of one class in one program are undefined behaviour that no compiler reports:
the linker keeps one of each inline function. Types in unnamed namespaces are their file's own.

Prints one line for each name with several definitions, and ends with the counts.
"""

import collections
import pathlib
import re
import sys

NAMESPACE = re.compile(r"^namespace(?: (?P<name>[\w:]+))? \{")
END = re.compile(r"^\} // (?:anonymous )?namespace")
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class) (?P<name>\w+)(?: final)?(?: :.*)?(?: \{.*)?$")


def definitions(text):
    """Qualified names of the types that are defined at the level of namespaces."""
    namespaces = []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            namespaces.append(opened["name"])
        elif END.match(line) and namespaces:
            namespaces.pop()
        elif (found := TYPE.match(line)) and namespaces and None not in namespaces:
            yield "::".join((*namespaces, found["name"]))


def main():
    root = pathlib.Path(sys.argv[1])
    files = collections.defaultdict(set)
    for folder in ("include", "lib", "runtime", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name in definitions(path.read_text(encoding="utf-8")):
                    files[name].add(str(path.relative_to(root)))
    several = {name: paths for name, paths in files.items() if len(paths) > 1}
    for name, paths in sorted(several.items()):
        print(f"{name}: {', '.join(sorted(paths))}")
    print(f"{len(files)} types, {len(several)} defined in several files")
    return 1 if several else 0


if __name__ == "__main__":
    sys.exit(main())

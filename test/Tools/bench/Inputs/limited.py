"""limited.py one-cpu|little-memory COMMAND...: becomes the command, with less of the machine."""

import os
import resource
import sys

limit, *command = sys.argv[1:]
if limit == "one-cpu":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
else:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))
os.execvp(command[0], command)

"""Runs a command several times at once; `{}` in it is the number of the run.

    run_together.py COUNT COMMAND...
"""

import subprocess
import sys

count, *command = sys.argv[1:]
runs = [subprocess.Popen([word.replace("{}", str(i)) for word in command]) for i in range(int(count))]
sys.exit(any([run.wait() for run in runs]))

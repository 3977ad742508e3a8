"""Runs the suite in a build tree and ends with `N passed, N failed, N skipped`.

    run_suite.py LIT BUILD_DIR [lit options...]

lit runs everything there is: FileCheck tests, scripts, C callers and each
GoogleTest case. The counts are read from its report, not from its screen, and
whatever was skipped is named with the reason.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml


def main():
    lit, build_dir, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [lit, "-sv", "--xunit-xml-output", report, *options,
                   os.path.join(build_dir, "test")]
        code = subprocess.run(command).returncode
        cases = xml.parse(report).iter("testcase") if os.path.exists(report) else []
        passed, failed, skipped = 0, [], []
        for case in cases:
            # "suite.folder" and the test; lit writes the folder "." as "_".
            folder = case.get("classname").split(".", 1)[1].removeprefix("_/")
            name = folder + "/" + case.get("name")
            reason = case.find("skipped")
            if reason is not None:
                # lit knows one reason for SKIPPED; a GoogleTest case has its own.
                text = reason.get("message").replace("User interrupt", "GTEST_SKIP")
                skipped.append(f"{name}: {text}")
            elif case.find("failure") is not None:
                failed.append(name)
            else:
                passed += 1

    # lit itself failed without a failing test: nothing may look like success.
    if code and not failed:
        failed.append(f"lit (exit code {code})")
    if not passed and not failed:
        failed.append("no test was found")
    for title, names in ("Skipped", skipped), ("Failed", failed):
        if names:
            print(f"\n{title}:")
            print("\n".join("  " + name for name in names))
    print(f"\n{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

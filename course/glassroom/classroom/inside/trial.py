"""A program that tests an isolation: it prints "shut in" if it sees what it should and nothing else."""

import os
import socket


def main() -> None:
    """Check what can be seen, and print what is wrong."""
    faults = []
    if len([name for name in os.listdir("/proc") if name.isdigit()]) > 4:
        faults.append("other processes")
    if [name for _, name in socket.if_nameindex() if name != "lo"]:
        faults.append("a network")
    if os.listdir(os.environ["HOME"]) or os.path.exists("/root/.ssh") or os.path.exists("/etc/passwd"):
        faults.append("files")
    for folder in ("/", "/usr", "/course/glassroom"):
        try:
            with open(f"{folder}/written", "w"):
                faults.append(f"a {folder} that can be written to")
        except OSError:
            continue
    print("; ".join(faults) or "shut in")


if __name__ == "__main__":
    main()

"""A program that speaks the protocol of the worker and is told how to behave.

It takes the place of aiconfigurator-core where that is not installed: what comes back through the
pipe is what such a program may send, good and bad.
"""

import json
import os
import sys
import time
from pathlib import Path

RELEASE = "0.12.0"
QUESTION = json.load(sys.stdin)
CONCURRENCY = QUESTION["batch"] * QUESTION["data_parallel"] * QUESTION["pipeline_parallel"]


def send(**answer):
    sys.stdout.write(json.dumps(answer))


def figures(ttft_ms=200.0, itl_ms=15.0, output_tokens_per_s=1000.0, version="0.24.0"):
    found = {
        "ttft_ms": float(ttft_ms),
        "itl_ms": float(itl_ms),
        "output_tokens_per_s": float(output_tokens_per_s),
        "concurrent_requests": float(CONCURRENCY),
        "database_version": version,
    }
    send(release=RELEASE, figures=found)


def environment():
    figures(version=" ".join(sorted(os.environ)))


def hang(note):
    Path(note).write_text(str(os.getpid()))
    time.sleep(60)


def noise():
    sys.stdout.write("loading tables ...\n")
    figures()


def endless():
    figures(ttft_ms="inf")


def missing():
    send(release=RELEASE, missing="PerfDataNotAvailableError: no rows")


def failed():
    send(release=RELEASE, failed="KeyError: 'x'")


def absent():
    send(release=None)


def newer():
    send(release="0.13.0", failed="AttributeError: renamed")


def crash():
    sys.exit(3)


globals()[sys.argv[1]](*sys.argv[2:])

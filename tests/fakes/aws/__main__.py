"""`python -m tests.fakes.aws --port N`: the fake AWS as a server of its own, until interrupted."""

import argparse

from tests.fakes.aws.knobs import Fault, Knobs
from tests.fakes.aws.server import FakeAws


def main() -> None:
    """Serve until the process is told to end."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.aws", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--namespaces", choices=("exact", "prefix", "blind"), default="exact")
    parser.add_argument("--creation-seconds", type=float, default=0.0)
    parser.add_argument("--extraction-seconds", type=float, default=0.0)
    parser.add_argument("--deletion-seconds", type=float, default=0.0)
    parser.add_argument("--delay-seconds", type=float, default=0.0, help="before every answer")
    parser.add_argument(
        "--harsh", type=float, metavar="SECONDS", help="all that AWS does, within these seconds"
    )
    given = parser.parse_args()
    knobs = Knobs(
        namespaces=given.namespaces,
        creation_seconds=given.creation_seconds,
        extraction_seconds=given.extraction_seconds,
        deletion_seconds=given.deletion_seconds,
    )
    if given.harsh is not None:
        knobs = Knobs.harsh(given.harsh)
    with FakeAws(knobs, port=given.port) as aws:
        if given.delay_seconds:
            aws.faults.add(Fault(delay=given.delay_seconds))
        print(f"fake AWS on {aws.url}", flush=True)
        try:
            aws.stopping.wait()
        except KeyboardInterrupt:
            print("stopped", flush=True)


if __name__ == "__main__":
    main()

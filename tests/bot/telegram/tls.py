"""Certificates for tests of TLS."""

import subprocess
from pathlib import Path


def self_signed(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for a host of this name that signs itself, and its key, as PEM files."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2".split()
    subject = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    subprocess.run(
        [*command, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    return certificate, key

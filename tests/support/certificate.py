"""A certificate that signs itself, made anew for a test run from nothing but Python: RSA, X.509 and DER by hand.

For servers on this machine only; weak chance is fine here. Invariant: no key stands in the source.
"""

from __future__ import annotations

import base64
import hashlib
import random
import ssl
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_CHANCE: Final = random.Random(5)  # noqa: S311  a key for one test run
_SMALL: Final = [
    number for number in range(3, 2000, 2) if all(number % other for other in range(3, int(number**0.5) + 1, 2))
]
_E: Final = 65537
_SHA256_RSA: Final = "2a864886f70d01010b"
_RSA: Final = "2a864886f70d010101"
_COMMON_NAME: Final = "550403"
_YES: Final = b"\x01\x01\xff"
_SHA256_DIGEST: Final = bytes.fromhex("3031300d060960864801650304020105000420")


def server_context(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """What a server at 127.0.0.1 speaks TLS with, and the file to trust to believe it."""
    certificate, key = _made()
    file = folder / "certificate.pem"
    both = folder / "both.pem"
    file.write_text(certificate)
    both.write_text(certificate + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return context, file


@cache
def _made() -> tuple[str, str]:
    p, q = _prime(), _prime()
    n, d = p * q, pow(_E, -1, (p - 1) * (q - 1))
    name = _of(0x30, _of(0x31, _of(0x30, _id(_COMMON_NAME) + _of(0x0C, b"127.0.0.1"))))
    algorithm = _of(0x30, _id(_SHA256_RSA) + _of(0x05))
    public = _of(0x30, _of(0x30, _id(_RSA) + _of(0x05)) + _of(0x03, b"\0" + _of(0x30, _number(n) + _number(_E))))
    known = hashlib.sha256(public).digest()[:20]
    extensions = b"".join(
        (
            _of(0x30, _id("551d0e") + _of(0x04, _of(0x04, known))),  # the key's own identifier, and its signer's
            _of(0x30, _id("551d23") + _of(0x04, _of(0x30, _of(0x80, known)))),
            _of(0x30, _id("551d13") + _YES + _of(0x04, _of(0x30, _YES))),  # may sign certificates: it signed itself
            _of(0x30, _id("551d0f") + _YES + _of(0x04, _of(0x03, b"\x02\x84"))),
            _of(0x30, _id("551d11") + _of(0x04, _of(0x30, _of(0x87, bytes([127, 0, 0, 1]))))),  # its address
        )
    )
    valid = _of(0x30, _of(0x18, b"20200101000000Z") + _of(0x18, b"20990101000000Z"))
    body = _of(
        0x30,
        _of(0xA0, _number(2))
        + _number(1)
        + algorithm
        + name
        + valid
        + name
        + public
        + _of(0xA3, _of(0x30, extensions)),
    )
    size = (n.bit_length() + 7) // 8
    digest = _SHA256_DIGEST + hashlib.sha256(body).digest()
    padded = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
    signature = pow(int.from_bytes(padded), d, n).to_bytes(size)
    key = (0, n, _E, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))
    return (
        _pem("CERTIFICATE", _of(0x30, body + algorithm + _of(0x03, b"\0" + signature))),
        _pem("RSA PRIVATE " + "KEY", _of(0x30, b"".join(map(_number, key)))),
    )


def _prime() -> int:
    while True:
        number = _CHANCE.getrandbits(1024) | (3 << 1022) | 1
        if all(number % small for small in _SMALL) and number % _E != 1 and pow(2, number - 1, number) == 1:
            return number


def _of(tag: int, content: bytes = b"") -> bytes:
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + content


def _number(value: int) -> bytes:
    return _of(0x02, value.to_bytes(value.bit_length() // 8 + 1))


def _id(value: str) -> bytes:
    return _of(0x06, bytes.fromhex(value))


def _pem(label: str, data: bytes) -> str:
    body = base64.encodebytes(data).decode()
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n"

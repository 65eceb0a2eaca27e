"""Keys: what signs for a wallet, and the files that hold one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Protocol

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from .errors import LegworkError


class Signer(Protocol):
    """What signs for a wallet: a ``solders.keypair.Keypair``, or anything of the same form (a key service, a hardware wallet)."""

    def pubkey(self) -> Pubkey: ...

    def sign_message(self, message: bytes, /) -> Signature: ...


class KeypairFileError(LegworkError):
    """A text that is not a keypair as solana-keygen writes it. The message never holds what is in the text."""


def parse_keypair_file(text: str) -> Keypair:
    """Reads the text of a solana-keygen file: a JSON array of 64 numbers, the secret key and then the public key.

    :raises KeypairFileError: saying what is wrong with it
    """
    try:
        numbers = json.loads(text)
    except ValueError:
        raise KeypairFileError("it is not JSON") from None
    if not isinstance(numbers, list):
        raise KeypairFileError("it is not an array of 64 numbers, as solana-keygen and legwork key new write it")
    if len(numbers) != 64:
        raise KeypairFileError(f"it has {len(numbers)} elements")
    if not all(type(one) is int and 0 <= one <= 255 for one in numbers):
        raise KeypairFileError("an element is not a number from 0 to 255")
    key = Keypair.from_seed(bytes(numbers[:32]))
    if bytes(key.pubkey()) != bytes(numbers[32:]):
        raise KeypairFileError("the public key in its second half does not belong to the secret key")
    return key


def load_or_create_keypair(path: str | Path) -> Keypair:
    """The keypair in a file. A missing file is made, for its owner's eyes only.

    :raises KeypairFileError: when the file is not a keypair
    """
    file = Path(path)
    try:
        return parse_keypair_file(file.read_text("utf-8"))
    except FileNotFoundError:
        pass
    key = Keypair()
    # A file that somebody made meanwhile is not written over.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as made:
        made.write(json.dumps(list(bytes(key))))
    return key

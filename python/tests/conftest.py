"""A service of the repository on its defaults, for the tests that need one; LEGWORK_URL names another that runs already."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from solders.keypair import Keypair
from vectors import ROOT

from legwork import LegworkClient

START = [
    "node",
    str(ROOT / "packages/cli/bin/legwork.mjs"),
    "start",
    "--ephemeral",
    "--port",
    "0",
    "--ledger-port",
    "0",
]


#: All agents of a run come from one address, and some of them have their fees paid.
UNLIMITED = {"LIMIT_WRITES": "0", "LIMIT_AIRDROPS": "0", "LIMIT_DRAFTS": "0", "FEES_IP_SOL": "1"}


class Program:
    """A program that goes on: what it printed, and waiting for more."""

    def __init__(self, command: list[str], **how: Any) -> None:
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        self.output = ""
        self._is_over = False
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            with self._more:
                self.output += line
                self._more.notify_all()
        with self._more:
            self._is_over = True
            self._more.notify_all()

    def shows(self, pattern: str, within_sec: float = 90) -> re.Match[str]:
        """Waits for a line. It fails with all that was printed."""
        with self._more:
            self._more.wait_for(lambda: re.search(pattern, self.output) or self._is_over, within_sec)
            match = re.search(pattern, self.output)
            assert match is not None, f"no {pattern} in: {self.output}"
            return match

    def ends(self, within_sec: float = 120) -> str:
        """Waits for its end, which has to be a good one."""
        try:
            code = self._child.wait(within_sec)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end: {self.output}") from None
        self._reader.join(5)
        assert code == 0, self.output
        return self.output

    def stop(self) -> None:
        self._child.terminate()
        self._child.wait(30)


@contextmanager
def running(command: list[str], **how: Any) -> Iterator[Program]:
    program = Program(command, **how)
    try:
        yield program
    finally:
        program.stop()
        # Pytest shows it of what fails.
        sys.stdout.write(program.output)


@contextmanager
def example(name: str, *arguments: str) -> Iterator[Program]:
    """One of the examples, as a user starts it."""
    with running([sys.executable, str(ROOT / "python/examples" / f"{name}.py"), *arguments]) as program:
        yield program


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    given = os.environ.get("LEGWORK_URL")
    if given is not None:
        yield given
        return
    with running(START, env={**os.environ, **UNLIMITED}) as service:
        yield service.shows(r"Service +(http\S+)", 120)[1]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(url: str, anyio_backend: str) -> AsyncIterator[LegworkClient]:
    """A newcomer, with what the ledger of the service gives newcomers."""
    async with LegworkClient(url, Keypair()) as made:
        given = (await made.register_agent(agent_pubkey=made.pubkey))["airdrop"]
        assert given["status"] == "sent", given
        yield made

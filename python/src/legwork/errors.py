"""What goes wrong, and what it means for the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._generated.models import HINTS


class LegworkError(Exception):
    """Any error of this package."""


class LegworkApiError(LegworkError):
    """The service refused the request. ``code`` is stable and meant for programs; ``detail`` says what was wrong and what would be right."""

    def __init__(
        self,
        code: str,
        status: int,
        detail: str,
        *,
        problem: Mapping[str, Any] | None = None,
        retry_after_sec: int | None = None,
        answered_at_ms: int | None = None,
    ) -> None:
        super().__init__(f"{detail} ({status} {code})")
        #: Of the service. ``unreadable_problem``: an answer that is no problem document, such as a proxy's error page.
        self.code = code
        #: HTTP status.
        self.status = status
        self.detail = detail
        #: The problem document as it came; empty for ``unreadable_problem``.
        self.problem: Mapping[str, Any] = problem or {}
        #: After how many seconds the service wants to be asked again; None: it did not say.
        self.retry_after_sec = retry_after_sec
        #: The service's clock, milliseconds since 1970, in whole seconds; None: it did not say.
        self.answered_at_ms = answered_at_ms

    @property
    def errors(self) -> Sequence[Mapping[str, Any]]:
        """The fields at fault, each with ``field`` and ``message``, where the service names them."""
        found = self.problem.get("errors")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    @property
    def hint(self) -> str | None:
        """What to do next, in words; None: the code is newer than this version."""
        return HINTS.get(self.code)


class LegworkNetworkError(LegworkError):
    """No answer came. Whether the service acted is unknown, so repeat the same call: the calls that matter are safe to repeat."""


class LegworkProtocolError(LegworkError):
    """The service answered in a form that this version does not know."""


class TransactionRefusedError(LegworkError):
    """A transaction that is not signed, because it is not the one that was asked for. Nothing was signed."""


class LedgerRefusedError(LegworkError):
    """The ledger refused a transaction, or let it expire. It had no effect beyond, at most, its fee."""

    def __init__(self, message: str, program_error: str | None = None) -> None:
        super().__init__(message)
        #: Name of the program's error, for example ``LegOutOfOrder``; None when the refusal is not the program's.
        self.program_error = program_error

"""The page about Python has what it says: the examples as they run, and names that exist."""

import re
from pathlib import Path

import pytest
from vectors import ROOT

import legwork

PAGE = (ROOT / "docs/agents/python.md").read_text("utf-8")
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_the_page_shows_the_examples(path: Path) -> None:
    assert f"```python\n{path.read_text('utf-8')}```" in PAGE, f"docs/agents/python.md shows another {path.name}"


def test_the_page_names_what_there_is() -> None:
    names = set(re.findall(r"`(?:client\.)?([a-z_]+_[a-z_]+|[A-Z]\w+Error|[A-Z_]{5,})(?:`|\()", PAGE))
    assert len(names) > 15
    missing = {one for one in names if not hasattr(legwork, one) and not hasattr(legwork.LegworkClient, one)}
    # Fields and arguments, and what stands in a module of its own.
    assert missing <= {"program_error", "idempotency_key", "check_credential", "mandate_owner_pubkey", "max_budget"}

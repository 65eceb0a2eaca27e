"""The project's own vectors, which every implementation has to agree with."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def vectors(name: str) -> Any:
    return json.loads((ROOT / "packages/protocol/vectors" / f"{name}.json").read_text("utf-8"))


def named(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """How pytest is told of them: by their names."""
    return {"argvalues": cases, "ids": [case["name"] for case in cases]}

"""Runs inside the jail: loads one version of a detection function and answers each case. Standard library only.

Belongs here: the conversation, one JSON object a line each way. Does not: judging an answer (logic).

A case comes as `{"id", "issueText", "modelResponseText"}`; the answer is `{"id", "status"}`, or `{"id", "error"}` when
the function raised. Any executable that speaks the same takes the place of this file.
"""

import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def _function(path: str, name: str) -> Callable[..., Any]:
    sys.path.insert(0, "/code")
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location("detection", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["detection"] = module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        raise SystemExit(f"{Path(path).name} has no function {name}")
    return found  # type: ignore[no-any-return]


def _caller(function: Callable[..., Any]) -> Callable[[dict[str, str]], Any]:
    """A function of two texts is given both, one of a single argument the whole context."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    required = [parameter for parameter in positional if parameter.default is parameter.empty]
    if len(positional) >= 2 and len(required) != 1:
        return lambda context: function(context["issueText"], context["modelResponseText"])
    return lambda context: function(context)


def _status(answer: Any) -> str | None:
    if isinstance(answer, Mapping):
        answer = answer.get("status")
    elif not isinstance(answer, str):
        answer = getattr(answer, "status", None)
    return answer if isinstance(answer, str) else None


def main() -> None:
    """Answers every case of standard input, in order."""
    # What the function prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    call = _caller(_function(sys.argv[1], sys.argv[2]))
    for line in sys.stdin:
        context = json.loads(line)
        number = context.pop("id")
        try:
            told: dict[str, Any] = {"id": number, "status": _status(call(context))}
        except Exception as error:
            told = {"id": number, "error": type(error).__name__}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

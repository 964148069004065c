"""The part of threadpoolctl that parakin uses, typed."""

from contextlib import AbstractContextManager
from typing import Any

def threadpool_limits(limits: int, user_api: str) -> AbstractContextManager[object]: ...
def threadpool_info() -> list[dict[str, Any]]: ...

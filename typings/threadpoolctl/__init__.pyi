"""The part of threadpoolctl that parakin uses, typed."""

from contextlib import AbstractContextManager

def threadpool_limits(limits: int, user_api: str) -> AbstractContextManager[object]: ...

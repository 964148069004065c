"""What a worker is told: where the work is, and which rows to compute. It answers by a file."""

from __future__ import annotations

import functools
import hashlib
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from parakin.blas import one_numpy_thread
from parakin.errors import ExecutorError
from parakin.executors.computing import Work, compute
from parakin.executors.fingerprints import code_digest
from parakin.executors.job import WORK_FILE, Job
from parakin.executors.result_files import read_part, write_part
from parakin.executors.spans import Span
from parakin.files import open_regular, replacing
from parakin.kernels.threads import one_kernel_thread


@dataclass(frozen=True)
class Task:
    """A job as workers see it: small, whatever the work holds, for that is in a file."""

    folder: Path
    """Folder of the job, which workers must see too."""
    job: Job
    """What the job is."""
    digest: str
    """SHA-256 of the file of the work: nothing else is unpickled."""

    def run(self, span: Span) -> None:
        """Compute a span and write its file, unless it is there already."""
        if code_digest() != self.job.code:
            reason = "a worker has another version of parakin or of Python than the job: give it the same"
            raise ExecutorError(str(self.folder), reason)
        if read_part(self.folder, self.job.key, span) is not None:
            return  # written by a worker that was lost before it could say so
        with one_numpy_thread(), one_kernel_thread():
            part = compute(_work(self.folder, self.digest), span, self.job.seed)
        write_part(self.folder, self.job.key, part)


def new_task(folder: Path, job: Job, pickled: bytes) -> Task:
    """Write the work into the folder of its job, for workers to read."""
    try:
        with replacing(folder / WORK_FILE) as path:
            path.write_bytes(pickled)
    except OSError as error:
        raise ExecutorError(str(folder), f"cannot be written: {error.strerror or error}") from error
    return Task(folder.absolute(), job, hashlib.sha256(pickled).hexdigest())


def pickled_work(work: Work) -> bytes:
    """Return a work as bytes for other processes, or say why it cannot leave this one."""
    try:
        return pickle.dumps(work, protocol=5)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise cannot_leave(error) from error


def cannot_leave(error: Exception) -> ExecutorError:
    """Return the error of a work that cannot be pickled."""
    remedy = "make it a function of a module, or a frozen dataclass of data that pickle"
    return ExecutorError("work", f"cannot be sent to other processes: {error}; {remedy}")


@functools.lru_cache(maxsize=2)
def _work(folder: Path, digest: str) -> Work:
    """Read the work of a job once in a process."""
    try:
        with open_regular(folder / WORK_FILE) as file:
            content = file.read()
    except OSError as error:
        reason = f"a worker cannot read {WORK_FILE} ({error.strerror or error}): workers must see the folder of the job"
        raise ExecutorError(str(folder), reason) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise ExecutorError(str(folder), f"{WORK_FILE} is not what the job wrote: another run uses this folder")
    try:
        return cast("Work", pickle.loads(content))
    except Exception as error:
        reason = f"cannot be read by a worker: {type(error).__name__}: {error}"
        remedy = "it must be of a module that workers can import too, or of a script file"
        raise ExecutorError("work", f"{reason}; {remedy}") from error

"""What a caller and the threads that help it agree on: words of a job, states of a mailbox, how long to wait.

A *job* is an array of 64-bit words that its caller owns (`JobWord`), a *mailbox* is where one helper thread waits. The
32-bit state of a mailbox is FREE, ASLEEP, CLAIMED, RUNNING, or INVITED + 8 ticket with a ticket of the job:

    FREE -> ASLEEP                          the helper, which has waited in a loop for a while
    ASLEEP -> FREE                          `rouse`, which then wakes it
    FREE, ASLEEP -> CLAIMED -> INVITED      `advance`, which then wakes one that sleeps
    INVITED -> FREE                         `revoke`, by the caller that has invited
    INVITED -> RUNNING -> FREE              the helper, which takes blocks in between

A helper counts as part of a job (`ACTIVE`) from its invitation until it has touched the job for the last time. Who
sleeps does so in Linux's futex.
"""

from __future__ import annotations

from enum import IntEnum

FREE, ASLEEP, CLAIMED, RUNNING, INVITED = range(5)
"""Kinds of states of a mailbox: the lowest three bits of the state."""
TICKET_STEP = 8
"""A ticket stands above the three bits."""
MAILBOX_BYTES = 64
"""A mailbox has a cache line for itself: its state, and at the next two the addresses of a job and of a workspace."""
MAILBOX_JOB, MAILBOX_WORKSPACE = 8, 16
"""Where in a mailbox [bytes] the address of the job stands, and that of the memory that its helper works in."""
LOOK_NANOSECONDS = 250_000
"""How long a thread looks again and again before it sleeps [ns].

A thread that sleeps takes 30 microseconds and more to wake, so that it should look as long as calls, and what is done
between them, usually take.
"""
LOOKS = 64
"""Times that it looks before it asks for the time."""
WAIT_NANOSECONDS = 20_000_000
"""How long a caller sleeps before it listens for signals [ns]."""
FUTEX_CALLS = {"x86_64": 202, "aarch64": 98}
"""The number of Linux's system call by processor."""


class JobWord(IntEnum):
    """Which word of a job is what."""

    NEXT = 0
    """Blocks that somebody has taken, or more."""
    FRONT = 1
    """Blocks that the caller has taken, from the first on."""
    BACK = 2
    """Blocks that helpers have taken, from the last on."""
    ENDED = 3
    """Blocks that are done, as far as those who did them have said."""
    DONE = 4
    """0; 1 when all blocks are done; 2 while the caller sleeps until they are."""
    ACTIVE = 5
    """Helpers that may still touch the job."""
    FLAGS = 6
    """What `run` returned, of all blocks."""
    STOPPED = 7
    """1 where no more blocks are to be taken."""
    BEGUN = 8
    """1 where helpers have been invited."""
    SIZE = 9
    """Number of states."""
    BLOCK = 10
    """States of each block but the last, which may have fewer."""
    BLOCKS = 11
    """Number of blocks."""
    AT_ONCE = 12
    """Blocks that the caller takes before it listens for signals."""
    RUN = 13
    """Address of the machine code."""
    CONTEXT = 14
    """Address of the context that it is given."""
    WORKSPACE = 15
    """Address of the memory that the caller works in."""
    MAILBOXES = 16
    """Address of the first mailbox."""
    HELPERS = 17
    """Number of mailboxes that a helper waits at."""
    WANTED = 18
    """Helpers that are invited at most."""
    TICKET = 19
    """The ticket of the job."""

"""Threads that share the blocks of a batch without Python, as LLVM text: how they wait, wake and take blocks.

A *job* is an array of 64-bit words that its caller owns (`JobWord`), a *mailbox* is where one helper thread waits. The
32-bit state of a mailbox is FREE, ASLEEP, CLAIMED, RUNNING, or INVITED + 8 ticket with a ticket of the job:

    FREE -> ASLEEP                          the helper, which has waited in a loop for a while
    ASLEEP -> FREE                          `rouse`, which then wakes it
    FREE, ASLEEP -> CLAIMED -> INVITED      `invite`, which then wakes one that sleeps
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
"""A mailbox has a cache line for itself: its state, and eight bytes on the address of the job."""
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
_PAUSES = {
    "x86_64": ("@llvm.x86.sse2.pause()", "@llvm.x86.sse2.pause()"),
    "aarch64": ("@llvm.aarch64.hint(i32)", "@llvm.aarch64.hint(i32 1)"),
}
"""How the instruction that a waiting loop runs is declared and called."""


class JobWord(IntEnum):
    """Which word of a job is what."""

    NEXT = 0
    """Blocks that somebody has taken, or more."""
    ENDED = 1
    """Blocks that are done."""
    DONE = 2
    """0; 1 when all blocks are done; 2 while the caller sleeps until they are."""
    ACTIVE = 3
    """Helpers that may still touch the job."""
    FLAGS = 4
    """What `run` returned, of all blocks."""
    STOPPED = 5
    """1 where no more blocks are to be taken."""
    SLOTS = 6
    """Helpers that have come, each with a workspace of its own."""
    BLOCKS = 7
    """Number of blocks."""
    EDGES = 8
    """Address of the first state of each block, and of the state after the last."""
    RUN = 9
    """Address of the machine code."""
    CONTEXT = 10
    """Address of the context that it is given."""
    WORKSPACES = 11
    """Address of the helpers' workspaces."""
    WORKSPACE_BYTES = 12
    """Bytes from one to the next."""


def pool_text(processor: str) -> str:
    """Write the functions `work`, `wait`, `serve`, `rouse`, `invite` and `revoke` for a processor of FUTEX_CALLS."""
    declared, called = _PAUSES[processor]
    text = _TEXT
    for word in JobWord:
        text = text.replace(f"${word.name}$", str(8 * word))
    numbers = {
        "free": FREE,
        "asleep": ASLEEP,
        "claimed": CLAIMED,
        "running": RUNNING,
        "invited": INVITED,
        "step": TICKET_STEP,
        "mailbox": MAILBOX_BYTES,
        "looks": LOOKS,
        "patience": LOOK_NANOSECONDS,
        "futex": FUTEX_CALLS[processor],
        "nanoseconds": WAIT_NANOSECONDS,
    }
    for name, number in numbers.items():
        text = text.replace(f"${name}$", str(number))
    return text.replace("$pause declared$", declared).replace("$pause$", called)


_TEXT = """
declare i64 @syscall(i64, ...)
declare i32 @clock_gettime(i32, ptr)
declare void $pause declared$

; The time since some moment, in nanoseconds.
define internal i64 @now() {
  %time = alloca [2 x i64]
  %nanoseconds.at = getelementptr i8, ptr %time, i64 8
  %_ = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %nanoseconds = load i64, ptr %nanoseconds.at
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %nanoseconds
  ret i64 %sum
}

; Look at a 32-bit word until it is not 0, which a mailbox's state is where it is FREE, at most for a while; return it.
define internal i32 @look(ptr %word) {
entry:
  %start = call i64 @now()
  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %k.next, %unchanged ], [ 0, %ask ]
  %value = load atomic i32, ptr %word acquire, align 4
  %changed = icmp ne i32 %value, 0
  br i1 %changed, label %end, label %unchanged
unchanged:
  call void $pause$
  %k.next = add i64 %k, 1
  %enough = icmp eq i64 %k.next, $looks$
  br i1 %enough, label %ask, label %again
ask:
  %time = call i64 @now()
  %since = sub i64 %time, %start
  %tired = icmp sgt i64 %since, $patience$
  br i1 %tired, label %end, label %again
end:
  ret i32 %value
}

define internal void @sleep_while(ptr %word, i32 %value, ptr %timeout) {
  %_ = call i64 (i64, ...) @syscall(i64 $futex$, ptr %word, i64 128, i32 %value, ptr %timeout, ptr null, i64 0)
  ret void
}

define internal void @wake(ptr %word) {
  %_ = call i64 (i64, ...) @syscall(i64 $futex$, ptr %word, i64 129, i64 1, ptr null, ptr null, i64 0)
  ret void
}

; Take up to `most` blocks and run them; 1 if there may be more.
define i64 @work(ptr %job, i64 %most, ptr %workspace) {
entry:
  %next = getelementptr i8, ptr %job, i64 $NEXT$
  %ended = getelementptr i8, ptr %job, i64 $ENDED$
  %done = getelementptr i8, ptr %job, i64 $DONE$
  %flags = getelementptr i8, ptr %job, i64 $FLAGS$
  %stopped = getelementptr i8, ptr %job, i64 $STOPPED$
  %blocks.at = getelementptr i8, ptr %job, i64 $BLOCKS$
  %edges.at = getelementptr i8, ptr %job, i64 $EDGES$
  %run.at = getelementptr i8, ptr %job, i64 $RUN$
  %context.at = getelementptr i8, ptr %job, i64 $CONTEXT$
  %blocks = load i64, ptr %blocks.at
  %edges = load ptr, ptr %edges.at
  %run = load ptr, ptr %run.at
  %context = load ptr, ptr %context.at
  br label %head
head:
  %taken = phi i64 [ 0, %entry ], [ %taken.next, %tail ]
  %enough = icmp eq i64 %taken, %most
  br i1 %enough, label %more, label %look
look:
  %stop = load atomic i64, ptr %stopped acquire, align 8
  %go = icmp eq i64 %stop, 0
  br i1 %go, label %take, label %nothing
take:
  %k = atomicrmw add ptr %next, i64 1 acq_rel
  %there = icmp slt i64 %k, %blocks
  br i1 %there, label %block, label %nothing
block:
  %first.at = getelementptr i64, ptr %edges, i64 %k
  %after = add i64 %k, 1
  %last.at = getelementptr i64, ptr %edges, i64 %after
  %first = load i64, ptr %first.at
  %last = load i64, ptr %last.at
  %flag = call i64 %run(ptr %context, ptr %workspace, i64 %first, i64 %last)
  %old.flags = atomicrmw or ptr %flags, i64 %flag acq_rel
  %before = atomicrmw add ptr %ended, i64 1 acq_rel
  %now = add i64 %before, 1
  %all = icmp eq i64 %now, %blocks
  br i1 %all, label %finish, label %tail
finish:
  %waiting = atomicrmw xchg ptr %done, i32 1 acq_rel
  %sleeps = icmp eq i32 %waiting, 2
  br i1 %sleeps, label %tell, label %tail
tell:
  call void @wake(ptr %done)
  br label %tail
tail:
  %taken.next = add i64 %taken, 1
  br label %head
more:
  ret i64 1
nothing:
  ret i64 0
}

; Wait until all blocks are done, at most for a while; 1 if they are.
define i64 @wait(ptr %job) {
entry:
  %timeout = alloca [2 x i64]
  %nanoseconds = getelementptr i8, ptr %timeout, i64 8
  store i64 0, ptr %timeout
  store i64 $nanoseconds$, ptr %nanoseconds
  %done = getelementptr i8, ptr %job, i64 $DONE$
  %state = call i32 @look(ptr %done)
  %is.done = icmp eq i32 %state, 1
  br i1 %is.done, label %yes, label %sleep
sleep:
  %_ = cmpxchg ptr %done, i32 0, i32 2 acq_rel acquire
  call void @sleep_while(ptr %done, i32 2, ptr %timeout)
  %after = load atomic i32, ptr %done acquire, align 4
  %now = icmp eq i32 %after, 1
  br i1 %now, label %yes, label %no
yes:
  ret i64 1
no:
  ret i64 0
}

; What a helper does for ever: wait for an invitation, take blocks.
define i64 @serve(ptr %mailbox) {
entry:
  %job.at = getelementptr i8, ptr %mailbox, i64 8
  br label %rest
rest:
  %state = call i32 @look(ptr %mailbox)
  %kind = urem i32 %state, $step$
  %called = icmp eq i32 %kind, $invited$
  br i1 %called, label %come, label %not.called
not.called:
  %free = icmp eq i32 %state, $free$
  br i1 %free, label %bed, label %rest
bed:
  %slept = cmpxchg ptr %mailbox, i32 $free$, i32 $asleep$ acq_rel acquire
  br label %sleep
sleep:
  call void @sleep_while(ptr %mailbox, i32 $asleep$, ptr null)
  %woken = load atomic i32, ptr %mailbox acquire, align 4
  %still = icmp eq i32 %woken, $asleep$
  br i1 %still, label %sleep, label %rest
come:
  %job = load ptr, ptr %job.at
  %taken = cmpxchg ptr %mailbox, i32 %state, i32 $running$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %help, label %rest
help:
  %slots = getelementptr i8, ptr %job, i64 $SLOTS$
  %active = getelementptr i8, ptr %job, i64 $ACTIVE$
  %workspaces.at = getelementptr i8, ptr %job, i64 $WORKSPACES$
  %bytes.at = getelementptr i8, ptr %job, i64 $WORKSPACE_BYTES$
  %slot = atomicrmw add ptr %slots, i64 1 acq_rel
  %workspaces = load ptr, ptr %workspaces.at
  %bytes = load i64, ptr %bytes.at
  %offset = mul i64 %slot, %bytes
  %workspace = getelementptr i8, ptr %workspaces, i64 %offset
  %_ = call i64 @work(ptr %job, i64 -1, ptr %workspace)
  store atomic i32 $free$, ptr %mailbox release, align 4
  %left = atomicrmw sub ptr %active, i64 1 acq_rel
  br label %rest
}

; Wake up to `wanted` of `count` helpers that sleep: they look for an invitation again for a while.
define i64 @rouse(ptr %mailboxes, i64 %count, i64 %wanted) {
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %tail ]
  %roused = phi i64 [ 0, %entry ], [ %roused.next, %tail ]
  %more = icmp slt i64 %k, %count
  %wanting = icmp slt i64 %roused, %wanted
  %go = and i1 %more, %wanting
  br i1 %go, label %try, label %end
try:
  %offset = mul i64 %k, $mailbox$
  %mailbox = getelementptr i8, ptr %mailboxes, i64 %offset
  %taken = cmpxchg ptr %mailbox, i32 $asleep$, i32 $free$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %call, label %tail
call:
  call void @wake(ptr %mailbox)
  br label %tail
tail:
  %one = phi i64 [ 0, %try ], [ 1, %call ]
  %k.next = add i64 %k, 1
  %roused.next = add i64 %roused, %one
  br label %head
end:
  ret i64 %roused
}

; Invite up to `wanted` of `count` helpers that wait, and return how many.
define i64 @invite(ptr %mailboxes, i64 %count, i64 %wanted, ptr %job, i32 %ticket) {
entry:
  %active = getelementptr i8, ptr %job, i64 $ACTIVE$
  %shifted = mul i32 %ticket, $step$
  %invitation = add i32 %shifted, $invited$
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %tail ]
  %invited = phi i64 [ 0, %entry ], [ %invited.next, %tail ]
  %more = icmp slt i64 %k, %count
  %wanting = icmp slt i64 %invited, %wanted
  %go = and i1 %more, %wanting
  br i1 %go, label %try, label %end
try:
  %offset = mul i64 %k, $mailbox$
  %mailbox = getelementptr i8, ptr %mailboxes, i64 %offset
  %state = load atomic i32, ptr %mailbox acquire, align 4
  %idle = icmp ult i32 %state, $claimed$
  br i1 %idle, label %claim, label %tail
claim:
  %taken = cmpxchg ptr %mailbox, i32 %state, i32 $claimed$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %call, label %tail
call:
  %job.at = getelementptr i8, ptr %mailbox, i64 8
  store ptr %job, ptr %job.at
  %before = atomicrmw add ptr %active, i64 1 acq_rel
  store atomic i32 %invitation, ptr %mailbox release, align 4
  %slept = icmp eq i32 %state, $asleep$
  br i1 %slept, label %rouse, label %tail
rouse:
  call void @wake(ptr %mailbox)
  br label %tail
tail:
  %one = phi i64 [ 0, %try ], [ 0, %claim ], [ 1, %call ], [ 1, %rouse ]
  %k.next = add i64 %k, 1
  %invited.next = add i64 %invited, %one
  br label %head
end:
  ret i64 %invited
}

; Take back the invitations of a job that no helper has followed; the helpers that may still touch it are left.
define i64 @revoke(ptr %mailboxes, i64 %count, ptr %job, i32 %ticket) {
entry:
  %active = getelementptr i8, ptr %job, i64 $ACTIVE$
  %shifted = mul i32 %ticket, $step$
  %invitation = add i32 %shifted, $invited$
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %tail ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %try, label %end
try:
  %offset = mul i64 %k, $mailbox$
  %mailbox = getelementptr i8, ptr %mailboxes, i64 %offset
  %taken = cmpxchg ptr %mailbox, i32 %invitation, i32 $free$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %gone, label %tail
gone:
  %before = atomicrmw sub ptr %active, i64 1 acq_rel
  br label %tail
tail:
  %k.next = add i64 %k, 1
  br label %head
end:
  %left = load atomic i64, ptr %active acquire, align 8
  ret i64 %left
}
"""

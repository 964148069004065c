"""Threads that share the blocks of a batch without Python, as LLVM text: how they wait, wake and take blocks.

The caller takes blocks from the front and helpers take them from the back. A block is taken by adding to `NEXT`, which
says only whether there is one left; which one follows from how many that end has given. So the two never meet in one
block, and in calls that follow each other each thread finds its end of the arrays in its own caches.
"""

from __future__ import annotations

import re

from parakin.kernels import pool_words as words
from parakin.kernels.pool_words import JobWord

_PAUSES = {
    "x86_64": ("@llvm.x86.sse2.pause()", "@llvm.x86.sse2.pause()"),
    "aarch64": ("@llvm.aarch64.hint(i32)", "@llvm.aarch64.hint(i32 1)"),
}
"""How the instruction that a waiting loop runs is declared and called."""


def pool_text(processor: str) -> str:
    """Write the functions `advance`, `serve`, `rouse` and `revoke` for a processor of `FUTEX_CALLS`."""
    declared, called = _PAUSES[processor]
    numbers = {
        "free": words.FREE,
        "asleep": words.ASLEEP,
        "claimed": words.CLAIMED,
        "running": words.RUNNING,
        "invited": words.INVITED,
        "step": words.TICKET_STEP,
        "mailbox": words.MAILBOX_BYTES,
        "mailbox.job": words.MAILBOX_JOB,
        "mailbox.workspace": words.MAILBOX_WORKSPACE,
        "looks": words.LOOKS,
        "patience": words.LOOK_NANOSECONDS,
        "futex": words.FUTEX_CALLS[processor],
        "nanoseconds": words.WAIT_NANOSECONDS,
        "pause declared": declared,
        "pause": called,
    }
    text = re.sub(r"^  (at|load) ([A-Z_ ]+)$", _of_job, _TEXT, flags=re.MULTILINE)
    return re.sub(r"\$([a-z. ]+)\$", lambda found: str(numbers[found[1]]), text)


def _of_job(found: re.Match[str]) -> str:
    """Write out `at NAMES`, the addresses `%name.at` of words of a job, or `load NAMES`, also their values `%name`."""
    lines: list[str] = []
    for word in (JobWord[name] for name in found[2].split()):
        name = word.name.lower()
        lines.append(f"  %{name}.at = getelementptr i64, ptr %job, i64 {word}")
        if found[1] == "load":
            lines.append(f"  %{name} = load i64, ptr %{name}.at")
    return "\n".join(lines)


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

; Take up to `most` blocks from the front or the back and run them; 1 if there may be more.
define internal i1 @work(ptr %job, i1 %behind, i64 %most, ptr %workspace) {
entry:
  at NEXT FRONT BACK ENDED DONE FLAGS STOPPED
  load SIZE BLOCK BLOCKS RUN CONTEXT
  %run.code = inttoptr i64 %run to ptr
  %final = sub i64 %blocks, 1
  %side.at = select i1 %behind, ptr %back.at, ptr %front.at
  br label %head
head:
  %taken = phi i64 [ 0, %entry ], [ %taken.next, %within ]
  %flags = phi i64 [ 0, %entry ], [ %flags.next, %within ]
  %enough = icmp eq i64 %taken, %most
  br i1 %enough, label %leave, label %look
look:
  %stop = load atomic i64, ptr %stopped.at acquire, align 8
  %go = icmp eq i64 %stop, 0
  br i1 %go, label %take, label %leave
take:
  %before = atomicrmw add ptr %next.at, i64 1 acq_rel
  %there = icmp slt i64 %before, %blocks
  br i1 %there, label %within, label %leave
within:
  %nth = atomicrmw add ptr %side.at, i64 1 acq_rel
  %from.back = sub i64 %final, %nth
  %k = select i1 %behind, i64 %from.back, i64 %nth
  %first = mul i64 %k, %block
  %full = add i64 %first, %block
  %beyond = icmp sgt i64 %full, %size
  %last = select i1 %beyond, i64 %size, i64 %full
  %flag = call i64 %run.code(i64 %context, ptr %workspace, i64 %first, i64 %last)
  %flags.next = or i64 %flags, %flag
  %taken.next = add i64 %taken, 1
  br label %head
leave:
  %more = phi i1 [ 1, %head ], [ 0, %look ], [ 0, %take ]
  %old.flags = atomicrmw or ptr %flags.at, i64 %flags acq_rel
  %old.ended = atomicrmw add ptr %ended.at, i64 %taken acq_rel
  %ended = add i64 %old.ended, %taken
  %all = icmp eq i64 %ended, %blocks
  br i1 %all, label %finish, label %end
finish:
  %waiting = atomicrmw xchg ptr %done.at, i32 1 acq_rel
  %sleeps = icmp eq i32 %waiting, 2
  br i1 %sleeps, label %tell, label %end
tell:
  call void @wake(ptr %done.at)
  br label %end
end:
  ret i1 %more
}

; Wait until all blocks are done, at most for a while; 1 if they are.
define internal i1 @wait(ptr %job) {
entry:
  at DONE
  %timeout = alloca [2 x i64]
  %nanoseconds.at = getelementptr i8, ptr %timeout, i64 8
  store i64 0, ptr %timeout
  store i64 $nanoseconds$, ptr %nanoseconds.at
  %state = call i32 @look(ptr %done.at)
  %is.done = icmp eq i32 %state, 1
  br i1 %is.done, label %end, label %sleep
sleep:
  %_ = cmpxchg ptr %done.at, i32 0, i32 2 acq_rel acquire
  call void @sleep_while(ptr %done.at, i32 2, ptr %timeout)
  %after = load atomic i32, ptr %done.at acquire, align 4
  %is.done.now = icmp eq i32 %after, 1
  br label %end
end:
  %done = phi i1 [ 1, %entry ], [ %is.done.now, %sleep ]
  ret i1 %done
}

; What a helper does for ever: wait for an invitation, take blocks.
define i64 @serve(ptr %mailbox) {
entry:
  %job.at = getelementptr i8, ptr %mailbox, i64 $mailbox.job$
  %workspace.at = getelementptr i8, ptr %mailbox, i64 $mailbox.workspace$
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
  at ACTIVE
  %workspace = load ptr, ptr %workspace.at
  %_ = call i1 @work(ptr %job, i1 1, i64 -1, ptr %workspace)
  store atomic i32 $free$, ptr %mailbox release, align 4
  %left = atomicrmw sub ptr %active.at, i64 1 acq_rel
  br label %rest
}

; Do something at each of `count` mailboxes until it has succeeded at `wanted`; return at how many it has.
define internal i64 @each(ptr %mailboxes, i64 %count, i64 %wanted, ptr %step, ptr %job, i32 %invitation) {
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %try ]
  %succeeded = phi i64 [ 0, %entry ], [ %succeeded.next, %try ]
  %more = icmp slt i64 %k, %count
  %wanting = icmp slt i64 %succeeded, %wanted
  %go = and i1 %more, %wanting
  br i1 %go, label %try, label %end
try:
  %offset = mul i64 %k, $mailbox$
  %mailbox = getelementptr i8, ptr %mailboxes, i64 %offset
  %success = call i1 %step(ptr %mailbox, ptr %job, i32 %invitation)
  %one = zext i1 %success to i64
  %k.next = add i64 %k, 1
  %succeeded.next = add i64 %succeeded, %one
  br label %head
end:
  ret i64 %succeeded
}

; Do it at the mailboxes that a job names, with its invitation.
define internal void @each_of(ptr %job, i64 %wanted, ptr %step) {
  load MAILBOXES HELPERS TICKET
  %place = inttoptr i64 %mailboxes to ptr
  %short = trunc i64 %ticket to i32
  %shifted = mul i32 %short, $step$
  %invitation = add i32 %shifted, $invited$
  %_ = call i64 @each(ptr %place, i64 %helpers, i64 %wanted, ptr %step, ptr %job, i32 %invitation)
  ret void
}

define internal i1 @rouse_one(ptr %mailbox, ptr %job, i32 %invitation) {
  %taken = cmpxchg ptr %mailbox, i32 $asleep$, i32 $free$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %call, label %end
call:
  call void @wake(ptr %mailbox)
  br label %end
end:
  ret i1 %ours
}

define internal i1 @invite_one(ptr %mailbox, ptr %job, i32 %invitation) {
entry:
  at ACTIVE
  %state = load atomic i32, ptr %mailbox acquire, align 4
  %idle = icmp ult i32 %state, $claimed$
  br i1 %idle, label %claim, label %end
claim:
  %taken = cmpxchg ptr %mailbox, i32 %state, i32 $claimed$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %call, label %end
call:
  %job.at = getelementptr i8, ptr %mailbox, i64 $mailbox.job$
  store ptr %job, ptr %job.at
  %before = atomicrmw add ptr %active.at, i64 1 acq_rel
  store atomic i32 %invitation, ptr %mailbox release, align 4
  %slept = icmp eq i32 %state, $asleep$
  br i1 %slept, label %rouse, label %end
rouse:
  call void @wake(ptr %mailbox)
  br label %end
end:
  %invited = phi i1 [ 0, %entry ], [ 0, %claim ], [ 1, %call ], [ 1, %rouse ]
  ret i1 %invited
}

define internal i1 @revoke_one(ptr %mailbox, ptr %job, i32 %invitation) {
  at ACTIVE
  %taken = cmpxchg ptr %mailbox, i32 %invitation, i32 $free$ acq_rel acquire
  %ours = extractvalue { i32, i1 } %taken, 1
  br i1 %ours, label %gone, label %end
gone:
  %before = atomicrmw sub ptr %active.at, i64 1 acq_rel
  br label %end
end:
  ret i1 %ours
}

; Wake up to `wanted` of `count` helpers that sleep: they look for an invitation again for a while.
define i64 @rouse(ptr %mailboxes, i64 %count, i64 %wanted) {
  %roused = call i64 @each(ptr %mailboxes, i64 %count, i64 %wanted, ptr @rouse_one, ptr null, i32 0)
  ret i64 %roused
}

; Take back the invitations of a job that no helper has followed; the helpers that may still touch it are left.
define i64 @revoke(ptr %job) {
  at ACTIVE
  load HELPERS
  call void @each_of(ptr %job, i64 %helpers, ptr @revoke_one)
  %left = load atomic i64, ptr %active.at acquire, align 8
  ret i64 %left
}

; What a caller does again and again: invite helpers, once; take some blocks; where none is left, wait a while for those
; of others. 1 while blocks are not done; in the end invitations are revoked.
define i64 @advance(ptr %job) {
entry:
  at BEGUN
  load WANTED AT_ONCE WORKSPACE
  %begun = load i64, ptr %begun.at
  %first = icmp eq i64 %begun, 0
  br i1 %first, label %begin, label %go
begin:
  store i64 1, ptr %begun.at
  call void @each_of(ptr %job, i64 %wanted, ptr @invite_one)
  br label %go
go:
  %place = inttoptr i64 %workspace to ptr
  %more = call i1 @work(ptr %job, i1 0, i64 %at_once, ptr %place)
  br i1 %more, label %not.yet, label %rest
rest:
  %done = call i1 @wait(ptr %job)
  br i1 %done, label %end, label %not.yet
end:
  %left = call i64 @revoke(ptr %job)
  ret i64 0
not.yet:
  ret i64 1
}
"""

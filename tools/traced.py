"""Runs a program and stops it at each system call that touches files, to act on the files or to kill it; by ptrace.

The stops are made by a seccomp filter in the program, so that only the calls asked for cost anything (15 µs each).
A stop is before its call has done anything. Stops are numbered from 0, beginning after the program's exec; the threads
and children of the program are followed. Where it has several threads, the others run on while one stands still.

A call can be made to fail instead (Stop.fail), or to write less (Stop.shorten); with `after` each ends in another stop.

Used by tools/race, tools/walk and tools/crash. Only one traced program at a time in a process, from its main thread.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
import time
from dataclasses import dataclass
from typing import BinaryIO, Callable, NoReturn, Sequence

# Numbers from <asm/unistd.h>; None where the architecture lacks the call.
CALLS: dict[str, tuple[int | None, int | None]] = {  # name: (x86-64, aarch64)
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "access": (21, None), "sendfile": (40, 71), "flock": (73, 32), "fsync": (74, 82),
    "fdatasync": (75, 83), "truncate": (76, 45), "ftruncate": (77, 46), "rename": (82, None), "mkdir": (83, None),
    "rmdir": (84, None), "creat": (85, None), "link": (86, None), "unlink": (87, None), "symlink": (88, None),
    "readlink": (89, None), "chmod": (90, None), "fchmod": (91, 52), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "utime": (132, None), "utimes": (235, None), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11),
    "llistxattr": (195, 12), "flistxattr": (196, 13), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "getdents64": (217, 61), "openat": (257, 56), "mkdirat": (258, 34),
    "fchownat": (260, 54), "newfstatat": (262, 79), "unlinkat": (263, 35), "renameat": (264, 38), "linkat": (265, 37),
    "symlinkat": (266, 36), "readlinkat": (267, 78), "fchmodat": (268, 53), "faccessat": (269, 48),
    "utimensat": (280, 88), "fallocate": (285, 47), "preadv": (295, 69), "pwritev": (296, 70), "syncfs": (306, 267),
    "renameat2": (316, 276), "copy_file_range": (326, 285), "statx": (332, 291), "openat2": (437, 437),
    "faccessat2": (439, 439), "fchmodat2": (452, 452),
}
FILE_CALLS = tuple(CALLS)
# What a call's arguments are, for Stop.paths and Stop.words: path, number of a folder (before its path), open file, and
# any other number. Calls that are not listed begin with an open file.
ARGUMENTS = {
    "openat": "dpn", "openat2": "dp", "newfstatat": "dp", "statx": "dp", "mkdirat": "dpn", "fchownat": "dp",
    "unlinkat": "dpn", "renameat": "dpdp", "renameat2": "dpdpn", "linkat": "dpdpn", "symlinkat": "pdp",
    "fchmodat": "dpn", "readlinkat": "dp", "faccessat": "dp", "faccessat2": "dp", "utimensat": "dp", "fchmodat2": "dpn",
    "rename": "pp", "link": "pp", "symlink": "pp", "copy_file_range": "fnf", "sendfile": "ff", "fchmod": "fn",
    "flock": "fn", "ftruncate": "fn", "write": "fsn", "read": "fsn", "pwrite64": "fsnn", "pread64": "fsnn",
    "chmod": "pn",
} | dict.fromkeys(
    "open stat lstat access truncate mkdir rmdir creat unlink readlink chown lchown utime utimes setxattr lsetxattr "
    "getxattr lgetxattr listxattr llistxattr removexattr lremovexattr".split(), "p")
# The calls that can change what is on disk.
CHANGING = tuple(
    "write pwrite64 writev pwritev open openat openat2 creat ftruncate truncate fallocate copy_file_range sendfile "
    "rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir chmod fchmod fchmodat "
    "fchmodat2 chown fchown lchown fchownat utime utimes utimensat setxattr lsetxattr fsetxattr removexattr "
    "lremovexattr fremovexattr fsync fdatasync syncfs flock".split())

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_TRACEME, _CONT, _SYSCALL, _SETOPTIONS, _GETEVENTMSG, _GET_SYSCALL_INFO = 0, 7, 24, 0x4200, 0x4201, 0x420E
_GETREGSET, _SETREGSET = 0x4204, 0x4205
_EVENT_CLONE, _EVENT_EXEC, _EVENT_SECCOMP, _EVENT_STOP = 3, 4, 7, 128
_CALL_STOP = signal.SIGTRAP | 0x80  # the end of a call; so marked by TRACESYSGOOD
# Children and threads are followed (FORK, VFORK, CLONE), and die with the tracer (EXITKILL).
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000
_WALL = 0x40000000
_WORD = (1 << 64) - 1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


class Unsupported(Exception):
    """This machine cannot do it."""


@dataclass(slots=True)
class Result:
    code: int | None  # exit code; None where a signal ended it
    signal: int | None
    stops: int
    output: bytes
    errors: bytes
    acted: bool = False  # whether the stop asked for was reached
    call: str = ""  # the call at that stop, in words
    timed_out: bool = False


@dataclass(slots=True)
class Stop:
    """Where the program stands. Looking at the arguments costs a little, and is possible during the stop only."""

    number: int
    thread: int
    call: str
    seen: tuple | None = None  # what `every` wants to remember for `after`

    def words(self) -> str:
        return f"{self.call}({', '.join(str(value) for _, value in self._arguments())})"

    def paths(self) -> list[str]:
        """The files that the call is about, as absolute paths (or as the kernel shows what has none)."""
        return [value for _, value in self._arguments() if isinstance(value, str)]

    def values(self) -> tuple[int, ...]:
        """The six arguments as numbers; none where the program is gone."""
        info = _call_info(self.thread)
        return struct.unpack_from("6Q", info, 32) if info else ()

    def stack(self) -> int:
        """Where the stack ends."""
        return _registers(self.thread)[19 if platform.machine() == "x86_64" else 31]

    def memory(self, address: int, length: int) -> bytes:
        with open(f"/proc/{self.thread}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(length)

    def fail(self, error: int) -> None:
        """The call is not made, and gives the error."""
        registers = _registers(self.thread)
        if platform.machine() == "x86_64":
            registers[10], registers[15] = -error & _WORD, _WORD  # rax, orig_rax
        else:
            _set_registers(self.thread, [0xFFFFFFFF], 0x404)  # NT_ARM_SYSTEM_CALL
            registers[0] = -error & _WORD
        _set_registers(self.thread, registers)

    def shorten(self, length: int) -> None:
        """The call, a write, gets another length, its third argument."""
        registers = _registers(self.thread)
        registers[12 if platform.machine() == "x86_64" else 2] = length
        _set_registers(self.thread, registers)

    def _arguments(self) -> list[tuple[str, str | int]]:
        values = self.values()
        found: list[tuple[str, str | int]] = []
        folder = None
        with open(f"/proc/{self.thread}/mem", "rb", buffering=0) as memory:
            for kind, value in zip(ARGUMENTS.get(self.call, "f"), values):
                if kind == "d":
                    folder = value
                elif kind == "p":
                    base = _descriptor(self.thread, folder)
                    found.append((kind, os.path.normpath(os.path.join(base, _text_at(memory, value)))))
                    folder = None
                elif kind == "f":
                    found.append((kind, _descriptor(self.thread, value)))
                elif kind == "n":
                    found.append((kind, ctypes.c_int64(value).value))
        return found


Act = Callable[[Stop], None]
# What a call came to: its result, or an error's number below zero.
After = Callable[[Stop, int], None]


def run(
    command: Sequence[str], *, at: int | None = None, act: Act | None = None, kill: bool = False,
    counts: Callable[[Stop], bool] | None = None, every: Act | None = None, after: After | None = None,
    calls: Sequence[str] = FILE_CALLS, cwd: str | None = None, env: dict[str, str] | None = None, stdin: bytes = b"", timeout: float = 60,
) -> Result:
    """Runs the command. At stop number `at` it calls `act`, or kills the program there, with its threads and children.

    `counts` says which stops have a number at all, `every` is called at each of those, and `after` when its call has
    ended. What takes longer than `timeout` seconds is killed.
    """
    files = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("in", "out", "err")]
    try:
        if stdin:
            os.write(files[0], stdin)
            os.lseek(files[0], 0, os.SEEK_SET)
        child = os.fork()
        if child == 0:
            _become(command, files, cwd, env, calls)
        wanted = counts or (lambda _: True)
        return _follow(child, files, at, act, kill, wanted, every, after, calls, timeout)
    finally:
        for descriptor in files:
            os.close(descriptor)


def kill_after(
    command: Sequence[str], seconds: float, *, cwd: str | None = None, env: dict[str, str] | None = None,
    stdin: bytes = b"",
) -> Result:
    """Runs the command, not traced, and kills it after so many seconds if it is still there."""
    files = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("in", "out", "err")]
    try:
        if stdin:
            os.write(files[0], stdin)
            os.lseek(files[0], 0, os.SEEK_SET)
        child = os.fork()
        if child == 0:
            _become(command, files, cwd, env, None)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)  # where it has ended it waits to be collected: the id is still its own
        status = os.waitpid(child, 0)[1]
        return _result(status, files, 0)
    finally:
        for descriptor in files:
            os.close(descriptor)


# The child's side.

def _become(
    command: Sequence[str], files: list[int], cwd: str | None, env: dict[str, str] | None, calls: Sequence[str] | None
) -> NoReturn:
    try:
        if cwd is not None:
            os.chdir(cwd)
        for number, descriptor in enumerate(files):
            os.dup2(descriptor, number)
        environment = os.environ if env is None else env
        if calls is not None:
            os.setpgid(0, 0)  # the tracer waits for this group alone
            program = _filter(calls)
            _ptrace(_TRACEME, 0, 0, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            _install(program)
        os.execve(command[0], list(command), environment)
    except BaseException as error:  # nothing of the parent's may run on here
        os.write(2, f"traced: {command[0]}: {error}\n".encode())
    os._exit(127)


def _filter(calls: Sequence[str]) -> bytes:
    """A seccomp program that stops at the calls, each with its number as the stop's message, and lets others pass."""
    column, architecture = _machine()
    numbers = sorted(number for name in calls if (number := CALLS[name][column]) is not None)
    load, equal, answer = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
    allow, trace = 0x7FFF0000, 0x7FF00000
    code = [(load, 0, 0, 4), (equal, 1, 0, architecture), (answer, 0, 0, allow), (load, 0, 0, 0)]
    for number in numbers:
        code += [(equal, 0, 1, number), (answer, 0, 0, trace | number)]
    code.append((answer, 0, 0, allow))
    return b"".join(struct.pack("HBBI", *step) for step in code)


def _install(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    head_buffer = ctypes.create_string_buffer(head, len(head))
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    if _libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")
    if _libc.prctl(set_seccomp, mode_filter, ctypes.addressof(head_buffer), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_SECCOMP")


# The tracer's side.

def _follow(
    child: int, files: list[int], at: int | None, act: Act | None, kill: bool, counts: Callable[[Stop], bool],
    every: Act | None, after: After | None, calls: Sequence[str], timeout: float,
) -> Result:
    column = _machine()[0]
    names = {CALLS[name][column]: name for name in calls}
    message = ctypes.c_ulong()
    stops, executed, acted, words, timed_out = 0, False, False, "", False
    under_way: dict[int, Stop] = {}  # by thread: calls whose end is waited for

    def expire(*_: object) -> None:
        nonlocal timed_out
        timed_out = True
        _kill_group(child)

    previous = signal.signal(signal.SIGALRM, expire)
    try:
        # Only once it has stopped itself is the child traced and its group made.
        if not os.WIFSTOPPED(os.waitpid(child, _WALL)[1]):
            raise Unsupported("the program could not be traced")
        _ptrace(_SETOPTIONS, child, 0, _OPTIONS)
        signal.setitimer(signal.ITIMER_REAL, timeout)
        _ptrace(_CONT, child, 0, 0)
        final = None
        while True:
            try:
                thread, status = os.waitpid(-child, _WALL)
            except ChildProcessError:
                break
            if not os.WIFSTOPPED(status):
                if thread == child:
                    final = status
                continue
            event, passed, request = status >> 16, 0, _CONT
            if event == _EVENT_SECCOMP and executed and not (acted and every is None):
                if _libc.ptrace(_GETEVENTMSG, thread, 0, ctypes.addressof(message)) < 0:
                    continue  # the thread was killed meanwhile
                stop = Stop(stops, thread, names.get(message.value, "?"))
                if counts(stop):
                    stops += 1
                    if every is not None:
                        every(stop)
                    if stop.number == at:
                        acted, words = True, stop.words()
                        if kill:
                            _kill_group(child)
                            continue
                        if act is not None:
                            act(stop)
                    if after is not None:
                        under_way[thread], request = stop, _SYSCALL
            elif event == 0 and os.WSTOPSIG(status) == _CALL_STOP:
                if after is not None and (stop := under_way.pop(thread, None)) is not None:
                    after(stop, _outcome(thread))
            elif event == _EVENT_EXEC:
                executed = True
            elif event == 0 and os.WSTOPSIG(status) != signal.SIGSTOP:  # a SIGSTOP is a new thread's first stop
                passed = os.WSTOPSIG(status)
            _libc.ptrace(request, thread, None, passed)  # fails where the thread was killed meanwhile
        if final is None:
            raise Unsupported("the program ended unseen")
        result = _result(final, files, stops)
        result.acted, result.call, result.timed_out = acted, words, timed_out
        return result
    except BaseException:
        _kill_group(child)
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _call_info(thread: int) -> bytes:
    """What the kernel tells of a thread's call; nothing where the thread is gone."""
    buffer = ctypes.create_string_buffer(88)
    return buffer.raw if _libc.ptrace(_GET_SYSCALL_INFO, thread, 88, ctypes.addressof(buffer)) > 0 else b""


def _outcome(thread: int) -> int:
    info = _call_info(thread)
    return struct.unpack_from("q", info, 24)[0] if info else -1


def _registers(thread: int, kind: int = 1) -> list[int]:  # NT_PRSTATUS
    buffer = ctypes.create_string_buffer(34 * 8)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), len(buffer))
    _ptrace(_GETREGSET, thread, kind, ctypes.addressof(vector))
    return list(struct.unpack_from(f"{vector[1] // 8}Q", buffer))


def _set_registers(thread: int, values: list[int], kind: int = 1) -> None:
    data = struct.pack("I", values[0]) if kind != 1 else struct.pack(f"{len(values)}Q", *values)
    buffer = ctypes.create_string_buffer(data, len(data))
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), len(buffer))
    _ptrace(_SETREGSET, thread, kind, ctypes.addressof(vector))


def _kill_group(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _result(status: int, files: list[int], stops: int) -> Result:
    killed = os.WIFSIGNALED(status)
    return Result(
        code=None if killed else os.WEXITSTATUS(status), signal=os.WTERMSIG(status) if killed else None, stops=stops,
        output=_content(files[1]), errors=_content(files[2]),
    )


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _text_at(memory: BinaryIO, address: int) -> str:
    try:
        memory.seek(address)
        return os.fsdecode(memory.read(4096).split(b"\0")[0])
    except (OSError, ValueError, OverflowError):
        return "?"


def _descriptor(thread: int, number: int | None) -> str:
    """Where an open file stands; the working folder for none, and for AT_FDCWD."""
    current = number is None or ctypes.c_int32(number & 0xFFFFFFFF).value == -100
    try:
        return os.readlink(f"/proc/{thread}/cwd" if current else f"/proc/{thread}/fd/{number & 0xFFFFFFFF}")
    except OSError:
        return f"file {number}"


def _machine() -> tuple[int, int]:
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _MACHINES:
        raise Unsupported(f"tracing works on Linux on {' and '.join(_MACHINES)}, not on {sys.platform} {machine}")
    return _MACHINES[machine]


def _ptrace(request: int, process: int, address: int, data: int) -> None:
    if _libc.ptrace(request, process, address or None, data or None) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace request {request:#x}")

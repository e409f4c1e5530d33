"""Runs as a process of its own: shuts itself in, then becomes the program that it was given. Standard library only.

Belongs here: namespaces, the small root, limits, and giving up every privilege. Does not: what the program is asked
(logic), or ending it in time (sandbox). It is started with an empty environment and imports nothing of this package.

The program sees a root of its own: the system's programs and libraries and the interpreter read-only, its code
read-only in /code, an empty memory file system in /work, and no more. It has no network but a loopback that is down, no
process outside, no capability and no way to gain one. When it ends, the kernel ends whatever it left running.
"""

import ctypes
import json
import os
import resource
import signal
import stat
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

_NEW_NAMESPACES = (
    0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
)  # mount uts ipc user pid net
_NO_SUID, _NO_DEVICES, _BIND, _MOVE_TO_PRIVATE, _RECURSIVE = 2, 4, 4096, 1 << 18, 16384
_DETACH = 2
_SET_ATTRIBUTES, _PIVOT_ROOT = {"x86_64": (442, 155), "aarch64": (442, 41)}.get(os.uname().machine, (442, -1))
_AT_RECURSIVE, _HERE, _READ_ONLY, _ATTRIBUTE_NO_SUID = 0x8000, -100, 1, 2
_PARENT_DEATH, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 24, 38
_LAST_CAPABILITY = 63
_INNER, _OUTER = 1000, 65534
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")

_libc = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """The system does not let the process be shut in."""


def _checked(result: int, what: str) -> None:
    if result != 0:
        raise RefusedError(f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    _checked(_libc.mount(*texts, ctypes.c_ulong(flags), os.fsencode(data)), f"mounting {target}")


def _freeze(path: str) -> None:
    """Makes a mount and all below it read-only."""
    attributes = struct.pack("QQQQ", _READ_ONLY | _ATTRIBUTE_NO_SUID, 0, 0, 0)
    result = _libc.syscall(
        ctypes.c_long(_SET_ATTRIBUTES),
        ctypes.c_int(_HERE),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _checked(result, f"making {path} read-only")


def _bind(source: str, root: str, frozen: bool = True) -> None:
    """Shows a path of the system at the same path of the new root; a link is made again, a missing one left out."""
    target = root + source
    if Path(source).is_symlink():
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).symlink_to(Path(source).readlink())
    elif Path(source).exists():
        _show(source, target, frozen)


def _show(source: str, target: str, frozen: bool = True) -> None:
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    _mount(source, target, None, _BIND | _RECURSIVE)
    if frozen:
        _freeze(target)


def _map_ids(is_root: bool, outer_ids: tuple[int, int]) -> None:
    """Leaves the user's namespace. The privileged mapping, which root alone may write, needs a hand from outside."""
    if not is_root:
        _checked(_libc.unshare(_NEW_NAMESPACES), "leaving the system's namespaces")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {outer_ids[0]} 1")
        Path("/proc/self/gid_map").write_text(f"0 {outer_ids[1]} 1")
        return
    waiting, going = os.pipe()
    done, tell = os.pipe()
    target = os.getpid()
    helper = os.fork()
    if helper == 0:
        try:
            os.close(going)
            os.read(waiting, 1)
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{target}/{name}").write_text(f"0 0 1\n{_INNER} {_OUTER} 1\n")
            os.write(tell, b"1")
        finally:
            os._exit(0)
    os.close(waiting)
    os.close(tell)
    _checked(_libc.unshare(_NEW_NAMESPACES), "leaving the system's namespaces")
    os.write(going, b"1")
    answered = os.read(done, 1)
    os.waitpid(helper, 0)
    if answered != b"1":
        raise RefusedError("mapping users: the system refused it")
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def _build_root(config: dict[str, Any], owner: int) -> None:
    """A root that holds the system read-only, the code, and an empty place to work in."""
    root = config["root"]
    _mount(None, "/", None, _RECURSIVE | _MOVE_TO_PRIVATE)
    _mount("tmpfs", root, "tmpfs", _NO_SUID | _NO_DEVICES, "size=1m,mode=755")
    for path in (*_SYSTEM, *config["interpreter_paths"]):
        _bind(path, root)
    for path in _DEVICES:
        _bind(path, root, frozen=False)
    for source, target in config["shown"]:
        _show(source, root + target)
    Path(root, "proc").mkdir()
    Path(root, "work").mkdir()
    with suppress(RefusedError):
        # A container may hide parts of /proc, and then no new one may be mounted; programs can do without.
        _mount("proc", f"{root}/proc", "proc", _NO_SUID | _NO_DEVICES)
        Path(root, "proc/sys/user/max_user_namespaces").write_text("0")
    size = f"size={config['work_bytes']},nr_inodes=1024,mode=700,uid={owner},gid={owner}"
    _mount("tmpfs", f"{root}/work", "tmpfs", _NO_SUID | _NO_DEVICES, size)
    os.chdir(root)
    _checked(_libc.syscall(ctypes.c_long(_PIVOT_ROOT), b".", b"."), "changing the root")
    _checked(_libc.umount2(b".", _DETACH), "leaving the old root")
    os.chdir("/")
    flags = _BIND | 32 | 1 | _NO_SUID | _NO_DEVICES  # remount this one mount read-only
    _mount(None, "/", None, flags)
    os.chdir("/work")


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def _give_up(owner: int) -> None:
    """No capability now, and none after an exec."""
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(_LAST_CAPABILITY + 1):
        _libc.prctl(_DROP_BOUND, capability, 0, 0, 0)
    if owner:
        os.setgroups([])
        os.setresgid(owner, owner, owner)
        os.setresuid(owner, owner, owner)


def _become(config: dict[str, Any], owner: int, status: int) -> NoReturn:
    try:
        for number in range(1, signal.NSIG):
            with suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        os.setsid()  # what it sends to its own group reaches nobody outside
        _give_up(owner)
        _limit(config["limits"])
        os.set_inheritable(status, False)
        command = config["command"]
        os.execve(command[0], command, {})
    except (OSError, ValueError) as error:
        os.write(
            status, f"the program cannot be started: {error.strerror if isinstance(error, OSError) else error}".encode()
        )
    os._exit(127)


def _ended(status: int) -> int:
    """The exit code that stands for how a child ended."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _supervise(config: dict[str, Any], status: int) -> NoReturn:
    """The first process of its namespace: when it ends, the kernel ends all the others."""
    _libc.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    owner = _INNER if config["is_root"] else 0
    try:
        _build_root(config, owner)
    except (RefusedError, OSError) as error:
        os.write(status, f"the system does not let the replay be shut in ({error})".encode())
        os._exit(125)
    program = os.fork()
    if program == 0:
        _become(config, owner, status)
    os.close(status)
    while True:
        found, how = os.wait()
        if found == program:
            os._exit(_ended(how))


def main() -> NoReturn:
    """Shuts itself in and runs the program of the configuration; the file descriptor `status` hears of a refusal."""
    config = json.loads(sys.argv[1])
    status = int(sys.argv[2])
    config["is_root"] = os.geteuid() == 0
    for descriptor in range(3, 256):
        if descriptor != status:
            with suppress(OSError):
                os.close(descriptor)
    try:
        if _PIVOT_ROOT < 0:
            raise RefusedError(f"no way is known on {os.uname().machine}")
        _map_ids(config["is_root"], (os.geteuid(), os.getegid()))
    except (RefusedError, OSError) as error:
        os.write(status, f"\nthe system does not let the replay be shut in ({error})".encode())
        os._exit(125)
    ready, go = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(go)
        os.read(ready, 1)
        os.close(ready)
        _supervise(config, status)
    # Whoever ends the replay waits for this process, the last of the namespace to go.
    os.write(status, f"{first}\n".encode())
    os.close(status)
    os.close(ready)
    os.close(go)
    _, how = os.waitpid(first, 0)
    os._exit(_ended(how))


if __name__ == "__main__":
    # A readable root needs directories that others may enter.
    os.umask(stat.S_IWGRP | stat.S_IWOTH)
    main()

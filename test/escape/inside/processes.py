"""The agent, the launcher, and the processes of others."""

import array
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct

from kit import Stopped, attack, call

GROUP = "processes"
GONE = {"ENOENT", "ESRCH"}


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def is_ours(pid):
    """Whether a number is that of the agent, and not of a process of our own."""
    try:
        return b"agent.cjs" in open(f"/proc/{pid}/cmdline", "rb").read()
    except OSError:
        return False


@attack(GROUP, "see a process beyond our own", {"own ones only"}, bare=True)
def see_others(facts):
    me, strangers = os.getpid(), []
    for pid in pids():
        try:
            command = open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            continue
        if pid not in (1, me) and b"python3" not in command and b"main.py" not in command:
            strangers.append((pid, command[:40]))
    if not strangers:
        raise Stopped("own ones only")
    return strangers[:5]


for part in ("root/etc/shadow", "environ", "mem", "cwd", "maps", "exe", "fd/0", "ns/mnt", "cmdline"):

    @attack(GROUP, f"read the agent's {part}", GONE | {"not the agent"})
    def read_agent(facts, part=part):
        path = f"/proc/{facts['agent_pid']}/{part}"
        if not is_ours(facts["agent_pid"]):
            raise Stopped("not the agent")
        return os.readlink(path) if os.path.islink(path) else open(path, "rb").read(16)


@attack(GROUP, "find the agent under any number", {"nowhere"})
def find_agent(facts):
    for pid in range(1, 70_000):
        if os.access(f"/proc/{pid}", os.F_OK) and is_ours(pid) and pid != os.getpid():
            return pid
    raise Stopped("nowhere")


@attack(GROUP, "signal the agent", GONE | {"not the agent"})
def signal_agent(facts):
    os.kill(facts["agent_pid"], 0)
    if not is_ours(facts["agent_pid"]):
        raise Stopped("not the agent")
    return "reachable"


@attack(GROUP, "kill all there is", {"nothing outside"})
def kill_all(facts):
    # What survives is this process and the sandbox's init; that the agent lives is checked outside.
    parent = os.getppid()
    for pid in pids():
        if pid not in (1, os.getpid(), parent):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
    try:
        os.kill(1, signal.SIGKILL)
    except OSError:
        pass
    raise Stopped("nothing outside")


@attack(GROUP, "signal the group that the launcher is in", {"ESRCH", "EPERM", "own group"})
def signal_group(facts):
    group = os.getpgid(1)
    if group != 0:
        raise Stopped("own group")
    return os.killpg(group, 0)


def ptrace(request, pid):
    return call("ptrace", request, pid, 0, 0)


@attack(GROUP, "trace the sandbox's init", {"EPERM"})
def trace_init(facts):
    return ptrace(16, 1)


@attack(GROUP, "trace our own parent", {"EPERM"})
def trace_parent(facts):
    return ptrace(16, os.getppid())


@attack(GROUP, "be traced", {"EPERM"}, bare=True)
def be_traced(facts):
    return ptrace(0, 0)


@attack(GROUP, "read the memory of the sandbox's init", {"EPERM"})
def read_init_memory(facts):
    buffer = ctypes.create_string_buffer(16)
    vector = struct.pack("PN", ctypes.addressof(buffer), 16)
    return call("process_vm_readv", 1, vector, 1, vector, 1, 0)


@attack(GROUP, "write the memory of our own parent", {"EPERM"})
def write_parent_memory(facts):
    buffer = ctypes.create_string_buffer(16)
    vector = struct.pack("PN", ctypes.addressof(buffer), 16)
    return call("process_vm_writev", os.getppid(), vector, 1, vector, 1, 0)


@attack(GROUP, "write the memory of the sandbox's init through /proc", {"ENOENT"})
def open_init_memory(facts):
    return os.open("/proc/1/mem", os.O_RDWR)


@attack(GROUP, "reach the launcher's own file through /proc/1/exe", {"ENOENT"})
def chmod_launcher(facts):
    return os.stat("/proc/1/exe")


@attack(GROUP, "read what the launcher was told", {"ENOENT"})
def read_launcher(facts):
    return open("/proc/1/cmdline").read() + open("/proc/1/environ").read()


@attack(GROUP, "go through the descriptors of the sandbox's init", {"ENOENT"})
def init_descriptors(facts):
    return os.listdir("/proc/1/fd")


@attack(GROUP, "go through the root of the sandbox's init", {"ENOENT"})
def init_root(facts):
    return os.listdir("/proc/1/root/")


@attack(GROUP, "find a process whose program lies outside of our tree", {"none"})
def outer_program(facts):
    for pid in pids():
        try:
            inside = os.stat(f"/proc/{pid}/exe")
            path = os.readlink(f"/proc/{pid}/exe")
            if os.stat(path).st_ino != inside.st_ino:
                return path
        except FileNotFoundError:
            continue
    raise Stopped("none")


def reader_of_output():
    """A pidfd of whoever made the stream that we print to: SO_PEERPIDFD."""
    return socket.socket(fileno=os.dup(1)).getsockopt(socket.SOL_SOCKET, 77)


# Terminals are no sockets, and kernels before 6.5 have no such option.
NO_PEER = {"ENOTSOCK", "ENOPROTOOPT", "EOPNOTSUPP", "ENODATA", "EINVAL"}


@attack(GROUP, "signal whoever reads our output, by a descriptor of it", NO_PEER | {"ESRCH", "EPERM"})
def signal_reader(facts):
    return call("pidfd_send_signal", reader_of_output(), 0, None, 0)


@attack(GROUP, "take a descriptor of whoever reads our output", NO_PEER | {"EPERM"})
def take_from_reader(facts):
    return call("pidfd_getfd", reader_of_output(), 0, 0)


@attack(GROUP, "take a descriptor of the sandbox's init", {"EPERM"})
def take_from_init(facts):
    return call("pidfd_getfd", call("pidfd_open", 1, 0), 1, 0)


@attack(GROUP, "hand the agent a descriptor through our output", {"nothing to see"})
def hand_descriptor(facts):
    try:
        stream = socket.socket(fileno=os.dup(1))
        stream.sendmsg([b"\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 200))])
    except OSError:
        pass
    # It must not be taken up nor do harm: that the agent lives is checked outside.
    raise Stopped("nothing to see")


@attack(GROUP, "compare ourselves with the sandbox's init", {"EPERM"})
def compare(facts):
    return call("kcmp", os.getpid(), 1, 0, 0, 0)


@attack(GROUP, "limit the agent", GONE | {"EPERM", "not the agent"})
def limit_agent(facts):
    if not is_ours(facts["agent_pid"]):
        raise Stopped("not the agent")
    return resource.prlimit(facts["agent_pid"], resource.RLIMIT_NOFILE, (3, 3))


@attack(GROUP, "raise our own limits", {"refused"})
def raise_limits(facts):
    try:
        return resource.setrlimit(13, (40, 40))
    except (ValueError, OSError) as error:
        raise Stopped("refused") from error


@attack(GROUP, "run before everything else", {"EPERM", "EACCES"})
def real_time(facts):
    return os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))


@attack(GROUP, "become root", {"EPERM", "EINVAL"})
def setuid(facts):
    return os.setuid(0)


@attack(GROUP, "join other groups", {"EPERM"})
def setgroups(facts):
    return os.setgroups([0])


@attack(GROUP, "regain capabilities", {"EPERM"})
def regain_capabilities(facts):
    header = struct.pack("II", 0x20080522, 0)
    every = struct.pack("IIIIII", *[0xFFFFFFFF] * 6)
    return call("capset", header, every)


@attack(GROUP, "keep any capability", {"none"})
def any_capability(facts):
    status = open("/proc/self/status").read()
    held = [line for line in status.splitlines() if line.startswith("Cap") and line.split()[1].strip("0")]
    if not held:
        raise Stopped("none")
    return held


@attack(GROUP, "gain privileges by running a program", {"no_new_privs"})
def new_privileges(facts):
    if "NoNewPrivs:\t1" in open("/proc/self/status").read():
        raise Stopped("no_new_privs")
    return "possible"


@attack(GROUP, "run without a filter of calls", {"filtered"})
def unfiltered(facts):
    if "Seccomp:\t2" in open("/proc/self/status").read():
        raise Stopped("filtered")
    return "unfiltered"


@attack(GROUP, "let the kernel signal the agent about our output", {"ESRCH", "EPERM", "not the agent"})
def asynchronous_signal(facts):
    fcntl.fcntl(1, fcntl.F_SETOWN, facts["agent_pid"])
    if not is_ours(facts["agent_pid"]):
        raise Stopped("not the agent")
    return "registered"

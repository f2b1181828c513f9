"""System calls that reach past namespaces, or far into the kernel."""

import ctypes
import fcntl
import mmap
import os
import pty
import struct

from kit import ALWAYS, X64, Stopped, attack, call, call_number, number_of, own_folder

GROUP = "calls"
REFUSED = {"EPERM"}

NAMESPACES = {
    "user": 0x10000000, "mount": 0x20000, "network": 0x40000000, "process": 0x20000000,
    "message": 0x8000000, "name": 0x4000000, "control group": 0x2000000, "time": 0x80,
}

for kind, flag in NAMESPACES.items():

    @attack(GROUP, f"unshare the {kind} namespace", REFUSED, traceless=True)
    def unshare(facts, flag=flag):
        return call("unshare", flag)

    if kind != "time":

        @attack(GROUP, f"start a process in a new {kind} namespace", REFUSED, traceless=True)
        def clone(facts, flag=flag):
            child = call("clone", flag | 17, 0, 0, 0, 0)
            if child == 0:
                os._exit(0)
            return child


@attack(GROUP, "unshare a user namespace with the flags of a thread around it", REFUSED)
def unshare_mixed(facts):
    return call("unshare", 0x10000000 | 0x200 | 0x400)


@attack(GROUP, "start a process by clone3, whose flags no filter sees", {"ENOSYS"})
def clone3(facts):
    arguments = struct.pack("Q" * 8, 0x10000000, 0, 0, 0, 17, 0, 0, 0)
    child = call("clone3", arguments, len(arguments))
    if child == 0:
        os._exit(0)
    return child


@attack(GROUP, "start threads and processes, as every program does", {"EPERM"}, ALWAYS)
def ordinary_fork(facts):
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


for namespace in ("mnt", "user", "pid", "net", "uts", "ipc", "cgroup"):

    @attack(GROUP, f"join a {namespace} namespace again", REFUSED)
    def setns(facts, namespace=namespace):
        return call("setns", os.open(f"/proc/self/ns/{namespace}", os.O_RDONLY), 0)


@attack(GROUP, "join the namespaces of a process by its descriptor", REFUSED)
def setns_pidfd(facts):
    return call("setns", call("pidfd_open", 1, 0), 0x10000000)


ATTRIBUTES = struct.pack("QQQQ", 0, 1, 0, 0)

# Title: the call and its arguments; harmless where no filter stops them, for lack of rights.
CALLS = {
    "mount a file system": ("mount", "none", "/mnt", "tmpfs", 0, None),
    "make the root writable": ("mount", "none", "/", "", 32 | 4096, None),
    "bind a folder": ("mount", "/etc", "/tmp", "", 4096, None),
    "mount an overlay": ("mount", "overlay", "/mnt", "overlay", 0, "lowerdir=/etc,upperdir=/tmp"),
    "mount control groups": ("mount", "cgroup", "/mnt", "cgroup", 0, "memory"),
    "mount another /proc": ("mount", "proc", "/mnt", "proc", 0, None),
    "share mounts with the host": ("mount", "none", "/", "", 1 << 20, None),
    "unmount /proc": ("umount2", "/proc", 2),
    "uncover the sandbox's init": ("umount2", "/proc/1", 2),
    "uncover the kernel's settings": ("umount2", "/proc/sys", 2),
    "uncover what hides the agent": ("umount2", "/.outwork", 2),
    "pivot to another root": ("pivot_root", "/", "/"),
    "change the root": ("chroot", "/tmp"),
    "make a mount writable": ("mount_setattr", -100, "/", 0x8000, ATTRIBUTES, 32),
    "detach a copy of a mount": ("open_tree", -100, "/", 1),
    "detach a writable copy of a mount": ("open_tree_attr", -100, "/", 1, ATTRIBUTES, 32),
    "move a mount": ("move_mount", -1, "", -100, "/mnt", 4),
    "open a file system": ("fsopen", "proc", 0),
    "configure a file system": ("fsconfig", -1, 6, None, None, 0),
    "make a mount of a file system": ("fsmount", -1, 0, 0),
    "pick a mounted file system": ("fspick", -100, "/", 0),
    "read a keyring": ("keyctl", 0, -3, 0),
    "join another keyring": ("keyctl", 1, "attack"),
    "add a key": ("add_key", "user", "attack", "x", 1, -3),
    "request a key": ("request_key", "user", "attack", None, 0),
    "load a BPF program": ("bpf", 5, None, 0),
    "set up an io_uring": ("io_uring_setup", 1, ctypes.create_string_buffer(200)),
    "enter an io_uring": ("io_uring_enter", -1, 0, 0, 0, None, 0),
    "register with an io_uring": ("io_uring_register", -1, 0, None, 0),
    "count events of the machine": ("perf_event_open", ctypes.create_string_buffer(128), 0, -1, -1, 0),
    "handle page faults": ("userfaultfd", 1),
    "load a module": ("init_module", None, 0, ""),
    "load a module from a file": ("finit_module", -1, "", 0),
    "unload a module": ("delete_module", "none", 0),
    "load another kernel": ("kexec_load", 0, 0, None, 0),
    "load another kernel from files": ("kexec_file_load", -1, -1, 0, "", 8),
    "restart the machine": ("reboot", 0, 0, 0, None),
    "set the time of day": ("settimeofday", None, struct.pack("ii", 0, 0)),
    "set the clock": ("clock_settime", 0, struct.pack("qq", 1, 0)),
    "skew the clock": ("adjtimex", struct.pack("Iq", 1, 0).ljust(208, b"\0")),
    "rename the machine": ("sethostname", "attack", 6),
    "rename the machine's domain": ("setdomainname", "attack", 6),
    "read the kernel's log": ("syslog", 3, ctypes.create_string_buffer(64), 64),
    "size the kernel's log": ("syslog", 10, None, 0),
    "add swap space": ("swapon", "/etc/hosts", 0),
    "remove swap space": ("swapoff", "/etc/hosts"),
    "keep accounts of processes": ("acct", "/etc/hosts"),
    "set a quota": ("quotactl", 0, None, 0, None),
    "watch a whole file system": ("fanotify_init", 0, 0),
    "open a file by its handle": ("open_by_handle_at", -100, ctypes.create_string_buffer(64), 0),
    "move pages of other processes": ("move_pages", 1, 0, None, None, None, 0),
    "move other processes to other memory": ("migrate_pages", 1, 0, None, None),
    "make memory that nobody can look at": ("memfd_secret", 0),
    "hang up a terminal": ("vhangup",),
    "see directory names by cookie": ("lookup_dcookie", 0, None, 0),
}

for title, (name, *arguments) in CALLS.items():

    @attack(GROUP, title, REFUSED, traceless=True)
    def by_name(facts, name=name, arguments=arguments):
        return call(name, *[0 if argument is None else argument for argument in arguments])


for title, name, arguments in (
    ("get at the machine's ports", "ioperm", (0, 1, 1)),
    ("raise the level of port access", "iopl", (3,)),
    ("change segments", "modify_ldt", (1, 0, 0)),
    ("load a library the old way", "uselib", ("/etc/hosts",)),
):

    @attack(GROUP, title, {"EPERM", "no such call"})
    def of_one_machine(facts, name=name, arguments=arguments):
        return call(name, *arguments)


# The profile of a container may end whoever tries.
@attack(GROUP, "call by a number of the x32 kind", {"ENOSYS", "SIGSYS"})
def x32(facts):
    return call_number(0x40000000 | number_of("socket"), 2, 1, 0)


@attack(GROUP, "call by a number that is younger than the filter", {"ENOSYS"})
def young_call(facts):
    return call_number(600)


@attack(GROUP, "call by a number with more than 32 bits", {"EPERM", "ENOSYS"})
def wide_number(facts):
    return call_number(number_of("unshare") | 1 << 32, 0x10000000)


@attack(GROUP, "call as a 32-bit program", {"SIGSYS", "SIGSEGV", "no such call"})
def compat_call(facts):
    if not X64:
        raise Stopped("no such call")
    # mov eax, 310 (unshare); mov ebx, CLONE_NEWUSER; int 0x80; ret
    code = b"\xb8\x36\x01\x00\x00\xbb\x00\x00\x00\x10\xcd\x80\xc3"
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x53" + code[:-1] + b"\x5b\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    result = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


@attack(GROUP, "take the filter off", {"EINVAL", "EACCES", "EPERM"})
def remove_filter(facts):
    disabled = 0
    return os_error(ctypes.CDLL(None, use_errno=True).prctl(22, disabled, 0, 0, 0))


@attack(GROUP, "take back that programs gain no privileges", {"EINVAL", "EPERM"})
def regain_privileges(facts):
    return os_error(ctypes.CDLL(None, use_errno=True).prctl(38, 0, 0, 0, 0))


def os_error(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return result


REQUESTS = {
    "type for the user": (0x5412, b"x"),
    "type for the user, by a request with a high half": (0x5412 | 1 << 32, b"x"),
    "paste as the console does": (0x541C, b"\x03"),
    "take the console's output": (0x541D, b"\0" * 4),
    "load a line discipline": (0x5423, struct.pack("i", 21)),
}

for title, (request, argument) in REQUESTS.items():

    @attack(GROUP, title, REFUSED)
    def terminal_request(facts, request=request, argument=argument):
        _, slave = pty.openpty()
        os.setsid()
        fcntl.ioctl(slave, 0x540E, 0)
        return call("ioctl", slave, request, argument)


@attack(GROUP, "type into the terminal that we were given", {"EPERM", "ENOTTY"})
def own_terminal(facts):
    return call("ioctl", 0, 0x5412, b"x")


@attack(GROUP, "encrypt a folder with a key of our own", {"EPERM", "EOPNOTSUPP", "ENOTTY", "EINVAL", "EACCES", "EROFS"})
def encryption_key(facts):
    folder = os.open(own_folder(facts), os.O_RDONLY)
    return fcntl.ioctl(folder, 0xC0506617, bytearray(80))

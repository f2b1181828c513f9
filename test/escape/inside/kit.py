"""How attacks are written, and what they have in common. Runs inside the sandbox under attack."""

import ctypes
import errno
import json
import os
import platform
import signal

READ_ONLY = "read-only"
READ_AND_NETWORK = "read-only, network on"
WRITE = "workspace-write"
WRITE_AND_NETWORK = "workspace-write, network on"
FULL = "danger-full-access"
FULL_OFFLINE = "danger-full-access, network off"

NEVER = frozenset()
UNBOUND = frozenset({FULL, FULL_OFFLINE})
WRITING = frozenset({WRITE, WRITE_AND_NETWORK}) | UNBOUND
ONLINE = frozenset({READ_AND_NETWORK, WRITE_AND_NETWORK, FULL})
ALWAYS = frozenset({READ_ONLY, READ_AND_NETWORK}) | WRITING

# Walls of files: which of them is met first depends on the owner of the file.
CLOSED = frozenset({"EROFS", "EACCES", "EPERM"})
HIDDEN = frozenset({"ENOENT"})

# One number has two names.
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP"}

ATTACKS = []

# Seconds for one attack, on a machine that is busy with others.
PATIENCE = 60


class Stopped(Exception):
    """The attack met a wall that no system error tells of; its one argument says which."""


class Attack:
    def __init__(self, group, title, act, stopped_by, works, bare, traceless):
        self.group, self.title, self.act = group, title, act
        self.stopped_by, self.works = frozenset(stopped_by), works
        self.bare, self.traceless = bare, traceless


def attack(group, title, stopped_by, works=NEVER, bare=False, traceless=False):
    """
    Declares an attack: a function that is given the facts, and that either returns what it got or raises.
    `stopped_by` are the only errors that count as a wall; `works` the policies that allow what it
    does, or `placement: policy`; `bare` ones work without any sandbox, on every machine; `traceless`
    ones leave their process as it was when an error of the system stops them.
    """

    def declare(act):
        ATTACKS.append(Attack(group, title, act, stopped_by, works, bare, traceless))
        return act

    return declare


def run_all(attacks, facts):
    """Yields each attack and how it ended: (outcome, by, detail)."""
    left = list(attacks)
    while left:
        for report in run_some(tuple(left), facts):
            yield left.pop(0), report


def run_some(attacks, facts):
    """
    Runs an attack in a process of its own, and those after it as long as all of them are traceless:
    processes are what attacks cost.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        make_reports(attacks, facts, write_end)
        os._exit(0)
    os.close(write_end)
    reported = False
    with open(read_end, encoding="utf-8", errors="replace") as reports:
        for report in reports:
            reported = True
            yield json.loads(report)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        yield "stopped", signal.Signals(os.WTERMSIG(status)).name, ""
    elif not reported:
        yield "broken", "no report", ""


def make_reports(attacks, facts, write_end):
    for number, each in enumerate(attacks):
        if number > 0 and not each.traceless:
            return
        outcome, by, detail = report_of(each, facts)
        os.write(write_end, (json.dumps([outcome, by, detail[:300]]) + "\n").encode())
        if outcome != "stopped" or not each.traceless:
            return


def report_of(each, facts):
    signal.alarm(PATIENCE)
    try:
        return "worked", "", str(each.act(facts))
    except Stopped as stopped:
        return "stopped", stopped.args[0], ""
    except OSError as error:
        return "stopped", NAMES.get(error.errno, type(error).__name__), str(error)
    except BaseException as error:
        return "broken", type(error).__name__, str(error)


LIBC = ctypes.CDLL(None, use_errno=True)
X64 = platform.machine() == "x86_64"

# On x86-64, on arm64.
NUMBERS = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "capset": (126, 91), "chroot": (161, 51), "clock_settime": (227, 112), "clone": (56, 220),
    "clone3": (435, 435), "delete_module": (176, 106), "fanotify_init": (300, 262),
    "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "init_module": (175, 105), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioctl": (16, 29),
    "ioperm": (173, None), "iopl": (172, None), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "lookup_dcookie": (212, 18),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "migrate_pages": (256, 238),
    "modify_ldt": (154, None), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "move_pages": (279, 239), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pivot_root": (155, 41), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142),
    "renameat2": (316, 276), "request_key": (249, 218), "sendmsg": (46, 211),
    "setdomainname": (171, 162), "sethostname": (170, 161), "setns": (308, 268),
    "settimeofday": (164, 170), "socket": (41, 198), "swapoff": (168, 225), "swapon": (167, 224),
    "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "uselib": (134, None),
    "userfaultfd": (323, 282), "vhangup": (153, 58),
}


def number_of(name):
    number = NUMBERS[name][0 if X64 else 1]
    if number is None:
        raise Stopped("no such call")
    return number


def call(name, *args):
    """Makes a system call; text becomes a C string. Raises OSError."""
    return call_number(number_of(name), *args)


def call_number(number, *args):
    result = LIBC.syscall(ctypes.c_long(number), *[c_value(arg) for arg in args])
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def c_value(arg):
    if isinstance(arg, int):
        return ctypes.c_long(arg)
    if isinstance(arg, str):
        return ctypes.c_char_p(arg.encode())
    if isinstance(arg, bytes):
        return ctypes.c_char_p(arg)
    return arg


def run_program(argv, **options):
    """Runs a program to its end; its output is text."""
    # Imported only here: what this module brings along makes every fork three times as slow.
    import subprocess

    return subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, **options
    )


def own_folder(facts):
    """A folder that this policy lets us write, for what an attack needs to prepare."""
    folder = facts["workspace"] if facts["policy"] in WRITING else "/dev/shm"
    path = os.path.join(folder, f"attack-{os.getpid()}")
    os.makedirs(path, exist_ok=True)
    return path


def make_file(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
    return path


def entries_below(top):
    """Whatever is no folder, as directory entries; folders that cannot be listed are passed over."""
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        yield entry
                    elif entry.path != "/proc":
                        folders.append(entry.path)
        except OSError:
            continue


def try_all(paths, act):
    """Tries every path; returns those that gave in, or raises the last error."""
    got, last = tried(paths, act)
    if got:
        return got
    raise last


def sweep(paths, act):
    """The same for paths that are refused in many ways. Without any path there is no attack."""
    got, last = tried(paths, act)
    if got:
        return got[:10]
    raise last if isinstance(last, Stopped) else Stopped("nothing gave in")


def tried(paths, act):
    got, last = [], Stopped("nothing to try")
    for path in paths:
        try:
            act(path)
            got.append(path)
        except OSError as error:
            last = error
    return got, last


def open_for_writing(path):
    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))

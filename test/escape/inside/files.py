"""Writing where the policy does not let us: by path, by link, by descriptor, by device."""

import fcntl
import mmap
import os
import shutil
import stat

from kit import CLOSED, UNBOUND, WRITING, Stopped, attack, call, entries_below
from kit import make_file, open_for_writing, own_folder, run_program, sweep, try_all

SYSTEM_FILE = "/etc/hosts"
# Rights over the whole tree are the container's; the host's files are nobody's to write.
EVERYTHING = frozenset(f"docker: {policy}" for policy in UNBOUND)


def is_private(path):
    return path == "/dev" or path.startswith("/dev/") or path.startswith("/proc/self/")


def is_own(path, facts):
    roots = [facts["workspace"], "/tmp"] if facts["policy"] in WRITING else []
    if facts["policy"] in UNBOUND:
        roots.append(facts["home"])
    return is_private(path) or any(path == root or path.startswith(root + "/") for root in roots)


def folders_of_others(facts):
    for folder, below, _ in os.walk("/"):
        if folder == "/proc":
            below[:] = [name for name in below if not name.isdigit()]
        if not is_own(folder, facts):
            yield folder


def make_and_remove(folder):
    path = os.path.join(folder, ".attack")
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    os.unlink(path)


@attack("files", "create a file in any folder there is", {"nothing gave in"}, EVERYTHING)
def create_anywhere(facts):
    return sweep(folders_of_others(facts), make_and_remove)


def system_files():
    for top in ("/etc", "/opt", "/usr/local", "/usr/lib", "/.outwork"):
        yield from (entry.path for entry in entries_below(top) if is_file(entry))


def is_file(entry):
    try:
        return entry.is_file()
    except OSError:
        return False


@attack("files", "open any file of the system for writing", {"nothing gave in"})
def open_system_files(facts):
    return sweep(system_files(), open_for_writing)


@attack("files", "write the workspace", CLOSED, WRITING, bare=True)
def write_workspace(facts):
    return make_file(os.path.join(facts["workspace"], "own"))


@attack("files", "write /tmp", CLOSED, WRITING, bare=True)
def write_tmp(facts):
    return make_file(f"/tmp/own-{os.getpid()}")


@attack("files", "write the home folder", CLOSED, UNBOUND)
def write_home(facts):
    return make_file(os.path.join(facts["home"], ".profile"))


@attack("files", "truncate a file of the system", CLOSED)
def truncate(facts):
    return os.truncate(SYSTEM_FILE, 0)


@attack("files", "change the mode of a file of the system", CLOSED)
def chmod(facts):
    return os.chmod(SYSTEM_FILE, 0o666)


@attack("files", "take over a file of the system", CLOSED)
def chown(facts):
    return os.chown(SYSTEM_FILE, os.getuid(), os.getgid())


@attack("files", "change the times of a file of the system", CLOSED)
def utime(facts):
    return os.utime(SYSTEM_FILE, (1, 1))


@attack("files", "set an attribute on a file of the system", CLOSED)
def setxattr(facts):
    return os.setxattr(SYSTEM_FILE, "user.attack", b"x")


@attack("files", "remove a file of the system", CLOSED | {"EBUSY"})
def unlink(facts):
    return os.unlink(SYSTEM_FILE)


@attack("files", "move a file of the system", CLOSED | {"EBUSY"})
def rename(facts):
    return os.rename(SYSTEM_FILE, SYSTEM_FILE + ".old")


@attack("files", "change the list of users, which is a file of our own user", CLOSED)
def change_passwd(facts):
    os.chmod("/etc/passwd", 0o644)
    return open("/etc/passwd", "a").write("root2::0:0::/:/bin/sh\n")


@attack("files", "change what login shells start with", CLOSED | {"ENOENT"})
def change_profile(facts):
    os.chmod("/etc/profile", 0o644)
    return open("/etc/profile", "a").write("touch /tmp/profile\n")


@attack("files", "make a folder in the root", CLOSED)
def mkdir_root(facts):
    return os.mkdir("/attack")


@attack("files", "write through a symbolic link", CLOSED)
def through_symlink(facts):
    link = os.path.join(own_folder(facts), "link")
    os.symlink("/etc", link)
    return make_file(os.path.join(link, "attack"))


@attack("files", "write through a relative symbolic link that climbs", CLOSED)
def through_climbing_link(facts):
    link = os.path.join(own_folder(facts), "link")
    os.symlink("../" * 12 + "usr", link)
    return make_file(os.path.join(link, "attack"))


@attack("files", "write through a hard link", CLOSED | {"EXDEV"})
def through_hard_link(facts):
    link = os.path.join(own_folder(facts), "link")
    os.link(SYSTEM_FILE, link)
    return open(link, "a").write("x")


@attack("files", "link an open file of the system into our folder", CLOSED | {"EXDEV", "ENOENT"})
def link_descriptor(facts):
    opened = os.open(SYSTEM_FILE, os.O_RDONLY)
    link = os.path.join(own_folder(facts), "link")
    os.link(f"/proc/self/fd/{opened}", link, follow_symlinks=True)
    return open(link, "a").write("x")


@attack("files", "make an unnamed file in a folder of the system", CLOSED)
def unnamed_file(facts):
    return os.open("/usr", os.O_TMPFILE | os.O_RDWR, 0o600)


@attack("files", "write a file of the system through a map of it", CLOSED)
def write_map(facts):
    opened = os.open(SYSTEM_FILE, os.O_RDONLY)
    return mmap.mmap(opened, 1, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


@attack("files", "open a readable file again for writing", CLOSED)
def reopen(facts):
    opened = os.open(SYSTEM_FILE, os.O_RDONLY)
    return os.open(f"/proc/self/fd/{opened}", os.O_RDWR)


@attack("files", "write through /proc/self/root", CLOSED)
def through_proc_root(facts):
    return make_file("/proc/self/root/etc/attack")


@attack("files", "write through the root of a thread", CLOSED)
def through_thread_root(facts):
    return make_file(f"/proc/self/task/{os.getpid()}/root/usr/attack")


@attack("files", "write above the root by climbing", CLOSED)
def climb(facts):
    root = os.open("/", os.O_RDONLY)
    above = os.open("..", os.O_RDONLY, dir_fd=root)
    return os.open("attack", os.O_CREAT | os.O_WRONLY, dir_fd=above)


@attack("files", "climb out of the workspace's mount", {"same root"})
def climb_from_workspace(facts):
    above = os.stat(os.path.join(facts["workspace"], *[".."] * 20))
    if (above.st_dev, above.st_ino) == (os.stat("/").st_dev, os.stat("/").st_ino):
        raise Stopped("same root")
    return above


@attack("files", "make a node of the disk", {"EPERM"})
def make_disk(facts):
    os.mknod(os.path.join(own_folder(facts), "disk"), stat.S_IFBLK | 0o600, os.makedev(254, 0))
    return "made"


@attack("files", "make a node of the memory", {"EPERM"})
def make_memory(facts):
    os.mknod(os.path.join(own_folder(facts), "mem"), stat.S_IFCHR | 0o600, os.makedev(1, 1))
    return "made"


@attack("files", "find a device beyond the harmless ones", {"harmless ones only"})
def find_device(facts):
    known = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
    found = []
    for folder, _, names in os.walk("/dev"):
        for name in names:
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and folder != "/dev/pts" and name not in known:
                found.append(os.path.join(folder, name))
    if not found:
        raise Stopped("harmless ones only")
    return found


@attack("files", "become root by a file of our own", {"same user"})
def own_setuid(facts):
    program = os.path.join(own_folder(facts), "id")
    shutil.copy("/usr/bin/id", program)
    os.chmod(program, 0o6755)
    user = run_program([program, "-u"]).stdout.strip()
    if user == str(os.getuid()):
        raise Stopped("same user")
    return user


SETUID_PROGRAMS = {
    "sudo": ["sudo", "-n", "id"],
    "su": ["su", "-c", "id"],
    "mount": ["mount", "-t", "tmpfs", "none", "/mnt"],
    "umount": ["umount", "/proc"],
    "pkexec": ["pkexec", "id"],
    "newuidmap": ["newuidmap", str(os.getpid()), "0", "0", "1"],
    "fusermount": ["fusermount", "-u", "/proc"],
    "chsh": ["chsh", "-s", "/bin/false"],
}

for program, argv in SETUID_PROGRAMS.items():

    @attack("files", f"gain something by the setuid program {program}", {"refused", "not installed"})
    def setuid_program(facts, argv=argv):
        if shutil.which(argv[0], path="/usr/bin:/bin:/usr/sbin:/sbin") is None:
            raise Stopped("not installed")
        ran = run_program(argv)
        if ran.returncode != 0:
            raise Stopped("refused")
        return ran.stdout


@attack("files", "make a file unchangeable", {"EPERM", "EOPNOTSUPP", "ENOTTY"})
def immutable(facts):
    opened = os.open(make_file(os.path.join(own_folder(facts), "file")), os.O_RDONLY)
    set_flags = 0x40086602
    return fcntl.ioctl(opened, set_flags, (0x10).to_bytes(8, "little"))


@attack("files", "give a file of our own to root", {"EPERM", "EINVAL"})
def give_to_root(facts):
    return os.chown(make_file(os.path.join(own_folder(facts), "file")), 0, 0)


@attack("files", "give a file a capability", {"EPERM", "EOPNOTSUPP"})
def file_capability(facts):
    path = make_file(os.path.join(own_folder(facts), "file"))
    every = b"\x01\x00\x00\x02" + b"\xff\xff\xff\xff\x00\x00\x00\x00" * 2
    return os.setxattr(path, "security.capability", every)


@attack("files", "move the workspace away", CLOSED | {"EBUSY"})
def move_workspace(facts):
    return os.rename(facts["workspace"], facts["workspace"] + "-old")


@attack("files", "remove the workspace", CLOSED | {"EBUSY"})
def remove_workspace(facts):
    return os.rmdir(facts["workspace"])


@attack("files", "exchange the workspace for a folder of our own", CLOSED | {"EBUSY", "EXDEV", "EINVAL"})
def exchange_workspace(facts):
    rename_exchange = 2
    return call("renameat2", -100, own_folder(facts), -100, facts["workspace"], rename_exchange)


@attack("files", "replace a program that commands find first", CLOSED)
def replace_program(facts):
    return try_all(["/.outwork/bin/rg", "/usr/bin/env", "/bin/sh"], lambda path: os.unlink(path))


@attack("files", "replace the loader of the terminal's program", CLOSED | {"ENOENT"})
def replace_loader(facts):
    folder = "/.outwork/bin/.lib/lib"
    return [os.chmod(os.path.join(folder, name), 0o777) for name in os.listdir(folder)]

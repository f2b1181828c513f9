"""Settings of the kernel, and what it tells about itself."""

import os

from kit import CLOSED, HIDDEN, Stopped, attack, open_for_writing, sweep

GROUP = "settings"
SHUT = CLOSED | HIDDEN


def write_back(path):
    """Writes a setting's own value, so that a success changes nothing."""
    with open(path) as file:
        value = file.read()
    opened = os.open(path, os.O_WRONLY)
    return os.write(opened, value.encode())


SETTINGS = (
    "kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "kernel/sysrq", "kernel/hostname",
    "kernel/randomize_va_space", "kernel/unprivileged_bpf_disabled", "kernel/kptr_restrict",
    "kernel/shmmax", "kernel/msgmax", "kernel/sem", "kernel/pid_max", "kernel/ns_last_pid",
    "vm/overcommit_memory", "vm/panic_on_oom", "fs/file-max", "fs/suid_dumpable",
    "fs/protected_symlinks", "fs/mqueue/msg_max", "user/max_user_namespaces", "net/ipv4/ip_forward",
    "net/core/somaxconn",
)

for setting in SETTINGS:

    @attack(GROUP, f"write {setting}", SHUT, traceless=True)
    def write_setting(facts, setting=setting):
        return write_back(f"/proc/sys/{setting}")


def files_of(top):
    for folder, _, names in os.walk(top):
        yield from (os.path.join(folder, name) for name in names)


@attack(GROUP, "write any setting at all", {"nothing gave in"})
def write_any(facts):
    return sweep(files_of("/proc/sys"), open_for_writing)


# Anyone may ask there to be told of pressure; it changes nothing.
HARMLESS = "/proc/pressure/"


def not_of_processes():
    for folder, below, names in os.walk("/proc"):
        if folder == "/proc":
            below[:] = [name for name in below if not name.isdigit() and name not in ("self", "thread-self")]
        yield from (os.path.join(folder, name) for name in names)


@attack(GROUP, "write anything else of /proc that is not about our own processes", {"nothing gave in"})
def write_proc(facts):
    paths = (path for path in not_of_processes() if not path.startswith(HARMLESS))
    return sweep(paths, open_for_writing)


# Not everywhere is there a /sys at all.
@attack(GROUP, "write anything of /sys", {"nothing gave in", "nothing to try"})
def write_sys(facts):
    return sweep(files_of("/sys"), open_for_writing)


for path in (
    "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/vm/drop_caches", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/release_agent",
    "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/cgroup.procs", "/sys/kernel/mm/ksm/run",
    "/sys/power/state", "/sys/kernel/profiling", "/proc/acpi/wakeup", "/proc/mtrr",
):

    @attack(GROUP, f"open {path} for writing", SHUT | {"EBUSY"}, traceless=True)
    def open_knob(facts, path=path):
        return os.open(path, os.O_WRONLY)


@attack(GROUP, "make a control group with a release agent", SHUT)
def control_group(facts):
    for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"):
        try:
            os.mkdir(os.path.join(top, "attack"))
            return top
        except OSError as error:
            last = error
    raise last


for path in (
    "/proc/kcore", "/proc/kmsg", "/dev/kmsg", "/dev/mem", "/dev/port", "/dev/kvm", "/dev/fuse",
    "/dev/net/tun", "/dev/loop-control", "/dev/vda", "/dev/sda", "/dev/vhost-vsock", "/dev/vsock",
    "/dev/snapshot", "/proc/kpagecount", "/proc/vmallocinfo", "/proc/slabinfo", "/proc/timer_list",
    "/sys/kernel/debug/sched/debug", "/sys/kernel/tracing/trace", "/sys/firmware/efi/efivars",
):

    @attack(GROUP, f"read {path}", SHUT | {"ENXIO", "ENODEV"}, traceless=True)
    def read_knob(facts, path=path):
        return os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 16)


@attack(GROUP, "learn addresses of the kernel", {"zeros only", "ENOENT", "EACCES"})
def kernel_addresses(facts):
    with open("/proc/kallsyms") as file:
        lines = [next(file) for _ in range(20)]
    if all(line.startswith("0" * 16) for line in lines):
        raise Stopped("zeros only")
    return lines[0]


@attack(GROUP, "list keys of the host's user", {"none", "ENOENT", "EACCES"})
def list_keys(facts):
    keys = open("/proc/keys").read()
    if not keys:
        raise Stopped("none")
    return keys


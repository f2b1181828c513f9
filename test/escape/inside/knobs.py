"""Settings of the kernel, and what it tells about itself."""

import os

from kit import CLOSED, HIDDEN, Stopped, attack

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


@attack(GROUP, "write any setting at all", {"nothing gave in"})
def write_any(facts):
    opened = []
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            try:
                os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
                opened.append(os.path.join(folder, name))
            except OSError:
                pass
    if not opened:
        raise Stopped("nothing gave in")
    return opened[:10]


# Anyone may ask there to be told of pressure; it changes nothing.
HARMLESS = "/proc/pressure/"


@attack(GROUP, "write anything else of /proc that is not about our own processes", {"nothing gave in"})
def write_proc(facts):
    opened = []
    for folder, below, names in os.walk("/proc"):
        if folder == "/proc":
            below[:] = [name for name in below if not name.isdigit() and name not in ("self", "thread-self")]
        for name in names:
            path = os.path.join(folder, name)
            if path.startswith(HARMLESS):
                continue
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                opened.append(path)
            except OSError:
                pass
    if not opened:
        raise Stopped("nothing gave in")
    return opened[:10]


@attack(GROUP, "write anything of /sys", {"nothing gave in"})
def write_sys(facts):
    opened = []
    for folder, _, names in os.walk("/sys"):
        for name in names:
            try:
                os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
                opened.append(os.path.join(folder, name))
            except OSError:
                pass
    if not opened:
        raise Stopped("nothing gave in")
    return opened[:10]


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


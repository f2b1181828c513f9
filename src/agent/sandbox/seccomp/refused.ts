import type { SyscallName } from "./syscalls.ts";

/** Other processes' memory, descriptors and course. */
const OTHER_PROCESSES: readonly SyscallName[] = [
  "kcmp",
  "pidfd_getfd",
  "process_vm_readv",
  "process_vm_writev",
  "ptrace",
];

/** Keyrings belong to users, not to namespaces. */
const KEYRINGS: readonly SyscallName[] = ["add_key", "keyctl", "request_key"];

/** Its rings make calls that no filter sees. */
const IO_URING: readonly SyscallName[] = ["io_uring_enter", "io_uring_register", "io_uring_setup"];

/** What the sandbox is made of. */
const NAMESPACES_AND_MOUNTS: readonly SyscallName[] = [
  "chroot",
  "fsconfig",
  "fsmount",
  "fsopen",
  "fspick",
  "listns",
  "mount",
  "mount_setattr",
  "move_mount",
  "open_by_handle_at",
  "open_tree",
  "open_tree_attr",
  "pivot_root",
  "setns",
  "umount2",
];

/** New code for the kernel, and views into it. */
const KERNEL: readonly SyscallName[] = [
  "bpf",
  "create_module",
  "delete_module",
  "finit_module",
  "get_kernel_syms",
  "init_module",
  "kexec_file_load",
  "kexec_load",
  "lookup_dcookie",
  "perf_event_open",
  "query_module",
  "syslog",
  "userfaultfd",
];

/** What belongs to the whole machine. */
const MACHINE: readonly SyscallName[] = [
  "acct",
  "adjtimex",
  "clock_adjtime",
  "clock_settime",
  "fanotify_init",
  "ioperm",
  "iopl",
  "quotactl",
  "quotactl_fd",
  "reboot",
  "setdomainname",
  "sethostname",
  "settimeofday",
  "swapoff",
  "swapon",
  "vhangup",
];

/** Old, or for few programs, and with a record of holes. */
const RARE: readonly SyscallName[] = [
  "_sysctl",
  "memfd_secret",
  "migrate_pages",
  "modify_ldt",
  "move_pages",
  "nfsservctl",
  "sysfs",
  "uselib",
  "ustat",
];

/** Calls that no command may make, whatever their arguments and its policy. */
export const REFUSED_CALLS: readonly SyscallName[] = [
  ...OTHER_PROCESSES,
  ...KEYRINGS,
  ...IO_URING,
  ...NAMESPACES_AND_MOUNTS,
  ...KERNEL,
  ...MACHINE,
  ...RARE,
];

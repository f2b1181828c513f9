import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes `policies/container-seccomp.json` from this machine's kernel headers (linux-libc-dev): the
 * profile of the whole container. It lets the agent build namespaces and mounts for its sandboxes;
 * each command's own filter takes those away again. A call that the headers do not know answers
 * ENOSYS, so that a newer kernel opens nothing.
 */
const HEADERS = [
  "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  "/usr/include/asm-generic/unistd.h",
];

/** Calls that reach the host, other processes' memory, or large and young parts of the kernel. */
const FORBIDDEN = `
  acct add_key adjtimex bpf clock_adjtime clock_adjtime64 clock_settime clock_settime64 create_module delete_module fanotify_init
  finit_module get_kernel_syms init_module io_uring_enter io_uring_register io_uring_setup ioperm
  iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie memfd_secret migrate_pages move_pages
  nfsservctl open_by_handle_at perf_event_open pidfd_getfd process_vm_readv process_vm_writev
  query_module quotactl quotactl_fd reboot request_key set_mempolicy_home_node settimeofday swapoff
  swapon sysfs syslog _sysctl uselib userfaultfd ustat vhangup`;

/** Allowed for some arguments only. */
const CONDITIONAL = ["socket", "personality"];

const AF_VSOCK = 40;
/** PER_LINUX, PER_LINUX32, both with UNAME26 semantics, and the query. */
const PERSONALITIES = [0, 8, 0x20000, 0x20008, 0xffffffff];
const EPERM = 1;
const ENOSYS = 38;

const forbidden = FORBIDDEN.trim().split(/\s+/);
const allowed = known().filter((name) => ![...forbidden, ...CONDITIONAL].includes(name));
const profile = {
  defaultAction: "SCMP_ACT_ERRNO",
  defaultErrnoRet: ENOSYS,
  archMap: ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"].map((architecture) => ({
    architecture,
    subArchitectures: [],
  })),
  syscalls: [
    { names: allowed, action: "SCMP_ACT_ALLOW" },
    allow("socket", AF_VSOCK, "SCMP_CMP_NE"),
    ...PERSONALITIES.map((value) => allow("personality", value, "SCMP_CMP_EQ")),
    { names: forbidden, action: "SCMP_ACT_ERRNO", errnoRet: EPERM },
  ],
};
writeFileSync("policies/container-seccomp.json", `${JSON.stringify(profile, null, 2)}\n`);

function allow(name: string, value: number, op: string): object {
  return { names: [name], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value, op }] };
}

/** Every system call of the headers, and the few that older headers lack and bubblewrap may use. */
function known(): string[] {
  const text = HEADERS.map((path) => readFileSync(path, "utf8")).join("\n");
  const names = [...text.matchAll(/#define __NR(?:3264)?_(\w+)\s+/g)].map(
    (match) => match[1] ?? "",
  );
  const real = names.filter((name) => !/^(syscalls|arch_specific_syscall)$/.test(name));
  return [...new Set([...real, "clone3", "faccessat2", "mount_setattr", "openat2"])].sort();
}

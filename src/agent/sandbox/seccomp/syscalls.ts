/** Machines that filters exist for. */
export type Architecture = "x64" | "arm64";

/**
 * Numbers of the calls that filters name: on x86-64, on arm64; null where a machine has no such call.
 * @see Linux 6.1, `asm/unistd_64.h` and `asm-generic/unistd.h`; for `open_tree_attr` and `listns`
 *   Linux 6.19, `scripts/syscall.tbl`
 */
const NUMBERS = {
  _sysctl: [156, null],
  accept: [43, 202],
  accept4: [288, 242],
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bind: [49, 200],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  connect: [42, 203],
  create_module: [174, null],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, null],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  listen: [50, 201],
  listns: [470, 470],
  lookup_dcookie: [212, 18],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, null],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  sendto: [44, 206],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139, null],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, null],
  userfaultfd: [323, 282],
  ustat: [136, null],
  vhangup: [153, 58],
} as const satisfies Record<string, readonly [number, number | null]>;

export type SyscallName = keyof typeof NUMBERS;

/** The last call that was looked at. What comes after it is younger than this table. */
export const LAST_SYSCALL = 470;

/** Null where the machine has no such call. */
export function syscallNumber(name: SyscallName, architecture: Architecture): number | null {
  return NUMBERS[name][architecture === "x64" ? 0 : 1];
}

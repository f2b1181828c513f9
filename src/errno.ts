/** Linux error numbers and their texts, in the words of the C library that clients and models know. */
const ERRORS = {
  EPERM: [1, "Operation not permitted"],
  ENOENT: [2, "No such file or directory"],
  ESRCH: [3, "No such process"],
  EINTR: [4, "Interrupted system call"],
  EIO: [5, "I/O error"],
  ENXIO: [6, "No such device or address"],
  E2BIG: [7, "Argument list too long"],
  ENOEXEC: [8, "Exec format error"],
  EBADF: [9, "Bad file descriptor"],
  EAGAIN: [11, "Resource temporarily unavailable"],
  ENOMEM: [12, "Out of memory"],
  EACCES: [13, "Permission denied"],
  EBUSY: [16, "Resource busy"],
  EEXIST: [17, "File exists"],
  EXDEV: [18, "Cross-device link"],
  ENODEV: [19, "No such device"],
  ENOTDIR: [20, "Not a directory"],
  EISDIR: [21, "Is a directory"],
  EINVAL: [22, "Invalid argument"],
  ENFILE: [23, "Too many open files in system"],
  EMFILE: [24, "No file descriptors available"],
  ENOTTY: [25, "Not a tty"],
  ETXTBSY: [26, "Text file busy"],
  EFBIG: [27, "File too large"],
  ENOSPC: [28, "No space left on device"],
  ESPIPE: [29, "Invalid seek"],
  EROFS: [30, "Read-only file system"],
  EMLINK: [31, "Too many links"],
  EPIPE: [32, "Broken pipe"],
  ENAMETOOLONG: [36, "Filename too long"],
  ENOSYS: [38, "Function not implemented"],
  ENOTEMPTY: [39, "Directory not empty"],
  ELOOP: [40, "Symbolic link loop"],
  EOVERFLOW: [75, "Value too large for data type"],
  ENOTSUP: [95, "Not supported"],
  EOPNOTSUPP: [95, "Not supported"],
  ETIMEDOUT: [110, "Operation timed out"],
  ESTALE: [116, "Stale file handle"],
  EDQUOT: [122, "Quota exceeded"],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrnoName = keyof typeof ERRORS;

/** The name of a system error, its own or that of its cause; null when there is none. */
export function errnoOf(error: unknown): ErrnoName | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  return isErrno(code) ? code : errnoOf(error.cause);
}

function isErrno(code: unknown): code is ErrnoName {
  return typeof code === "string" && Object.hasOwn(ERRORS, code);
}

/** `No such file or directory (os error 2)` */
export function errnoText(name: ErrnoName): string {
  const [number, text] = ERRORS[name];
  return `${text} (os error ${number})`;
}

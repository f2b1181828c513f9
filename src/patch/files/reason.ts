import { systemCode } from "../../errors.ts";

/** Numbers and words of Linux errors as the original, which is built on musl, prints them. */
const REASONS: Readonly<Record<string, readonly [number, string]>> = {
  EPERM: [1, "Operation not permitted"],
  ENOENT: [2, "No such file or directory"],
  EIO: [5, "I/O error"],
  ENXIO: [6, "No such device or address"],
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
  ETXTBSY: [26, "Text file busy"],
  EFBIG: [27, "File too large"],
  ERR_FS_FILE_TOO_LARGE: [27, "File too large"],
  ENOSPC: [28, "No space left on device"],
  EROFS: [30, "Read-only file system"],
  EMLINK: [31, "Too many links"],
  ENAMETOOLONG: [36, "Filename too long"],
  ELOOP: [40, "Symbolic link loop"],
  EOVERFLOW: [75, "Value too large for data type"],
  ESTALE: [116, "Stale file handle"],
  EDQUOT: [122, "Quota exceeded"],
};

/** Why a file-system call failed, as a model is told. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error) ?? "";
  const [number, words] = REASONS[code] ?? [0, code === "" ? String(error) : code];
  return number === 0 ? words : `${words} (os error ${number})`;
}

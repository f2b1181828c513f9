import assert from "node:assert/strict";
import { test } from "node:test";
import { readSeccompProfile } from "../../../../src/placements/docker/seccomp.ts";

type Rule = { names: string[]; action: string; args?: unknown[]; errnoRet?: number };
const profile = JSON.parse(readSeccompProfile()) as {
  defaultAction: string;
  defaultErrnoRet: number;
  syscalls: Rule[];
};
const rulesFor = (name: string) => profile.syscalls.filter(({ names }) => names.includes(name));

test("a call that the profile does not know answers ENOSYS", () => {
  const { defaultAction, defaultErrnoRet } = profile;
  assert.deepEqual(
    { defaultAction, defaultErrnoRet },
    {
      defaultAction: "SCMP_ACT_ERRNO",
      defaultErrnoRet: 38,
    },
  );
});

test("calls that reach the host or other processes' memory are refused", () => {
  const forbidden =
    "add_key bpf init_module io_uring_setup kexec_load keyctl open_by_handle_at perf_event_open " +
    "process_vm_readv process_vm_writev pidfd_getfd reboot settimeofday swapon userfaultfd";
  for (const name of forbidden.split(" ")) {
    const actions = rulesFor(name).map(({ action, errnoRet }) => [action, errnoRet]);
    assert.deepEqual(actions, [["SCMP_ACT_ERRNO", 1]], name);
  }
});

test("what builds a command's sandbox is allowed", () => {
  const needed = "clone clone3 unshare mount umount2 pivot_root setns sethostname prctl seccomp";
  for (const name of needed.split(" ")) {
    assert.deepEqual(
      rulesFor(name).map(({ action }) => action),
      ["SCMP_ACT_ALLOW"],
      name,
    );
  }
});

test("no call is named twice without conditions", () => {
  const names = profile.syscalls.flatMap((rule) => (rule.args ? [] : rule.names));
  assert.deepEqual(names.length, new Set(names).size);
});

/** A start of a shell script, as clients send it. */
export function script(processId: string, text: string, more: object = {}) {
  return {
    processId,
    argv: ["/bin/sh", "-c", text],
    cwd: "file:///tmp",
    env: { PATH: "/usr/bin:/bin" },
    tty: false,
    pipeStdin: false,
    arg0: null,
    ...more,
  };
}

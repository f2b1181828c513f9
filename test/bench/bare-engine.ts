import type Docker from "dockerode";

/** Runs a program in a container the way engines do it, without agent and service. */
export async function engineExec(container: Docker.Container, argv: string[]): Promise<void> {
  const exec = await container.exec({ Cmd: argv, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await new Promise((resolve) => stream.once("end", resolve));
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`docker exec ended with ${ExitCode}`);
}

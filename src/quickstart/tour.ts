import type { Outwork, RemoteEnvironment } from "../client/index.ts";
import type { ServiceProcess } from "./service-process.ts";
import { output, refusal, step } from "./steps.ts";

const READ_ONLY = /Read-only file system|Permission denied/;
const COUNT = "for n in 1 2 3 4 5; do echo $n; sleep 0.4; done";

/**
 * Shows what environments may and may not do, by trying it on two.
 * @throws at the first thing that is not as it should be
 */
export async function tour(service: ServiceProcess): Promise<void> {
  await using outwork = await service.client();
  await step("two environments, each with a /workspace of its own", () => create(outwork));
  const [front, back] = [outwork.environment("front"), outwork.environment("back")];
  await step("the same command in both sees other files", () => showFiles(front, back));
  await step("a write outside of the workspace is refused", () =>
    refusal(front, "echo x > /usr/outwork", READ_ONLY),
  );
  await step(".git is protected, even before there is one", () =>
    refusal(front, "mkdir -p .git/hooks", READ_ONLY),
  );
  await step("the network is off, this machine's own included", () => showNetwork(front, service));
  await step("one environment does not see the other", () => showApart(front, back, service));
}

/** Kills the service in the middle of a command, and reads the command's output from the next. */
export async function survival(service: ServiceProcess): Promise<void> {
  await step("kill -9 of the service ends no command and loses no output", async () => {
    const id = await startCounting(service);
    await service.kill();
    await service.start();
    await using outwork = await service.client();
    let printed = "";
    for await (const event of outwork.environment("front").process(id).output()) {
      if (event.type === "output") printed += event.chunk;
    }
    const lines = printed.trim().replaceAll("\n", " ");
    if (lines !== "1 2 3 4 5") throw new Error(`the command printed: ${lines}`);
    return `the next service read ${lines}`;
  });
}

async function create({ environments }: Outwork): Promise<string> {
  await Promise.all([environments.create({ id: "front" }), environments.create({ id: "back" })]);
  return (await environments.list()).map(({ id, state }) => `${id} is ${state.kind}`).join(", ");
}

async function showFiles(front: RemoteEnvironment, back: RemoteEnvironment): Promise<string> {
  await output(front, "echo hello > made-in-front; mkdir src");
  await output(back, "echo hello > made-in-back");
  const cmd = 'echo "$PWD has" *';
  return `${await output(front, cmd)} · ${await output(back, cmd)}`;
}

async function showNetwork(front: RemoteEnvironment, service: ServiceProcess): Promise<string> {
  const port = await service.port();
  return refusal(front, `exec 3<>/dev/tcp/127.0.0.1/${port}`, /not permitted/);
}

async function showApart(
  front: RemoteEnvironment,
  back: RemoteEnvironment,
  { stateFolder }: ServiceProcess,
): Promise<string> {
  const sleeper = await back.start({ argv: ["sleep", "1000"] });
  const seen = await output(front, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
  await sleeper.terminate({ graceMs: 0 });
  if (seen.includes("sleep 1000")) throw new Error(`front sees the processes of back: ${seen}`);
  const refused = await refusal(front, `ls ${stateFolder}`, /No such file|Permission denied/);
  return `neither its processes nor its files (${refused})`;
}

async function startCounting(service: ServiceProcess): Promise<string> {
  await using outwork = await service.client();
  const counting = await outwork.environment("front").start({ argv: ["sh", "-c", COUNT] });
  return counting.id;
}

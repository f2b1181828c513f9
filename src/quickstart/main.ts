import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceProcess } from "./service-process.ts";
import { step } from "./steps.ts";
import { leave, survival, tour } from "./tour.ts";

/** The tour of `npm run quickstart`, which has prepared the machine. Leaves nothing behind. */
const folder = await mkdtemp(join(tmpdir(), "outwork-quickstart-"));
await chmod(folder, 0o711);
const service = new ServiceProcess(folder);
// Ctrl-C goes to the service too: what is in flight fails, and the tour cleans up as after a failure.
process.on("SIGINT", () => {});

try {
  await step("the service runs on this machine, without a daemon or a container", async () => {
    await service.start();
    return `port ${await service.port()} of loopback`;
  });
  try {
    await tour(service);
    await survival(service);
  } finally {
    await leave(service);
  }
  console.log("\nAll of it held. Next: README.md, or `npx outwork --help`.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

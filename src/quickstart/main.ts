import { step } from "./steps.ts";
import { withThrowawayService } from "./throwaway.ts";
import { survival, tour } from "./tour.ts";

/** The tour of `npm run quickstart`, on a machine that has been prepared. */
try {
  await withThrowawayService(["embedded"], async (service) => {
    await step("the service runs on this machine, without a daemon or a container", async () => {
      await service.start();
      return `port ${await service.port()} of loopback`;
    });
    await tour(service);
    await survival(service);
  });
  console.log(
    "\nAll of it held, and nothing is left of it. Next: README.md, `npx outwork --help`.",
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

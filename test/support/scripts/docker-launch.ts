import { pino } from "pino";
import { openDocker } from "../../../src/placements/docker/index.ts";
import { sh, specOf } from "../docker.ts";

/** A service's launch as a program: `docker-launch STATE_FOLDER INSTANCE_ID`. Prints who a command is. */
const [stateFolder = "", instanceId = ""] = process.argv.slice(2);
const log = pino({ level: "silent" });
const { signal } = new AbortController();
await using placement = await openDocker({ stateFolder, instanceId, docker: {}, log });
await using environment = await placement.launch(specOf("ordinary"), { signal });
process.stdout.write(await sh(environment, "id -u; stat -c %u /workspace", signal));

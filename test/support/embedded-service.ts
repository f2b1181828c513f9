/*
 * A service in a process of its own, so that it can be killed: opens the embedded placement in the
 * state folder of its first argument, launches the spec of its second and runs the scripts after that.
 * Says what it has done in lines of JSON, and stays.
 */
import { pino } from "pino";
import { openEmbedded } from "../../src/placements/embedded/index.ts";
import { TestEnvironment } from "./placement-environment.ts";
import { patience } from "./run.ts";

const [stateFolder = "", spec = "", ...scripts] = process.argv.slice(2);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const log = pino({ level: "silent" });
const placement = await openEmbedded({ stateFolder, instanceId: "conformance", log });
say({ opened: true });
const environment = new TestEnvironment(await placement.launch(JSON.parse(spec), patience()));
say({ launched: true });
for (const script of scripts) say({ output: (await environment.sh(script)).output });
const running = await environment.startSh("echo one; read x; echo two; exit 7", { stdin: "pipe" });
await environment.firstLine(running);
say({ running: running.process_id });
setInterval(() => {}, 1_000);

import { readConfig } from "../../../src/config.ts";
import { serve } from "../../../src/main.ts";

/** The service as a program: `serve FLAGS` with the flags as JSON. Prints its URL when it listens. */
const service = await serve(await readConfig({ flags: JSON.parse(process.argv[2] ?? "{}") }));
console.log(service.url);
await service.stopped;

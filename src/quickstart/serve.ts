import { readConfig } from "../config.ts";
import { serve } from "../main.ts";

/** A service of this configuration file, until it is told to stop. */
const service = await serve(await readConfig({ file: process.argv[2] }));
await service.stopped;

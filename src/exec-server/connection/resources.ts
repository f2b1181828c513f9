import { FileHandles } from "../methods/file-handles.ts";
import { HttpStreams } from "../methods/http-streams.ts";
import { MissingWatch } from "../methods/missing-watch.ts";

/** What belongs to one connection and ends with it. Processes do not: they belong to the session. */
export class Resources {
  readonly handles = new FileHandles();
  readonly streams = new HttpStreams();
  readonly watch = new MissingWatch();

  async dispose(): Promise<void> {
    this.watch.dispose();
    await this.handles.dispose();
  }
}

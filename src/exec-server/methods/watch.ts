import { pathClaim } from "../connection/claims.ts";
import { MAX_WATCHED_PATHS } from "../limits.ts";
import { watchMissingParams } from "../params/files.ts";
import { type Method, method } from "./method.ts";

export const WATCH_METHODS: Readonly<Record<string, Method>> = {
  "fs/watchMissing": method({
    family: "filesystem",
    params: watchMissingParams,
    claims: ({ missing }) =>
      missing.length > MAX_WATCHED_PATHS ? [] : missing.map((path) => pathClaim(path, "look")),
    run: async ({ watchId, missing, present }, { watch, notify, executor, signal }) => {
      const { files } = executor;
      const report = await watch.begin(watchId, { missing, present }, { files, signal });
      if (report === null) return { result: { watching: false } };
      const changed = () => notify("fs/missingChanged", `{"watchId":${watchId}}`);
      return { result: { watching: true }, sent: () => report(changed) };
    },
  }),
};

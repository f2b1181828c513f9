import { z } from "zod";
import { EnvironmentId, ProcessId } from "../contract/index.ts";

/** Parameters of `/environments/:id…` and `/environments/:id/processes/:process_id…`. */
export const EnvironmentPath = z.strictObject({ id: EnvironmentId });
export const ProcessPath = EnvironmentPath.extend({ process_id: ProcessId });

import { type UpOptions, up } from "@trivium/local";
import { inspectForDashboard } from "../dashboard/inspect.ts";
import { print } from "../print.ts";

/** Runs the control plane in this process until it is asked to stop. */
export const upInForeground = (options: UpOptions): Promise<void> =>
  up({ ...options, inspect: inspectForDashboard }, (line) => print(`${line}\n`));

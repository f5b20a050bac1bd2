import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives the memory that starting took back to the system. A process that then idles would keep it for ever, since V8
 * collects only when something is allocated.
 */
export function releaseStartUpGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

import { ensureKeda } from "./keda.ts";
import { ensureLeaderWorkerSet } from "./leader-worker-set.ts";
import { ensureTraefik } from "./traefik.ts";

/** What builds the controllers of each project, the quickest first. */
export const neighbours: Readonly<Record<string, (print: (line: string) => void) => string>> = {
  LeaderWorkerSet: ensureLeaderWorkerSet,
  Traefik: ensureTraefik,
  KEDA: ensureKeda,
};

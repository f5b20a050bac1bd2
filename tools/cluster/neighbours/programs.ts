import { ensureK9s } from "./k9s.ts";
import { ensureKeda } from "./keda.ts";
import { ensureKServe } from "./kserve.ts";
import { ensureLeaderWorkerSet } from "./leader-worker-set.ts";
import { ensurePrometheusAdapter } from "./prometheus-adapter.ts";
import { ensureTraefik } from "./traefik.ts";

/** What builds the programs of each project, the quickest first. */
export const neighbours: Readonly<Record<string, (print: (line: string) => void) => string>> = {
  LeaderWorkerSet: ensureLeaderWorkerSet,
  k9s: ensureK9s,
  "Prometheus adapter": ensurePrometheusAdapter,
  Traefik: ensureTraefik,
  KEDA: ensureKeda,
  KServe: ensureKServe,
};

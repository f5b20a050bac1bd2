import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Engine } from "./engines/index.ts";

type Probes = Pick<api.Container, "startupProbe" | "livenessProbe" | "readinessProbe">;

/**
 * Large weights take long to load, so an engine has half an hour to start; it is asked every second, because small ones are there at
 * once. Each probe can be replaced by the user's.
 */
export function probesOf({ probes }: Engine, { spec }: InferenceService): Probes {
  const { startup, liveness, readiness } = spec.probeOverrides ?? {};
  const at = (path: string): Pick<api.Probe, "httpGet" | "tcpSocket"> =>
    probes.over === "tcp" ? { tcpSocket: { port: "http" } } : { httpGet: { path, port: "http" } };
  const [first, alive] = probes.over === "tcp" ? ["", ""] : [probes.startup, probes.liveness];
  return {
    startupProbe: startup ?? { ...at(first), periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 1800 },
    livenessProbe: liveness ?? { ...at(alive), periodSeconds: 15, timeoutSeconds: 5, failureThreshold: 3 },
    readinessProbe: readiness ?? { ...at(first), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
  };
}

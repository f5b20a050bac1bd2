import type { ProbeFailure, WarningReport } from "@trivium/domain";

/** A kubelet's words about a probe, taken apart. */
export function readProbe({ reason, message }: WarningReport): ProbeFailure | undefined {
  if (reason !== "Unhealthy") return undefined;
  const [, probe, reported = ""] =
    /^(Readiness|Liveness|Startup) probe (?:failed|errored[^:]*): ?(.*)$/s.exec(message) ?? [];
  if (probe === undefined) return undefined;
  const head = { probe: probe as ProbeFailure["probe"], message: reported };
  const code = Number(/statuscode: (\d{3})/.exec(reported)?.[1]);
  // 503 is what model servers answer while they load.
  if (!Number.isNaN(code)) return { ...head, is: code === 503 ? "loading" : "answer", code };
  if (/refused|ECONNREFUSED|no route to host/i.test(reported)) return { ...head, is: "closed" };
  return { ...head, is: /timed? ?out|deadline exceeded/i.test(reported) ? "slow" : "other" };
}

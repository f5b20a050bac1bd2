import { callApi, textOf } from "@trivium/client";
import type { GatewayPort } from "../connection.ts";
import type { GatewayMetrics, MetricSample } from "../contract.ts";
import { Refused } from "../http/fault.ts";
import type { Session } from "../session/sessions.ts";

const review = JSON.stringify({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  spec: { nonResourceAttributes: { path: "/metrics", verb: "get" } },
});

/** The gateway's figures as they are now, for users who can read metrics. */
export async function readGatewayMetrics(
  gateway: GatewayPort | undefined,
  session: Session,
  signal: AbortSignal,
): Promise<GatewayMetrics> {
  const metrics = gateway?.metrics;
  if (metrics === undefined) throw new Refused("NotFound", "No metrics of a gateway are configured for this dashboard");
  if (metrics.isGuarded && !(await canReadMetrics(session, signal)))
    throw new Refused("Forbidden", "You cannot get /metrics; ask for ClusterRole <release>-metrics-reader");
  const text = await metrics.read(signal).catch(() => {
    throw new Refused("Unavailable", "The gateway's metrics do not respond");
  });
  return { at: Date.now(), samples: parseSamples(text) };
}

async function canReadMetrics({ connection: { transport } }: Session, signal: AbortSignal): Promise<boolean> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const response = await callApi(transport, { method: "POST", path, headers, body: review, signal });
  return (JSON.parse(await textOf(response)) as { status?: { allowed?: boolean } }).status?.allowed === true;
}

const line = /^(trivium_gateway_\w+?)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Counters and gauges; histograms as their sums and counts, since a rate needs no buckets. */
export function parseSamples(text: string): MetricSample[] {
  return text.split("\n").flatMap((each) => {
    const [, name = "", labels = "", number = ""] = line.exec(each) ?? [];
    const value = Number(number);
    if (name === "" || name.endsWith("_bucket") || !Number.isFinite(value)) return [];
    return [{ name, value, labels: parseLabels(labels) }];
  });
}

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(label)].map(([, name = "", value = ""]) => [name, unescaped(value)]));

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));

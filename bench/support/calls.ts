import type { Pool } from "undici";
import { namespace } from "./services.ts";

/** How many clients call at the same time. */
export const parallel = 16;

export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

/** Sends one call and gives the text of its answer; anything but a success is an error. */
export async function send(pool: Pool, { method, path, body = "", type = "application/json" }: Call): Promise<string> {
  const content = method === "GET" ? {} : { body };
  const answer = await pool.request({ path, method, headers: { "content-type": type }, ...content });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
  return text;
}

/** How fast calls were answered. */
export interface Pace {
  readonly perSecond: number;
  /** Milliseconds within which this share of all calls was answered. */
  percentile(share: number): number;
}

/** Makes so many calls, each client one after the other. */
export async function pace(pool: Pool, count: number, callOf: (at: number) => Call): Promise<Pace> {
  const latencies: number[] = [];
  let next = 0;
  const began = performance.now();
  const client = async (): Promise<void> => {
    while (next < count) {
      const call = callOf(next++);
      const at = performance.now();
      await send(pool, call);
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  const perSecond = count / ((performance.now() - began) / 1000);
  latencies.sort((a, b) => a - b);
  return { perSecond, percentile: (share) => latencies[Math.floor(latencies.length * share)] ?? 0 };
}

export async function makeNamespace(pool: Pool): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await send(pool, { method: "POST", path: "/api/v1/namespaces", body });
}

import type { MetricsPort } from "./connection.ts";

export interface MetricsSource {
  readonly url: string;
  readonly isGuarded: boolean;
  /** Of the dashboard itself, where the address asks for one. */
  token?(): Promise<string>;
}

/** Metrics of a gateway at an address. */
export const fetchMetrics = ({ url, isGuarded, token }: MetricsSource): MetricsPort => ({
  isGuarded,
  async read(signal) {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${await token()}` };
    const response = await fetch(url, { signal, headers, redirect: "error" });
    if (response.ok) return response.text();
    await response.body?.cancel();
    throw new Error(`metrics respond with ${response.status}`);
  },
});

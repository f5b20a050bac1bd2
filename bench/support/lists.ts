import type { Pool } from "undici";
import { servicesPath } from "./services.ts";

/** One list, from the request to the last byte: the median of five. */
export interface ListTime {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Lists the AIMServices that `creates` made, and counts them. */
export async function lists(pool: Pool, count: number): Promise<ListTime> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const answer = await pool.request({ path: servicesPath, method: "GET" });
    const body = Buffer.from(await answer.body.arrayBuffer());
    times.push(performance.now() - began);
    bytes = body.length;
    const listed = (JSON.parse(body.toString("utf8")) as { items: unknown[] }).items.length;
    if (listed !== count) throw new Error(`${listed} objects were listed, not ${count}`);
  }
  times.sort((a, b) => a - b);
  return { milliseconds: times[2] ?? 0, bytes };
}

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { isKilled, readLease } from "./lease.ts";
import { readRecord } from "./write-whole.ts";

/** Half-fetched files stay, to go on with; when nobody wants to go on any more, they only take space. */
export async function abandonUnfinished(layout: Layout, source: string): Promise<void> {
  for (const name of await readdir(layout.models).catch(() => [])) {
    if (!name.endsWith(".pending")) continue;
    const path = join(layout.models, name);
    if ((await readRecord(path))?.source !== source) continue;
    const key = name.slice(0, -".pending".length);
    const lease = await readLease(layout.leases, key);
    if (lease !== undefined && !lease.isReleased && !isKilled(lease)) continue;
    await rm(join(layout.partials, key), { recursive: true, force: true });
    await rm(path, { force: true });
  }
}

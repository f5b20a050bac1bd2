import { formatAge, timeOf } from "@trivium/explain";
import { Event } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import type { AccessOptions } from "../access.ts";
import { listOwned } from "../cluster/owned.ts";
import { findService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
import { formatTable } from "../get/table.ts";

export interface EventsOptions extends AccessOptions {
  readonly output: "table" | "json";
}

/** Events of a service and of what it owns, or of a whole namespace, the newest last. */
export function listEvents(name: string | undefined, options: EventsOptions): Promise<string> {
  return withCluster(options, async ({ client, namespace }) => {
    const owned = name === undefined ? undefined : await listOwned(client, await findService(client, name, namespace));
    const uids = owned === undefined ? undefined : new Set(owned.map(({ metadata }) => metadata.uid));
    const { items } = await client.list(Event, { namespace });
    const events = items
      .filter(({ involvedObject }) => uids === undefined || uids.has(involvedObject.uid))
      .sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
    if (options.output === "json") return `${JSON.stringify(events, null, 2)}\n`;
    if (events.length === 0) return `no events${name === undefined ? ` in namespace ${namespace}` : ` of ${name}`}\n`;
    return formatTable([
      ["AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"],
      ...events.map((one) => rowOf(one, Date.now())),
    ]);
  });
}

function rowOf(event: Event, now: Instant): string[] {
  const { type = "", reason = "", involvedObject, message = "", count = 1 } = event;
  const times = count > 1 ? ` (${count} times)` : "";
  return [
    formatAge(now - (parseTime(timeOf(event)) ?? now)),
    type,
    reason,
    `${involvedObject.kind?.toLowerCase()}/${involvedObject.name}`,
    `${message.trim().replaceAll(/\s+/g, " ")}${times}`,
  ];
}

import { Refusal } from "@trivium/std";
import type { AccessOptions } from "../access.ts";
import { findService } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
import { countOf } from "../count.ts";

export interface ScaleOptions extends AccessOptions {
  readonly replicas?: number;
}

/** Sets how many replicas a service runs, where its API has a number for it. */
export function scale(words: string, replicas: number, options: ScaleOptions): Promise<string> {
  return withCluster(options, async ({ client, namespace }) => {
    const { dialect, object } = await findService(client, words, namespace);
    const { kind, metadata } = object;
    const { name = "" } = metadata;
    if (dialect.serviceKind.scale === undefined)
      throw new Refusal(
        `${kind} ${name} has no number of replicas to set; set its minimum of replicas to 0 so that it stops when idle, or delete it with trivium rm ${name}`,
      );
    const patch = { type: "merge", body: { spec: { replicas } } } as const;
    await client.patch(dialect.serviceKind, { namespace, name }, patch, { subresource: "scale" });
    return replicas === 0
      ? `${kind} ${name} is stopping; trivium start ${name} starts it again`
      : `${kind} ${name} is starting with ${countOf(replicas, "replica")}`;
  });
}

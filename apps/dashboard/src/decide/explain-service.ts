import { explainSections, type Gathered, gather } from "@trivium/explain";
import { reader } from "../kube/dialects.ts";
import type { ServiceAddress } from "../routing/route.ts";
import { session } from "../session/session.ts";
import { client } from "./client.ts";
import { createDialects, type DialectOptions } from "./dialects.ts";

export interface Explained {
  readonly gathered: Gathered;
  readonly sections: ReturnType<typeof explainSections>;
}

let known: ReturnType<typeof createDialects> | undefined;

/** The state of a service as `trivium explain` reports it: the same reads and the same decision, in this browser. */
export async function explainService({ api, namespace, name }: ServiceAddress): Promise<Explained> {
  const dialects = dialectsHere();
  const dialect = dialects.find((one) => one.name === api);
  if (dialect === undefined) throw new Error(`unknown API ${api}`);
  const now = Date.now();
  const gathered = await gather(client, { kind: dialect.serviceKind, name }, { namespace, dialects, now });
  return { gathered, sections: explainSections(gathered, reader, now) };
}

export function dialectsHere(): ReturnType<typeof createDialects> {
  const { dialectOptions } = (session.value ?? {}) as { dialectOptions?: Partial<DialectOptions> };
  known ??= createDialects(dialectOptions);
  return known;
}

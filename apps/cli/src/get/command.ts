import { createClient, httpTransport } from "@trivium/client";
import type { ServingDialect } from "@trivium/domain";
import { type AnyObject, ApiError, isReason, type KubeClient } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { type Instant, parseTime, Refusal } from "@trivium/std";
import { type AccessOptions, accessOf } from "../access.ts";
import { formatAge } from "../age.ts";
import { guideOf } from "../explain/guides.ts";
import { standingOf } from "../explain/state.ts";
import { formatTable } from "./table.ts";

export interface GetOptions extends AccessOptions {
  readonly allNamespaces?: boolean;
  readonly output: "table" | "json";
}

/** A service of any dialect, in one row. */
export interface ServiceRow {
  readonly namespace: string;
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly status: string;
  readonly created: string;
  /** Why it does not serve, or what needs a person; nothing where all is as it should be. */
  readonly cause: string;
}

/** Services of all dialects in one table. */
export async function getServices(options: GetOptions): Promise<string> {
  const access = await accessOf(options);
  const transport = httpTransport(access);
  const namespace = options.allNamespaces === true ? undefined : (options.namespace ?? access.namespace);
  try {
    const rows = await listServices(createClient(transport), namespace);
    if (options.output === "json") return `${JSON.stringify(rows, null, 2)}\n`;
    if (rows.length === 0)
      return `no services${namespace === undefined ? "" : ` in namespace ${namespace}`}; trivium run MODEL starts one\n`;
    return printServices(rows, { withNamespace: namespace === undefined, now: Date.now() });
  } catch (error) {
    if (error instanceof ApiError) throw new Refusal(`${access.server}: ${error.message}`);
    throw error;
  } finally {
    await transport.close();
  }
}

export async function listServices(client: KubeClient, namespace: string | undefined): Promise<ServiceRow[]> {
  const lists = await Promise.all(dialects.map((dialect) => rowsOf(client, dialect, namespace)));
  return lists.flat().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ namespace, name, api }: ServiceRow): string => `${namespace} ${name} ${api}`;

async function rowsOf(
  client: KubeClient,
  { serviceKind: kind, name: api }: ServingDialect,
  namespace: string | undefined,
) {
  // A dialect that is not installed has no services.
  const { items } = await client.list(kind, namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
    if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
    throw error;
  });
  return items.map((item) => rowOf({ ...item, kind: kind.kind } as AnyObject, api));
}

function rowOf(object: AnyObject, api: string): ServiceRow {
  const { name = "", namespace = "", creationTimestamp: created = "" } = object.metadata;
  const { is, word, why = "" } = standingOf(object);
  const [used] = guideOf(object).uses(object);
  return { namespace, name, api, model: used?.name ?? "-", status: word, created, cause: is === "ready" ? "" : why };
}

function printServices(
  rows: readonly ServiceRow[],
  { withNamespace, now }: { withNamespace: boolean; now: Instant },
): string {
  const head = [...(withNamespace ? ["NAMESPACE"] : []), "NAME", "API", "MODEL", "STATUS", "AGE", "CAUSE"];
  const body = rows.map(({ namespace, name, api, model, status, created, cause }) => [
    ...(withNamespace ? [namespace] : []),
    ...[name, api, model, status, formatAge(now - (parseTime(created) ?? now)), cause],
  ]);
  return formatTable([head, ...body]);
}

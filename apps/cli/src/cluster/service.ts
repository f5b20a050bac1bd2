import type { ServingDialect } from "@trivium/domain";
import { withKind } from "@trivium/explain";
import { type AnyObject, isReason, type KubeClient } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { chooseOnly } from "./choose.ts";
import { findKinds, serviceKinds, wordsFor } from "./kinds.ts";

export interface FoundService {
  readonly dialect: ServingDialect;
  readonly object: AnyObject;
}

/** A name, and the dialects whose services it can be. */
export interface ServiceWords {
  readonly name: string;
  readonly chosen: readonly ServingDialect[];
}

/** `chat`, or with its dialect or kind: `aim/chat`, `aimservice/chat`, `isvc.ome.io/chat`. */
export function readService(words: string): ServiceWords {
  const [name = "", word] = words.split("/").reverse();
  return { name, chosen: word === undefined ? dialects : dialectsOf(word) };
}

/** The dialects whose services have this word. */
export function dialectsOf(word: string): readonly ServingDialect[] {
  const kinds = findKinds(word, serviceKinds);
  return dialects.filter(({ serviceKind }) => kinds.includes(serviceKind));
}

/** How every command names a service that it looks for. */
export const namedService = (name: string, namespace: string | undefined, known: readonly string[]) => ({
  what: "service",
  name,
  where: namespace === undefined ? "any namespace" : `namespace ${namespace}`,
  known,
  otherwise: "trivium get lists the services",
});

/** The words for a service of a dialect alone. */
export const serviceWords = ({ serviceKind }: ServingDialect, name: string): string => wordsFor(serviceKind, name);

/** The one service of this name, of whichever dialect. */
export async function findService(client: KubeClient, words: string, namespace: string): Promise<FoundService> {
  const { name, chosen } = readService(words);
  const all = (await Promise.all(chosen.map((dialect) => servicesOf(client, dialect, namespace)))).flat();
  return chooseOnly({
    ...namedService(name, namespace, all.map(nameOf)),
    found: all.filter((one) => nameOf(one) === name),
    wordsFor: ({ dialect }) => serviceWords(dialect, name),
  });
}

const nameOf = ({ object }: FoundService): string => object.metadata.name ?? "";

/** The services of all dialects, in a namespace or everywhere. */
export async function listServices(client: KubeClient, namespace: string | undefined): Promise<FoundService[]> {
  return (await Promise.all(dialects.map((dialect) => servicesOf(client, dialect, namespace)))).flat();
}

/** A dialect that is not installed has no services. */
async function servicesOf(
  client: KubeClient,
  dialect: ServingDialect,
  namespace: string | undefined,
): Promise<FoundService[]> {
  const { serviceKind: kind } = dialect;
  const { items } = await client.list(kind, namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
    if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
    throw error;
  });
  return items.map((item) => ({ dialect, object: withKind(kind, item) }));
}

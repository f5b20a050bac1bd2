import { type builtInResources, establishedDefinition, type Store, seedStore } from "@trivium/apiserver";
import {
  ClusterRole,
  type CustomResourceDefinition,
  CustomResourceDefinition as Definition,
  type KubeClient,
} from "@trivium/kube";
import { canonicalJson, sha256Hex } from "@trivium/std";

/** Says which text of a definition was installed, so that a start that finds it unchanged writes nothing. */
const digestAnnotation = "trivium.dev/definition-digest";

/**
 * Puts the definitions of this build into the store of a new home, as the server would store them: checking them again is half of the
 * processor time of a first start. What cannot be stored is left to `installDefinitions`, which reports why.
 */
export async function seedDefinitions(
  store: Store,
  resources: ReturnType<typeof builtInResources>,
  definitions: readonly CustomResourceDefinition[],
  now = Date.now(),
): Promise<void> {
  const seeds = definitions.map((one) => establishedDefinition(withDigest(one, digestOf(one)), now));
  await seedStore(store, resources, seeds).catch(() => undefined);
}

/** Brings the definitions in the API to the state of this build. Resolves with the names of those that were written. */
export async function installDefinitions(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
): Promise<string[]> {
  const { items } = await client.list(Definition);
  const installed = new Map(items.map((item) => [item.metadata.name, item.metadata]));
  const written: string[] = [];
  for (const definition of definitions) {
    const digest = digestOf(definition);
    const found = installed.get(definition.metadata.name);
    if (found?.annotations?.[digestAnnotation] === digest) continue;
    await write(client, withDigest(definition, digest), found?.resourceVersion);
    written.push(definition.metadata.name ?? "");
  }
  return written;
}

/** Roles that let `view`, `edit` and `admin` of Kubernetes act on the kinds of dialects. An unchanged role stays at its version. */
export async function installRoles(client: KubeClient, roles: readonly ClusterRole[]): Promise<void> {
  for (const role of roles) await client.apply(ClusterRole, role, { fieldManager: "trivium", force: true });
}

/** Ours alone to write, so it is replaced whole: cheaper than an apply of half a megabyte, and with the same result. */
async function write(
  client: KubeClient,
  definition: CustomResourceDefinition,
  resourceVersion: string | undefined,
): Promise<void> {
  if (resourceVersion === undefined) {
    await client.create(Definition, definition, { fieldManager: "trivium" });
    return;
  }
  const metadata = { ...definition.metadata, resourceVersion };
  await client.replace(Definition, { ...definition, metadata }, { fieldManager: "trivium" });
}

const digestOf = ({ spec }: CustomResourceDefinition): string => sha256Hex(canonicalJson(spec as never)).slice(0, 16);

function withDigest(definition: CustomResourceDefinition, digest: string): CustomResourceDefinition {
  const { annotations, ...metadata } = definition.metadata;
  return { ...definition, metadata: { ...metadata, annotations: { ...annotations, [digestAnnotation]: digest } } };
}

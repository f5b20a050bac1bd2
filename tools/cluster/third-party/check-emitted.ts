import {
  type AnyObject,
  ApiError,
  isReason,
  type Kind,
  type KubeClient,
  Namespace,
  ServiceAccount,
  type WriteOptions,
} from "@trivium/kube";
import { faultsOfStatus } from "./faults.ts";

/** What a real server has against an object. */
export interface EmittedFault {
  /** `apps/v1 Deployment team/web` */
  readonly object: string;
  /** Path of the field at fault; absent when the whole object is. */
  readonly field?: string;
  readonly message: string;
}

const trial = {
  dryRun: true,
  fieldValidation: "Strict",
  fieldManager: "trivium-check",
} as const satisfies WriteOptions;

/**
 * Shows objects that we emit to a real server without storing them: unknown and doubled fields, values outside the schema and
 * rules of admission all come back as faults. None means that the server would take every one of them as it stands.
 *
 * Namespaces that the objects name are made if they are not there, since nothing can be tried in a namespace that does not exist.
 */
export async function checkEmitted(client: KubeClient, objects: readonly AnyObject[]): Promise<EmittedFault[]> {
  const served = await client.discover();
  const namespaces = new Set(objects.map((object) => object.metadata.namespace).filter((name) => name !== undefined));
  for (const namespace of namespaces) await ensureNamespace(client, namespace);
  const faults: EmittedFault[] = [];
  for (const object of objects) {
    const name = nameOf(object);
    const kind = served.find((each) => isKindOf(each, object));
    if (kind === undefined) {
      faults.push({ object: name, message: "the server does not serve this kind" });
      continue;
    }
    for (const fault of await tryObject(client, kind, object)) faults.push({ object: name, ...fault });
  }
  return faults;
}

const isKindOf = (kind: Kind, object: AnyObject): boolean =>
  kind.kind === object.kind &&
  object.apiVersion === (kind.group === "" ? kind.version : `${kind.group}/${kind.version}`);

function nameOf({ apiVersion, kind, metadata }: AnyObject): string {
  const name = metadata.name ?? `${metadata.generateName ?? ""}…`;
  return `${apiVersion} ${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${name}`;
}

/** As a new object if it is one; else as what its emitter would do to the one that is there. */
async function tryObject(
  client: KubeClient,
  kind: Kind,
  object: AnyObject,
): Promise<readonly Omit<EmittedFault, "object">[]> {
  try {
    await client.create(kind, object, trial);
    return [];
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) return faultsOf(error);
  }
  try {
    await client.apply(kind, object, { ...trial, force: true });
    return [];
  } catch (error) {
    return faultsOf(error);
  }
}

/** A server that is away or busy says nothing of the object. */
function faultsOf(error: unknown): readonly Omit<EmittedFault, "object">[] {
  if (!(error instanceof ApiError) || error.code < 400 || error.code >= 500) throw error;
  if (error.code === 401 || error.code === 429) throw error;
  return faultsOfStatus(error.status);
}

/** With the account that controllers put into every namespace: pods are refused without it. */
async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  const head = { apiVersion: "v1" } as const;
  await ensure(client.create(Namespace, { ...head, kind: "Namespace", metadata: { name } }));
  const account = { ...head, kind: "ServiceAccount", metadata: { name: "default", namespace: name } };
  await ensure(client.create(ServiceAccount, account));
}

async function ensure(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) throw error;
  }
}

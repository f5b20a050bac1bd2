import { bareKind, type DefinedKind, type Kind, type KubeObject } from "@trivium/kube";
import type { AnyReconciler, Decision, Desired, Part, Patch, Reader, Where } from "@trivium/reconcile";
import { absent, type Fact, type JsonObject, known } from "@trivium/std";
import { group } from "../group.ts";
import { withEngineLabels } from "./engine-labels.ts";
import { eaiKinds } from "./kinds.ts";
import { newerKindName, swapKey, swapKeys, swapOwner, toNewer, toNewerStatus, toOlder } from "./objects.ts";

/** The name of a reconciler in the newer group: its field manager. */
export const newerNameOf = (name: string): string => name.replace(/^aim\./, "aim-eai.");

const byName = new Map<string, DefinedKind>(eaiKinds.map((kind) => [kind.kind, kind]));

/** A kind of another API is the same in both; nothing where the newer group does not have the kind. */
function newerKind(kind: Kind): Kind | undefined {
  if (kind.group !== group.group) return kind;
  const newer = byName.get(newerKindName(kind.kind));
  return newer === undefined || "schema" in kind ? newer : bareKind(newer);
}

const newerKindsOf = <K extends Kind>(kinds: readonly K[]): K[] =>
  kinds.flatMap((kind) => (newerKind(kind) ?? []) as K);

/** Whether the newer group has the objects that it is about. */
export const isInBoth = ({ kind }: AnyReconciler): boolean => newerKind(kind) !== undefined;

/** The same reconciler for objects of the newer group: it reads and decides in the terms of the older one. */
export function ofNewerGroup(reconciler: AnyReconciler): AnyReconciler {
  const { kind, controls, patches, finalizer } = reconciler;
  return {
    ...reconciler,
    name: newerNameOf(reconciler.name),
    // What a service of the older group left without an owner is taken in, and keeps its pods.
    formerNames: [
      ...(reconciler.formerNames ?? []).filter((name) => name !== newerNameOf(reconciler.name)),
      reconciler.name,
    ],
    kind: newerKind(kind) ?? kind,
    reads: newerKindsOf(reconciler.reads),
    writes: newerKindsOf(reconciler.writes),
    ...(controls === undefined ? {} : { controls: newerKindsOf(controls) }),
    ...(patches === undefined ? {} : { patches: patches.flatMap((one) => renamedKind(one) ?? []) }),
    ...(finalizer === undefined ? {} : { finalizer: swapKey(finalizer) }),
    observe: (object, reader) => reconciler.observe(olderOf(object), readOlder(reader)),
    decide: (object, observed, now) =>
      newerDecision(object, kind, reconciler.decide(olderOf(object), observed, now) as Decision<JsonObject>),
    ...(reconciler.refused === undefined ? {} : { refused: refusedOf(reconciler) }),
  };
}

function refusedOf(reconciler: AnyReconciler): NonNullable<AnyReconciler["refused"]> {
  return (object, status, refusals, now) => {
    const older = toOlder({ ...object, status }).status;
    const refused = reconciler.refused?.(olderOf(object), older, refusals, now);
    return toNewerStatus(reconciler.kind.kind, refused ?? older);
  };
}

const renamedKind = <T extends { readonly kind: Kind }>(one: T): T | undefined => {
  const kind = newerKind(one.kind);
  return kind === undefined ? undefined : { ...one, kind };
};

const translated = new WeakMap<KubeObject, KubeObject>();

/** Once per object: facts are compared by what they are, and a pass reads many. */
function olderOf<O extends KubeObject>(object: O): O {
  const before = translated.get(object);
  if (before !== undefined) return before as O;
  const older = toOlder(object);
  translated.set(object, older);
  return older;
}

const olderFact = <O extends KubeObject>(fact: Fact<O>): Fact<O> =>
  fact.is === "known" ? known(olderOf(fact.value)) : fact;

/** The world of the newer group in the words of the older. */
function readOlder(reader: Reader): Reader {
  return {
    get: (kind, ref) => withKind(kind, absent, (newer) => olderFact(reader.get(newer, ref))),
    nearest: (kinds, ref) => olderFact(reader.nearest(newerKindsOf(kinds), ref)),
    list: (kind, where) => withKind(kind, [], (newer) => reader.list(newer, newerWhere(kind, where)).map(olderOf)),
    getPart: (kind, ref, part) => withKind(kind, absent, (newer) => reader.getPart(newer, ref, olderPart(part))),
    listParts: (kind, where, part) =>
      withKind(kind, [], (newer) => reader.listParts(newer, newerWhere(kind, where), olderPart(part))),
    ask: (query, args) => reader.ask(query, args),
  };
}

function withKind<K extends Kind, T>(kind: K, none: T, read: (newer: K) => T): T {
  const newer = newerKind(kind) as K | undefined;
  return newer === undefined ? none : read(newer);
}

const newerWhere = (kind: Kind, where: Where): Where =>
  kind.group !== group.group || where.labels === undefined ? where : { ...where, labels: swapKeys(where.labels) };

const olderPart = <O, P>({ name, of }: Part<O, P>): Part<O, P> => ({
  name: `${name} in the older group`,
  of: (object) => of(olderOf(object as KubeObject) as O),
});

function newerDecision(owner: KubeObject, kind: Kind, decision: Decision<JsonObject>): Decision<JsonObject> {
  if (decision.do === "release") return decision;
  const status = toNewerStatus(kind.kind, decision.status);
  if (decision.do === "hold") return { ...decision, status };
  const { children, patches } = decision;
  return {
    ...decision,
    status,
    children: children.flatMap((child) => newerChild(owner, child) ?? []),
    ...(patches === undefined ? {} : { patches: patches.flatMap((patch) => newerPatch(patch) ?? []) }),
  };
}

function newerChild(owner: KubeObject, child: Desired): Desired | undefined {
  const renamed = renamedKind(child);
  if (renamed === undefined) return undefined;
  const object = toNewer(child.object);
  return { ...renamed, object: child.keep ? object : withEngineLabels(owner, object) };
}

function newerPatch(patch: Patch): Patch | undefined {
  if (patch.patch === "bind" || patch.patch === "evict") return patch;
  const renamed = renamedKind(patch);
  if (renamed?.patch === "fields") return { ...renamed, object: toNewer(renamed.object) };
  if (renamed?.patch === "owners" && renamed.add !== undefined) return { ...renamed, add: renamed.add.map(swapOwner) };
  if (renamed?.patch === "status") return { ...renamed, status: toNewerStatus(patch.kind.kind, renamed.status) };
  return renamed;
}

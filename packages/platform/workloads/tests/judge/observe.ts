import { setTimeout as sleep } from "node:timers/promises";
import { controllerOf, Event, type Kind, type KubeClient, type KubeObject, ReplicaSet } from "@trivium/kube";
import { isObject } from "@trivium/std";

/** What is looked at when a course is over. */
export interface Eye {
  readonly kinds: readonly Kind[];
  /** Whose Events count: `deployment-controller`. */
  readonly speakers: readonly string[];
  /** In how many steps sets grow and shrink depends on which pods happen to be ready together: then only that they do is compared. */
  readonly stepsMayDiffer?: true;
}

/** What a course has left behind, in words that are the same on both sides. */
export interface Picture {
  readonly objects: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
}

/** How long nothing may change before a course counts as over. */
const quiet = 2_500;

/** Waits until the namespace is at rest, then looks. */
export async function takePicture(client: KubeClient, namespace: string, eye: Eye): Promise<Picture> {
  const kinds = [...eye.kinds, Event];
  const read = () => Promise.all(kinds.map(async (kind) => (await client.list(kind, { namespace })).items));
  let lists = await read();
  for (let last = versionsOf(lists), i = 0; i < 40; i += 1) {
    await sleep(quiet);
    lists = await read();
    const next = versionsOf(lists);
    if (next === last) break;
    last = next;
  }
  const objects = lists
    .slice(0, -1)
    .flat()
    .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt" && metadata.name !== "default");
  const events = lists.at(-1) as Event[];
  const words = new Dictionary(objects, events);
  return { objects: picturesOf(objects, words), events: linesOf(events, eye, words) };
}

const versionsOf = (lists: readonly (readonly KubeObject[])[]): string =>
  lists
    .flat()
    .map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
    .sort()
    .join(" ");

/** Objects of one name (pods whose suffixes were set aside) are a list, in the order of their texts. */
function picturesOf(objects: readonly KubeObject[], words: Dictionary): Record<string, unknown> {
  const pictures: Record<string, string[]> = {};
  for (const object of objects) {
    const name = `${object.kind} ${words.say(object.metadata.name ?? "")}`;
    const { apiVersion: _, kind: __, metadata, ...content } = object as KubeObject & Record<string, unknown>;
    const { labels, annotations, ownerReferences, finalizers, generation } = metadata;
    const owner = controllerOf(object);
    // Protection of claims in use is a service of its own, which the embedded server does not have.
    const ends = finalizers?.filter((name) => name !== "kubernetes.io/pvc-protection") ?? [];
    const head = {
      labels,
      annotations: withoutApplied(annotations),
      finalizers: ends,
      owner: owner && `${owner.kind} ${owner.name}`,
      owners: ownerReferences?.length,
    };
    const text = words.say(JSON.stringify(strip({ ...head, ...content }, generation)));
    pictures[name] = [...(pictures[name] ?? []), text];
  }
  return Object.fromEntries(
    Object.entries(pictures)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, texts]) => [name, texts.sort().map((text) => JSON.parse(text) as unknown)]),
  );
}

function withoutApplied(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const {
    "kubectl.kubernetes.io/last-applied-configuration": _,
    // A time that changes with every change, for measuring; nothing reads it.
    "endpoints.kubernetes.io/last-change-trigger-time": __,
    // What a real autoscaler remembers in its process.
    "trivium.dev/autoscaler-memory": ___,
    ...rest
  } = annotations;
  return rest;
}

const addresses = new Set([
  "addresses",
  "clusterIP",
  "clusterIPs",
  "podIP",
  "podIPs",
  "hostIP",
  "hostIPs",
  "containerID",
  "imageID",
  "nodeName",
  "image",
]);
/** A list of pods to be counted that was emptied: one server says `{}`, the other nothing. */
const isEmptied = (name: string, value: unknown): boolean =>
  name === "uncountedTerminatedPods" && isObject(value) && Object.keys(value).length === 0;
const notCompared = new Set(["creationTimestamp", "uid", "resourceVersion", "managedFields", "lastProbeTime"]);
/** The real server gives pods the token of their account: admission, which has a judge of its own. */
const isToken = (item: unknown): boolean => isObject(item) && String(item.name).startsWith("kube-api-access-");
const isOnlyTokens = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isToken);

/** Takes away what differs by nature: times, addresses, ids; and says of a generation only whether it was seen. */
function strip(value: unknown, generation: number | undefined, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isToken(item)).map((item) => strip(item, generation));
    // Conditions, and the ports of a slice, have no order.
    return key === "conditions" || key === "ports"
      ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return "<time>";
  if (key === "observedGeneration") return value === generation ? "<seen>" : value;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, inner]) =>
      inner !== undefined &&
      inner !== null &&
      !isOnlyTokens(inner) &&
      !isEmptied(name, inner) &&
      !notCompared.has(name) &&
      !addresses.has(name),
  );
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, strip(inner, generation, name)]),
  );
}

/** A claim that was just made for a pod is not bound yet: whoever looks in that moment says so, and whoever looks later does not. */
const isPassing = (message: string): boolean => message.includes("pod has unbound immediate PersistentVolumeClaims");

function linesOf(events: readonly Event[], { speakers, stepsMayDiffer }: Eye, words: Dictionary): string[] {
  const lines = events
    // A race that a controller lost against another part of the control plane and then repeated is chance, not behaviour.
    .filter(({ message }) => !message?.includes("the object has been modified"))
    .filter((event) => speakers.includes(speakerOf(event)))
    .filter(({ message }) => !isPassing(message ?? ""))
    .map((event) => {
      const { involvedObject, type, reason, message } = event;
      return words.say(
        `${speakerOf(event)}: ${involvedObject.kind} ${involvedObject.name} ${type} ${reason} ${message}`,
      );
    });
  return [...new Set(stepsMayDiffer ? lines.map(withoutSteps) : lines)].sort();
}

/** After ten similar Events the real recorder combines the next ones into one, which names the last set only. */
function withoutSteps(line: string): string {
  return line
    .replace(/ from \d+ to \d+$/, "")
    .replace("(combined from similar events): ", "")
    .replace(/(Scaled (?:up|down) replica set) \S+$/, "$1");
}

/** The scheduler says who speaks in another field than the controllers. */
const speakerOf = ({ source, reportingComponent }: Event): string => source?.component || reportingComponent || "";

/** Generated names, said the same on both sides: sets by their revision, revisions by their number, pods without their suffix. */
class Dictionary {
  readonly #names: readonly (readonly [string, string])[];

  constructor(objects: readonly KubeObject[], events: readonly Event[]) {
    const names = new Map<string, string>();
    for (const object of objects) for (const [name, reported] of namesOf(object)) names.set(name, reported);
    for (const { involvedObject } of events) {
      const { kind, name = "" } = involvedObject;
      if (kind === "ReplicaSet" && !names.has(name)) names.set(name, name.replace(/-[^-]+$/, "-(gone)"));
    }
    // Longer names first, so that no name is torn by one that it begins with.
    this.#names = [...names].sort(([a], [b]) => b.length - a.length);
  }

  say(text: string): string {
    let reported = text;
    for (const [name, word] of this.#names) reported = reported.replaceAll(name, word);
    reported = reported.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
    // Pods have five characters of their own behind the name of whoever made them.
    return reported.replace(/(\(\w+\)|\b[a-z0-9-]*[a-z0-9])-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-*");
  }
}

function* namesOf(object: KubeObject): Generator<readonly [string, string]> {
  const { name = "", labels, annotations } = object.metadata;
  const owner = controllerOf(object);
  if (object.kind === ReplicaSet.kind && owner?.kind === "Deployment") {
    const revision = annotations?.["deployment.kubernetes.io/revision"];
    yield [name, `${owner.name}-(r${revision})`];
    const hash = labels?.["pod-template-hash"];
    if (hash !== undefined) yield [`"${hash}"`, `"(r${revision})"`];
  }
  if (object.kind === "ControllerRevision") {
    const { revision } = object as KubeObject & { revision?: number };
    yield [name, `${owner?.name}-(r${revision})`];
    const hash = labels?.["controller-revision-hash"] ?? labels?.["controller.kubernetes.io/hash"];
    if (hash !== undefined && hash !== name) yield [`"${hash}"`, `"(r${revision})"`];
  }
}

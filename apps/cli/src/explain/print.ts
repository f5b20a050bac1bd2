import type { Choice } from "@trivium/domain";
import { listCandidates, listMemory } from "@trivium/engines";
import type { AnyObject, Event } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import { formatAge } from "../age.ts";
import { flatten, type Gathered, type Part, timeOf } from "./gather.ts";
import { failingConditions, readyOf, type Standing, standingOf } from "./state.ts";

/** What is known, for a person to read: the one cause first, then what it was found from. Nothing is said twice. */
export function printExplanation({ object, uses, parts, warnings, explanation }: Gathered, now: Instant): string {
  const standing = withOthers(object, [...uses, ...flatten(parts)]);
  const reported = new Set(standing.why === undefined ? [] : [standing.why]);
  const since = parseTime(readyOf(object)?.lastTransitionTime ?? "");
  const notices = stillTrue(warnings, [object, ...uses, ...flatten(parts)]);
  const lines = [
    `${object.kind} ${placeOf(object)} (${groupOf(object)}) ${headlineOf(standing, since, now)}`,
    ...section("Why", [...reported]),
    ...section("Failing conditions", unmetConditions(object, standing)),
    ...selectionOf(explanation.choice),
    ...section("Memory", explanation.fit === undefined ? [] : listMemory(explanation.fit)),
    ...section(
      "Depends on",
      uses.map((used) => lineOf(used, reported)),
    ),
    ...section("Owns", treeOf(parts, reported)),
    ...section("Warnings", warningsOf(notices, reported, now)),
  ];
  return `${lines.join("\n")}\n`;
}

const placeOf = ({ metadata: { namespace, name } }: AnyObject): string =>
  namespace === undefined ? (name ?? "") : `${namespace}/${name}`;

/** A service that waits for a cache or a model that only a person can mend waits for that person. */
function withOthers(object: AnyObject, others: readonly AnyObject[]): Standing {
  const standing = standingOf(object);
  const isStuck = (other: AnyObject) => groupOf(other) === groupOf(object) && standingOf(other).is === "failed";
  return standing.is === "progressing" && others.some(isStuck) ? { ...standing, is: "failed" } : standing;
}

const groupOf = ({ apiVersion }: AnyObject): string => apiVersion.split("/")[0] ?? "";

const headlines = {
  ready: "is ready",
  idle: "is scaled to zero",
  progressing: "is progressing",
  failed: "is not ready and needs action",
  degraded: "is serving and needs action",
} as const;

function headlineOf({ is, word }: Standing, since: Instant | undefined, now: Instant): string {
  return `${headlines[is]}: ${word}${since === undefined ? "" : `, for ${formatAge(now - since)}`}`;
}

/** What was said of something before it became what it is now is over; of what is repeated the last time counts. */
function stillTrue(warnings: readonly Event[], objects: readonly AnyObject[]): Event[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const current = warnings.filter((event) => {
    const object = byUid.get(event.involvedObject.uid);
    if (object === undefined) return false;
    const since = parseTime(readyOf(object)?.lastTransitionTime ?? "");
    if (standingOf(object).is === "ready") return since !== undefined && (parseTime(timeOf(event)) ?? 0) > since;
    return since === undefined || (parseTime(timeOf(event)) ?? 0) + settling >= since;
  });
  const last = new Map(current.map((event) => [`${event.involvedObject.uid} ${event.reason}`, event]));
  return current.filter((event) => last.get(`${event.involvedObject.uid} ${event.reason}`) === event);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

/** Events and conditions of one moment do not have the same second. */
const settling = 5_000;

/** Each other cause once, with all conditions that tell it. */
function unmetConditions(object: AnyObject, standing: Standing): string[] {
  const byMessage = Map.groupBy(failingConditions(object), ({ message, reason }) => message || reason || "");
  return [...byMessage].map(([message, conditions]) => {
    const types = conditions.map(({ type, reason }) => `${type} (${reason})`).join(", ");
    return message === standing.why ? `${types}: same cause` : `${types}: ${message}`;
  });
}

function selectionOf(choice: Choice | undefined): string[] {
  if (choice === undefined) return [];
  const title = `Selection of ${choice.of}`;
  return section(title, choice.candidates.length === 0 ? [choice.because] : listCandidates(choice));
}

function lineOf(object: AnyObject, reported: Set<string>): string {
  const { word, why } = standingOf(object);
  const hasChanged = why !== undefined && !reported.has(why);
  if (hasChanged) reported.add(why);
  return `${object.kind} ${object.metadata.name}  ${word}${hasChanged ? `: ${why}` : ""}`;
}

const treeOf = (parts: readonly Part[], reported: Set<string>): string[] =>
  parts.flatMap(({ object, parts: below }) => [
    lineOf(object, reported),
    ...treeOf(below, reported).map((line) => `  ${line}`),
  ]);

function warningsOf(events: readonly Event[], reported: ReadonlySet<string>, now: Instant): string[] {
  const notices = events.filter(({ message = "" }) => !reported.has(message));
  const lines = notices.map((event) => {
    const { kind, name } = event.involvedObject;
    const at = parseTime(timeOf(event));
    const age = at === undefined ? "" : `${formatAge(now - at)} ago  `;
    return `${age}${kind} ${name}: ${event.reason}: ${(event.message ?? "").trim()}`;
  });
  return [...new Set(lines)];
}

import type { Choice } from "@trivium/domain";
import { findFit, listCandidates, listMemory } from "@trivium/engines";
import type { AnyObject, Event } from "@trivium/kube";
import type { Relation } from "@trivium/reconcile";
import { type Instant, parseTime } from "@trivium/std";
import { formatAge } from "./age.ts";
import { flatten, type Gathered, type Part, timeOf } from "./gather.ts";
import { buildGraph, type ExplainGraph } from "./graph.ts";
import { type Standing, statusWords } from "./standing.ts";
import { groupOf, type StatusReader } from "./status-reader.ts";
import type { Behind } from "./used.ts";

/** What is known of an object, for a person: lines under standard headings. */
export interface ExplainedSections {
  /** `AIMService team/chat (aim.silogen.ai) is ready: Running, for 3m`. */
  readonly headline: string;
  readonly standing: Standing;
  readonly sections: readonly ExplainedSection[];
}

export interface ExplainedSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The one cause first, then what it was found from. Nothing is reported twice. */
export function explainSections(gathered: Gathered, reader: StatusReader, now: Instant): ExplainedSections {
  const { object, uses, missing, behind = [], parts, warnings, explanation } = gathered;
  const standing = reader.standingWith(object, [...uses, ...flatten(parts)]);
  const reported = new Set(standing.why === undefined ? [] : [standing.why]);
  const since = parseTime(reader.readyOf(object)?.lastTransitionTime ?? "");
  const notices = stillTrue(warnings, [object, ...uses, ...flatten(parts)], reader);
  const sections = [
    section("Why", [...reported]),
    section("Failing conditions", unmetConditions(object, standing, reader)),
    selectionOf(explanation.choice),
    ...(explanation.moreChoices ?? []).map(selectionOf),
    section(
      "Memory",
      memoryOf(gathered).filter((line) => !reported.has(line)),
    ),
    section("Depends on", [
      ...uses.flatMap((used) => [
        lineOf(used, reported, reader),
        ...behind.filter(({ user }) => user === used).map((one) => `  ${lineBehind(one, reported, reader)}`),
      ]),
      ...missing.map(lineOfMissing),
    ]),
    section("Owns", treeOf(parts, reported, reader)),
    section("Path to the cause", pathOf(buildGraph(gathered, reader))),
    section("Warnings", warningsOf(notices, reported, now)),
  ];
  return {
    headline: `${object.kind} ${placeOf(object)} (${groupOf(object)}) ${headlineOf(standing, { own: reader.standingOf(object), since, now })}`,
    standing,
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

/** Of what serves the sum is no longer computed: what was reported for this spec stands. */
function memoryOf({ object, explanation: { fit } }: Gathered): readonly string[] {
  if (fit !== undefined) return listMemory(fit);
  const reported = findFit(object as Parameters<typeof findFit>[0]);
  return reported === undefined ? [] : [reported.message];
}

const placeOf = ({ metadata: { namespace, name } }: AnyObject): string =>
  namespace === undefined ? (name ?? "") : `${namespace}/${name}`;

const headlines = {
  ready: "is ready",
  idle: "is scaled to zero",
  progressing: "is progressing",
  failed: "is not ready and needs action",
  degraded: "is serving and needs action",
} as const;

/**
 * The word of `trivium get`, and that of the object's own API where it tells more: `Failed (ModelNotFound)`. Its Ready or Pending beside
 * Degraded or Failed would contradict it.
 */
function wordOf({ is, word }: Standing, own: Standing): string {
  if (is === "ready" || is === "progressing" || word === statusWords[is]) return word;
  return is === "degraded" || own.is !== is ? statusWords[is] : `${statusWords[is]} (${word})`;
}

interface HeadlineInput {
  /** Where the object stands without what it depends on. */
  readonly own: Standing;
  readonly since: Instant | undefined;
  readonly now: Instant;
}

function headlineOf(standing: Standing, { own, since, now }: HeadlineInput): string {
  const age = since === undefined ? "" : `, for ${formatAge(now - since)}`;
  return `${headlines[standing.is]}: ${wordOf(standing, own)}${age}`;
}

/** What was said of something before it became what it is now is over; of what is repeated the last time counts. */
function stillTrue(warnings: readonly Event[], objects: readonly AnyObject[], reader: StatusReader): Event[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const current = warnings.filter((event) => {
    const object = byUid.get(event.involvedObject.uid);
    if (object === undefined) return false;
    const since = parseTime(reader.readyOf(object)?.lastTransitionTime ?? "");
    if (reader.standingOf(object).is === "ready") return since !== undefined && (parseTime(timeOf(event)) ?? 0) > since;
    return since === undefined || (parseTime(timeOf(event)) ?? 0) + settling >= since;
  });
  const last = new Map(current.map((event) => [`${event.involvedObject.uid} ${event.reason}`, event]));
  return current.filter((event) => last.get(`${event.involvedObject.uid} ${event.reason}`) === event);
}

const section = (title: string, lines: readonly string[]): ExplainedSection => ({
  title,
  lines: lines.map((line) => line.trimEnd()),
});

/** Events and conditions of one moment do not have the same second. */
const settling = 5_000;

/** Each other cause once, with all conditions that tell it. */
function unmetConditions(object: AnyObject, standing: Standing, { failingConditions }: StatusReader): string[] {
  const byMessage = Map.groupBy(failingConditions(object), ({ message, reason }) => message || reason || "");
  return [...byMessage].map(([message, conditions]) => {
    const types = conditions.map(({ type, reason }) => `${type} (${reason})`).join(", ");
    return message === standing.why ? `${types}: same cause` : `${types}: ${message}`;
  });
}

function selectionOf(choice: Choice | undefined): ExplainedSection {
  if (choice === undefined) return section("Selection", []);
  const title = `Selection of ${choice.of}`;
  return section(title, choice.candidates.length === 0 ? [choice.because] : listCandidates(choice));
}

function lineOf(object: AnyObject, reported: Set<string>, { standingOf }: StatusReader): string {
  const { word, why } = standingOf(object);
  const hasChanged = why !== undefined && !reported.has(why);
  if (hasChanged) reported.add(why);
  return `${object.kind} ${object.metadata.name}  ${word}${hasChanged ? `: ${why}` : ""}`;
}

const lineOfMissing = ({ kinds, name }: Relation): string => `${kinds.join(" or ")} ${name}  not found`;

const lineBehind = ({ object, relation }: Behind, reported: Set<string>, reader: StatusReader): string =>
  object === undefined ? lineOfMissing(relation) : lineOf(object, reported, reader);

/** From the object along each link to the one at fault; nothing where that is the object itself. */
function pathOf({ nodes, broken }: ExplainGraph): string[] {
  const [last] = broken.slice(-1);
  const words = broken.map(({ from, is }, at) => `${at === 0 ? from : ""} -> ${is} ${broken[at]?.to}`);
  const state = nodes.find(({ id }) => id === last?.to)?.state;
  return last === undefined ? [] : [`${words.join("")} (${state})`];
}

const treeOf = (parts: readonly Part[], reported: Set<string>, reader: StatusReader): string[] =>
  parts.flatMap(({ object, parts: below }) => [
    lineOf(object, reported, reader),
    ...treeOf(below, reported, reader).map((line) => `  ${line}`),
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

import { createClient, httpTransport } from "@trivium/client";
import { buildGraph, findNames, findThere, type Gathered, gather, type Subject, type Wanted } from "@trivium/explain";
import { ApiError, type DefinedKind, redact } from "@trivium/kube";
import { createDialects, dialects, dialectsBehind, optionsBehind } from "@trivium/local";
import { type Instant, Refusal } from "@trivium/std";
import { type AccessOptions, accessOf, homesOf, refusalOf } from "../access.ts";
import type { Facts } from "../facts/facts.ts";
import { readFacts, saveFacts } from "../facts/file.ts";
import { kindOf } from "../facts/kinds.ts";
import { factsOf } from "./facts.ts";
import { printExplanation } from "./print.ts";
import { reader } from "./state.ts";
import { chooseSubject, readSubject, remedyFor } from "./subject.ts";

export interface ExplainOptions extends AccessOptions {
  readonly output: "text" | "json";
  /** Writes what the explanation is based on. */
  readonly save?: string;
  /** Explains from such a file, without a cluster. */
  readonly from?: string;
}

const kinds = dialects.flatMap((dialect) => dialect.kinds);

/** Explains the state of one object: from its own status, its decision, and everything that belongs to it. */
export async function explain(words: readonly string[], options: ExplainOptions): Promise<string> {
  if (options.from !== undefined) return explainSaved(words, options.from, options);
  const wanted = readSubject(words, kinds);
  const access = await accessOf(options);
  const { namespace = access.namespace } = options;
  const transport = httpTransport({ ...access, connections: 6 });
  try {
    const client = createClient(transport);
    const there = await findThere(client, wanted, namespace);
    const known = there.length > 0 ? [] : await findNames(client, wanted, namespace);
    const otherwise = remedyFor(words, kinds, "choose another namespace with -n");
    const subject = chooseSubject(wanted, there, { where: `namespace ${namespace}`, known, otherwise });
    const homes = homesOf(options);
    const [now, behind] = [Date.now(), dialectsBehind(access.server, homes)];
    const gathered = await gather(client, subject, { namespace, dialects: behind, now });
    if (options.save !== undefined) {
      const context = { now, dialects: behind, options: optionsBehind(access.server, homes) };
      saveFacts(options.save, await factsOf(client, gathered, context));
    }
    return formatExplanation(gathered, options.output, now);
  } catch (error) {
    if (error instanceof ApiError) throw refusalOf(error, access, options);
    throw error;
  } finally {
    await transport.close();
  }
}

/** The same code on an API in memory that has the saved objects. */
async function explainSaved(words: readonly string[], path: string, { output }: ExplainOptions): Promise<string> {
  const { answersIn, openShadow } = await import("../facts/shadow.ts");
  const facts = readFacts(path, Date.now());
  const saved = facts.options === undefined ? dialects : createDialects(facts.options);
  const shadow = await openShadow(facts, { dialects: saved });
  try {
    const { subject, namespace } = savedSubject(words, facts, path);
    const { now } = facts;
    const options = { namespace, dialects: saved, answers: answersIn(facts), now };
    return formatExplanation(await gather(shadow.client, subject, options), output, now);
  } catch (error) {
    if (error instanceof ApiError) throw new Refusal(`${path}: ${error.message}`);
    throw error;
  } finally {
    await shadow.close();
  }
}

interface SavedSubject {
  readonly subject: Subject;
  readonly namespace: string;
}

function savedSubject(words: readonly string[], facts: Facts, path: string): SavedSubject {
  if (words.length > 0) return namedIn(readSubject(words, kinds), facts, path);
  const { subject } = facts;
  const kind = kinds.find((one) => one.kind === subject?.kind && subject.apiVersion === `${one.group}/${one.version}`);
  if (subject === undefined || kind === undefined)
    throw new Refusal(`${path} does not name the object to explain; add kind/name`);
  return { subject: { kind, name: subject.name }, namespace: subject.namespace ?? "" };
}

function namedIn(wanted: Wanted, { objects }: Facts, path: string): SavedSubject {
  const ofKinds = objects.filter((one) => wanted.kinds.includes(kindOf(one, dialects) as DefinedKind));
  const named = ofKinds.filter(({ metadata }) => metadata.name === wanted.name);
  const there = wanted.kinds.filter((kind) => named.some((one) => kindOf(one, dialects) === kind));
  const known = ofKinds.map(({ metadata }) => metadata.name ?? "");
  const subject = chooseSubject(wanted, there, { where: path, known, otherwise: "choose another file with --from" });
  const object = named.find((one) => kindOf(one, dialects) === subject.kind);
  return { subject, namespace: object?.metadata.namespace ?? "" };
}

/** An explanation as it is printed; as JSON it has whole objects, and those can contain credentials. */
export function formatExplanation(gathered: Gathered, output: ExplainOptions["output"], now: Instant): string {
  if (output === "text") return printExplanation(gathered, now);
  const { reads: _, ...shown } = gathered as Gathered & { reads?: unknown };
  return `${JSON.stringify(redact({ ...shown, graph: buildGraph(gathered, reader) }), null, 2)}\n`;
}

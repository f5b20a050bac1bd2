/** A grammar that begins to hold only where the answer turns into what it describes, such as a tool call. */

/** Kinds of triggers, by the numbers of llama.cpp. */
const tokenTrigger = 0;
const wordTrigger = 1;

export interface Trigger {
  readonly type: number;
  readonly value: string;
  readonly token?: number;
}

/** Where in the text the grammar begins; undefined while nothing has triggered it. */
export function triggeredAt(triggers: readonly Trigger[], text: string): number | undefined {
  let first: number | undefined;
  for (const { type, value } of triggers) {
    const at = type === tokenTrigger || type === wordTrigger ? text.indexOf(value) : patternStart(value, text);
    if (at >= 0 && (first === undefined || at < first)) first = at;
  }
  return first;
}

/** The first group that matched tells where the grammar begins; without one it is the whole match. */
function patternStart(pattern: string, text: string): number {
  const match = expressionOf(pattern)?.exec(text);
  if (!match) return -1;
  const group = match.indices?.slice(1).find((range) => range !== undefined && range[0] < range[1]);
  return group === undefined ? match.index : group[0];
}

const expressions = new Map<string, RegExp | undefined>();

function expressionOf(pattern: string): RegExp | undefined {
  if (!expressions.has(pattern)) expressions.set(pattern, compile(pattern));
  return expressions.get(pattern);
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "ds");
  } catch {
    return undefined;
  }
}

export function triggersOf(given: unknown): Trigger[] {
  if (!Array.isArray(given)) return [];
  return given.filter(
    (one): one is Trigger => typeof one === "object" && one !== null && typeof (one as Trigger).value === "string",
  );
}

/** A message that a saved decision shows: in which conditions or events of which kind, with what reason, and when. */
export interface DecidedMessage {
  readonly dialect: string;
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
  /** Condition types, and `event`. */
  readonly shownAs: readonly string[];
  /** What the cases that show it are about; the first tells enough. */
  readonly when: string;
}

interface Noted {
  readonly shownAs: string;
  readonly reason: string;
  readonly message: string;
}

/** What is read of a saved case. */
export interface DecidedCase {
  readonly dialect: string;
  readonly about: string;
  readonly object: { readonly kind: string };
  readonly decision: unknown;
}

/** All messages of saved cases, each once per kind and reason, in the order of kind, reason and message. */
export function decidedMessages(cases: readonly DecidedCase[]): DecidedMessage[] {
  const found = new Map<string, DecidedMessage & { shownAs: string[] }>();
  for (const { dialect, about, object, decision } of cases) {
    const { kind } = object;
    for (const { shownAs, reason, message } of messagesOf((decision ?? {}) as Decision)) {
      const key = [dialect, kind, reason, message].join("\0");
      const known = found.get(key) ?? { dialect, kind, reason, message, shownAs: [], when: about };
      if (!known.shownAs.includes(shownAs)) known.shownAs.push(shownAs);
      found.set(key, known);
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
}

interface Decision {
  readonly status?: { readonly conditions?: readonly Reported[] };
  readonly notes?: readonly Reported[];
}

interface Reported {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

function messagesOf({ status, notes = [] }: Decision): Noted[] {
  const noted = (shownAs: string, { reason = "", message = "" }: Reported): Noted[] =>
    message === "" ? [] : [{ shownAs, reason, message }];
  return [
    ...(status?.conditions ?? []).flatMap((condition) => noted(condition.type ?? "", condition)),
    ...notes.flatMap((event) => noted("event", event)),
  ];
}

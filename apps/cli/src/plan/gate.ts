import { type Answered, type AnyReconciler, askingKey, type Query, type Reader } from "@trivium/reconcile";
import type { SnapshotAnswer } from "@trivium/runtime";
import { absent, known, type Millis, pending, unreachable, untilAborted } from "@trivium/std";

/** Keeps reconcilers from deciding until it is opened: until then they only note what they read. */
export interface Gate {
  readonly isOpen: boolean;
  open(): void;
  reconcilers(all: readonly AnyReconciler[]): AnyReconciler[];
}

/**
 * Behind a closed gate every reconciler reads its objects once, asks nothing and changes nothing. Opened, it decides about those objects
 * only that something wakes: what was applied, and whatever depends on it.
 */
export function createGate(): Gate {
  const state = { isOpen: false };
  return {
    get isOpen() {
      return state.isOpen;
    },
    open() {
      state.isOpen = true;
    },
    reconcilers: (all) =>
      all.map((one) => ({
        ...one,
        observe: (object, reader) => one.observe(object, state.isOpen ? reader : silent(reader)) as unknown,
        decide: (object, observed, now) =>
          state.isOpen ? one.decide(object, observed, now) : { do: "hold", status: object.status },
      })),
  };
}

const silent = (reader: Reader): Reader => ({
  get: (kind, ref) => reader.get(kind, ref),
  nearest: (twin, ref) => reader.nearest(twin, ref),
  list: (kind, where) => reader.list(kind, where),
  getPart: (kind, ref, part) => reader.getPart(kind, ref, part),
  listParts: (kind, where, part) => reader.listParts(kind, where, part),
  ask: () => pending,
});

/** Answers that are counted while they are under way, with what could not be answered. */
export interface CountedAnswers {
  readonly answers: readonly Answered[];
  /** Asks beside the reconcilers; nothing where there is no answer, and `unanswered` has the reason where one is known. */
  find<A, R>(query: Query<A, R>, args: A): Promise<R | undefined>;
  /** What is still asked. */
  pending(): number;
  /** What could not be answered, by what was asked about, with the reason. */
  readonly unanswered: ReadonlyMap<string, string>;
  /** Every answer, by question: enough to plan again without asking. */
  readonly given: ReadonlyMap<string, SnapshotAnswer>;
}

/** What only an answer would tell: nothing is decided without it. */
export class NotAmongFacts extends Error {
  constructor() {
    super("not among the saved facts");
  }
}

type Call = { readonly signal: AbortSignal };

export function countAnswers(all: readonly Answered[], patience: Millis): CountedAnswers {
  const unanswered = new Map<string, string>();
  const given = new Map<string, SnapshotAnswer>();
  let asked = 0;
  const ask = async ({ query, answer }: Answered, args: unknown, call: Call) => {
    const note = (fact: SnapshotAnswer["fact"]): void =>
      void given.set(askingKey(query, args), { query: query.name, args, fact });
    asked += 1;
    try {
      const found = await answer(args, { signal: AbortSignal.any([call.signal, AbortSignal.timeout(patience)]) });
      note(found === undefined ? absent : known(found));
      return found;
    } catch (error) {
      // Given up because no reconciler needs it any more: nothing is unknown by that.
      if (call.signal.aborted) throw error;
      const why = error instanceof Error ? error.message : String(error);
      unanswered.set(placeOf(args), why);
      if (!(error instanceof NotAmongFacts)) note(unreachable(why));
      throw error;
    } finally {
      asked -= 1;
    }
  };
  const answers = all.map((one) => ({
    query: one.query,
    answer: (args: unknown, call: Call) =>
      // To reconcilers it is a question without an answer yet, not a source that fails.
      ask(one, args, call).catch((error: unknown) => {
        if (!(error instanceof NotAmongFacts)) throw error;
        return untilAborted(call.signal);
      }),
  }));
  const find = async <A, R>(query: Query<A, R>, args: A): Promise<R | undefined> => {
    const before = given.get(askingKey(query, args));
    if (before !== undefined) return before.fact.is === "known" ? (before.fact.value as R) : undefined;
    const one = all.find((each) => each.query.name === query.name);
    if (one === undefined) return undefined;
    const call = { signal: AbortSignal.timeout(patience) };
    return (await ask(one, args, call).catch(() => undefined)) as R | undefined;
  };
  return { answers, find, pending: () => asked, unanswered, given };
}

/** What was asked about, as a person wrote it. */
export function placeOf(args: unknown): string {
  const { uri, url, path, registry, ...image } = (args ?? {}) as Readonly<Record<string, string | undefined>>;
  const { repository = `${image.prefix ?? ""}*`, reference = "" } = image;
  const named = registry === undefined ? image.name : `${registry}/${repository}${reference && separatorOf(reference)}`;
  return uri ?? url ?? path ?? named ?? JSON.stringify(args);
}

const separatorOf = (reference: string): string => `${reference.startsWith("sha256:") ? "@" : ":"}${reference}`;

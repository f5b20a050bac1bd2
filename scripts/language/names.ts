/** Words that no declared name contains, with the ones to use. */
const words: Readonly<Record<string, string>> = {
  allotment: "allocation",
  allotments: "allocations",
  bouquet: "sample",
  farewell: "message, event",
  furnish: "prepare",
  homeless: "missingNamespace",
  landlord: "evictor",
  quarrels: "contradictions",
  scribe: "logger",
  surroundings: "context",
  troubles: "failures",
  verdict: "what it is: AdmissionResult, JobOutcome, ConditionUpdate",
  verdicts: "outcomes",
  wish: "Request, Options, Spec",
  wishes: "requests",
};

/** Names that are refused as a whole; their parts are plain words. */
const names: Readonly<Record<string, string>> = {
  Around: "Context",
  Look: "Reader",
  Said: "Reported, Condition",
  Seen: "Observed",
  Told: "Reported",
  Touch: "Patch",
  Trouble: "Failure",
  cleanWords: "sanitizeOutput",
  isDark: "isUnresolved",
  lastWords: "lastLogLine",
  onTrouble: "onError",
};

/** A bag of arguments, and what a pass saw. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/^[A-Z]\w*Question$/, "…Input, or …Query for what the outside world is asked"],
  [/^[A-Z]\w*Seen$/, "Observed…"],
  [/^[A-Z]\w*Look$/, "…Reader"],
];

export interface RefusedName {
  readonly name: string;
  readonly line: number;
  readonly instead: string;
}

const declaration = /\b(?:const|let|function|class|interface|type|enum|readonly)\s+#?([A-Za-z_]\w*)/g;
const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line);

/** The declared names of TypeScript source that are not plain. Comments are passed over. */
export function findNames(source: string): RefusedName[] {
  return source.split("\n").flatMap((text, index) =>
    isComment(text)
      ? []
      : [...text.matchAll(declaration)].flatMap(([, name = ""]) => {
          const instead = plainFor(name);
          return instead === undefined ? [] : [{ name, line: index + 1, instead }];
        }),
  );
}

function plainFor(name: string): string | undefined {
  if (Object.hasOwn(names, name)) return names[name];
  const ending = endings.find(([pattern]) => pattern.test(name));
  if (ending !== undefined) return ending[1];
  const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])/).map((part) => part.toLowerCase());
  const refused = parts.find((part) => Object.hasOwn(words, part));
  return refused === undefined ? undefined : words[refused];
}

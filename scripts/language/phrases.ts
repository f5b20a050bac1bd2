const mayNot = /\bmay not\b/i;

/** The API server answers in the words of Kubernetes, which clients know. */
const kubernetesWords = { pattern: mayNot, files: /^packages\/(?:base\/(?:kube|schema)|platform\/apiserver)\// };

/** Words that make a reader guess, with the plain ones for them. `docs/internals/writing.md` says why. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, "again"],
  [/\bagain and again\b/i, "repeatedly"],
  [/\bby (?:it|them)sel(?:f|ves)\b/i, "automatically"],
  [mayNot, "cannot, must not"],
  [/\b(?:no|some|every)body\b/i, "name the component, or: no client, the user"],
  [/\bwhoever\b|\bwho asks\b/i, "name the component"],
  [/\bunwell\b|\b(?:is|are) (?:not )?well\b(?!-| formed)/i, "healthy, ready"],
  [/\b(?:is|are|was|were|be) made\b(?! up of)/i, "creating, created"],
  [/\b(?:is|are|was|were) (?:not |still |already )?there\b(?! (?:a|an|any|no)\b)/i, "exists"],
  [/\b(?:told|said)\b/i, "reported, requested"],
  [/\bspeaks?\b/i, "uses, serves"],
  [/\blook(?:s|ed)? into\b/i, "inspects"],
  [/\blast words\b/i, "last log line"],
  [/\bas (?:it is|things are)\b/i, "currently, unchanged"],
  [/\bone's own\b/i, "your own"],
  [/\bwhat there is\b/i, "available"],
  [/\b(?:is|are) no (?:fault|error)\b/i, "is allowed"],
  [/\bhas it first\b/i, "is already used by"],
  [/\b(?:is|are) asked\b/i, "requires, queries"],
  [/\bwish(?:e[sd])?\b/i, "requests, wants"],
];

export interface Finding {
  readonly phrase: string;
  readonly instead: string;
}

export const findPhrases = (text: string, file = ""): Finding[] =>
  phrases.flatMap(([pattern, instead]) => {
    if (pattern === kubernetesWords.pattern && kubernetesWords.files.test(file)) return [];
    const match = pattern.exec(text);
    return match === null ? [] : [{ phrase: match[0], instead }];
  });

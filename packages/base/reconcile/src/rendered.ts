/** Of a workload: which release of the operator rendered its pods, to what, and whether those of an earlier release were kept. */
export const renderedAnnotation = "trivium.dev/rendered";

export interface Rendered {
  /** What the operator was: version, program and options. */
  readonly release: string;
  /** Of the whole template as that release renders it. */
  readonly digest: string;
  /** The mark that pods of that template would have, by which a decision knows them. */
  readonly mark: string;
  readonly isKept: boolean;
  /** The generation of the service whose pods were kept in a take-over: they stay until it has another one. */
  readonly keptAt?: number | undefined;
}

export const formatRendered = ({ release, digest, mark, isKept, keptAt }: Rendered): string =>
  [release, digest, mark, ...(isKept ? [keptAt === undefined ? "kept" : `kept@${keptAt}`] : [])].join(" ");

/** Nothing where it was written by somebody else. */
export function parseRendered(text: string): Rendered | undefined {
  const [, release = "", digest = "", mark = "", kept, generation] =
    /^([\w.+-]+) ([0-9a-f]{16}) ([\w.-]*)( kept(?:@(\d{1,15}))?)?$/.exec(text) ?? [];
  if (release === "") return undefined;
  const keptAt = generation === undefined ? {} : { keptAt: Number(generation) };
  return { release, digest, mark, isKept: kept !== undefined, ...keptAt };
}

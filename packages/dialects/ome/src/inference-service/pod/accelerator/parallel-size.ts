/** How a model is spread over accelerators. */
export interface ParallelSizes {
  readonly tensor?: number | undefined;
  readonly pipeline?: number | undefined;
}

/** What starts a container. */
export interface StartWords {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

const flags = {
  tensor: "--tp-size|--tp|--tensor-parallel-size",
  pipeline: "--pp-size|--pp|--pipeline-parallel-size",
} as const;

/** The words with these sizes where a size is written; a flag that is not there is not added, since not every engine has it. */
export function setParallelSizes(words: StartWords, sizes: ParallelSizes): StartWords {
  let found = words;
  for (const kind of ["tensor", "pipeline"] as const) {
    const size = sizes[kind];
    if (size !== undefined && size > 0) found = setSize(found, flags[kind], size);
  }
  return found;
}

function setSize({ command, args }: StartWords, names: string, size: number): StartWords {
  const inArgs = replaced(args, names, size);
  if (inArgs !== undefined) return { command, args: inArgs };
  return { command: replaced(command, names, size) ?? command, args };
}

/** As a word of its own before its value, or within a text that also holds the value. */
function replaced(words: readonly string[], names: string, size: number): string[] | undefined {
  const alone = words.findIndex((word) => new RegExp(`^(?:${names})$`).test(word));
  if (alone !== -1 && alone + 1 < words.length) return words.with(alone + 1, String(size));
  const within = new RegExp(`((?:^|\\s)(?:${names})(?:=|\\s+))[^\\s\\\\]+`);
  const at = words.findIndex((word) => within.test(word));
  return at === -1 ? undefined : words.with(at, (words[at] as string).replace(within, `$1${size}`));
}

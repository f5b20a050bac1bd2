/** One flag of a command line with its values, or words that belong to no flag (`name` is empty). */
export interface Flag {
  readonly name: string;
  readonly values: readonly string[];
}

/** Reads `--name value`, `--name=value`, `-n value` and `--switch`. Words after a flag are its values, up to the next flag. */
export function readFlags(args: readonly string[]): Flag[] {
  const flags: { name: string; values: string[] }[] = [{ name: "", values: [] }];
  for (const word of args) {
    const isFlag = /^-{1,2}[A-Za-z]/.test(word);
    const equals = isFlag && word.startsWith("--") ? word.indexOf("=") : -1;
    if (!isFlag) flags.at(-1)?.values.push(word);
    else if (equals > 0) flags.push({ name: word.slice(0, equals), values: [word.slice(equals + 1)] });
    else flags.push({ name: word, values: [] });
  }
  return flags.filter(({ name, values }) => name !== "" || values.length > 0);
}

/** The value of a flag that the arguments give; the last one wins, as everywhere. */
export function flagValue(args: readonly string[], names: readonly string[]): string | undefined {
  let value: string | undefined;
  args.forEach((word, at) => {
    const equals = word.indexOf("=");
    if (names.includes(word)) value = args[at + 1];
    else if (equals > 0 && names.includes(word.slice(0, equals))) value = word.slice(equals + 1);
  });
  return value;
}

/** The same arguments with one flag set: where it stands already its value is changed, else it is put at the end. */
export function withFlag(args: readonly string[], names: readonly string[], value: string): string[] {
  const changed: string[] = [];
  let isSet = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    const equals = word.indexOf("=");
    const isJoined = equals > 0 && names.includes(word.slice(0, equals));
    if (names.includes(word)) {
      changed.push(word, value);
      at += 1;
    } else changed.push(isJoined ? `${word.slice(0, equals)}=${value}` : word);
    isSet ||= isJoined || names.includes(word);
  }
  return isSet ? changed : [...changed, names[0] as string, value];
}

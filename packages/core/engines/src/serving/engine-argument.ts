/** One argument of an engine: a switch, a value, a flag with a list, or a flag that is repeated for each value. */
export type EngineArgument =
  | { readonly form: "switch"; readonly flag: string }
  | { readonly form: "value"; readonly flag: string; readonly value: string }
  | { readonly form: "list" | "repeated"; readonly flag: string; readonly values: readonly string[] };

/** Its words on a command line. */
export function formatArgument(argument: EngineArgument): string[] {
  switch (argument.form) {
    case "switch":
      return [argument.flag];
    case "value":
      return [argument.flag, argument.value];
    case "list":
      return [argument.flag, ...argument.values];
    case "repeated":
      return argument.values.flatMap((value) => [argument.flag, value]);
  }
}

export const isFlagPresent = (present: readonly string[], flag: string): boolean =>
  present.some((word) => word === flag || word.startsWith(`${flag}=`));

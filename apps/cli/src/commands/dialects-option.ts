import { defaultDialectNames, parseDialects } from "@trivium/local";
import { InvalidArgumentError, Option } from "commander";

export const dialectsOption = (description: string): Option =>
  new Option("--dialects <list>", description)
    .argParser(dialectList)
    .default(defaultDialectNames, defaultDialectNames.join(","));

function dialectList(text: string): readonly string[] {
  const names = parseDialects(text);
  if (typeof names === "string") throw new InvalidArgumentError(names);
  return names;
}

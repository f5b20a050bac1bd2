import { InvalidArgumentError } from "commander";

export function countOption(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new InvalidArgumentError(`"${text}" is not a number`);
  return count;
}

/** Whether a person wants results and errors only: no progress, no account of what is done, no hints. */
export const isQuiet = ({ TRIVIUM_QUIET: quiet }: NodeJS.ProcessEnv = process.env): boolean =>
  quiet !== undefined && quiet !== "" && quiet !== "0";

/** The option is a variable as well, so that every part of the program can see it, and a script can set it once. */
export function beQuiet(isAsked: boolean): void {
  if (isAsked) process.env.TRIVIUM_QUIET = "1";
}

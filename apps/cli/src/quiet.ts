/** Whether a person wants results and errors only: no progress, no account of what is done, no hints. */
export const isQuiet = (environment: NodeJS.ProcessEnv = process.env): boolean => Boolean(environment.TRIVIUM_QUIET);

/** The option is a variable as well, so that every part of the program can see it, and a script can set it once. */
export function beQuiet(isAsked: boolean): void {
  if (isAsked) process.env.TRIVIUM_QUIET = "1";
}

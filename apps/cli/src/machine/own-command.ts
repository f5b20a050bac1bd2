/** How this program was started, so that it can be started again. */
export const ownCommand = (): string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? ""];

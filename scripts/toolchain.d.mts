/** Where the checkout is. */
export const root: string;
/** Flags of Node that the program is started with. */
export const programFlags: readonly string[];
/** Flags of Node that the operator is started with. */
export const operatorFlags: readonly string[];
/** Variables that the operator is started with. */
export const operatorEnvironment: Readonly<Record<string, string>>;
/** In another folder than the checkout where one is named. */
export function ensureInstalled(place?: string): void;
export function findNode(): string;
/** The path of the bundle. */
export function ensureBuilt(): string;
export function startProgram(args: readonly string[]): void;
/** The path of the bundle of one of the programs. */
export function bundleOf(name: string): string;
/** Starts a bundled program, with what is on the command line. */
export function startBundled(
  name: string,
  flags?: readonly string[],
  environment?: Readonly<Record<string, string>>,
): void;
/** Starts a program from its source, with what is on the command line. */
export function startSource(source: URL, flags?: readonly string[]): void;
export function runScript(name: string, args: readonly string[]): number;
export function runNode(args: readonly string[]): number;

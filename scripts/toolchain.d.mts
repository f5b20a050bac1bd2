/** Where the checkout is. */
export const root: string;
/** Flags of Node that the program is started with. */
export const programFlags: readonly string[];
export function ensureInstalled(): void;
export function findNode(): string;
/** The path of the bundle. */
export function ensureBuilt(): string;
export function startProgram(args: readonly string[]): void;
export function runScript(name: string, args: readonly string[]): number;
export function runNode(args: readonly string[]): number;

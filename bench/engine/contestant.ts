import { fileURLToPath } from "node:url";

export interface Mode {
  readonly name: string;
  readonly parallel: 1 | 4;
  readonly isStream: boolean;
}

export const modes: readonly Mode[] = [
  { name: "1, at once", parallel: 1, isStream: false },
  { name: "1, stream", parallel: 1, isStream: true },
  { name: "4, at once", parallel: 4, isStream: false },
  { name: "4, stream", parallel: 4, isStream: true },
];

/** Something that can be asked for tokens; a mode that it does not have has no figure. */
export interface Contestant {
  readonly name: string;
  measure(mode: Mode): Promise<number | undefined>;
  close(): Promise<void>;
}

export const demoModel = fileURLToPath(new URL("../../examples/models/demo/demo.gguf", import.meta.url));
export const tokens = 200;
// Never complete, so that each answer has exactly as many tokens as were asked for.
export const grammar = "root ::= [^\\x00] root";
export const prompt = "User: Tell me a story about a fox.\nAssistant:";

export async function tokensPerSecond(parallel: number, one: (seed: number) => Promise<number>): Promise<number> {
  const start = performance.now();
  const counts = await Promise.all(Array.from({ length: parallel }, (_, seed) => one(seed + 1)));
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - start) / 1000);
}

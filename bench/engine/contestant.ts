import { fileURLToPath } from "node:url";

export const demoModel = fileURLToPath(new URL("../../examples/models/demo/demo.gguf", import.meta.url));

/** A model server that can be started with the flags of llama-server. */
export interface Contestant {
  readonly name: string;
  readonly command: readonly string[];
}

/** Tokens a second. */
export interface Rates {
  readonly prompt: number;
  readonly generated: number;
}

export interface Mode {
  readonly slots: 1 | 4;
  readonly threads: number;
}

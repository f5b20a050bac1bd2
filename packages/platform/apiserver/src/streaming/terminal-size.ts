import { PassThrough } from "node:stream";
import type { CommandStreams, TerminalSize } from "./pod-streams.ts";

const largest = 0xffff;

/** `{"Width":80,"Height":24}`; undefined for anything else. */
export function parseTerminalSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

const isSide = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= largest;

/** Remembers the last size for a listener that comes later: the client sends it before the command runs. */
export class TerminalSizes {
  #last: TerminalSize | undefined;
  #listener: ((size: TerminalSize) => void) | undefined;

  readonly onResize: CommandStreams["onResize"] = (listener) => {
    this.#listener = listener;
    if (this.#last !== undefined) listener(this.#last);
  };

  take(text: string): void {
    const size = parseTerminalSize(text);
    if (size === undefined) return;
    this.#last = size;
    this.#listener?.(size);
  }
}

/** Standard input that waits for its reader. */
export const inputStream = (): PassThrough => new PassThrough({ highWaterMark: 256 * 1024 });

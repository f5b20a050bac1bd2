const headBytes = 4 * 1024;
const tailBytes = 8 * 1024;

export interface Usage {
  readonly prompt: number;
  readonly completion: number;
}

/**
 * Watches an answer go by and keeps its beginning and its end, where the counts of tokens are: at the end of a stream, before or
 * after long vectors. Pieces are kept, not copied.
 */
export class TokenTap {
  readonly #head: Buffer[] = [];
  #headSize = 0;
  readonly #tail: Buffer[] = [];
  #tailSize = 0;

  see(piece: Buffer): void {
    if (this.#headSize < headBytes) {
      this.#head.push(piece);
      this.#headSize += piece.length;
      return;
    }
    this.#tail.push(piece);
    this.#tailSize += piece.length;
    while (this.#tailSize - (this.#tail[0] as Buffer).length >= tailBytes)
      this.#tailSize -= (this.#tail.shift() as Buffer).length;
  }

  usage(): Usage | undefined {
    const late = this.#tailSize === 0 ? undefined : usageIn(this.#text(this.#tail, -tailBytes));
    return late ?? usageIn(this.#text(this.#head, 0));
  }

  /** Whether a stream of events has come to the end that it announces itself. */
  get hasSaidDone(): boolean {
    return /data: ?\[DONE\]\s*$/.test(this.#text([...this.#head, ...this.#tail].slice(-4), -64));
  }

  #text(pieces: readonly Buffer[], from: number): string {
    const whole = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    return whole.subarray(from < 0 ? Math.max(0, whole.length + from) : from).toString("latin1");
  }
}

/** The last usage that is not null. */
function usageIn(text: string): Usage | undefined {
  for (let at = text.lastIndexOf('"usage"'); at !== -1; at = at === 0 ? -1 : text.lastIndexOf('"usage"', at - 1)) {
    const usage = text.slice(at, at + 2_048);
    if (!/^"usage"\s*:\s*\{/.test(usage)) continue;
    return {
      prompt: countOf(usage, promptTokens) ?? countOf(usage, inputTokens) ?? 0,
      completion: countOf(usage, completionTokens) ?? countOf(usage, outputTokens) ?? 0,
    };
  }
  return undefined;
}

const promptTokens = /"prompt_tokens"\s*:\s*(\d{1,12})/;
const inputTokens = /"input_tokens"\s*:\s*(\d{1,12})/;
const completionTokens = /"completion_tokens"\s*:\s*(\d{1,12})/;
const outputTokens = /"output_tokens"\s*:\s*(\d{1,12})/;

function countOf(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

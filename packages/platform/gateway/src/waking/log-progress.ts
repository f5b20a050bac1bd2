import type { KubeClient, Ref } from "@trivium/kube";

const longest = 160;

/** Follows the log of a container that gets a model ready, and tells its last line in a few words. */
export class LogProgress {
  readonly #following = new AbortController();
  readonly key: string;
  /** Whether the log said anything worth telling. */
  hasSpoken = false;

  constructor(client: KubeClient, source: LogSource, tell: (progress: string) => void) {
    this.key = logKey(source);
    void this.#follow(client, source, tell);
  }

  stop(): void {
    this.#following.abort();
  }

  async #follow(
    client: KubeClient,
    { pod, container, doing }: LogSource,
    tell: (progress: string) => void,
  ): Promise<void> {
    const { signal } = this.#following;
    try {
      for await (const line of client.log(pod, { container, follow: true, tailLines: 1, signal })) {
        const share = readShare(line);
        if (share === undefined || signal.aborted) continue;
        this.hasSpoken = true;
        tell(`${doing} ${share}%`);
      }
    } catch {
      // A log that cannot be read is only news that are missing.
    }
  }
}

export interface LogSource {
  readonly pod: Ref;
  readonly container: string;
  /** What progress in this log is progress of. */
  readonly doing: string;
}

export const logKey = ({ pod, container }: LogSource): string => `${pod.namespace}/${pod.name}/${container}`;

/** How many hundredths are done: `trivium-weights` counts bytes, others show a share. */
export function readShare(line: string): number | undefined {
  const progress = readProgress(line);
  if (progress !== undefined) return Math.floor(progress * 100);
  const share = /(?<![\d.])(\d{1,3})(?:\.\d+)?\s?%/.exec(line);
  return share !== null && Number(share[1]) <= 100 ? Number(share[1]) : undefined;
}

function readProgress(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { bytes, total } = JSON.parse(line) as { bytes?: unknown; total?: unknown };
    if (typeof bytes !== "number" || typeof total !== "number" || total <= 0) return undefined;
    return Math.min(1, Math.max(0, bytes / total));
  } catch {
    return undefined;
  }
}

/** News go into a stream of events: no line end, no control character, and not for ever. */
export function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
  const plain = text.replace(/[\x00-\x1f\x7f]+/g, " ").trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

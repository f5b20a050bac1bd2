import type { Sandbox } from "@trivium/node";

/** Two looks at the clock of a processor tell how busy it was; closer together they tell nothing. */
export const shortestWindow = 2_000;

export interface ContainerUse {
  readonly at: number;
  /** The time between the two looks. */
  readonly window: number;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly memoryBytes: number;
  readonly milliProcessors: number | undefined;
}

/** Remembers the last look at each container, since use of processors is a difference. */
export class ProcessorTimes {
  readonly #sandbox: Sandbox;
  readonly #last = new Map<
    string,
    { at: number; cpuNanos: number; window: number; milliProcessors: number | undefined }
  >();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async read(): Promise<ContainerUse[]> {
    const usages = (await this.#sandbox.usage?.()) ?? [];
    const seen = new Set<string>();
    const result = usages.map(({ namespace, pod, podUid, container, at, cpuNanos, memoryBytes }) => {
      const key = `${podUid}/${container}`;
      seen.add(key);
      const before = this.#last.get(key);
      let { milliProcessors, window } = before ?? { milliProcessors: undefined, window: 0 };
      if (before === undefined || cpuNanos < before.cpuNanos || at - before.at >= shortestWindow) {
        if (before !== undefined && cpuNanos >= before.cpuNanos) {
          window = at - before.at;
          milliProcessors = (cpuNanos - before.cpuNanos) / window / 1_000;
        }
        this.#last.set(key, { at, cpuNanos, window, milliProcessors });
      }
      return { namespace, pod, container, at, window, memoryBytes, milliProcessors };
    });
    for (const key of this.#last.keys()) if (!seen.has(key)) this.#last.delete(key);
    return result;
  }
}

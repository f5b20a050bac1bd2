export interface SelectionCase {
  readonly dialect: string;
  readonly what: string;
  run(): { readonly is: string; readonly choice: { readonly candidates: readonly unknown[] } };
}

export interface SelectionTimes {
  readonly median: number;
  /** The 99th of a hundred. */
  readonly slow: number;
  /** Processor time of one, on average: the figure that other work disturbs least. */
  readonly processor: number;
}

const rounds = { warm: 100, measured: 1_000 };

/** Throws where a choice does not have the reasons for all. */
export function measureSelection({ run }: SelectionCase, candidates: number): SelectionTimes {
  for (let round = 0; round < rounds.warm; round += 1) run();
  const before = process.cpuUsage();
  const times = Array.from({ length: rounds.measured }, () => {
    const began = performance.now();
    run();
    return performance.now() - began;
  });
  const { user, system } = process.cpuUsage(before);
  const judged = run().choice.candidates.length;
  if (judged !== candidates) throw new Error(`reasons for ${judged} of ${candidates} candidates`);
  const sorted = times.sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { median: at(0.5), slow: at(0.99), processor: (user + system) / 1000 / times.length };
}

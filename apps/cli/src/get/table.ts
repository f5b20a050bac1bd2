/** Between two columns. */
const gap = 3;

/** Columns as wide as their widest cell; the last one is as long as it is. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows);
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap)))
      .join("")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return widths;
}

interface Fitting {
  /** Of the terminal. */
  readonly columns: number;
  /**
   * Titles of columns that are shortened where the last one has too little space, the first one first. That one is left out where
   * shortening all is not enough.
   */
  readonly shortened: readonly string[];
}

/** What the last column gets before others are cut further: the beginning of a sentence. */
const minLast = 48;
/** With less than this the last column says nothing. */
const leastLast = 16;
/** No shortened column is narrower: enough to tell two names apart. */
const minShortened = 12;

/** Cuts cells so that each line fits into a terminal: columns of long names first, then the last column. */
export function fitTable(
  rows: readonly (readonly string[])[],
  { columns, shortened }: Fitting,
): readonly (readonly string[])[] {
  const widths = widthsOf(rows);
  const last = widths.length - 1;
  const leftOf = (): number => columns - widths.slice(0, last).reduce((sum, width) => sum + width + gap, 0);
  const wanted = Math.min(minLast, widths[last] ?? 0);
  for (const title of shortened) {
    const at = rows[0]?.indexOf(title) ?? -1;
    const width = widths[at];
    if (width === undefined) continue;
    widths[at] = Math.min(width, Math.max(minShortened, width - Math.max(0, wanted - leftOf())));
  }
  const [spare = "", ...others] = shortened;
  if (leftOf() < Math.min(leastLast, wanted) && others.length > 0)
    return fitTable(withoutColumn(rows, spare), { columns, shortened: others });
  widths[last] = Math.max(1, leftOf());
  return rows.map((row) => row.map((cell, at) => cut(cell, widths[at] ?? 0)));
}

function withoutColumn(rows: readonly (readonly string[])[], title: string): readonly (readonly string[])[] {
  const left = rows[0]?.indexOf(title) ?? -1;
  return rows.map((row) => row.filter((_, at) => at !== left));
}

const cut = (cell: string, width: number): string => (cell.length <= width ? cell : `${cell.slice(0, width - 1)}…`);

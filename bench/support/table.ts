export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
export const thousands = (count: number): string => Math.round(count).toLocaleString("en");

/** Prints rows with their columns in line. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

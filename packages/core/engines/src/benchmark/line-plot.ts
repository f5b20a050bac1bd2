/** A line of a plot: its points from left to right. */
export interface PlotLine {
  readonly name: string;
  /** Lines of one family have one colour and differ in their dashes. */
  readonly family: string;
  readonly dash?: string | undefined;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly xAxis: string;
  readonly yAxis: string;
  readonly lines: readonly PlotLine[];
}

const field = { width: 346, height: 222 };
const margin = { left: 64, top: 34, bottom: 44 };
const keyStep = 16;
const colours = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f"];

/** Draws lines as SVG that needs nothing from elsewhere. Columns are evenly spaced: concurrency is doubled, not counted. */
export function drawPlot({ title, xAxis, yAxis, lines }: Plot): string {
  const columns = [...new Set(lines.flatMap(({ points }) => points.map(([x]) => x)))].toSorted((a, b) => a - b);
  const top = roundUp(Math.max(0, ...lines.flatMap(({ points }) => points.map(([, y]) => y))));
  // The names of the lines stand beside the field and below each other, however long and many they are.
  const tall = Math.max(field.height, keyStep * lines.length);
  const [right, bottom] = [margin.left + field.width, margin.top + tall];
  const [width, height] = [right + 44 + 6.5 * longestName(lines), bottom + margin.bottom];
  const step = columns.length < 2 ? 0 : (right - margin.left) / (columns.length - 1);
  const xOf = (x: number) => margin.left + step * columns.indexOf(x);
  const yOf = (y: number) => bottom - ((bottom - margin.top) * y) / top;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = fixed(yOf(top * share));
    const label = `<text x="${margin.left - 6}" y="${y}" dy="4" text-anchor="end">${shortNumber(top * share)}</text>`;
    return `<line x1="${margin.left}" x2="${right}" y1="${y}" y2="${y}" class="grid"/>${label}`;
  });
  const ticks = columns.map((x) => `<text x="${fixed(xOf(x))}" y="${bottom + 16}" text-anchor="middle">${x}</text>`);
  const families = [...new Set(lines.map(({ family }) => family))];
  const drawn = lines.map(({ name, family, dash, points }, at) => {
    const colour = colours[families.indexOf(family) % colours.length] as string;
    const stroke = `stroke="${colour}"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    const places = points.map(([x, y]) => [fixed(xOf(x)), fixed(yOf(y))] as const);
    const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`).join("");
    const path = `<polyline points="${places.map((place) => place.join(",")).join(" ")}" ${stroke}/>`;
    const key = margin.top + keyStep * at;
    const sample = `<line x1="${right + 8}" x2="${right + 24}" y1="${key - 3}" y2="${key - 3}" ${stroke} stroke-width="2"/>`;
    return `${path}${dots}${sample}<text x="${right + 28}" y="${key + 1}">${escapeHtml(name)}</text>`;
  });
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">
<text x="${margin.left}" y="18" class="title">${escapeHtml(title)}</text>
${grid.join("")}${ticks.join("")}${drawn.join("")}
<text x="${(margin.left + right) / 2}" y="${height - 8}" text-anchor="middle">${escapeHtml(xAxis)}</text>
<text transform="rotate(-90)" x="${-(margin.top + bottom) / 2}" y="14" text-anchor="middle">${escapeHtml(yAxis)}</text>
</svg>`;
}

const longestName = (lines: readonly PlotLine[]): number => Math.max(0, ...lines.map(({ name }) => name.length));
const fixed = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : "0");
export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));

/** The next number that is pleasant to read on an axis. */
function roundUp(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

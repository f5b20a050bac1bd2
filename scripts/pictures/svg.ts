/** Pictures paint their own light ground, so that they read the same on light and dark pages. */
export const colours = {
  background: "#ffffff",
  border: "#8c959f",
  text: "#1f2328",
  faint: "#57606a",
  box: "#ddf4ff",
  boxBorder: "#0969da",
  group: "#f6f8fa",
  arrow: "#cf222e",
} as const;

export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export interface TextStyle {
  readonly size: number;
  readonly colour: string;
  readonly anchor?: "start" | "middle";
  readonly isBold?: boolean;
  readonly isCode?: boolean;
}

export function text(x: number, y: number, content: string, style: TextStyle): string {
  const family = style.isCode ? "ui-monospace,Menlo,Consolas,monospace" : "system-ui,Helvetica,Arial,sans-serif";
  const weight = style.isBold ? ' font-weight="600"' : "";
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${style.size}" fill="${style.colour}" text-anchor="${style.anchor ?? "start"}"${weight} xml:space="preserve">${escapeText(content)}</text>`;
}

export function picture(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colours.background}" stroke="${colours.border}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

import { colours, picture, text } from "./svg.ts";

const lineHeight = 19;
const charWidth = 7.3;
const margin = 18;

/** Draws what a program prints. Text after ` <- ` explains its line, and stands right of all of them. */
export function drawTranscript(source: string): string {
  const [title = "", ...rest] = source.trimEnd().split("\n");
  const lines = rest.map((line) => line.split(" <- "));
  const codeWidth = Math.max(...lines.map(([code = ""]) => code.length)) * charWidth;
  const noteAt = margin + codeWidth + 24;
  const noteWidth = Math.max(...lines.map(([, note = ""]) => note.length)) * charWidth;
  const parts = lines.flatMap(([code = "", note], index) => {
    const y = margin + 12 + index * lineHeight;
    const isHeading = code !== "" && !code.startsWith(" ") && index > 0;
    const shown = text(margin, y, code, { size: 12, colour: colours.text, isBold: isHeading, isCode: true });
    return note === undefined
      ? [shown]
      : [
          shown,
          `<path d="M${noteAt - 6} ${y - 4}H${margin + code.length * charWidth + 6}" stroke="${colours.border}" stroke-dasharray="2 3"/>`,
          text(noteAt, y, note, { size: 13, colour: colours.arrow }),
        ];
  });
  return picture(Math.ceil(noteAt + noteWidth + margin), margin * 2 + lines.length * lineHeight, title, parts);
}

// Control characters but line ends and tabs, and those that change the direction of writing: names and messages are written by others, and
// a terminal obeys what it is sent.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const commands = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Text of others as a terminal can show it. The escapes are those of JSON, so JSON keeps its values. */
export const printable = (text: string): string => text.replace(commands, escaped);

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const colour = /(\x1b\[[\d;]*m)/;

/** The same, but colours stay: those of a screen, and of a program that writes a log. */
export const printableWithColours = (text: string): string =>
  text
    .split(colour)
    .map((piece, at) => (at % 2 === 1 ? piece : printable(piece)))
    .join("");

/** Prints a report: the same for a terminal and for a pipe, which may lead to one. */
export function print(text: string): void {
  process.stdout.write(printable(text));
}

/** Prints data, such as manifests or what a model writes: a pipe gets it as it is. */
export function printData(text: string): void {
  process.stdout.write(process.stdout.isTTY === true ? printable(text) : text);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

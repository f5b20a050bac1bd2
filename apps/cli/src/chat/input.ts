/** A line that begins with a slash. */
export type Command =
  | { readonly is: "help" }
  | { readonly is: "clear" }
  | { readonly is: "system"; readonly text: string }
  | { readonly is: "unknown"; readonly word: string };

export type Input =
  | { readonly is: "message"; readonly text: string }
  | { readonly is: "command"; readonly command: Command }
  /** More lines follow. */
  | { readonly is: "open"; readonly lines: string[] }
  | { readonly is: "empty" }
  | { readonly is: "bye" };

const mark = '"""';

/** What a line means, after the lines of a block that is still open. */
export function parseInput(line: string, block: readonly string[] | undefined): Input {
  if (block !== undefined) return continueBlock(line, block);
  const text = line.trim();
  if (text === "") return { is: "empty" };
  if (text.startsWith(mark)) return continueBlock(text.slice(mark.length), []);
  if (!text.startsWith("/")) return { is: "message", text };
  const [word = "", ...rest] = text.split(" ");
  if (word === "/bye" || word === "/exit" || word === "/quit") return { is: "bye" };
  return { is: "command", command: parseCommand(word, rest.join(" ").trim()) };
}

function parseCommand(word: string, text: string): Command {
  if (word === "/help" || word === "/?") return { is: "help" };
  if (word === "/clear") return { is: "clear" };
  return word === "/system" && text !== "" ? { is: "system", text } : { is: "unknown", word };
}

function continueBlock(line: string, block: readonly string[]): Input {
  const end = line.indexOf(mark);
  if (end === -1) return { is: "open", lines: [...block, line] };
  const text = [...block, line.slice(0, end)].join("\n").trim();
  return text === "" ? { is: "empty" } : { is: "message", text };
}

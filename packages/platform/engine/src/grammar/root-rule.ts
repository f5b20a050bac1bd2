/**
 * The grammars that native code makes for a chat start with the end of the prompt, because its own way of running them feeds that
 * in first. Ours starts after the prompt.
 */
export function withoutPrefix(grammar: string, generationPrompt: string): string {
  return grammar.replace(/^root ::= "((?:[^"\\]|\\.)*)"[ \t]*/m, (whole, literal: string) =>
    plainText(literal) === generationPrompt ? "root ::= " : whole,
  );
}

/** Only the answer that a schema describes: no code fences around it, no space before it. */
export function answerOnly(grammar: string, generationPrompt: string): string {
  if (!/^response-format ::= /m.test(grammar)) return withoutPrefix(grammar, generationPrompt);
  return grammar.replace(/^root ::= .*$/m, "root ::= response-format");
}

function plainText(literal: string): string {
  const named: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  return literal.replaceAll(/\\(?:x([0-9a-fA-F]{2})|(.))/g, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (named[char!] ?? char!) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

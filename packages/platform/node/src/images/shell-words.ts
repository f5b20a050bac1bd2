import { basename } from "node:path";

const shells: readonly string[] = ["sh", "bash", "ash", "dash", "zsh"];

/** The script of `sh -c "…"`, or undefined for any other command. */
export function scriptOf(argv: readonly string[]): string | undefined {
  const [shell = "", ...rest] = argv;
  if (!shells.includes(basename(shell))) return undefined;
  let isScript = false;
  for (const word of rest) {
    if (word === "--") continue;
    if (!word.startsWith("-")) return isScript ? word : undefined;
    if (/^-[a-z]*c$/.test(word)) isScript = true;
  }
  return undefined;
}

/**
 * The words of a script that is one plain command (`exec vllm serve "$MODEL" --port 8000`), or undefined for anything that only a shell
 * can run: several commands, pipes, redirections, globs, substitutions, assignments.
 */
export function plainWords(script: string, env: ReadonlyMap<string, string>): string[] | undefined {
  const text = script.replace(/\\\n/g, " ").trim();
  const token = /\s+|'([^']*)'|"((?:[^"\\`]|\\.)*)"|\\(.)|\$(?:(\w+)|\{(\w+)\})|([^\s'"\\$;|&<>(){}*?[\]#~`!]+)/y;
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) return undefined;
    const [whole, single, double, escaped, name, braced, bare] = found;
    if (whole.includes("\n") && single === undefined && double === undefined) return undefined;
    if (/^\s/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const inner = double === undefined ? undefined : unquoted(double, env);
    if (double !== undefined && inner === undefined) return undefined;
    const variable = name ?? braced;
    // Without quotes, a value with blanks in it would become several words.
    const value = variable === undefined ? undefined : (env.get(variable) ?? "");
    if (value !== undefined && /[\s*?[]|^$/.test(value)) return undefined;
    word = (word ?? "") + (single ?? inner ?? escaped ?? value ?? bare ?? "");
  }
  if (word !== undefined) words.push(word);
  if (words[0] === "exec") words.shift();
  return words.length === 0 || /^\w+=/.test(words[0] ?? "") ? undefined : words;
}

function unquoted(text: string, env: ReadonlyMap<string, string>): string | undefined {
  if (/\$[({](?!\w+\})|\$\(/.test(text)) return undefined;
  return text.replace(/\\(["\\$`])|\$(?:(\w+)|\{(\w+)\})/g, (_, escaped?: string, name?: string, braced?: string) =>
    escaped !== undefined ? escaped : (env.get(name ?? braced ?? "") ?? ""),
  );
}

/** A fenced block of a page: its language, what follows the language, and its lines. */
export interface CodeBlock {
  readonly line: number;
  readonly language: string;
  readonly mark: string;
  readonly text: string;
}

/** How a test treats a block of commands. */
export type CommandUse = "run" | "setup" | "notest";

export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; line: number; language: string; mark: string; lines: string[] } | undefined;
  for (const [index, line] of page.split("\n").entries()) {
    const fence = /^ *(`{3,})(.*)$/.exec(line);
    if (open !== undefined) {
      if (fence?.[1] === open.fence && fence[2]?.trim() === "") {
        blocks.push({ line: open.line, language: open.language, mark: open.mark, text: open.lines.join("\n") });
        open = undefined;
      } else open.lines.push(line);
    } else if (fence !== null) {
      const [language = "", ...rest] = (fence[2] ?? "").trim().split(/\s+/);
      open = { fence: fence[1] ?? "", line: index + 1, language, mark: rest.join(" "), lines: [] };
    }
  }
  return blocks;
}

/** `run` in order on a running server, `setup` before it starts, `notest` never. */
export function commandUse({ mark }: CodeBlock): CommandUse {
  if (mark === "setup") return "setup";
  return mark.startsWith("notest") ? "notest" : "run";
}

/** Pages whose blocks apps/cli/tests/documents.test.ts runs. */
export const isRunPage = (path: string): boolean => path === "README.md" || path.startsWith("docs/");

/** Says of every block of commands that no test runs, and that does not say why. */
export function faultsOfBlocks(path: string, page: string): string[] {
  return codeBlocks(page).flatMap((block) => {
    const fault = faultOfBlock(block, isRunPage(path));
    return fault === undefined ? [] : [`${path}:${block.line}: ${fault}`];
  });
}

function faultOfBlock({ language, mark }: CodeBlock, isRun: boolean): string | undefined {
  if (language === "")
    return "code block without a language; use bash for commands that a test runs, console or text for output";
  if (["sh", "shell", "zsh"].includes(language)) return `use bash instead of ${language}, which no test runs`;
  if (language !== "bash") return undefined;
  if (mark === "notest") return "notest needs a reason: ```bash notest starts the server";
  if (mark.startsWith("notest ")) return undefined;
  if (!isRun) return "no test runs the commands of this page; mark the block: ```bash notest <reason>";
  return mark === "" || mark === "setup"
    ? undefined
    : `unknown mark "${mark}"; use none, setup, or notest with a reason`;
}

/** Where a command prints: a terminal gets colours and lines that are rewritten, a pipe gets plain lines. */
export interface Screen {
  line(text: string): void;
  /** A state that replaces the one before; in a pipe each is a line, and the same one is not repeated. */
  state(text: string): void;
  /** Ends a rewritten line. */
  done(): void;
  dim(text: string): string;
  bold(text: string): string;
  readonly columns: number;
}

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function openScreen(out: Output, environment: NodeJS.ProcessEnv): Screen {
  const isTerminal = out.isTTY === true;
  const hasColour = isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
  const columns = out.columns ?? 80;
  let last = "";
  const paint = (code: number) => (text: string) => (hasColour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const done = (): void => {
    if (isTerminal && last !== "") out.write("\n");
    last = "";
  };
  return {
    columns,
    line(text) {
      done();
      out.write(`${text}\n`);
    },
    state(text) {
      if (text === last) return;
      out.write(isTerminal ? `\r\x1b[K${text.slice(0, columns - 1)}` : `${text}\n`);
      last = text;
    },
    done,
    dim: paint(2),
    bold: paint(1),
  };
}

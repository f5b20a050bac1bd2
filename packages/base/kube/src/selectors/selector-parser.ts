import { type LabelOperator, type LabelRequirement, type LabelSelector, sortedByKey } from "./selector.ts";
import { SelectorError } from "./selector-error.ts";
import { checkLabelKey, checkRequirement } from "./selector-rules.ts";

/** `symbol` is punctuation or an operator, `word` anything else; `in` and `notin` are words that may be operators. */
interface Token {
  readonly is: "symbol" | "word" | "end";
  readonly text: string;
}

const endToken: Token = { is: "end", text: "" };
const operators: Readonly<Record<string, LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/** Reads `a=b,c in (d,e),!f`. Faults are `SelectorError`s with the words of a kube-apiserver. */
export function parseLabelSelector(text: string): LabelSelector {
  const parser = new Parser(scan(text));
  return { requirements: sortedByKey(parser.requirements()) };
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [found] of text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g)) {
    tokens.push({ is: /^[=!(),<>]/.test(found) ? "symbol" : "word", text: found });
  }
  return tokens;
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  requirements(): LabelRequirement[] {
    const found: LabelRequirement[] = [];
    while (this.peek().is !== "end") {
      if (!this.startsRequirement()) this.fail(this.peek(), ", expected: !, identifier, or 'end of string'");
      found.push(this.requirement());
      const next = this.take();
      if (next.is === "end") return found;
      if (next.text !== ",") this.fail(next, ", expected: ',' or 'end of string'");
      if (!this.startsRequirement()) this.fail(this.peek(), ", expected: identifier after ','");
    }
    return found;
  }

  private requirement(): LabelRequirement {
    try {
      return this.bareRequirement();
    } catch (fault) {
      throw fault instanceof SelectorError ? new SelectorError(`unable to parse requirement: ${fault.message}`) : fault;
    }
  }

  private bareRequirement(): LabelRequirement {
    const isNegated = this.peek().text === "!";
    if (isNegated) this.take();
    const key = this.take();
    if (key.is !== "word") this.fail(key, ", expected: identifier");
    checkLabelKey(key.text);
    if (isNegated) return checkRequirement({ key: key.text, operator: "!", values: [] });
    if (this.isAtEndOfRequirement()) return checkRequirement({ key: key.text, operator: "exists", values: [] });
    const operator = this.operator();
    const values = operator === "in" || operator === "notin" ? this.valueSet() : [this.exactValue()];
    return checkRequirement({ key: key.text, operator, values });
  }

  private operator(): LabelOperator {
    const token = this.take();
    const operator = Object.hasOwn(operators, token.text) ? operators[token.text] : undefined;
    return operator ?? this.fail(token, ", expected: in, notin, =, ==, !=, gt, lt");
  }

  private exactValue(): string {
    if (this.isAtEndOfRequirement()) return "";
    const token = this.take();
    return token.is === "word" ? token.text : this.fail(token, ", expected: identifier");
  }

  /** `(a,b)`; a value between commas, or before or after one, may be left out and is then the empty text. */
  private valueSet(): string[] {
    const open = this.take();
    if (open.text !== "(") this.fail(open, " expected: '('");
    const values = new Set<string>();
    for (;;) {
      const token = this.peek();
      if (token.is === "word") values.add(this.take().text);
      else if (token.text === "," || token.text === ")") values.add("");
      else
        this.fail(token, values.size === 0 ? ", expected: ',', ')' or identifier" : ", expected: ',', or identifier");
      const next = this.take();
      if (next.text === ")") return [...values].sort();
      if (next.text !== ",") this.fail(next, ", expected: ',' or ')'");
    }
  }

  private startsRequirement(): boolean {
    const { is, text } = this.peek();
    return is === "word" || text === "!";
  }

  private isAtEndOfRequirement(): boolean {
    const { is, text } = this.peek();
    return is === "end" || text === ",";
  }

  private peek(): Token {
    return this.tokens[this.at] ?? endToken;
  }

  private take(): Token {
    return this.tokens[this.at++] ?? endToken;
  }

  private fail(token: Token, expected: string): never {
    throw new SelectorError(`found '${token.text}'${expected}`);
  }
}

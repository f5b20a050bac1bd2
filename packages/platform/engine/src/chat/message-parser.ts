import { type Grammar, parseTagged, type TaggedNode } from "./peg.ts";

export interface ParsedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a chat answer consists of, as far as it has come. */
export interface ParsedMessage {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly ParsedCall[];
}

/** Finds reasoning and tool calls in an answer, by the parser that belongs to the model's chat template. */
export class MessageParser {
  readonly #grammar: Grammar | undefined;
  readonly #start: string;

  constructor(serialized: string, generationPrompt: string) {
    this.#grammar = grammarOf(serialized);
    this.#start = generationPrompt;
  }

  /** Text that is not what the template promises is an answer all the same: it is content then. */
  parse(text: string): ParsedMessage {
    const plain = { content: text, reasoning: "", calls: [] };
    if (this.#grammar === undefined) return plain;
    try {
      const nodes = parseTagged(this.#grammar, this.#start + text);
      return nodes === undefined ? plain : messageOf(nodes);
    } catch (error) {
      // A model may open more brackets than there is stack.
      if (error instanceof RangeError) return plain;
      throw error;
    }
  }
}

function grammarOf(serialized: string): Grammar | undefined {
  try {
    const grammar = JSON.parse(serialized) as Grammar;
    return Array.isArray(grammar.parsers) ? grammar : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(nodes: readonly TaggedNode[]): ParsedMessage {
  const reader = new MessageReader();
  const visit = (node: TaggedNode): void => {
    reader.take(node);
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return reader.message();
}

interface CallSoFar {
  id: string;
  name: string;
  arguments: string;
  values: number;
  isQuoteOpen: boolean;
}

class MessageReader {
  #content = "";
  #reasoning = "";
  readonly #calls: CallSoFar[] = [];

  take({ tag, text }: TaggedNode): void {
    if (tag === "content") this.#content += text;
    else if (tag === "reasoning") this.#reasoning += text;
    else if (tag === "tool-open") this.#calls.push({ id: "", name: "", arguments: "", values: 0, isQuoteOpen: false });
    else this.#takeOfCall(tag, text);
  }

  #takeOfCall(tag: string, text: string): void {
    const call = this.#calls.at(-1);
    if (call === undefined) return;
    if (tag === "tool-id") call.id = text.trim().replace(/^"(.*)"$/, "$1");
    else if (tag === "tool-name") call.name = text.trimEnd();
    else if (tag === "tool-args") {
      if (text.startsWith("{")) call.arguments = text.trimEnd();
    } else if (tag === "tool-arg-name") {
      call.arguments += `${call.values++ > 0 ? "," : "{"}${JSON.stringify(text.trim())}:`;
    } else if (tag === "tool-arg-value") call.arguments += jsonOfLiteral(text);
    else if (tag === "tool-arg-string-value") addText(call, text);
    else if (tag === "tool-arg-close") closeQuote(call);
    else if (tag === "tool-close") closeCall(call);
  }

  /** Calls without a name are not yet calls, and reasoning of spaces alone is none. */
  message(): ParsedMessage {
    return {
      content: this.#content,
      reasoning: this.#reasoning.trim() === "" ? "" : this.#reasoning,
      calls: this.#calls
        .filter(({ name }) => name !== "")
        .map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
    };
  }
}

function addText(call: CallSoFar, text: string): void {
  if (!call.isQuoteOpen) call.arguments += '"';
  call.isQuoteOpen = true;
  call.arguments += JSON.stringify(text).slice(1, -1);
}

function closeQuote(call: CallSoFar): void {
  if (call.isQuoteOpen) call.arguments += '"';
  call.isQuoteOpen = false;
}

function closeCall(call: CallSoFar): void {
  closeQuote(call);
  if (call.arguments === "") call.arguments = "{";
  call.arguments += "}".repeat(Math.max(0, openBraces(call.arguments)));
}

function openBraces(json: string): number {
  const outside = json.replaceAll(/"(?:[^"\\]|\\.)*"?/g, "");
  return (outside.match(/\{/g)?.length ?? 0) - (outside.match(/\}/g)?.length ?? 0);
}

/** Values in the words of Python are JSON once quotes and names are changed. */
function jsonOfLiteral(text: string): string {
  const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\b(?:True|False|None)\b/g, (found) => {
    if (found.startsWith('"')) return found;
    if (!found.startsWith("'")) return words[found]!;
    const inner = found.slice(1, found.length > 1 && found.endsWith("'") ? -1 : undefined);
    const quoted = inner.replaceAll("\\'", "'").replaceAll(/(?<!\\)"/g, '\\"');
    return `"${quoted}${found.length > 1 && found.endsWith("'") ? '"' : ""}`;
  });
}

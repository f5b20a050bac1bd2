import { createInterface } from "node:readline";
import { Refusal } from "@trivium/std";
import { countOf } from "../count.ts";
import { print, printData } from "../print.ts";
import type { Screen } from "../screen.ts";
import { type Answer, ask, type Message } from "./ask.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Command, parseInput } from "./input.ts";

export interface Conversation {
  readonly endpoint: Endpoint;
  readonly system: readonly Message[];
  readonly screen: Screen;
}

const help = [
  "/system TEXT   set the system prompt and start again",
  "/clear         forget the conversation",
  '"""            begin and end a message of several lines',
  "/bye           end; Ctrl-D does the same",
  "Ctrl-C         stop the answer, or drop what was typed",
];

/** Reads what a person types and answers until they leave. */
export async function converse(conversation: Conversation): Promise<void> {
  const { screen, endpoint } = conversation;
  screen.line(screen.dim(`chat with ${endpoint.model}; /help lists the commands, Ctrl-D ends`));
  const reader = createInterface({ input: process.stdin, output: process.stdout, prompt: ">>> " });
  let history: Message[] = [...conversation.system];
  let answering: AbortController | undefined;
  let block: string[] | undefined;
  reader.on("SIGINT", () => {
    if (answering !== undefined) return answering.abort();
    block = undefined;
    process.stdout.write("\n");
    screen.line(screen.dim("Ctrl-D or /bye ends"));
    // What was typed so far is dropped, as in a shell.
    reader.write(null, { ctrl: true, name: "e" });
    reader.write(null, { ctrl: true, name: "u" });
    reader.setPrompt(">>> ");
    reader.prompt();
  });
  const reply = async (text: string): Promise<void> => {
    history.push({ role: "user", content: text });
    answering = new AbortController();
    try {
      const answer = await ask({
        endpoint,
        question: { is: "chat", messages: history },
        signal: answering.signal,
        onText: printData,
      });
      history.push({ role: "assistant", content: answer.text });
      process.stdout.write(`\n${screen.dim(figuresOf(answer))}\n`);
    } catch (error) {
      // The question can be asked again; the conversation goes on.
      history.pop();
      if (!(error instanceof Refusal)) throw error;
      print(`error: ${error.message}\n`);
    }
    answering = undefined;
  };
  const obey = (command: Command): void => {
    if (command.is === "help") for (const line of help) screen.line(line);
    else if (command.is === "unknown") screen.line(`unknown command ${command.word}; /help lists them`);
    else {
      history = command.is === "clear" ? [...conversation.system] : [{ role: "system", content: command.text }];
      screen.line(screen.dim(command.is === "clear" ? "new conversation" : "new conversation with this system prompt"));
    }
  };
  reader.prompt();
  for await (const line of reader) {
    const input = parseInput(line, block);
    block = input.is === "open" ? input.lines : undefined;
    if (input.is === "bye") break;
    if (input.is === "message") await reply(input.text);
    else if (input.is === "command") obey(input.command);
    reader.setPrompt(block === undefined ? ">>> " : "... ");
    reader.prompt();
  }
  reader.close();
  process.stdout.write("\n");
}

const formatRate = (rate: number): string => (rate < 100 ? rate.toFixed(1) : String(Math.round(rate)));

function figuresOf({ tokens, seconds, wasStopped }: Answer): string {
  // An answer that arrives in one piece has no rate to measure.
  const rate = seconds > 0.02 && tokens > 1 ? `, ${formatRate((tokens - 1) / seconds)} tokens/s` : "";
  return `${countOf(tokens, "token")}${rate}${wasStopped ? ", stopped" : ""}`;
}

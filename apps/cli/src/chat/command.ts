import { text as readAll } from "node:stream/consumers";
import { untilInterrupted } from "../interrupt.ts";
import { printData } from "../print.ts";
import { openScreen } from "../screen.ts";
import { ask, type Message, type Question } from "./ask.ts";
import { converse } from "./converse.ts";
import { type Endpoint, type EndpointOptions, openEndpoint } from "./endpoint.ts";

export interface ChatOptions extends EndpointOptions {
  /** One question instead of a conversation. */
  readonly prompt: string;
  readonly system?: string;
}

/** A conversation with a service on a terminal; one question where one is given, on the command line or by a pipe. */
export async function chat(service: string, options: ChatOptions): Promise<void> {
  const endpoint = await openEndpoint(service, options);
  try {
    const prompt = await readPrompt(options.prompt);
    const system: Message[] = options.system === undefined ? [] : [{ role: "system", content: options.system }];
    if (process.stdin.isTTY === true && prompt === "")
      return await converse({ endpoint, system, screen: openScreen(process.stderr, process.env) });
    if (prompt === "") return;
    await answer(endpoint, { is: "chat", messages: [...system, { role: "user", content: prompt }] });
  } finally {
    await endpoint.close();
  }
}

/** Prints one answer as it arrives, after a text that belongs before it. */
export async function answer(endpoint: Endpoint, question: Question, opening = ""): Promise<void> {
  let before = opening;
  const onText = (piece: string): void => {
    printData(before + piece);
    before = "";
  };
  await ask({ endpoint, question, signal: untilInterrupted(), onText });
  process.stdout.write("\n");
}

/** A question that was given is the whole question: a pipe that stays open must not keep it waiting. */
export async function readPrompt(given: string): Promise<string> {
  if (given !== "" || process.stdin.isTTY === true) return given;
  return (await readAll(process.stdin)).trim();
}

import { text as readAll } from "node:stream/consumers";
import { findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { openScreen } from "../screen.ts";
import { ask, type Message } from "./ask.ts";
import { converse } from "./converse.ts";

export interface ChatOptions {
  readonly home: string;
  readonly namespace: string;
  /** One question instead of a conversation. */
  readonly prompt: string;
  readonly system?: string;
}

/** A conversation with a service on a terminal; one question where one is given, on the command line or by a pipe. */
export async function chat(service: string, options: ChatOptions): Promise<void> {
  const record = findRunning(options.home);
  if (record === undefined)
    throw new Refusal("no control plane runs on this machine; start one with trivium up, or use trivium run");
  const parts = {
    gateway: `http://127.0.0.1:${record.ports.gateway}`,
    key: process.env.TRIVIUM_API_KEY || undefined,
    model: `${options.namespace}/${service}`,
  };
  // A question that was given is the whole question: a pipe that nobody closes must not keep it waiting.
  const isAsked = options.prompt !== "" || process.stdin.isTTY === true;
  const prompt = isAsked ? options.prompt : (await readAll(process.stdin)).trim();
  const system: Message[] = options.system === undefined ? [] : [{ role: "system", content: options.system }];
  if (process.stdin.isTTY === true && prompt === "") {
    await converse({ ...parts, system, screen: openScreen(process.stderr, process.env) });
    return;
  }
  if (prompt === "") return;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const messages: Message[] = [...system, { role: "user", content: prompt }];
  const answer = await ask({ ...parts, messages, signal: stop.signal, onText: (piece) => process.stdout.write(piece) });
  process.stdout.write("\n");
  if (answer.wasStopped) process.exitCode = 130;
}

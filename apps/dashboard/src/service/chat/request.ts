export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatSettings {
  readonly temperature: number;
  readonly maxTokens: number;
  readonly system: string;
}

export const defaultSettings: ChatSettings = { temperature: 0.7, maxTokens: 512, system: "" };

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature: number;
  readonly max_tokens: number;
}

export function chatRequest(model: string, messages: readonly ChatMessage[], settings: ChatSettings): ChatRequest {
  const { temperature, maxTokens, system } = settings;
  const first: ChatMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system.trim() }];
  return { model, messages: [...first, ...messages], temperature, max_tokens: maxTokens };
}

/** The same request for a terminal. A quote ends the quoted text, so it is written outside of it. */
export function asCurl(address: string, request: ChatRequest): string {
  const body = JSON.stringify(request, null, 2).replaceAll("'", `'\\''`);
  return `curl ${address}/v1/chat/completions \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

/** A first question in one line. */
export function asShortCurl(address: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  return `curl ${address}/v1/chat/completions -H 'Content-Type: application/json' -d '${body}'`;
}

/** The same request with the client library of OpenAI. JSON is valid Python here: no value is true, false or null. */
export function asPython(address: string, { model, messages, temperature, max_tokens }: ChatRequest): string {
  const list = messages.map((message) => `        ${JSON.stringify(message)},`).join("\n");
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(`${address}/v1`)}, api_key="none")`,
    "stream = client.chat.completions.create(",
    `    model=${JSON.stringify(model)},`,
    "    messages=[",
    list,
    "    ],",
    `    temperature=${temperature},`,
    `    max_tokens=${max_tokens},`,
    "    stream=True,",
    ")",
    "for chunk in stream:",
    '    print(chunk.choices[0].delta.content or "", end="", flush=True)',
  ].join("\n");
}

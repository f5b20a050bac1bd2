import { Refusal } from "@trivium/std";
import { answer, readPrompt } from "../chat/command.ts";
import { type EndpointOptions, openEndpoint } from "../chat/endpoint.ts";

export interface CompleteOptions extends EndpointOptions {
  readonly maxTokens: number;
}

/** Prints a text and what the model continues it with. */
export async function complete(service: string, text: string, options: CompleteOptions): Promise<void> {
  const endpoint = await openEndpoint(service, options);
  try {
    const prompt = await readPrompt(text);
    if (prompt === "") throw new Refusal("no text to continue; give it as an argument or through a pipe");
    await answer(endpoint, { is: "text", prompt, maxTokens: options.maxTokens }, prompt);
  } finally {
    await endpoint.close();
  }
}

import type { ApiRequest } from "@trivium/kube";
import type { Turns } from "../turns.ts";
import { type Body, BodyError, parseJsonBody } from "./body.ts";
import { refuseText } from "./body-size.ts";

/** Characters from which a body is parsed in a turn of its own, before anything is read that others could change meanwhile. */
const largeBody = 256 * 1024;

/** A body that is parsed already. It is handed out once: who takes it changes it in place. */
export interface ParsedBody {
  take(): Body | undefined;
}

export async function parseAhead({ body: text }: ApiRequest, turns: Turns): Promise<ParsedBody | undefined> {
  if (text === undefined || text.length < largeBody) return undefined;
  await turns.take();
  let parsed = parse(text);
  await turns.take();
  return {
    take: () => {
      const body = parsed;
      parsed = undefined;
      return body;
    },
  };
}

/** What is not JSON is left to the verb, which knows what it is meant to be. */
function parse(text: string): Body | undefined {
  refuseText(text);
  try {
    const { value, duplicates } = parseJsonBody(text);
    const found = duplicates();
    return { value, duplicates: () => found };
  } catch (error) {
    if (error instanceof BodyError) return undefined;
    throw error;
  }
}

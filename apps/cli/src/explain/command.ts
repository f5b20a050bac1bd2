import { createClient, httpTransport } from "@trivium/client";
import { ApiError } from "@trivium/kube";
import { dialects, dialectsBehind } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { type AccessOptions, accessOf, homesOf } from "../access.ts";
import { findThere, gather } from "./gather.ts";
import { printExplanation } from "./print.ts";
import { onlySubject, readSubject, type Wanted } from "./subject.ts";

export interface ExplainOptions extends AccessOptions {
  readonly output: "text" | "json";
}

/** Says of one object why it is as it is: from its own status and from everything that belongs to it. */
export async function explain(words: readonly string[], options: ExplainOptions): Promise<string> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds);
  const wanted = readSubject(words, kinds);
  const access = await accessOf(options);
  const { namespace = access.namespace } = options;
  const transport = httpTransport(access);
  try {
    const client = createClient(transport);
    const subject = onlySubject(wanted, await findThere(client, wanted, namespace));
    if (subject === undefined) throw new Refusal(absence(wanted, namespace));
    const gathered = await gather(client, subject, {
      namespace,
      dialects: dialectsBehind(access.server, homesOf(options)),
    });
    return options.output === "json"
      ? `${JSON.stringify(gathered, null, 2)}\n`
      : printExplanation(gathered, Date.now());
  } catch (error) {
    if (error instanceof ApiError) throw new Refusal(`${access.server}: ${error.message}`);
    throw error;
  } finally {
    await transport.close();
  }
}

function absence({ kinds, name }: Wanted, namespace: string): string {
  const place = kinds.some(({ namespaced }) => namespaced)
    ? ` in namespace ${namespace}; choose another namespace with -n`
    : "";
  return `${[...new Set(kinds.map(({ kind }) => kind))].join(" or ")} ${name} not found${place}`;
}

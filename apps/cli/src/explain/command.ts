import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type ClusterAccess, createClient, findAccess, httpTransport, loadKubeconfig } from "@trivium/client";
import { ApiError } from "@trivium/kube";
import { defaultHome, dialects, dialectsBehind } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { findThere, gather } from "./gather.ts";
import { printExplanation } from "./print.ts";
import { onlySubject, readSubject, type Wanted } from "./subject.ts";

export interface ExplainOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
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

/** Where a control plane of this machine may have written how it runs: beside its kubeconfig. */
function homesOf({ kubeconfig = process.env.KUBECONFIG }: ExplainOptions): string[] {
  const files = (kubeconfig ?? "").split(delimiter).filter((path) => path !== "");
  return [...files.map((path) => dirname(path)), defaultHome(process.env)];
}

/** The cluster that kubectl would ask; where there is none, the one of this machine. */
async function accessOf({ kubeconfig }: ExplainOptions): Promise<ClusterAccess> {
  try {
    if (kubeconfig !== undefined) return await loadKubeconfig(kubeconfig);
    return await findAccess().catch((error: unknown) => {
      const own = join(defaultHome(process.env), "kubeconfig");
      if (!existsSync(own) || process.env.KUBECONFIG) throw error;
      return loadKubeconfig(own);
    });
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

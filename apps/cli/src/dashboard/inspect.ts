import { Refusal } from "@trivium/std";

/** What `trivium models inspect` finds, as data. The files of this machine are not for a page to look for. */
export async function inspectForDashboard(source: string): Promise<unknown> {
  const { parseTarget } = await import("../run/target.ts");
  const target = parseTarget(source);
  if (target.is !== "repository" && target.is !== "address")
    throw new Refusal(`${source} is a file of this machine; name org/repo, or an hf://, https:// or s3:// address`);
  const { inspect } = await import("../models/inspect.ts");
  return JSON.parse(await inspect(source, { output: "json" }));
}

import { ApiError, groupResourceOf, type Kind, type KubeClient, Secret, type ServedResource } from "@trivium/kube";

/** How long what the API serves is taken as known: a definition that was just installed is noticed after it. */
const freshFor = 15_000;

/**
 * A client that calls the API only for kinds that it serves and that the dashboard may show. A decision reads kinds of other projects,
 * which most clusters do not have: asking for them would be refused each time.
 */
export function createServedClient(client: KubeClient, now: () => number = Date.now): KubeClient {
  let known: { readonly at: number; readonly served: Promise<readonly ServedResource[]> } | undefined;
  const discover: KubeClient["discover"] = () => {
    if (known === undefined || now() - known.at > freshFor) known = { at: now(), served: client.discover() };
    const { served } = known;
    served.catch(() => {
      if (known?.served === served) known = undefined;
    });
    return served;
  };
  const check = async (kind: Kind): Promise<void> => {
    const { group, version, plural } = kind;
    if (groupResourceOf(kind) === groupResourceOf(Secret)) throw refusal(403, "the dashboard does not read Secrets");
    // Where discovery fails, the call itself tells why.
    const served = await discover().catch(() => undefined);
    const isServed = served?.some((one) => one.group === group && one.version === version && one.plural === plural);
    if (isServed === false) throw refusal(404, `${groupResourceOf(kind)} is not served by this API`);
  };
  return {
    ...client,
    discover,
    get: async (kind, ref, options) => {
      await check(kind);
      return client.get(kind, ref, options);
    },
    list: async (kind, options) => {
      await check(kind);
      return client.list(kind, options);
    },
  };
}

const refusal = (code: 403 | 404, message: string): ApiError =>
  new ApiError({
    ...{ apiVersion: "v1", kind: "Status", status: "Failure", metadata: {} },
    ...{ code, message, reason: code === 403 ? "Forbidden" : "NotFound" },
  });

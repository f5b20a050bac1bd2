/** A page with what it shows; the part of the address after `#`, so that any server can serve the files. */
export type Route =
  | { readonly page: "overview" | "services" | "models" | "nodes" | "plan" | "benchmarks" }
  | (ServiceAddress & { readonly page: "service"; readonly tab: ServiceTab });

export interface ServiceAddress {
  readonly api: string;
  readonly namespace: string;
  readonly name: string;
}

export const serviceTabs = ["summary", "timeline", "yaml", "logs", "metrics", "chat"] as const;
export type ServiceTab = (typeof serviceTabs)[number];

const pages = ["overview", "services", "models", "nodes", "plan", "benchmarks"] as const;

/** An address that names no page is the overview. */
export function parseRoute(hash: string): Route {
  const [page = "", ...words] = hash
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decode);
  if (page === "services" && words.length >= 3) return serviceRoute(words);
  return { page: pages.find((one) => one === page) ?? "overview" };
}

function serviceRoute([api = "", namespace = "", name = "", tab]: readonly string[]): Route {
  return { page: "service", api, namespace, name, tab: serviceTabs.find((one) => one === tab) ?? "summary" };
}

export function formatRoute(route: Route): string {
  if (route.page !== "service") return `#/${route.page}`;
  const { api, namespace, name, tab } = route;
  const words = ["services", api, namespace, name, ...(tab === "summary" ? [] : [tab])];
  return `#/${words.map(encodeURIComponent).join("/")}`;
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that a request goes through, by the variables that other tools read; nothing where it goes straight. */
export function proxyOf(url: URL, environment: Environment): string | undefined {
  const http = environment.http_proxy || environment.HTTP_PROXY || undefined;
  const https = environment.https_proxy || environment.HTTPS_PROXY || undefined;
  const proxy = url.protocol === "https:" ? (https ?? http) : http;
  if (proxy === undefined || isExempt(url, environment.no_proxy ?? environment.NO_PROXY ?? "")) return undefined;
  // Many write a host and a port alone.
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** `NO_PROXY` names hosts, domains with or without a dot or a star before them, each with or without a port; `*` is everything. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const used = port || (protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const domain = name.replace(/^\*?\./, "").replace(/^\[|\]$/g, "");
    if (domain === "" || (wanted !== undefined && wanted !== used)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/**
 * Which calls a server on somebody's machine answers although a web page may have sent them. A page of a stranger reaches
 * loopback addresses from its visitor's browser: directly, which the `Origin` tells, or by a name of its own that is made
 * to mean 127.0.0.1 (DNS rebinding), which the `Host` tells.
 */
export interface WebAccess {
  /** Host names beside the local ones; `*` is any, `*.example.com` any below it. */
  readonly hosts: readonly string[];
  /** Origins beside local pages and the server's own; `*` is any, `https://*.example.com` any below it. */
  readonly origins: readonly string[];
}

/** Names that no stranger can point to this machine: clusters and container engines give them. */
const localNames: readonly string[] = [
  "localhost",
  "*.localhost",
  "*.svc",
  "*.cluster.local",
  "host.docker.internal",
  "host.containers.internal",
];

/** Programs that show pages of their own and none of the web. */
const appSchemes: ReadonlySet<string> = new Set(["app", "tauri", "vscode-webview", "vscode-file"]);

const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.%]+\])$/;

/** The name or address of a `Host` header, without its port. */
export function hostnameOf(host: string): string {
  return host.trim().toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

/** Whether a server answers for this `Host`. An address cannot be rebound, and a name without a dot is no name of the web. */
export function isHostAllowed(host: string, { hosts }: Pick<WebAccess, "hosts">): boolean {
  const name = hostnameOf(host);
  if (address.test(name) || /^[a-z0-9_-]+$/.test(name)) return true;
  return isListed(name, localNames) || isListed(name, hosts);
}

/** Whether pages of this `Origin` may call a server that is addressed by this `Host`. */
export function isOriginAllowed(origin: string, host: string, { origins }: Pick<WebAccess, "origins">): boolean {
  const given = origin.trim().toLowerCase();
  if (isListed(given, origins)) return true;
  const [, scheme = "", authority = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@]*)$/.exec(given) ?? [];
  if (scheme === "") return false;
  if (appSchemes.has(scheme) || authority === host.trim().toLowerCase()) return true;
  return isLoopback(hostnameOf(authority));
}

/** Whether an address or name means the machine itself and nothing of the network. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function isListed(text: string, list: readonly string[]): boolean {
  return list.some((entry) => {
    const wanted = entry.toLowerCase();
    if (wanted === "*" || wanted === text) return true;
    const star = wanted.indexOf("*.");
    if (star === -1) return false;
    const [start, end] = [wanted.slice(0, star), wanted.slice(star + 1)];
    return text.length > start.length + end.length && text.startsWith(start) && text.endsWith(end);
  });
}

/** A list as options and variables carry it: by commas. */
export function splitList(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((entry) => entry.trim() || []);
}

/** What is wrong with an entry of the list of hosts; nothing when it can be used. */
export function faultOfAllowedHost(entry: string): string | undefined {
  return entry === "*" || /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/i.test(entry)
    ? undefined
    : `${JSON.stringify(entry)} is not a valid host name (expected e.g. models.example.com, *.example.com or *)`;
}

/** What is wrong with an entry of the list of origins; nothing when it can be used. */
export function faultOfAllowedOrigin(entry: string): string | undefined {
  return entry === "*" || entry === "null" || /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^/?#@*\s]+$/i.test(entry)
    ? undefined
    : `${JSON.stringify(entry)} is not a valid origin (expected e.g. https://app.example.com, https://*.example.com or *)`;
}

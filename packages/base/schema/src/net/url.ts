/** A URL as Go's `url.ParseRequestURI` reads it: an absolute URI or an absolute path, without fragment. */
export interface GoUrl {
  readonly scheme: string;
  /** With brackets and port. */
  readonly host: string;
  /** As written, escapes and all. */
  readonly path: string;
  readonly query: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const controls = /[\u0000-\u001f\u007f]/;

export function parseGoUrl(text: string): GoUrl | undefined {
  if (text === "" || controls.test(text)) return undefined;
  if (text === "*") return { scheme: "", host: "", path: "*", query: "" };
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const mark = rest.indexOf("?");
  const before = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? "" : rest.slice(mark + 1);
  if (!before.startsWith("/")) {
    return scheme === "" ? undefined : { scheme: scheme.toLowerCase(), host: "", path: "", query };
  }
  const authority = scheme !== "" && before.startsWith("//") ? /^\/\/([^/]*)/.exec(before)?.[1] : undefined;
  const path = authority === undefined ? before : before.slice(authority.length + 2);
  const host = authority === undefined ? "" : hostOf(authority);
  if (host === undefined || /%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** The host and port of `user@host:port`, or undefined where Go refuses it. */
function hostOf(authority: string): string | undefined {
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%]*$/.test(authority.slice(0, at))) return undefined;
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) return /^\[[0-9A-Fa-f:.%A-Za-z]+\](:\d*)?$/.test(host) ? host : undefined;
  return /^[^\s"<>[\]{}|\\^`:#%/]*(:\d*)?$/.test(host) ? host : undefined;
}

export function hostnameOf(url: GoUrl): string {
  const bracketed = /^\[([^\]]*)\]/.exec(url.host);
  return bracketed?.[1] ?? url.host.replace(/:\d*$/, "");
}

export const portOf = (url: GoUrl): string => /:(\d*)$/.exec(url.host)?.[1] ?? "";

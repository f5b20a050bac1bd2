import type { HTTPRoute } from "@trivium/kube";
import { faultOfPattern } from "@trivium/schema";
import type { RouteFilter, RouteMatch } from "./route-table.ts";

type HeaderChange = NonNullable<RouteFilter["requestHeaderModifier"]>;
type PathChange = NonNullable<NonNullable<RouteFilter["urlRewrite"]>["path"]>;

/** Why a route cannot be served as it is written, with the field and what to change; nothing when it can. */
export function faultOfRoute({ spec }: HTTPRoute): string | undefined {
  for (const [place, rule] of (spec.rules ?? []).entries()) {
    const at = `spec.rules[${place}]`;
    const { matches = [], filters = [], backendRefs = [] } = rule;
    const fault =
      firstFault(matches, (match, index) => faultOfMatch(match, `${at}.matches[${index}]`)) ??
      firstFault(filters, (filter, index) => faultOfFilter(filter, `${at}.filters[${index}]`)) ??
      firstFault(backendRefs, (backend, owner) =>
        firstFault(backend.filters ?? [], (filter, index) =>
          faultOfFilter(filter, `${at}.backendRefs[${owner}].filters[${index}]`),
        ),
      );
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function firstFault<T>(list: readonly T[], faultOf: (item: T, index: number) => string | undefined) {
  for (const [index, item] of list.entries()) {
    const fault = faultOf(item, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A filter that would be left out changes what a route means, so the route is refused. */
function faultOfFilter(filter: RouteFilter, at: string): string | undefined {
  const { type, requestRedirect, urlRewrite, requestHeaderModifier, responseHeaderModifier } = filter;
  if (type === "ExtensionRef" || type === "CORS") return `The filter ${type} in ${at} is not supported here; remove it`;
  return (
    faultOfHeaders(requestHeaderModifier, `${at}.requestHeaderModifier`) ??
    faultOfHeaders(responseHeaderModifier, `${at}.responseHeaderModifier`) ??
    faultOfPath(requestRedirect?.path, `${at}.requestRedirect.path`) ??
    faultOfPath(urlRewrite?.path, `${at}.urlRewrite.path`) ??
    faultOfHost(requestRedirect?.hostname, `${at}.requestRedirect.hostname`) ??
    faultOfHost(urlRewrite?.hostname, `${at}.urlRewrite.hostname`) ??
    faultOfStatus(requestRedirect?.statusCode, `${at}.requestRedirect.statusCode`)
  );
}

/** Headers that say where a message ends, or what becomes of its connection: they are the gateway's own. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function faultOfHeaders(change: HeaderChange | undefined, at: string): string | undefined {
  const { set = [], add = [], remove = [] } = change ?? {};
  return (
    firstFault(set, (header, index) => faultOfHeader(header, `${at}.set[${index}]`)) ??
    firstFault(add, (header, index) => faultOfHeader(header, `${at}.add[${index}]`)) ??
    firstFault(add, ({ name }, index) =>
      name.toLowerCase() === "host"
        ? `${at}.add[${index}]: a request has only one Host header; use set instead`
        : undefined,
    ) ??
    firstFault(remove, (name, index) => faultOfName(name, `${at}.remove[${index}]`))
  );
}

function faultOfHeader({ name, value }: { readonly name: string; readonly value: string }, at: string) {
  const fault = faultOfName(name, `${at}.name`);
  if (fault !== undefined) return fault;
  if (framing.has(name.toLowerCase()))
    return `${at}.name: header ${name} is set by the gateway; remove it from the filter`;
  // What a header can carry is Latin-1 without control characters.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : `${at}.value of ${name} contains a line break or another character that a header cannot carry; remove it`;
}

function faultOfName(name: string, at: string): string | undefined {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
    ? undefined
    : `${at} ${quoted(name)} is not the name of a header; use letters, digits and hyphens`;
}

/** Anything that can be written in percent-encoding is; a control character is never meant. */
function faultOfPath(path: PathChange | undefined, at: string): string | undefined {
  const text = path?.type === "ReplaceFullPath" ? path.replaceFullPath : path?.replacePrefixMatch;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text !== undefined && /[\0-\x1f\x7f]/.test(text)
    ? `${at} contains a line break or another control character; remove it`
    : undefined;
}

function faultOfHost(hostname: string | undefined, at: string): string | undefined {
  return hostname === undefined || /^[a-z0-9]([a-z0-9-.]{0,251}[a-z0-9])?$/i.test(hostname)
    ? undefined
    : `${at} ${quoted(hostname)} is not a host name; use letters, digits, hyphens and dots`;
}

function faultOfStatus(status: number | undefined, at: string): string | undefined {
  return status === undefined || [301, 302, 303, 307, 308].includes(status)
    ? undefined
    : `${at} ${status} is not a redirect; use 301, 302, 303, 307 or 308`;
}

/** A pattern that cannot be read would match nothing, and the route would look served. */
function faultOfMatch({ path, headers = [], queryParams = [] }: RouteMatch, at: string): string | undefined {
  const values = [
    { match: path, place: `${at}.path` },
    ...headers.map((match, index) => ({ match, place: `${at}.headers[${index}]` })),
    ...queryParams.map((match, index) => ({ match, place: `${at}.queryParams[${index}]` })),
  ];
  return firstFault(values, ({ match, place }) => {
    if (match?.type !== "RegularExpression") return undefined;
    const fault = faultOfPattern(`^(?:${match.value ?? ""})$`);
    return fault === undefined ? undefined : `${place}.value is not a regular expression that can be matched: ${fault}`;
  });
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60));

import { Refused } from "../http/fault.ts";

/** What a path of the Kubernetes API names. */
export type ApiTarget =
  | { readonly is: "discovery"; readonly path: string }
  | {
      readonly is: "resource";
      readonly path: string;
      readonly group: string;
      readonly resource: string;
      readonly name?: string | undefined;
      readonly subresource?: string | undefined;
    };

/**
 * Reads a path segment by segment and writes it again from what was read: what reaches the API server is what was checked, however slashes
 * and dots were encoded.
 */
export function parseApiPath(rawPath: string): ApiTarget {
  const segments = rawPath.split("/").slice(1).map(decodeSegment);
  const path = `/${segments.map(encodeURIComponent).join("/")}`;
  const [root, ...rest] = segments;
  if (root === "version" && rest.length === 0) return { is: "discovery", path };
  if (root === "openapi" && rest[0] === "v3") return { is: "discovery", path };
  if (root === "api") return parseResource(path, "", rest.slice(1), rest.length <= 1);
  if (root === "apis") return parseResource(path, rest[0] ?? "", rest.slice(2), rest.length <= 2);
  throw new Refused("NotFound", "Not a path of the Kubernetes API that the dashboard serves");
}

function decodeSegment(text: string): string {
  const segment = decoded(text);
  // The rules of the API server for a segment, and no control characters.
  const isValid = !/[/\\%\p{Cc}]/u.test(segment) && segment !== "" && segment !== "." && segment !== "..";
  if (!isValid) throw new Refused("BadRequest", "Path is not valid");
  return segment;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refused("BadRequest", "Path is not valid");
  }
}

/** `namespaces/x/pods/y/log`, `nodes/z`, or nothing: a list of what a group serves. */
function parseResource(path: string, group: string, segments: readonly string[], isDiscovery: boolean): ApiTarget {
  if (isDiscovery) return { is: "discovery", path };
  const isInside = segments[0] === "namespaces" && segments.length > 2 && !namespaceParts.includes(segments[2] ?? "");
  const [resource = "", name, subresource, ...more] = isInside ? segments.slice(2) : segments;
  if (more.length > 0) throw new Refused("Forbidden", "The dashboard does not serve this path of the Kubernetes API");
  return { is: "resource", path, group, resource, name, subresource };
}

/** Subresources of a namespace itself. */
const namespaceParts: readonly string[] = ["status", "finalize"];

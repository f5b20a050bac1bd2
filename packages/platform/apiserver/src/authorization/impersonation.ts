import type { ApiRequest } from "@trivium/kube";
import type { Identity } from "../identity.ts";
import { badRequest } from "../refusals.ts";
import type { ResourceAttributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer.ts";

type Headers = ApiRequest["headers"];

/** A header that was sent several times is one text with line ends between, which no header can contain. */
export const headerSeparator = "\n";

const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";
const extraPrefix = "impersonate-extra-";

/** The identity that a request is carried out as: the caller's own, or the one it asks for (`kubectl --as`) and is allowed. */
export function impersonate(authorizer: Authorizer, caller: Identity, headers: Headers): Identity {
  const user = headers["impersonate-user"] ?? "";
  const groups = valuesOf(headers["impersonate-group"]);
  const uid = headers["impersonate-uid"] ?? "";
  const extra = extraOf(headers);
  if (user === "") {
    if (groups.length > 0 || uid !== "" || Object.keys(extra).length > 0)
      throw badRequest("requested groups, uid or extra without impersonating a user name");
    return caller;
  }
  const account = serviceAccountOf(user);
  const asked = { groups, uid, extra };
  for (const one of attributesOf(user, account, asked)) authorizer.demand(caller, one);
  const own = groups.length > 0 || account === undefined ? groups : groupsOfAccount(account.namespace);
  return {
    user,
    groups: withMembership(user, own),
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

interface Asked {
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What the caller must be allowed to impersonate, each by itself. */
function attributesOf(user: string, account: Account | undefined, { groups, uid, extra }: Asked): ResourceAttributes[] {
  const of = (resource: string, name: string, more: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
    is: "resource",
    verb: "impersonate",
    group: "",
    resource,
    subresource: "",
    namespace: "",
    name,
    ...more,
  });
  const own = "authentication.k8s.io";
  return [
    account === undefined ? of("users", user) : of("serviceaccounts", account.name, { namespace: account.namespace }),
    ...groups.map((name) => of("groups", name)),
    ...(uid === "" ? [] : [of("uids", uid, { group: own })]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => of("userextras", value, { group: own, subresource: key })),
    ),
  ];
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function serviceAccountOf(user: string): Account | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

const groupsOfAccount = (namespace: string): string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];

function withMembership(user: string, groups: readonly string[]): string[] {
  if (groups.includes(authenticated) || groups.includes(unauthenticated)) return [...new Set(groups)];
  return [...new Set([...groups, user === "system:anonymous" ? unauthenticated : authenticated])];
}

const valuesOf = (header: string | undefined): string[] =>
  header === undefined ? [] : header.split(headerSeparator).filter((value) => value !== "");

function extraOf(headers: Headers): Record<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(extraPrefix) || value === undefined) continue;
    extra.set(decodeKey(name.slice(extraPrefix.length)), valuesOf(value));
  }
  return Object.fromEntries(extra);
}

/** Keys may be percent-encoded; one that is wrongly so is taken as it stands. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import type { Kind } from "@trivium/kube";
import { useEffect, useState } from "preact/hooks";
import { session } from "../session/session.ts";
import { apiPath, getJson } from "./request.ts";

export interface Action {
  readonly verb: "create" | "patch" | "delete";
  readonly kind: Kind;
  readonly namespace?: string | undefined;
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

const path = apiPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
const asked = new Map<string, Promise<boolean>>();
/** Rights change rarely, and the API server decides in any case. */
const keptFor = 60_000;

/** Why the user cannot do something; nothing where he can, or where it is not known yet. */
export function useDenial(action: Action): string | undefined {
  const [isAllowed, setAllowed] = useState(true);
  const { verb, kind, namespace } = action;
  const isReadOnly = session.value?.isReadOnly === true;
  useEffect(() => {
    if (isReadOnly) return undefined;
    let isOver = false;
    void mayI(action).then((answer) => {
      if (!isOver) setAllowed(answer);
    });
    return () => {
      isOver = true;
    };
  }, [verb, kind, namespace, isReadOnly]);
  if (isReadOnly) return "This dashboard is read-only";
  return isAllowed ? undefined : describeDenial(action, session.value?.user?.name);
}

export function describeDenial({ verb, kind, namespace }: Action, user = "Your user"): string {
  const what = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  return `${user} cannot ${verb} ${what}${kind.namespaced ? ` in namespace ${namespace ?? "default"}` : ""}`;
}

function mayI({ verb, kind: { group, plural: resource }, namespace }: Action): Promise<boolean> {
  const key = [verb, group, resource, namespace].join(" ");
  const known = asked.get(key);
  if (known !== undefined) return known;
  const spec = { resourceAttributes: { verb, group, resource, ...(namespace === undefined ? {} : { namespace }) } };
  const body = JSON.stringify({ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec });
  // An API that does not answer the question is asked by the call itself.
  const answer = getJson<Review>(path, { method: "POST", body }).then(
    ({ status }) => status?.allowed !== false,
    () => true,
  );
  asked.set(key, answer);
  setTimeout(() => asked.delete(key), keptFor);
  return answer;
}

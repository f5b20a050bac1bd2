import { Refused } from "../http/fault.ts";
import { isSafe } from "../http/web-guard.ts";
import type { ApiTarget } from "./api-path.ts";

export interface ApiCall {
  readonly method: string;
  readonly target: ApiTarget;
  readonly query: URLSearchParams;
}

/**
 * What the page needs and no more, whatever the user's rights are: a fault in the page must not read Secrets, issue tokens, run commands
 * in pods or reach into the cluster's network.
 */
export function checkCall(call: ApiCall, isReadOnly: boolean): void {
  checkQuery(call.query);
  const { method, target } = call;
  if (target.is === "discovery") {
    if (!isSafe(method)) throw new Refused("MethodNotAllowed", "Lists of APIs can only be read");
    return;
  }
  checkTarget(target);
  if (!methods.includes(method)) throw new Refused("MethodNotAllowed", `Method ${method} is not allowed`);
  if (isSafe(method) || isReview(method, target)) return;
  if (isReadOnly) throw new Refused("ReadOnly", "The dashboard is read-only; use kubectl to change objects");
  if (method === "DELETE" && target.name === undefined)
    throw new Refused("Forbidden", "The dashboard deletes objects one by one, never a whole collection");
}

type Resource = Extract<ApiTarget, { is: "resource" }>;

const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const subresources: readonly string[] = ["status", "scale", "log"];

function checkTarget({ group, resource, subresource }: Resource): void {
  if (group === "" && resource === "secrets") throw new Refused("Forbidden", "The dashboard does not show Secrets");
  if (resource === "watch" || resource === "proxy")
    throw new Refused("Forbidden", `The dashboard does not serve ${resource} paths of the Kubernetes API`);
  if (subresource !== undefined && !subresources.includes(subresource))
    throw new Refused("Forbidden", `The dashboard does not serve ${resource}/${subresource.slice(0, 40)}`);
}

const reviews: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
]);

/** Asking what one may do changes nothing. */
const isReview = (method: string, { group, resource, name }: Resource): boolean =>
  method === "POST" && name === undefined && reviews.has(`${group}/${resource}`);

const parameters: ReadonlySet<string> = new Set([
  ...["labelSelector", "fieldSelector", "limit", "continue", "resourceVersion", "resourceVersionMatch"],
  ...["dryRun", "fieldManager", "fieldValidation", "force", "propagationPolicy", "gracePeriodSeconds"],
  ...["container", "follow", "tailLines", "sinceSeconds", "sinceTime", "timestamps", "previous", "limitBytes"],
]);

function checkQuery(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (name === "watch") throw new Refused("BadRequest", "Watches are opened with POST /k8s-watch");
    if (!parameters.has(name)) throw new Refused("BadRequest", `Unknown parameter ${name.slice(0, 40)}`);
  }
}

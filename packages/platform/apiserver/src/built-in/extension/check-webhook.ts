import type { api } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { checkSelector } from "../checks/labels.ts";
import { dnsSubdomain, oneOf } from "../checks/values.ts";

const reviewVersions = ["v1", "v1beta1"];
const segments = "should be a domain with at least three segments separated by dots";

export function checkWebhook(at: string, webhook: api.ValidatingWebhook): FieldError[] {
  const { name, timeoutSeconds, admissionReviewVersions = [], clientConfig = {} } = webhook;
  const isOdd = timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30);
  return [
    ...checkName(`${at}.name`, name),
    ...(webhook.rules ?? []).flatMap((rule, index) => checkRule(`${at}.rules[${index}]`, rule)),
    ...oneOf(`${at}.failurePolicy`, webhook.failurePolicy, ["Fail", "Ignore"]),
    ...oneOf(`${at}.matchPolicy`, webhook.matchPolicy, ["Equivalent", "Exact"]),
    ...(webhook.sideEffects ? [] : [required(`${at}.sideEffects`, "must specify one of None, NoneOnDryRun")]),
    ...(webhook.sideEffects ? oneOf(`${at}.sideEffects`, webhook.sideEffects, ["None", "NoneOnDryRun"]) : []),
    ...(isOdd
      ? [invalid(`${at}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...checkSelector(`${at}.namespaceSelector`, webhook.namespaceSelector),
    ...checkSelector(`${at}.objectSelector`, webhook.objectSelector),
    ...checkClient(`${at}.clientConfig`, clientConfig),
    ...checkReviewVersions(`${at}.admissionReviewVersions`, admissionReviewVersions),
  ];
}

function checkReviewVersions(at: string, versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${reviewVersions.join(", ")}`)];
  if (versions.some((version) => reviewVersions.includes(version))) return [];
  return [invalid(at, [...versions], `must include at least one of ${reviewVersions.join(", ")}`)];
}

function checkName(at: string, name: string): FieldError[] {
  if (!name) return [required(at)];
  const faults = dnsSubdomain(at, name);
  return faults.length > 0 || name.split(".").length >= 3 ? faults : [invalid(at, name, segments)];
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function checkRule(at: string, rule: api.RuleWithOperations): FieldError[] {
  const given = rule.operations ?? [];
  return [
    ...(given.length === 0 ? [required(`${at}.operations`)] : []),
    ...given.flatMap((operation, index) => oneOf(`${at}.operations[${index}]`, operation, operations)),
    ...((rule.apiGroups ?? []).length === 0 ? [required(`${at}.apiGroups`)] : []),
    ...((rule.apiVersions ?? []).length === 0 ? [required(`${at}.apiVersions`)] : []),
    ...((rule.resources ?? []).length === 0 ? [required(`${at}.resources`)] : []),
    ...oneOf(`${at}.scope`, rule.scope, ["*", "Cluster", "Namespaced"]),
  ];
}

function checkClient(at: string, { url, service }: api.WebhookClientConfig): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(at, "exactly one of url or service is required")];
  if (url !== undefined && !url.startsWith("https://"))
    return [invalid(`${at}.url`, url, "'https' is the only allowed URL scheme; desired format: https://host[/path]")];
  if (service === undefined) return [];
  return [
    ...(service.name ? [] : [required(`${at}.service.name`, "service name is required")]),
    ...(service.namespace ? [] : [required(`${at}.service.namespace`, "service namespace is required")]),
  ];
}

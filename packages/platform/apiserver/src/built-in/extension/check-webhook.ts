import type { api } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { faultsOfDns1035Label } from "@trivium/std";
import { checkSelector } from "../checks/labels.ts";
import { dnsSubdomain, invalidFor, oneOf, requiredText, unique } from "../checks/values.ts";

const reviewVersions = ["v1", "v1beta1"];
const segments = "should be a domain with at least three segments separated by dots";

export function checkWebhooks(webhooks: readonly (api.ValidatingWebhook | api.MutatingWebhook)[] = []): FieldError[] {
  return [
    ...webhooks.flatMap((webhook, index) => checkWebhook(`webhooks[${index}]`, webhook)),
    ...unique(
      webhooks,
      (webhook) => webhook.name,
      (index) => `webhooks[${index}].name`,
    ),
  ];
}

function checkWebhook(at: string, webhook: api.ValidatingWebhook | api.MutatingWebhook): FieldError[] {
  const { name, timeoutSeconds, admissionReviewVersions = [], clientConfig = {} } = webhook;
  const isOdd = timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30);
  return [
    ...checkName(`${at}.name`, name),
    ...(webhook.rules ?? []).flatMap((rule, index) => checkRule(`${at}.rules[${index}]`, rule)),
    ...oneOf(`${at}.failurePolicy`, webhook.failurePolicy, ["Fail", "Ignore"]),
    ...oneOf(`${at}.matchPolicy`, webhook.matchPolicy, ["Equivalent", "Exact"]),
    ...(webhook.sideEffects === undefined
      ? [required(`${at}.sideEffects`, "must specify one of None, NoneOnDryRun")]
      : oneOf(`${at}.sideEffects`, webhook.sideEffects, ["None", "NoneOnDryRun"])),
    ...(isOdd
      ? [invalid(`${at}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...checkSelector(`${at}.namespaceSelector`, webhook.namespaceSelector),
    ...checkSelector(`${at}.objectSelector`, webhook.objectSelector),
    ...("reinvocationPolicy" in webhook
      ? oneOf(`${at}.reinvocationPolicy`, webhook.reinvocationPolicy, ["IfNeeded", "Never"])
      : []),
    ...checkClient(`${at}.clientConfig`, clientConfig),
    ...checkReviewVersions(`${at}.admissionReviewVersions`, admissionReviewVersions),
  ];
}

function checkReviewVersions(at: string, versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${reviewVersions.join(", ")}`)];
  const faults = versions.flatMap((version, index) => {
    const here = `${at}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(here, version, "duplicate version")];
    return invalidFor(here, version, faultsOfDns1035Label(version));
  });
  if (versions.some((version) => reviewVersions.includes(version))) return faults;
  return [...faults, invalid(at, [...versions], `must include at least one of ${reviewVersions.join(", ")}`)];
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
  // The real server has the two the wrong way round; who reads both lines finds the fault all the same.
  return [
    ...requiredText(`${at}.service.name`, service.namespace),
    ...requiredText(`${at}.service.namespace`, service.name),
  ];
}

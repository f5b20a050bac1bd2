import type { api, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@trivium/kube";
import { traits } from "../traits.ts";
import { checkWebhooks } from "./check-webhook.ts";

export const validatingWebhookConfiguration = traits<ValidatingWebhookConfiguration>({
  hasGeneration: true,
  defaults: ({ webhooks }) => {
    for (const webhook of webhooks ?? []) defaultWebhook(webhook);
  },
  validate: ({ webhooks }) => checkWebhooks(webhooks),
  cells: { Webhooks: ({ webhooks }) => webhooks?.length ?? 0 },
});

export const mutatingWebhookConfiguration = traits<MutatingWebhookConfiguration>({
  hasGeneration: true,
  defaults: ({ webhooks }) => {
    for (const webhook of webhooks ?? []) {
      defaultWebhook(webhook);
      webhook.reinvocationPolicy ??= "Never";
    }
  },
  validate: ({ webhooks }) => checkWebhooks(webhooks),
  cells: { Webhooks: ({ webhooks }) => webhooks?.length ?? 0 },
});

function defaultWebhook(webhook: api.ValidatingWebhook): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= "*";
}

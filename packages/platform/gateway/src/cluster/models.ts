import type { ServedModel } from "@trivium/domain";
import { parseServedAdapters, servedAdaptersAnnotation } from "@trivium/engines";
import type { Service, ServicePort } from "@trivium/kube";
import { canonicalJson } from "@trivium/std";
import { isBackstage } from "../annotations.ts";

/** A Service as a model, where it can be one: it selects pods, has a port, and has not said that it is none. */
export function modelOf(
  service: Service,
  aliases: readonly string[],
  listed: readonly string[] | undefined,
): ServedModel | undefined {
  const { namespace = "", name = "" } = service.metadata;
  const { selector = {}, clusterIP } = service.spec ?? {};
  const port = modelPort(service);
  if (isBackstage(service)) return undefined;
  if (port === undefined || (Object.keys(selector).length === 0 && aliases.length === 0)) return undefined;
  // It was asked, and has no models: a web server, a database.
  if (listed?.length === 0 && aliases.length === 0) return undefined;
  const adapters = parseServedAdapters(service.metadata.annotations?.[servedAdaptersAnnotation]);
  return {
    backend: { namespace, service: name, port: port.port },
    aliases,
    listed,
    ...(adapters.length === 0 ? {} : { adapters }),
    pods: Object.keys(selector).length === 0 ? name : canonicalJson(selector),
    isHeadless: clusterIP === "None",
  };
}

/** The port that is most likely to speak the OpenAI API: one that says so, one that says HTTP, the first. */
function modelPort(service: Service): ServicePort | undefined {
  const ports = (service.spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  return ports.find(isNamed("openai")) ?? ports.find(isNamed("http")) ?? ports[0];
}

const isNamed =
  (prefix: string) =>
  ({ name }: ServicePort): boolean =>
    name?.startsWith(prefix) === true;

/** Whether a Service says of itself that it speaks HTTP: then it can be asked what it serves. */
export function saysHttp(service: Service): boolean {
  return (service.spec?.ports ?? []).some((port) => isNamed("http")(port) || isNamed("openai")(port));
}

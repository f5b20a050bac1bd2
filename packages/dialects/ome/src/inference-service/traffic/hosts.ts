import type { IngressSettings } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../../names.ts";
import { objectNameOf } from "../names/labels.ts";
import { fillPlaceholders, UnknownPlaceholder } from "../pod/placeholders.ts";
import type { ComponentName } from "../roles/component.ts";

/** Under which names a service and its components are reached. The first host of each is the one that people are told. */
export interface EntryHosts {
  readonly top: readonly [string, ...string[]];
  readonly components: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** Services that share a host differ by this; nothing means the whole host. */
  readonly path?: string;
}

export type PlannedHosts = ({ readonly is: "planned" } & EntryHosts) | { readonly is: "faulty"; readonly why: string };

export function planHosts(
  service: InferenceService,
  components: readonly ComponentName[],
  settings: IngressSettings,
): PlannedHosts {
  const { pathTemplate, domain, additionalDomains } = settings;
  try {
    const hostsOf = (name: string): [string, ...string[]] => {
      const [first, ...others] = [domain, ...additionalDomains].map((one) =>
        hostIn(service, name, { settings, domain: one }),
      );
      return [first as string, ...new Set(others)];
    };
    const { name = "" } = service.metadata;
    const own = Object.fromEntries(components.map((one) => [one, hostsOf(objectNameOf(service, one))]));
    if (pathTemplate === "") return { is: "planned", top: hostsOf(name), components: own };
    const path = pathOf(service, pathTemplate);
    const top: [string, ...string[]] = [requireHost(domain), ...additionalDomains.map(requireHost)];
    return { is: "planned", top, components: own, path };
  } catch (error) {
    if (error instanceof UnknownPlaceholder || error instanceof NoHost) return { is: "faulty", why: error.message };
    throw error;
  }
}

class NoHost extends Error {}

const domainPlaceholder = /\{\{-?\s*\.IngressDomain\s*-?\}\}/g;

function hostIn(
  service: InferenceService,
  name: string,
  { settings, domain }: { readonly settings: IngressSettings; readonly domain: string },
): string {
  const { metadata } = service;
  const text = settings.domainTemplate.replace(domainPlaceholder, () => domain);
  return requireHost(fillPlaceholders(text, { ...metadata, name: serviceNameOf(name) }).trim());
}

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const fullName = new RegExp(`^${label}(?:\\.${label})+$`);

function requireHost(host: string): string {
  if (host.length <= 253 && fullName.test(host)) return host;
  throw new NoHost(
    `"${host.slice(0, 80)}" is not a fully qualified domain name; correct the domain or its template (ConfigMap or annotations)`,
  );
}

function pathOf({ metadata }: InferenceService, template: string): string {
  const path = fillPlaceholders(template, metadata).trim().replace(/\/+$/, "");
  if (/^(?:\/[\w.~-]{1,200}){1,20}$/.test(path) && !path.split("/").some((word) => word === "." || word === ".."))
    return path;
  throw new NoHost(`"${path.slice(0, 80)}" is not a valid path; correct the path template (ConfigMap or annotation)`);
}

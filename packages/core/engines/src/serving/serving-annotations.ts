import { once, parseDuration } from "@trivium/std";
import { expectedAdapters, parseAdapterList, type RequestedAdapter } from "../adapters/adapter-list.ts";
import { expectedPromptCache, type PromptCache, parsePromptCache } from "../kv-cache/prompt-cache.ts";
import { servingAnnotations } from "./annotation-names.ts";
import { expectedGateway, type GatewayReference, parseGatewayReference } from "./gateway-reference.ts";

const awakeReplicas = "trivium.dev/awake-replicas";

/** Whether the gateway scaled it to zero for want of requests: it notes how many replicas there were. */
export const isIdledByGateway = ({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>>;
}): boolean => annotations?.[awakeReplicas] !== undefined;

/** What is said of a service that is asleep. */
export const asleepMessage = "Scaled to zero; starts on the next request";

type Metadata = { readonly name?: string | undefined; readonly namespace?: string | undefined };

/** For commands that are printed: they have to work as they stand, wherever the reader is. */
export const namespaceOption = (namespace: string | undefined): string =>
  namespace === undefined || namespace === "default" ? "" : ` -n ${namespace}`;

/** What starts a service that a person stopped. */
export const startCommand = ({ name, namespace }: Metadata): string =>
  `trivium start ${name}${namespaceOption(namespace)}`;

/** What is said of a service that a person stopped; `instead` is what starts it without our program. */
export const stoppedMessage = (metadata: Metadata, instead: string): string =>
  `Stopped; start it with ${startCommand(metadata)}, or ${instead}`;

/** Whether pods were stopped on purpose: what starts them again gives them their replicas, and waits for no request. */
export const isStopped = ({ annotations }: { readonly annotations?: Readonly<Record<string, string>> }): boolean =>
  annotations?.[servingAnnotations.stopped] === "true";

export interface ServingAnnotations {
  readonly canaryPercent?: number | undefined;
  readonly idleSeconds?: number | undefined;
  readonly adapters: readonly RequestedAdapter[];
  readonly promptCache?: PromptCache | undefined;
  readonly gateway?: GatewayReference | undefined;
  /** A person stopped it: requests do not start it. */
  readonly isStopped?: boolean | undefined;
  /** What is wrong with an annotation, and what is expected. An annotation that is wrong has no effect. */
  readonly faults: readonly string[];
}

/** Reads them, once in a pass; a value that is not valid is a fault and has no effect. */
export const parseServingAnnotations = (annotations: Annotations = none): ServingAnnotations => parseOnce(annotations);

type Annotations = Readonly<Record<string, string>>;
const none: Annotations = {};
const parseOnce = once(parse);

function parse(annotations: Annotations): ServingAnnotations {
  const faults: string[] = [];
  const read = <T>(key: string, expected: string, parseText: (text: string) => T | undefined): T | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parseText(text.trim());
    if (value === undefined)
      faults.push(`Annotation ${key} "${text.slice(0, 100)}" has no effect: expected ${expected}; correct it`);
    return value;
  };
  const { canaryPercent, idleTimeout, adapters, promptCache, gateway, stopped } = servingAnnotations;
  return {
    canaryPercent: read(canaryPercent, "a whole number from 0 to 100", parsePercent),
    idleSeconds: read(idleTimeout, "a duration such as 15m", parseSeconds),
    adapters: read(adapters, expectedAdapters, parseAdapterList) ?? [],
    promptCache: read(promptCache, expectedPromptCache, parsePromptCache),
    gateway: read(gateway, expectedGateway, parseGatewayReference),
    isStopped: read(stopped, "true or false", parseSwitch),
    faults,
  };
}

const parseSwitch = (text: string): boolean | undefined =>
  text === "true" ? true : text === "false" ? false : undefined;

const parsePercent = (text: string): number | undefined =>
  /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined;

function parseSeconds(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined || duration < 1000 ? undefined : Math.round(duration / 1000);
}

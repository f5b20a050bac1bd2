import { parseDuration } from "@trivium/std";
import { expectedGateway, type GatewayReference, parseGatewayReference } from "./gateway-reference.ts";
import { expectedPromptCache, type PromptCache, parsePromptCache } from "./prompt-cache.ts";

/** What any service can ask for by annotation where its API has no field. The same names in every dialect. */
export const servingAnnotations = {
  /** Share of requests, 0 to 100, that the newest template gets until it is 100 or removed. */
  canaryPercent: "trivium.dev/canary-percent",
  /** Scale to zero after so long without a request. */
  idleTimeout: "trivium.dev/idle-timeout",
  /** LoRA adapters: names, or name=source, separated by commas. */
  adapters: "trivium.dev/adapters",
  /** `none`, `local`, or the Service of a Redis that replicas share. */
  promptCache: "trivium.dev/prompt-cache",
  /** The Gateway that a route of the service is for. */
  gateway: "trivium.dev/gateway",
} as const;

const awakeReplicas = "trivium.dev/awake-replicas";

/** Whether the gateway scaled it to zero for want of requests: it notes how many replicas there were. */
export const isIdledByGateway = ({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>>;
}): boolean => annotations?.[awakeReplicas] !== undefined;

/** What is said of a service that is asleep. */
export const asleepMessage = "Scaled to zero; starts on the next request";

export interface ServingAnnotations {
  readonly canaryPercent?: number | undefined;
  readonly idleSeconds?: number | undefined;
  readonly adapters: readonly AnnotatedAdapter[];
  readonly promptCache?: PromptCache | undefined;
  readonly gateway?: GatewayReference | undefined;
  /** What is wrong with an annotation, and what is expected. An annotation that is wrong has no effect. */
  readonly faults: readonly string[];
}

export interface AnnotatedAdapter {
  readonly name: string;
  readonly source?: string | undefined;
}

/** Reads them; a value that is not valid is a fault and has no effect. */
export function parseServingAnnotations(annotations: Readonly<Record<string, string>> = {}): ServingAnnotations {
  const faults: string[] = [];
  const read = <T>(key: string, expected: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value === undefined)
      faults.push(`Annotation ${key} "${text.slice(0, 100)}" has no effect: expected ${expected}; correct it`);
    return value;
  };
  const { canaryPercent, idleTimeout, adapters, promptCache, gateway } = servingAnnotations;
  return {
    canaryPercent: read(canaryPercent, "a whole number from 0 to 100", parsePercent),
    idleSeconds: read(idleTimeout, "a duration such as 15m", parseSeconds),
    adapters: read(adapters, "a list such as name=hf://org/repo,other", parseAdapters) ?? [],
    promptCache: read(promptCache, expectedPromptCache, parsePromptCache),
    gateway: read(gateway, expectedGateway, parseGatewayReference),
    faults,
  };
}

const parsePercent = (text: string): number | undefined =>
  /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined;

function parseSeconds(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined || duration < 1000 ? undefined : Math.round(duration / 1000);
}

/** Names become folders, so none starts with a dot. */
const adapterName = /^[A-Za-z0-9][\w.-]{0,99}$/;

function parseAdapters(text: string): AnnotatedAdapter[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const adapters = parts.map((part): AnnotatedAdapter | undefined => {
    const at = part.indexOf("=");
    const [name, source] = at < 0 ? [part, undefined] : [part.slice(0, at), part.slice(at + 1)];
    if (!adapterName.test(name) || source === "") return undefined;
    return source === undefined ? { name } : { name, source };
  });
  const isGood =
    adapters.every((one) => one !== undefined) && new Set(adapters.map((one) => one?.name)).size === parts.length;
  return isGood ? (adapters as AnnotatedAdapter[]) : undefined;
}

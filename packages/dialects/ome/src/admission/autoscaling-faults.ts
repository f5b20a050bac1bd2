import { type FieldError, invalid, notSupported } from "@trivium/schema";
import { showUri } from "@trivium/std";
import type { KedaSettings } from "../configuration/index.ts";

type Texts = Readonly<Record<string, string>>;

const classes = ["hpa", "keda", "external"];
const metrics = ["cpu", "memory"];
const operators = ["GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual"];
const logins = ["basic", "tls", "bearer", "custom"];

/** What annotations say of scaling; `field` is where they are. */
export function faultsOfAnnotations(annotations: Texts | undefined, field: string): FieldError[] {
  if (annotations === undefined) return [];
  const at = (key: string): string => `${field}[${key}]`;
  const among = (key: string, words: readonly string[]): FieldError[] => {
    const text = annotations[key];
    return text === undefined || words.includes(text) ? [] : [notSupported(at(key), text, words)];
  };
  const isHpa = (annotations["ome.io/autoscalerClass"] ?? "hpa") === "hpa";
  const keda = "autoscaling.keda.sh/";
  return [
    ...among("ome.io/autoscalerClass", classes),
    ...(isHpa ? among("ome.io/metrics", metrics) : []),
    ...faultsOfUtilization(annotations["ome.io/targetUtilizationPercentage"], at("ome.io/targetUtilizationPercentage")),
    ...among(`${keda}operator`, operators),
    ...faultsOfThreshold(annotations[`${keda}threshold`], at(`${keda}threshold`)),
    ...faultsOfAddress(annotations[`${keda}prometheus.serverAddress`], at(`${keda}prometheus.serverAddress`)),
  ];
}

export function faultsOfKeda(settings: KedaSettings | undefined, field: string): FieldError[] {
  if (settings === undefined) return [];
  const { scalingOperator, scalingThreshold, promServerAddress, authModes } = settings;
  const wrong = (authModes ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "" && !logins.includes(word));
  return [
    ...(scalingOperator && !operators.includes(scalingOperator)
      ? [notSupported(`${field}.scalingOperator`, scalingOperator, operators)]
      : []),
    ...faultsOfThreshold(scalingThreshold, `${field}.scalingThreshold`),
    ...faultsOfAddress(promServerAddress, `${field}.promServerAddress`),
    ...wrong.map((word) => notSupported(`${field}.authModes`, word, logins)),
  ];
}

function faultsOfUtilization(text: string | undefined, field: string): FieldError[] {
  if (text === undefined || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100)) return [];
  return [invalid(field, text, "must be a whole number from 1 to 100")];
}

function faultsOfThreshold(text: string | undefined, field: string): FieldError[] {
  if (!text || /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?$/i.test(text)) return [];
  return [invalid(field, text, "must be a number")];
}

function faultsOfAddress(text: string | undefined, field: string): FieldError[] {
  if (!text || /^https?:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/.test(text)) return [];
  return [invalid(field, showUri(text), "must be an http:// or https:// URL with a host and without credentials")];
}

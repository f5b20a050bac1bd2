import { badRequest } from "./api-error.ts";

/** A request's body: read field by field, wrong types are refused in the words of llama-server, null counts as absent. */
export type Body = Readonly<Record<string, unknown>>;

/** Half of a character, written as an escape: native code cannot read it. */
const halfCharacter = /\\u[dD][89a-fA-F]/;
const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value);

export function parseBody(text: string): Body {
  let value: unknown;
  try {
    value = text === "" ? {} : halfCharacter.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`parse error: ${(error as Error).message}`);
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : {};
}

export function numberField(body: Body, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  throw wrongType(name, "number", value);
}

export function booleanField(body: Body, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw wrongType(name, "boolean", value);
}

export function textField(body: Body, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw wrongType(name, "string", value);
}

export function objectField(body: Body, name: string): Body | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw wrongType(name, "object", value);
}

export function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function wrongType(name: string, wanted: string, value: unknown): Error {
  const kind = Array.isArray(value) ? "array" : typeof value;
  return badRequest(`Field '${name}': [json.exception.type_error.302] type must be ${wanted}, but is ${kind}`);
}

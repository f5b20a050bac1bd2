import type { Json, JsonObject } from "@trivium/std";
import { bytesField, doubleField, integerField, messageField, stringField } from "./wire-writer.ts";

export const swaggerMedia = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** What clients say for the same: `@` before the version, for historical reasons. */
export const swaggerAccept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/**
 * An OpenAPI v2 document in the protobuf form of gnostic, the only one kubectl takes. It asks for it when it does not find
 * a kind in version 3, to be sure, and reports a kind that nobody serves only when it got it.
 */
export function encodeSwagger(document: JsonObject): Buffer {
  const info = document.info as JsonObject;
  return Buffer.concat([
    stringField(1, String(document.swagger)),
    messageField(2, [stringField(1, String(info.title)), stringField(2, String(info.version))]),
    messageField(8, []),
    messageField(9, namedSchemas(document.definitions as JsonObject)),
  ]);
}

function namedSchemas(schemas: JsonObject): Buffer[] {
  return Object.entries(schemas).map(([name, schema]) =>
    messageField(1, [stringField(1, name), messageField(2, schemaFields(schema as JsonObject))]),
  );
}

const strings: Readonly<Record<string, number>> = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 };
const doubles: Readonly<Record<string, number>> = { multipleOf: 6, maximum: 7, minimum: 9 };
const integers: Readonly<Record<string, number>> = {
  exclusiveMaximum: 8,
  exclusiveMinimum: 10,
  maxLength: 11,
  minLength: 12,
  maxItems: 14,
  minItems: 15,
  uniqueItems: 16,
  maxProperties: 17,
  minProperties: 18,
};

function schemaFields(schema: JsonObject): Buffer[] {
  return Object.entries(schema).flatMap(([keyword, value]) => keywordFields(keyword, value));
}

function keywordFields(keyword: string, value: Json): Buffer[] {
  if (strings[keyword] !== undefined) return [stringField(strings[keyword], String(value))];
  if (doubles[keyword] !== undefined) return [doubleField(doubles[keyword], Number(value))];
  if (integers[keyword] !== undefined) return [integerField(integers[keyword], value as number | boolean)];
  switch (keyword) {
    case "default":
      return [bytesField(5, anyValue(value))];
    case "required":
      return (value as string[]).map((name) => stringField(19, name));
    case "enum":
      return (value as Json[]).map((one) => bytesField(20, anyValue(one)));
    case "additionalProperties":
      return [
        messageField(21, [
          typeof value === "boolean" ? integerField(2, value) : messageField(1, schemaFields(value as JsonObject)),
        ]),
      ];
    case "type":
      return [messageField(22, [stringField(1, String(value))])];
    case "items":
      return [messageField(23, [messageField(1, schemaFields(value as JsonObject))])];
    case "allOf":
      return (value as JsonObject[]).map((one) => messageField(24, schemaFields(one)));
    case "properties":
      return [messageField(25, namedSchemas(value as JsonObject))];
    case "example":
      return [bytesField(30, anyValue(value))];
    default:
      if (!keyword.startsWith("x-")) return [];
      return [messageField(31, [stringField(1, keyword), bytesField(2, anyValue(value))])];
  }
}

/** gnostic keeps free values as YAML text, and JSON is YAML. */
function anyValue(value: Json): Buffer {
  return stringField(2, JSON.stringify(value));
}

import { as, type Optional, opt, type SchemaOf } from "@trivium/schema";

/**
 * A field that may be left out or written as `null`; both mean "not set".
 *
 * Not for an enum: a Kubernetes API server checks `null` against the values of an enum even where the type allows it,
 * so `null` in a nullable enum is always refused. An enum with a default is plain `opt`: the server then drops the
 * `null` and fills the default in, which is what "not set" means.
 */
export function maybe<T>(schema: SchemaOf<T>): Optional<T | null> {
  return opt(as<T | null>(schema, "", { nullable: true }));
}

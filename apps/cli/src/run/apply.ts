import { type AnyObject, ApiError, apiVersionOf } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import type { Server } from "./server.ts";

/** Applies an object as a person would, in a namespace where it names none. */
export async function apply({ client, remedy }: Server, object: AnyObject, namespace: string): Promise<void> {
  const kind = (await client.discover()).find(
    (one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion,
  );
  if (kind === undefined) throw new Refusal(`${object.apiVersion} ${object.kind} is not served; ${remedy}`);
  const metadata = kind.namespaced ? { namespace, ...object.metadata } : object.metadata;
  try {
    await client.apply(kind, { ...object, metadata } as never, {
      fieldManager: "trivium-run",
      force: true,
      fieldValidation: "Strict",
    });
  } catch (error) {
    if (error instanceof ApiError) throw new Refusal(`${object.kind} ${object.metadata.name}: ${error.message}`);
    throw error;
  }
}

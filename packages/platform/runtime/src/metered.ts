import type { Kind, KubeClient } from "@trivium/kube";

export type WriteVerb = "create" | "replace" | "patch" | "apply" | "delete";
export type OnWrite = (verb: WriteVerb, kind: Kind) => void;

/** The same client, with each write told to somebody before it is sent. */
export function meteredClient(client: KubeClient, onWrite: OnWrite): KubeClient {
  const told = <A extends [Kind, ...unknown[]], R>(verb: WriteVerb, call: (...args: A) => R) => {
    return (...args: A): R => {
      onWrite(verb, args[0]);
      return call(...args);
    };
  };
  return {
    ...client,
    create: told("create", client.create) as KubeClient["create"],
    replace: told("replace", client.replace) as KubeClient["replace"],
    patch: told("patch", client.patch) as KubeClient["patch"],
    apply: told("apply", client.apply) as KubeClient["apply"],
    delete: told("delete", client.delete) as KubeClient["delete"],
  };
}

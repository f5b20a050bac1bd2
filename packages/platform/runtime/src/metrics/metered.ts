import type { Kind, KubeClient } from "@trivium/kube";

export type WriteVerb = "create" | "replace" | "patch" | "apply" | "delete";
export type OnWrite = (verb: WriteVerb, kind: Kind) => void;

/** The same client, with each write told to somebody before it is sent. */
export function meteredClient(client: KubeClient, onWrite: OnWrite): KubeClient {
  const reported = <A extends [Kind, ...unknown[]], R>(verb: WriteVerb, call: (...args: A) => R) => {
    return (...args: A): R => {
      onWrite(verb, args[0]);
      return call(...args);
    };
  };
  return {
    ...client,
    create: reported("create", client.create) as KubeClient["create"],
    replace: reported("replace", client.replace) as KubeClient["replace"],
    patch: reported("patch", client.patch) as KubeClient["patch"],
    apply: reported("apply", client.apply) as KubeClient["apply"],
    delete: reported("delete", client.delete) as KubeClient["delete"],
  };
}

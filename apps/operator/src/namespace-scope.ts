import type { OwnNamespace } from "./own-namespace.ts";

/** What is kept in namespaces that an operator of one namespace does not read, as sentences. */
export const describeUnread = (namespace: string | undefined, homes: readonly OwnNamespace[]): string[] =>
  homes
    .filter(({ name }) => namespace !== undefined && name !== namespace)
    .map(({ name, holds, option }) => {
      const remedy = `start the operator with ${option} ${namespace}`;
      return `${holds} are in namespace ${name}, and only namespace ${namespace} is read, so they have no effect; ${remedy}`;
    });

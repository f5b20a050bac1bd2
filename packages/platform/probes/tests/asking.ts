// The registry's answers with Secrets of a test behind them.
import type { TestContext } from "node:test";
import { ApiError, type KubeClient, type Ref, type Secret } from "@trivium/kube";
import type { Query } from "@trivium/reconcile";
import { registryAnswers } from "../src/index.ts";
import type { RegistryOptions } from "../src/registry.ts";

export interface GivenSecret {
  readonly name: string;
  readonly data: Record<string, string>;
}

export interface AnswerOptions {
  readonly secrets?: readonly GivenSecret[] | undefined;
  readonly addresses?: RegistryOptions["addresses"];
  readonly hub?: string;
  readonly github?: string;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

export const nobody = { namespace: "ns", secrets: [] };

export const secretOf = (name: string, config: unknown, key = ".dockerconfigjson"): GivenSecret => ({
  name,
  data: { [key]: btoa(JSON.stringify(config)) },
});

export function asker(_: TestContext, options: AnswerOptions = {}) {
  const { secrets = [], signal = new AbortController().signal, ...rest } = options;
  const client = {
    async get(_kind: unknown, { namespace, name }: Ref): Promise<Secret> {
      const found = secrets.find((secret) => secret.name === name && namespace === "ns");
      if (found === undefined)
        throw new ApiError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "NotFound" });
      return { apiVersion: "v1", kind: "Secret", metadata: { name }, data: found.data };
    },
  } as unknown as KubeClient;
  const answers = registryAnswers({ client, environment: {}, addresses: "any", now: () => 1_000, ...rest });
  return async <A, R>(query: Query<A, R>, args: A): Promise<R | undefined> => {
    const answered = answers.find((one) => one.query.name === query.name);
    return (await answered?.answer(args, { signal })) as R | undefined;
  };
}

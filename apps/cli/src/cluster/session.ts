import { type ClusterAccess, createClient, type HttpTransport, httpTransport } from "@trivium/client";
import { ApiError, type KubeClient } from "@trivium/kube";
import { type AccessOptions, accessOf, refusalOf } from "../access.ts";

/** The cluster that a command works with, for as long as it runs. */
export interface Session {
  readonly client: KubeClient;
  readonly transport: HttpTransport;
  readonly access: ClusterAccess;
  readonly namespace: string;
}

/** Opens the cluster of kubectl, or of this machine; what it refuses is one line for the person who asked. */
export async function withCluster<T>(options: AccessOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const access = await accessOf(options);
  const transport = httpTransport({ ...access, connectTimeout: connectPatience });
  const { namespace = access.namespace } = options;
  try {
    return await use({ client: createClient(transport), transport, access, namespace });
  } catch (error) {
    if (error instanceof ApiError) throw refusalOf(error, access, options);
    throw error;
  } finally {
    await transport.close();
  }
}

/** A person waits for the answer. */
const connectPatience = 10_000;

import type { Transport } from "@trivium/kube";
import type { UserInfo } from "./contract.ts";

/** The Kubernetes API as one user calls it. */
export interface Connection {
  readonly transport: Transport;
  /** Address of the API, to show. */
  readonly server: string;
  /** Namespace that is meant where none is named. */
  readonly namespace: string;
  close?(): Promise<void>;
}

/** Who may use the dashboard, and as whom. */
export type Login =
  | {
      /** For the person who started it: the printed address holds a token that can be exchanged once. */
      readonly is: "start-token";
      readonly connection: Connection;
      /** Where sessions outlive a restart; without it they end with the process. */
      readonly kept?: KeptSessions | undefined;
      /** The token of the next log-in: the first one at once, another after each exchange. */
      publish(token: string): void;
    }
  | {
      /** For users of a cluster: each session calls the API with the token that the user gave. */
      readonly is: "cluster-token";
      connect(token: string): Connection;
    };

/** A session as it is written down: by the digest of its id, which gives nobody the id. */
export interface KeptSession {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  readonly user: UserInfo;
}

export interface KeptSessions {
  load(): readonly KeptSession[];
  save(sessions: readonly KeptSession[]): void;
}

/** Where models answer. */
export interface GatewayPort {
  readonly url: string;
  /** As clients of this network call it; the same address when left out. */
  readonly address?: string | undefined;
  /** An API key that the dashboard may use; without one the page can send its own. */
  readonly key?: string | undefined;
  readonly metrics?: MetricsPort | undefined;
}

export interface MetricsPort {
  /** The text of `/metrics`. */
  read(signal: AbortSignal): Promise<string>;
  /** Whether only users who can get `/metrics` of the cluster see them. */
  readonly isGuarded: boolean;
}

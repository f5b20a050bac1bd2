/** What one client may take. The defaults fit one machine, also one with too much to do; tests make them small. */
export interface Limits {
  /** Bytes of a request body; as large as a kube-apiserver takes. */
  readonly bodyBytes: number;
  /** Bytes of the bodies of all requests under way together. */
  readonly allBodyBytes: number;
  /** Bytes of request line and headers; long label selectors travel there. */
  readonly headerBytes: number;
  readonly connections: number;
  /** Milliseconds until a TLS handshake, the headers and the whole request must be there. None of them limits an answer. */
  readonly handshakeTime: number;
  readonly headerTime: number;
  readonly requestTime: number;
  /** Milliseconds an idle connection is kept. */
  readonly idleTime: number;
  /** Milliseconds for which a client of a stream may read nothing before it is let go. */
  readonly stallTime: number;
  /** Milliseconds for which the rest of a refused body is still taken in, and thrown away. */
  readonly lingerTime: number;
  /** Milliseconds that requests under way get to end when the server closes. */
  readonly closeTime: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 3 * 1024 * 1024,
  allBodyBytes: 192 * 1024 * 1024,
  headerBytes: 64 * 1024,
  connections: 4096,
  handshakeTime: 30_000,
  headerTime: 30_000,
  requestTime: 60_000,
  idleTime: 90_000,
  stallTime: 60_000,
  lingerTime: 5_000,
  closeTime: 5_000,
};

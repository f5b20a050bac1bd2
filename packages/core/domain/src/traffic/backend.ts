/** A port of a Service: where a route sends requests. */
export interface Backend {
  readonly namespace: string;
  readonly service: string;
  /** The number that the Service gives the port. */
  readonly port: number;
}

export const formatBackend = ({ namespace, service, port }: Backend): string => `${namespace}/${service}:${port}`;

/**
 * Containers of a pod find each other at `localhost`; processes that listen at the pod's own address do not. So `localhost:8080` becomes
 * that address, where 8080 is a port that the pod declares, and nowhere else.
 */
export function loopbackRewriter(
  address: string,
  declared: readonly number[],
  portFor: (port: number) => number,
): (text: string) => string {
  const ports = new Set(declared.filter((port) => address !== "127.0.0.1" || portFor(port) !== port));
  if (ports.size === 0) return (text) => text;
  return (text) =>
    text.replace(
      /(^|[^\w.-])(?:localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})(?!\d)/g,
      (written, before: string, port: string) =>
        ports.has(Number(port)) ? `${before}${address}:${portFor(Number(port))}` : written,
    );
}

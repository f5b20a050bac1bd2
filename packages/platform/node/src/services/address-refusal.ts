import type { Frontend } from "./service-backends.ts";

/** Why nobody answers for a Service at its address, for those who look at the Service. */
export function refusalOf({ host, port }: Frontend, error: Error): { reason: string; message: string } {
  const code = "code" in error ? String(error.code) : error.message;
  const retried = "retrying automatically";
  switch (code) {
    case "EADDRINUSE":
      return {
        reason: "AddressInUse",
        message:
          `Another program on this machine listens on ${host}:${port} and receives the traffic of this Service; ` +
          `find it with ss -ltnp 'sport = :${port}' and stop it, or delete and create the Service again to get another address; ${retried}`,
      };
    case "EACCES":
      return {
        reason: "AddressRefused",
        message: `Cannot listen on ${host}:${port}: this user is not allowed to listen on port ${port}; use a port above 1023, or connect to the pods`,
      };
    default:
      return { reason: "AddressRefused", message: `Cannot listen on ${host}:${port} (${code}); ${retried}` };
  }
}

import type { Frontend } from "./service-backends.ts";

/** Why nobody answers for a Service at its address, for those who look at the Service. */
export function refusalOf({ host, port }: Frontend, error: Error): { reason: string; message: string } {
  const code = "code" in error ? String(error.code) : error.message;
  const retried = "It is tried again from time to time.";
  switch (code) {
    case "EADDRINUSE":
      return {
        reason: "AddressInUse",
        message:
          `Another program of this machine listens at ${host}:${port} and gets what is meant for this Service; ` +
          `\`ss -ltnp 'sport = :${port}'\` shows which. End it, or delete the Service and make it anew, which gives it another address. ${retried}`,
      };
    case "EACCES":
      return {
        reason: "AddressRefused",
        message: `Nobody answers at ${host}:${port}: this user may not listen on port ${port}. Give the Service a port above 1023, or call its pods.`,
      };
    default:
      return { reason: "AddressRefused", message: `Nobody answers at ${host}:${port} (${code}). ${retried}` };
  }
}

import { createClient } from "@trivium/client";
import { createServedClient } from "./served-client.ts";
import { transport } from "./transport.ts";

/** The Kubernetes API with which the page decides. */
export const client = createServedClient(createClient(transport));

/** Loaded on demand: a client that runs in the process of its server needs no connections. By name, since a bundle has no names of CommonJS. */
export { Pool } from "undici";

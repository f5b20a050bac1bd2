import { playOnControlPlane } from "./play-on-control-plane.ts";

await playOnControlPlane(({ name }) => !name.startsWith("fault-"));

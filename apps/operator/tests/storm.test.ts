import { test } from "node:test";
import { onEmbeddedServer } from "./story/embedded-server.ts";
import { playStorm } from "./story/storm.ts";

test("the story of an operator in a storm, on the embedded server", (t) =>
  onEmbeddedServer((stage) => playStorm(t, stage)));

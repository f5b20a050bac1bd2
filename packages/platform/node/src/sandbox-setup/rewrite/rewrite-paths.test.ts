import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pathRewriter } from "./rewrite-paths.ts";

const rewrite = pathRewriter([
  { mountPath: "/models", realPath: "/r/volumes/models" },
  { mountPath: "/models/adapters/", realPath: "/r/volumes/adapters" },
  { mountPath: "/etc/app/config.yaml", realPath: "/r/volumes/conf/config.yaml" },
  { mountPath: "/dev/termination-log", realPath: "/r/containers/main/termination-log" },
]);

const table: readonly [reported: string, written: string, read: string][] = [
  ["a path alone", "/models/x.gguf", "/r/volumes/models/x.gguf"],
  ["the mount itself", "/models", "/r/volumes/models"],
  ["the mount with a slash", "/models/", "/r/volumes/models/"],
  ["the value of a flag", "--model=/models/x.gguf", "--model=/r/volumes/models/x.gguf"],
  ["the longest mount wins", "/models/adapters/a", "/r/volumes/adapters/a"],
  ["a folder that only begins alike", "/models/adapters2/a", "/r/volumes/models/adapters2/a"],
  ["another mount that only begins alike", "/models2/x", "/models2/x"],
  ["a hyphen goes on with the name", "/models-old/x", "/models-old/x"],
  ["the end of a longer path", "/data/models/x", "/data/models/x"],
  ["a relative path", "./models/x ../models/x models/x", "./models/x ../models/x models/x"],
  [
    "a variable before it",
    `$HOME/models/x \${HOME}/models $(pwd)/models`,
    `$HOME/models/x \${HOME}/models $(pwd)/models`,
  ],
  ["the path of a URL", "http://host/models/x http://host:80/models", "http://host/models/x http://host:80/models"],
  ["a URL without a host", "hf:///models/x", "hf:///models/x"],
  ["a file URL", "file:///models/x", "file:///r/volumes/models/x"],
  ["a list of paths", "/a:/models/x:/models", "/a:/r/volumes/models/x:/r/volumes/models"],
  ["a single file", "cat /etc/app/config.yaml", "cat /r/volumes/conf/config.yaml"],
  ["not its neighbours", "/etc/app/config.yaml.bak /etc/app", "/etc/app/config.yaml.bak /etc/app"],
  [
    "a script",
    'cp "/models/a" /models/b && ls /models|wc',
    'cp "/r/volumes/models/a" /r/volumes/models/b && ls /r/volumes/models|wc',
  ],
  ["where to say why it ended", "echo no >/dev/termination-log", "echo no >/r/containers/main/termination-log"],
  ["JSON", '{"path":"/models/x","n":1}', '{"path":"/r/volumes/models/x","n":1}'],
  ["climbing out", "/models/../etc/passwd", "/models/../etc/passwd"],
  ["climbing out of the inner one", "/models/adapters/../x", "/r/volumes/models/x"],
  ["climbing in", "/tmp/../models/./x", "/r/volumes/models/x"],
  ["doubled slashes", "//models//x", "/r/volumes/models/x"],
  ["a name with two dots is a name", "/models/a..b", "/r/volumes/models/a..b"],
  ["a hidden file", "/models/.cache", "/r/volumes/models/.cache"],
  ["nothing", "", ""],
];

test("paths of volumes become real paths, and nothing else changes", () => {
  for (const [reported, written, read] of table) assert.equal(rewrite(written), read, reported);
});

test("the order of mounts does not matter, and a mount of everything is none", () => {
  const mounts = [
    { mountPath: "/a", realPath: "/r/a" },
    { mountPath: "/a/b", realPath: "/r/b" },
    { mountPath: "/", realPath: "/r/all" },
  ];
  for (const order of [mounts, [...mounts].reverse()])
    assert.equal(pathRewriter(order)("/a/b/c /a/c /d"), "/r/b/c /r/a/c /d");
});

test("no path leads from a volume to a neighbour of its folder", () => {
  const segment = fc.constantFrom("..", ".", "", "x", "models", "...");
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const read = rewrite(`/models/${segments.join("/")}`);
      if (!read.startsWith("/r/")) return true;
      const real = new URL(`file://${read}`).pathname;
      return real.startsWith("/r/volumes/models") || real.startsWith("/r/volumes/adapters");
    }),
  );
});

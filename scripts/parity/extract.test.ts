import assert from "node:assert/strict";
import { test } from "node:test";
import { extractAim } from "./extract-aim.ts";
import { extractLlmkube } from "./extract-llmkube.ts";
import { extractOme } from "./extract-ome.ts";
import type { Facts } from "./facts.ts";
import { formatFacts, onlyReachable } from "./write-facts.ts";

test("llmkube: a JSON schema", () => {
  const schema = {
    description: "Model is the Schema for the models API",
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        "x-kubernetes-validations": [{ rule: "true", message: "m" }],
        properties: {
          mode: { type: ["string", "null"], enum: ["a", "b"], default: "a", description: "prose" },
          counts: { type: ["array", "null"], maxItems: 3, items: { type: "integer", format: "int32", minimum: 0 } },
        },
      },
    },
  };
  const mode = { type: "string", nullable: true, default: "a", enum: ["a", "b"] };
  const of = { type: "integer", format: "int32", bounds: { minimum: 0 } };
  const counts = { type: "array", nullable: true, bounds: { maxItems: 3 }, of };
  const spec = { type: "object", rules: [{ rule: "true", message: "m" }], fields: { mode, counts }, required: true };
  assert.deepEqual(extractLlmkube(["other", JSON.stringify(schema)]).kinds, {
    Model: { type: "object", fields: { spec } },
  });
});

const aimReference = `- [aim.silogen.ai/v1alpha1](#aimsilogenaiv1alpha1)
#### Thing
| Field | Description | Default | Validation |
| --- | --- | --- | --- |
| \`apiVersion\` _string_ | x | | |
| \`kind\` _string_ | x | | |
| \`metadata\` _[ObjectMeta](https://k8s/#objectmeta)_ | x |  |  |
| \`spec\` _[ThingSpec](#thingspec)_ | x |  |  |

#### ThingSpec
| \`uri\` _string_ | a \\| b | | MinLength: 1 <br />Pattern: \`^(a\\|b)$\` <br /> |
| \`count\` _integer_ | x | 3 | Maximum: 9 <br />Minimum: 1 <br /> |
| \`on\` _boolean_ | x | false |  |
| \`modes\` _string array_ | x | [a b] |  |
| \`mode\` _[Mode](#mode)_ | x |  |  |
| \`other\` _[Mode](#mode)_ | x |  | Enum: [y] <br /> |
| \`size\` _[Quantity](https://k8s/#quantity)_ | x |  |  |
| \`env\` _[EnvVar](https://k8s/#envvar) array_ | x |  |  |
| \`parts\` _object (keys:string, values:[Part](#part))_ | x |  |  |
| \`gateway\` _[Gateway](#gateway)_ | not described on the page |  |  |
| \`part\` _[Part](#part)_ | x |  |  |
| \`part\` _[Second](#second)_ | listed twice |  |  |

#### Mode
_Underlying type:_ _string_

_Validation:_
- Enum: [x y]

#### Part
| \`metadata\` _string_ | x |  |  |

#### Second
| \`b\` _string_ | x |  |  |

#### Unused
| \`a\` _string_ | x |  |  |
`;
const aimImages = `# AIM Images and Service Templates
\`\`\`yaml
apiVersion: aim.silogen.ai/v1alpha1
kind: Thing
spec: { limits: { a.b/c: "1" }, parts: [{ n: 1 }] }
---
apiVersion: v1
kind: Secret
data: {}
\`\`\`
### Status
| \`profile\` | JSON | x |
`;
const aimModels = `# AIM Models
### Fields
| \`image\` | x |
### Status Field
| \`state\` | x |
### Model Sources
| \`id\` | Yes | x |
`;

test("aim: the tables of the reference", () => {
  const facts = onlyReachable(extractAim([aimReference, aimImages, aimModels]));
  assert.deepEqual(facts.kinds, { Thing: { type: "object", own: ["Thing"] } });
  assert.deepEqual(facts.types, {
    Thing: { fields: { spec: { type: "object", own: ["ThingSpec"] } } },
    ThingSpec: {
      fields: {
        uri: { type: "string", pattern: "^(a|b)$", bounds: { minLength: 1 } },
        count: { type: "integer", bounds: { maximum: 9, minimum: 1 }, default: 3 },
        on: { type: "boolean", default: false },
        modes: { type: "array", of: { type: "string" }, default: ["a", "b"] },
        mode: { type: "string", enum: ["x", "y"] },
        other: { type: "string", enum: ["y"] },
        size: { type: "quantity" },
        env: { type: "array", of: { type: "object", k8s: "EnvVar" } },
        parts: { type: "map", of: { type: "object", own: ["Part"] } },
        gateway: { type: "object", k8s: "Gateway" },
        part: { type: "object", own: ["Part", "Second"] },
      },
    },
    Part: { fields: { metadata: { type: "string" } } },
    Second: { fields: { b: { type: "string" } } },
  });
});

test("aim: samples and tables of the concept pages", () => {
  const { samples } = extractAim([aimReference, aimImages, aimModels]);
  assert.deepEqual(samples?.Thing, {
    spec: "object",
    "spec.limits": "object",
    "spec.limits[a.b/c]": "string",
    "spec.parts": "array",
    "spec.parts[]": "object",
    "spec.parts[].n": "integer",
  });
  assert.deepEqual(samples?.AIMModel, { "spec.image": "any", "status.state": "any", "spec.modelSources[].id": "any" });
  assert.equal(samples?.Secret, undefined);
});

const omeRow = (name: string, type: string, more = "x", required = ""): string =>
  `<tr><td><code>${name}</code>${required}<br/>\n${type}\n</td>\n<td>${more}</td>\n</tr>\n`;
const embedded = (name: string): string => `(Members of <code>${name}</code> are embedded into this type.)`;
const ome = `title: OME API
## Resource Types
- [Thing](#ome-io-v1beta1-Thing)

## \`Thing\`     {#ome-io-v1beta1-Thing}
<tbody><tr><td><code>apiVersion</code><br/>string</td><td><code>ome.io/v1beta1</code></td></tr>
${omeRow("spec", '<a href="#x"><code>ThingSpec</code></a>', "x", " <B>[Required]</B>")}
## \`ThingSpec\`     {#x}
${omeRow("count", "<code>int32</code>")}
${omeRow("modes", "<code>[]string</code>")}
${omeRow("parts", '<code>map[Mode]<a href="#x">Part</a></code>')}
${omeRow("mode", '<a href="#x"><code>Mode</code></a>')}
${omeRow("since", '<a href="https://k8s"><code>k8s.io/apimachinery/pkg/apis/meta/v1.Time</code></a>')}
${omeRow("free", '<a href="https://k8s"><code>k8s.io/apimachinery/pkg/runtime.RawExtension</code></a>')}
${omeRow("Part", '<a href="#x"><code>Part</code></a>', embedded("Part"), " <B>[Required]</B>")}
${omeRow("Container", '<a href="https://k8s"><code>k8s.io/api/core/v1.Container</code></a>', embedded("Container"))}
## \`Part\`     {#x}
${omeRow("volumes", '<a href="https://k8s"><code>[]k8s.io/api/core/v1.Volume</code></a>')}
## \`Mode\`     {#x}
(Alias of \`string\`)
`;

test("ome: the HTML tables of the reference", () => {
  const facts = onlyReachable(extractOme(["other", ome]));
  assert.deepEqual(facts.kinds, { Thing: { type: "object", own: ["Thing"] } });
  assert.deepEqual(facts.types, {
    Thing: { fields: { spec: { type: "object", own: ["ThingSpec"], required: true } } },
    ThingSpec: {
      embeds: ["Part"],
      embedsK8s: ["Container"],
      fields: {
        count: { type: "integer", format: "int32" },
        modes: { type: "array", of: { type: "string" } },
        parts: { type: "map", of: { type: "object", own: ["Part"] } },
        mode: { type: "string" },
        since: { type: "string", format: "date-time" },
        free: { type: "any" },
      },
    },
    Part: { fields: { volumes: { type: "array", of: { type: "object", k8s: "Volume" } } } },
  });
});

test("a document that is not there is named", () => {
  assert.throws(() => extractOme(["something else"]), /none of the documents contains "title: OME API"/);
});

test("facts that name a type without describing it are an error", () => {
  const facts: Facts = { speaksOf: [], kinds: { Thing: { type: "object", own: ["Gone"] } }, types: {} };
  assert.throws(() => onlyReachable(facts), /the type Gone/);
});

test("written facts are the same facts, in lines that are not too long", () => {
  for (const facts of [extractOme([ome]), extractAim([aimReference, aimImages, aimModels])]) {
    const text = formatFacts(facts);
    assert.deepEqual(JSON.parse(text), facts);
    assert.ok(text.split("\n").every((line) => line.length <= 120));
    assert.ok(text.split("\n").length > 5);
  }
});

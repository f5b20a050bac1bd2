import type { SimpleService, WrittenService } from "@trivium/domain";
import { apiVersionOf } from "@trivium/kube";
import { AIMService } from "./kinds/service.ts";

/** An AIMService with a custom model: its template and its cache follow from it. */
export function writeService({ name, namespace, labels, ...weights }: SimpleService): WrittenService {
  const { source, files } = weights;
  if (source.startsWith("https://") || source.startsWith("http://"))
    return { is: "impossible", why: "AIM does not download from web addresses; use --as llmkube" };
  if (/\s/.test(source))
    return { is: "impossible", why: `AIM accepts no spaces in ${source}; rename the file, or use --as llmkube` };
  const [only, ...more] = files;
  if (more.length > 0)
    return {
      is: "impossible",
      why: "AIM downloads one file or a whole repository; use --as llmkube for a split model",
    };
  const service = {
    apiVersion: apiVersionOf(AIMService),
    kind: AIMService.kind,
    metadata: { name, namespace, labels },
    spec: {
      model: {
        custom: {
          modelSources: [{ modelId: `custom/${name}`, sourceUri: only === undefined ? source : `${source}/${only}` }],
          hardware: { cpu: { requests: "250m" } },
        },
      },
    },
  };
  return { is: "written", objects: [service] };
}

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Route } from "../routing/route.ts";
import { Empty, Loading } from "./empty.tsx";

type LazyName = Exclude<Route["page"], "services" | "overview">;
type Page = ComponentType;

/** Pages that the first load does not have. */
const pages: Readonly<Record<LazyName, () => Promise<Page>>> = {
  service: async () => (await import("../service/service-page.tsx")).ServicePage,
  models: async () => (await import("../models/models-page.tsx")).ModelsPage,
  nodes: async () => (await import("../nodes/nodes-page.tsx")).NodesPage,
  plan: async () => (await import("../plan/plan-page.tsx")).PlanPage,
  benchmarks: async () => (await import("../benchmarks/benchmarks-page.tsx")).BenchmarksPage,
};

/** Once loaded, a page is shown at once. */
const loaded = new Map<LazyName, Page>();

export function LazyPage({ route }: { readonly route: Route }) {
  const page = route.page as LazyName;
  const [, setLoaded] = useState("");
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (loaded.has(page)) return;
    setFailure("");
    pages[page]().then(
      (component) => {
        loaded.set(page, component);
        setLoaded(page);
      },
      () => setFailure("The page could not be loaded; reload it in the browser"),
    );
  }, [page]);
  const Shown = loaded.get(page);
  if (failure !== "") return <Empty title="Not loaded">{failure}</Empty>;
  return Shown === undefined ? <Loading what="page" /> : <Shown />;
}

import { readdirSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/**
 * What a process uses, under the usual names, read when it is scraped. The default metrics of prom-client also measure the delay of the
 * event loop with a timer every 10 ms, which is most of what an idle process would cost.
 */
export function collectProcessMetrics(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "User and system CPU time in seconds",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  for (const { name, help, read } of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}

const gauges: readonly { readonly name: string; readonly help: string; read(): number }[] = [
  {
    name: "process_start_time_seconds",
    help: "Start of the process since the Unix epoch in seconds",
    read: () => performance.timeOrigin / 1000,
  },
  {
    name: "process_resident_memory_bytes",
    help: "Resident memory in bytes",
    read: () => process.memoryUsage.rss(),
  },
  { name: "process_open_fds", help: "Open file descriptors", read: countOpenFiles },
  {
    name: "nodejs_heap_size_used_bytes",
    help: "Heap in use in bytes",
    read: () => process.memoryUsage().heapUsed,
  },
  {
    name: "nodejs_heap_size_total_bytes",
    help: "Heap reserved in bytes",
    read: () => process.memoryUsage().heapTotal,
  },
  {
    name: "nodejs_external_memory_bytes",
    help: "Memory outside the heap that objects of the heap hold, in bytes",
    read: () => process.memoryUsage().external,
  },
  {
    name: "nodejs_eventloop_utilization",
    help: "Share of time since the start in which the event loop was busy, from 0 to 1",
    read: () => performance.eventLoopUtilization().utilization,
  },
];

/** Only Linux lists them as files. */
function countOpenFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

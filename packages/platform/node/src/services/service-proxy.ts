import { connect, createServer, type Server, type Socket } from "node:net";
import { countEvent } from "@trivium/client";
import { EndpointSlice, isReason, type KubeClient, Service } from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { follow } from "../follow.ts";
import { Retries } from "../retries.ts";
import { refusalOf } from "./address-refusal.ts";
import { type Backend, type Frontend, planFrontends } from "./service-backends.ts";

export interface ServiceProxyOptions {
  readonly client: KubeClient;
  readonly clock?: Clock;
  /** Only Services with an address that begins like this are ours to answer for. */
  readonly network: string;
  readonly onError?: (what: string, error: unknown) => void;
}

interface Door {
  readonly server: Server;
  frontend: Frontend;
  /** Who is next: connections go round. */
  turn: number;
}

/** Answers at the addresses of Services and passes connections on to their pods: what kube-proxy does, for processes of this machine. */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #stopping = new AbortController();
  readonly #services = new Map<string, Service>();
  readonly #slices = new Map<string, EndpointSlice>();
  readonly #doors = new Map<string, Door>();
  readonly #connections = new Set<Socket>();
  readonly #tasks: Promise<void>[] = [];
  readonly #clock: Clock;
  /** Addresses that could not be had, by `host:port`; they are tried again. */
  readonly #refused = new Map<string, Frontend>();
  readonly #retries: Retries;
  #isPlanned = false;

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#retries = new Retries(this.#clock);
  }

  /** Resolves when the Services that exist are answered for. */
  async start(): Promise<void> {
    await Promise.all([this.#keep(Service, this.#services), this.#keep(EndpointSlice, this.#slices)]);
    this.#arrange();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#retries.stop();
    for (const connection of this.#connections) connection.destroy();
    await Promise.all([...this.#doors.values()].map(({ server }) => new Promise((resolve) => server.close(resolve))));
    this.#doors.clear();
    await Promise.all(this.#tasks);
  }

  /** How many addresses are answered at. */
  get size(): number {
    return this.#doors.size;
  }

  #keep<O extends Service | EndpointSlice>(
    kind: Parameters<typeof follow<O>>[0]["kind"],
    map: Map<string, O>,
  ): Promise<void> {
    const { client, onError = () => undefined } = this.#options;
    const listed = Promise.withResolvers<void>();
    const keyOf = ({ metadata }: O): string => `${metadata.namespace}/${metadata.name}`;
    const changed = (): void => this.#plan();
    this.#tasks.push(
      follow<O>(
        {
          client,
          clock: this.#clock,
          kind,
          onList: (objects) => {
            map.clear();
            for (const object of objects) map.set(keyOf(object), object);
            listed.resolve();
            changed();
          },
          onChange: (object) => {
            map.set(keyOf(object), object);
            changed();
          },
          onGone: (object) => {
            map.delete(keyOf(object));
            changed();
          },
          onError: (error) => onError(`watch of ${kind.plural} for the service proxy failed`, error),
        },
        this.#stopping.signal,
      ),
    );
    return listed.promise;
  }

  /** Many changes of one moment are one. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#arrange();
    });
  }

  #arrange(): void {
    if (this.#stopping.signal.aborted) return;
    const wanted = planFrontends([...this.#services.values()], [...this.#slices.values()]);
    for (const [key, door] of this.#doors) {
      if (wanted.has(key)) continue;
      door.server.close();
      this.#doors.delete(key);
    }
    for (const key of this.#refused.keys()) if (!wanted.has(key)) this.#settle(key);
    for (const [key, frontend] of wanted) {
      if (!frontend.host.startsWith(this.#options.network)) continue;
      const door = this.#doors.get(key);
      if (door !== undefined) door.frontend = frontend;
      else if (this.#refused.has(key)) this.#refused.set(key, frontend);
      else this.#open(key, frontend);
    }
  }

  #open(key: string, frontend: Frontend): void {
    const server = createServer((caller) => this.#pass(caller, door));
    const door: Door = { server, frontend, turn: 0 };
    this.#doors.set(key, door);
    server.on("error", (error) => {
      if (this.#doors.get(key) !== door) return;
      this.#doors.delete(key);
      this.#refuse(key, door.frontend, error);
    });
    server.listen(frontend.port, frontend.host, () => this.#settle(key));
  }

  /** Whoever looks at the Service must see it: its callers reach somebody else, or nobody. Told again with every try, since Events expire. */
  #refuse(key: string, frontend: Frontend, error: Error): void {
    if (this.#stopping.signal.aborted) return;
    const { client, onError = () => undefined } = this.#options;
    const { service } = frontend;
    const owner = `Service ${service.metadata.namespace}/${service.metadata.name}`;
    if (!this.#refused.has(key)) onError(`cannot listen on ${key} for ${owner}`, error);
    this.#refused.set(key, frontend);
    const note = {
      type: "Warning" as const,
      ...refusalOf(frontend, error),
      component: "service-proxy",
      at: this.#clock.now(),
    };
    void countEvent(client, service, note).catch((fault: unknown) => {
      if (!isReason(fault, "NotFound", "Forbidden")) onError(`cannot create an Event of ${owner}`, fault);
    });
    this.#retries.later(key, () => {
      const again = this.#refused.get(key);
      if (again !== undefined) this.#open(key, again);
    });
  }

  /** It is answered at, or nobody wants it any more. */
  #settle(key: string): void {
    this.#refused.delete(key);
    this.#retries.settle(key);
  }

  /** A caller that nobody can answer is hung up on, as a cluster does. */
  #pass(caller: Socket, door: Door): void {
    this.#hold(caller);
    const { backends } = door.frontend;
    const first = door.turn++;
    const order = backends.map((_, i) => backends[(first + i) % backends.length] as Backend);
    this.#connect(caller, order);
  }

  #connect(caller: Socket, [next, ...others]: readonly Backend[]): void {
    if (next === undefined || caller.destroyed) {
      caller.resetAndDestroy();
      return;
    }
    const server = this.#hold(connect({ ...next, noDelay: true }));
    server.once("connect", () => {
      server.removeListener("error", tryNext);
      join(caller, server);
    });
    const tryNext = (): void => this.#connect(caller, others);
    server.once("error", tryNext);
  }

  #hold(socket: Socket): Socket {
    this.#connections.add(socket);
    socket.setNoDelay(true);
    return socket.once("close", () => this.#connections.delete(socket));
  }
}

/** Both ways, until one of them ends. */
function join(a: Socket, b: Socket): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroySoon());
    from.pipe(to);
  }
}

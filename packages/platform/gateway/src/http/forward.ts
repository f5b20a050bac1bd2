import type { Readable } from "node:stream";
import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import { FailedRequest, type Failure, fail } from "../failure.ts";
import type { Metrics } from "../metrics.ts";
import type { ResponseControl, ResponseHandler } from "../upstream/http/connection.ts";
import { UnsendableRequest } from "../upstream/http/request-head.ts";
import type { HeaderList, ResponseHead } from "../upstream/http/response-head.ts";
import type { Target } from "../upstream/target.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Holds, Waiter } from "../waking/holds.ts";
import { Answer } from "./answer.ts";
import { type EarlyStream, earlyStream } from "./early-stream.ts";
import type { Exchange } from "./exchange.ts";

/** A request as it is sent to a replica. */
export interface Outgoing {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: HeaderList;
  /** Whole, so that it can be sent again; or as it comes. */
  readonly body: Buffer | Readable | null;
  /** The body once it is known who gets it; for a request that had to wait. */
  readonly settleBody?: (() => Promise<Buffer> | undefined) | undefined;
  /** Whether a second server may be asked when the first one took the request and died. */
  readonly isRepeatable: boolean;
  /** Whether the client asked for events: it can be told what is going on. */
  readonly wantsEvents: boolean;
  /** Whether it speaks the OpenAI API, whose answers count tokens. */
  readonly isModelCall: boolean;
  readonly prefix?: string | undefined;
  readonly changeAnswer?: ((headers: string[]) => string[]) | undefined;
  /** For the whole exchange, and for each try. */
  readonly timeout?: Millis | undefined;
  readonly tryTimeout?: Millis | undefined;
}

export interface ForwardParts {
  readonly holds: Holds;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: () => number;
}

/** So many replicas are asked after the first took a request and died. */
const maxRepeats = 1;
const maxTries = 4;
/** While nobody can be reached, a server that restarts is given so long, and tried so often. */
const reconnectPatience: Millis = 10_000;
const reconnectEvery: Millis = 1_000;

const unsendable = (name: string, { message }: Error): Failure =>
  fail(
    500,
    "invalid_forwarding",
    `Cannot forward the request to ${name}: ${message}; check the filters of its HTTPRoute`,
  );

/** Takes one request to a replica and the answer back: waits for one, tries another, streams, and ends exactly once. */
export function forward(exchange: Exchange, target: Target, outgoing: Outgoing, parts: ForwardParts): void {
  new Forwarding(exchange, target, outgoing, parts).start();
}

class Forwarding implements ResponseHandler, Waiter {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #outgoing: Outgoing;
  readonly #parts: ForwardParts;
  #body: Outgoing["body"];
  readonly tried = new Set<Upstream>();
  #upstream: Upstream | undefined;
  #control: ResponseControl | undefined;
  #stage: "waiting" | "connecting" | "sent" | "answering" | "ended" = "waiting";
  #tries = 0;
  #unreachableSince: Instant | undefined;
  #repeats = 0;
  #heldSince: number | undefined;
  #early: EarlyStream | undefined;
  #answer: Answer | undefined;
  #timers: Cancel[] = [];
  #tryTimer: Cancel | undefined;

  constructor(exchange: Exchange, target: Target, outgoing: Outgoing, parts: ForwardParts) {
    this.#exchange = exchange;
    this.#target = target;
    this.#outgoing = outgoing;
    this.#body = outgoing.body;
    this.#parts = parts;
  }

  get prefix(): string | undefined {
    return this.#target.hasAffinity ? this.#outgoing.prefix : undefined;
  }

  get bytes(): number {
    return this.#body instanceof Buffer ? this.#body.length : 0;
  }

  get isCurious(): boolean {
    return this.#outgoing.wantsEvents;
  }

  start() {
    const { clock, metrics, random } = this.#parts;
    this.#exchange.target = this.#target.name;
    this.#exchange.onGone = () => this.#abandon();
    this.#target.begin();
    metrics.began(this.#target.name);
    if (this.#exchange.isGone) return this.#end(499);
    if (this.#outgoing.timeout !== undefined) {
      this.#timers.push(clock.schedule(this.#outgoing.timeout, () => this.#exchange.run(() => this.#timeOut())));
    }
    const upstream = this.#target.pick(random, this);
    if (upstream === undefined) this.#hold();
    else this.#send(upstream);
  }

  // While it waits.

  #hold(): void {
    const { holds, clock } = this.#parts;
    this.#early?.resume();
    this.#heldSince = performance.now();
    if (this.isCurious) {
      this.#early ??= earlyStream(
        this.#exchange,
        clock,
        () => `waiting for ${this.#target.title}: ${holds.eventsOf(this.#target)}`,
      );
    }
    holds.hold(this.#target, this);
  }

  onReady(upstream: Upstream): void {
    this.#exchange.run(() => this.#takeReady(upstream));
  }

  #takeReady(upstream: Upstream) {
    this.#noteHeld();
    if (this.#stage === "ended") return upstream.release();
    const settling = this.#outgoing.settleBody?.();
    if (settling === undefined) return this.#send(upstream);
    this.#upstream = upstream;
    this.#stage = "connecting";
    settling
      .then((body) => {
        this.#body = body;
        if (this.#stage !== "ended") this.#send(upstream);
      })
      .catch((error: unknown) => {
        if (error instanceof FailedRequest) this.onFailure(error.failure);
        else this.#exchange.crash(error);
      });
  }

  onFailure(failure: Failure): void {
    this.#exchange.run(() => {
      this.#noteHeld();
      this.#giveUp(failure);
    });
  }

  onProgress(): void {
    this.#exchange.run(() => this.#early?.tell());
  }

  #noteHeld() {
    this.#early?.pause();
    if (this.#heldSince !== undefined)
      this.#parts.metrics.queued(this.#target.name, performance.now() - this.#heldSince);
    this.#heldSince = undefined;
  }

  // While it is sent.

  #send(upstream: Upstream) {
    this.#upstream = upstream;
    this.#control = undefined;
    this.#stage = "connecting";
    this.#tries += 1;
    const { method, path, headers, tryTimeout } = this.#outgoing;
    if (tryTimeout !== undefined) this.#tryTimer = this.#startTryTimer(tryTimeout);
    upstream.pool.dispatch({ method, path, headers: upstream.addProof(headers), body: this.#body }, this);
  }

  onRequestStart(control: ResponseControl) {
    this.#control = control;
    if (this.#stage === "ended") return control.abort();
    this.#stage = "sent";
  }

  #startTryTimer(timeout: Millis): Cancel {
    return this.#parts.clock.schedule(timeout, () => this.#exchange.run(() => this.#timeOut()));
  }

  onResponseError(error: Error): void {
    this.#exchange.run(() => this.#takeError(error));
  }

  #takeError(error: Error) {
    const upstream = this.#upstream;
    const stage = this.#stage;
    if (stage === "ended" || upstream === undefined) return;
    if (error instanceof UnsendableRequest) return this.#giveUp(unsendable(this.#target.title, error));
    upstream.noteFailure();
    if (stage === "answering") return this.#breakOff(this.#answer as Answer);
    if (this.#canTryAgain(stage, upstream)) return this.#tryAnother(upstream, error);
    this.#giveUp(this.#unreachable(stage, error));
  }

  #canTryAgain(stage: "waiting" | "connecting" | "sent", upstream: Upstream): boolean {
    if (this.#tries >= maxTries) return false;
    // Nothing was sent: nobody can have done anything.
    if (stage !== "sent") return true;
    const isWhole = this.#body === null || this.#body instanceof Buffer;
    if (!isWhole || !this.#outgoing.isRepeatable) return false;
    // A replica that was withdrawn ended because it was told to, not because of this request.
    return !this.#target.upstreams.includes(upstream) || this.#repeats++ < maxRepeats;
  }

  #tryAnother(failed: Upstream, error: Error) {
    const stage = this.#stage as "connecting" | "sent";
    this.tried.add(failed);
    this.#letGo();
    const next = this.#target.pick(this.#parts.random, this);
    if (next !== undefined) {
      this.#parts.metrics.retried(this.#target.name);
      return this.#send(next);
    }
    // Its endpoints may have gone while it was tried.
    if (this.#target.upstreams.length === 0) {
      this.tried.clear();
      this.#stage = "waiting";
      return this.#hold();
    }
    if (stage === "connecting" && this.#canWait()) return this.#holdBriefly();
    this.#giveUp(this.#unreachable(stage, error));
  }

  #canWait(): boolean {
    this.#unreachableSince ??= this.#parts.clock.now();
    return this.#parts.clock.now() - this.#unreachableSince < reconnectPatience;
  }

  /** All replicas are said to be ready and none can be reached: one that restarts in its place comes back without a word. */
  #holdBriefly() {
    const { clock, holds } = this.#parts;
    this.#stage = "waiting";
    this.#tries = 0;
    this.#timers.push(
      clock.schedule(reconnectEvery, () => {
        this.tried.clear();
        this.#exchange.run(() => holds.review());
      }),
    );
    this.#hold();
  }

  #unreachable(stage: string, error: Error): Failure {
    const { title: name } = this.#target;
    const cause = (error as { code?: string }).code ?? error.message;
    if (stage === "sent")
      return fail(502, "upstream_failed", `The model server of ${name} stopped before it responded (${cause})`);
    const message = `Cannot reach any replica of ${name} (${cause})`;
    return { status: 503, code: "upstream_unreachable", message, retryAfter: 1 };
  }

  // While the answer comes.

  onResponseStart(head: ResponseHead): void {
    this.#exchange.run(() => this.#beginAnswer(head));
  }

  #beginAnswer(head: ResponseHead): void {
    if (this.#stage === "ended") return;
    this.#tryTimer?.();
    this.#upstream?.noteSuccess();
    this.#stage = "answering";
    this.#answer = new Answer(this.#exchange, this.#outgoing, this.#early);
    this.#answer.begin(head);
  }

  onResponseData(piece: Buffer): void {
    const [answer, control] = [this.#answer, this.#control];
    if (this.#stage === "ended" || answer === undefined || control === undefined) return;
    this.#exchange.run(() => {
      if (answer.isFirst && answer.isEventStream) {
        this.#parts.metrics.firstByte(this.#target.name, performance.now() - this.#exchange.began);
      }
      if (!answer.pass(control, piece)) control.pause();
    });
  }

  onResponseEnd(): void {
    this.#exchange.run(() => this.#endAnswer());
  }

  #endAnswer() {
    const answer = this.#answer;
    if (this.#stage === "ended") return;
    // An end without a status: nothing that a client could be given.
    if (answer === undefined) return this.#giveUp(this.#unreachable("sent", new Error("no status")));
    if (!answer.isWhole) return this.#breakOff(answer);
    answer.end();
    if (answer.usage !== undefined) this.#parts.metrics.tokens(this.#target.name, answer.usage);
    this.#end(answer.status);
  }

  #breakOff(answer: Answer): void {
    this.#parts.metrics.failed(this.#target.name, "upstream_broke_off");
    answer.breakOff(`The model server of ${this.#target.title} stopped in the middle of its response`);
    this.#end(answer.status);
  }

  // The end.

  #timeOut(): void {
    const failure = fail(504, "timeout", `${this.#target.title} did not respond within the timeout of its HTTPRoute`);
    this.#giveUp(failure);
  }

  #giveUp(failure: Failure): void {
    if (this.#stage === "ended") return;
    this.#parts.metrics.failed(this.#target.name, failure.code);
    this.#early?.pause();
    this.#exchange.fail(failure);
    this.#end(failure.status);
  }

  #abandon(): void {
    this.#end(499);
  }

  #end(status: number): void {
    if (this.#stage === "ended") return;
    const { holds, clock, metrics } = this.#parts;
    const wasBusy = this.#stage !== "waiting";
    this.#stage = "ended";
    this.#exchange.onGone = undefined;
    this.#early?.pause();
    if (wasBusy) this.#letGo();
    else holds.leave(this.#target, this);
    for (const cancel of this.#timers) cancel();
    if (!this.#isOver(status)) this.#control?.abort();
    this.#target.end(clock.now());
    metrics.ended(this.#target.name, status, performance.now() - this.#exchange.began);
  }

  /** Whether the exchange with the replica came to its own end. */
  #isOver(status: number): boolean {
    return status === this.#answer?.status && this.#exchange.response.writableEnded;
  }

  #letGo(): void {
    this.#tryTimer?.();
    this.#upstream?.release();
    this.#upstream = undefined;
  }
}

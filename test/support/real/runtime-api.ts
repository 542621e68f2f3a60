import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The outcome of an invocation, as the function's invoker receives it. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: unknown }
  /** A streamed response that has ended. `failure`: the error that interrupted it. */
  | { readonly kind: 'streamed'; readonly contentType: string; readonly body: Buffer; readonly failure: string | undefined }
  /** A function error. The invoker gets type and message; `trace` and the X-Ray document go to logs and traces. */
  | { readonly kind: 'error'; readonly errorType: string; readonly errorMessage: string; readonly trace: readonly string[] };

/** The platform's control of the process that the API serves. */
export interface Sandbox {
  /** Called when the runtime waits for an invocation. */
  freeze(): void;
  /** Called when there is an invocation. */
  thaw(): void;
  /** Called when an invocation has timed out. */
  kill(): void;
}

export interface InvokeOptions {
  /** The X-Ray trace header. Default: a new one for each invocation. */
  readonly traceId?: string;
  /** Called with each chunk of a streamed response when it arrives. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/** AWS Lambda's runtime API for one sandbox (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). */
export interface RuntimeAPI {
  /** The value of AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  /** Resolves when the runtime first requests an invocation, or to the error if its init failed. */
  readonly init: Promise<Outcome | undefined>;
  /** Delivers the event when the runtime requests an invocation: after the previous one or, in a Managed Instance, while it processes others. */
  invoke(event: unknown, options?: InvokeOptions): Promise<Outcome>;
  /** The largest number of invocations that the runtime has handled at the same time. */
  mostAtOnce(): number;
  /** Reports that the process has ended, so that its current invocations fail. */
  sandboxEnded(reason: string): void;
  close(): void;
}

/** Timeout of an invocation in milliseconds. */
export type Timeout = number;

/** Bytes of the largest result: 6 MiB and 100 bytes. */
const maxResultBytes = 6_291_556;
const functionARN = 'arn:aws:lambda:eu-central-1:123456789012:function:graphql';

/** Starts the API on a free port of the loopback interface. */
export async function startRuntimeAPI(sandbox: Sandbox, timeout: Timeout): Promise<RuntimeAPI> {
  const invocations = new Invocations(sandbox, timeout);
  const server = createServer((request, response) => void serve(invocations, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    init: invocations.init,
    invoke: (event, options = {}) => invocations.add(event, options),
    mostAtOnce: () => invocations.mostAtOnce,
    sandboxEnded: (reason) => invocations.failAll('Runtime.ExitError', reason),
    close: () => closeNow(server),
  };
}

async function serve(invocations: Invocations, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, id = '', verb] =
    /^\/2018-06-01\/runtime\/(init|invocation|invocation\/[^/]+)\/(next|response|error)$/.exec(request.url ?? '') ?? [];
  if (request.method === 'GET' && id === 'invocation' && verb === 'next') {
    invocations.next(response);
    return;
  }
  const body = await readBytes(request, invocations.onChunk(id.slice('invocation/'.length)));
  const { status, ...answer } =
    id === 'init' ? invocations.failInit(body) : takeOutcome(invocations, id.slice('invocation/'.length), verb, request, body);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
}

/** A response of the API to the runtime. */
interface Receipt {
  readonly status: number;
  readonly errorType?: string;
}

function takeOutcome(invocations: Invocations, id: string, verb: string | undefined, request: IncomingMessage, body: Buffer): Receipt {
  if (!invocations.isCurrent(id)) return { status: 400, errorType: 'InvalidRequestID' };
  if (verb === 'error') {
    invocations.settle(id, errorOf(body));
    return { status: 202 };
  }
  if (request.headers['lambda-runtime-function-response-mode'] === 'streaming') {
    const failure = request.trailers['lambda-runtime-function-error-type'];
    invocations.settle(id, { kind: 'streamed', contentType: request.headers['content-type'] ?? '', body, failure });
    return { status: 202 };
  }
  if (body.byteLength > maxResultBytes) {
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${maxResultBytes} bytes).`;
    invocations.settle(id, { kind: 'error', errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] });
    return { status: 413, errorType: 'RequestEntityTooLarge' };
  }
  invocations.settle(id, { kind: 'result', value: JSON.parse(body.toString()) });
  return { status: 202 };
}

interface Invocation {
  readonly id: string;
  readonly event: string;
  readonly traceId: string;
  readonly onChunk: (chunk: Buffer) => void;
  readonly settle: (outcome: Outcome) => void;
}

/** The queue of one sandbox: pending and current invocations. */
class Invocations {
  readonly init: Promise<Outcome | undefined>;
  #initDone!: (failure: Outcome | undefined) => void;
  readonly #sandbox: Sandbox;
  readonly #timeout: Timeout;
  readonly #waiting: Invocation[] = [];
  readonly #current = new Map<string, { invocation: Invocation; timer: NodeJS.Timeout }>();
  /** The runtime's pending requests for invocations. */
  readonly #asking: ServerResponse[] = [];
  mostAtOnce = 0;
  #count = 0;

  constructor(sandbox: Sandbox, timeout: Timeout) {
    this.#sandbox = sandbox;
    this.#timeout = timeout;
    this.init = new Promise((resolve) => {
      this.#initDone = resolve;
    });
  }

  add(event: unknown, { traceId, onChunk = () => {} }: InvokeOptions): Promise<Outcome> {
    this.#count += 1;
    const number = this.#count.toString(16).padStart(12, '0');
    return new Promise((settle) => {
      this.#waiting.push({
        id: `8476a536-e9f4-11e8-9739-${number}`,
        event: JSON.stringify(event),
        traceId: traceId ?? `Root=1-5bef4de7-ad49b0e87f6ef6c8${number.slice(4)};Parent=9a9197af755a6419;Sampled=1`,
        onChunk,
        settle,
      });
      this.#handOver();
    });
  }

  next(response: ServerResponse): void {
    this.#initDone(undefined);
    this.#asking.push(response);
    if (this.#waiting.length === 0 && this.#current.size === 0) this.#sandbox.freeze();
    this.#handOver();
  }

  failInit(body: Buffer): Receipt {
    this.#initDone(errorOf(body));
    return { status: 202 };
  }

  isCurrent(id: string): boolean {
    return this.#current.has(id);
  }

  onChunk(id: string): ((chunk: Buffer) => void) | undefined {
    return this.#current.get(id)?.invocation.onChunk;
  }

  settle(id: string, outcome: Outcome): void {
    const current = this.#current.get(id);
    clearTimeout(current?.timer);
    current?.invocation.settle(outcome);
    this.#current.delete(id);
  }

  failAll(errorType: string, errorMessage: string): void {
    const failure: Outcome = { kind: 'error', errorType, errorMessage, trace: [] };
    this.#initDone(failure);
    for (const id of this.#current.keys()) this.settle(id, failure);
    for (const { settle } of this.#waiting.splice(0)) settle(failure);
  }

  #handOver(): void {
    if (this.#asking.length === 0 || this.#waiting.length === 0) return;
    const response = this.#asking.shift()!;
    const invocation = this.#waiting.shift()!;
    this.#current.set(invocation.id, { invocation, timer: setTimeout(() => this.#timedOut(invocation.id), this.#timeout) });
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#current.size);
    this.#sandbox.thaw();
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': invocation.id,
      'Lambda-Runtime-Deadline-Ms': Date.now() + this.#timeout,
      'Lambda-Runtime-Invoked-Function-Arn': functionARN,
      'Lambda-Runtime-Trace-Id': invocation.traceId,
    });
    response.end(invocation.event);
  }

  #timedOut(id: string): void {
    const seconds = (this.#timeout / 1000).toFixed(2);
    this.settle(id, { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage: `Task timed out after ${seconds} seconds`, trace: [] });
    this.#sandbox.kill();
  }
}

function errorOf(body: Buffer): Outcome {
  const { errorType, errorMessage, trace } = JSON.parse(body.toString()) as { errorType: string; errorMessage: string; trace?: string[] };
  return { kind: 'error', errorType, errorMessage, trace: trace ?? [] };
}

async function readBytes(request: IncomingMessage, onChunk: ((chunk: Buffer) => void) | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    onChunk?.(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

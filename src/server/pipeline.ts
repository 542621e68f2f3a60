/**
 * The way of a call: `serve` → `answer` → `arrive`, which calls `respond` → `operate` → `runSteps` and then `depart`. Each function fills in
 * fields of the call or of the operation, and its caller waits only for promises. So without stages of plugins, an operation in which
 * nothing is asynchronous runs synchronously from event to response.
 */
import { resultTooLarge } from '../executor/index.ts';
import { HeaderMap, excessOf, waitAtMost } from '../shared/index.ts';
import type { HTTPRequest, HTTPResponse, Milliseconds, PromiseOrValue, StreamedResponse } from '../shared/index.ts';
import { Call, OperationLife, invocationOf, isStreamed, createOperation, createOperationOfPlugin } from './call.ts';
import type { ArrivedCall, Platforms, Serving } from './call.ts';
import { addCORSHeaders, isPreflight } from './doors/cors.ts';
import { accepts } from './doors/accept.ts';
import { assertAllowed } from './doors/rules.ts';
import type { OwnRules } from './doors/rules.ts';
import { revalidate } from './doors/etag.ts';
import { normalizeHead, uncacheable } from './doors/response-head.ts';
import { bodyReader } from './doors/body.ts';
import { queryStringTooLong } from './doors/errors.ts';
import { takeHead } from './doors/graphql/response.ts';
import { statusOf } from './doors/graphql/status.ts';
import type { Stages, Wrapped } from './operation/around.ts';
import { deadlineExceeded, endOf, unfinishedAtDeadline } from './operation/errors.ts';
import { createContext, runOperation } from './operation/run-operation.ts';
import type { Door, DoorRules, RequestBody, RequestCall } from './operation/door.ts';
import type { Operation } from './operation/operation.ts';
import type { OperationCall } from './operation/plugin.ts';
import type { OperationOutcome } from './operation/types.ts';
import { clientAddress, findAdapter } from './platform/adapter.ts';
import type { PlatformCall } from './platform/adapter.ts';
import { graphqlDoor } from './doors/graphql/door.ts';
import { answerOf, refuse, refusedOutcome, toErrorResponse } from './refuse.ts';
import { createObserved } from './startup/observer.ts';
import type { ServerOptions } from './startup/options.ts';
import { createClose, Starter } from './startup/start.ts';
import type { OptionsSource } from './startup/start.ts';

type AnyResponse = HTTPResponse | StreamedResponse;

/** Handles one event, from its arrival to the platform's result. What fails is refused. */
export async function serve(serving: Serving, given: Required<PlatformCall>): Promise<unknown> {
  const { starter, adapters } = serving;
  const adapter = findAdapter(adapters, given.event);
  const call = new Call(adapter, serving, given);
  const { event } = call;
  starter.calls.begin();
  try {
    const answering = answer(call);
    const response = answering instanceof Promise ? await answering : answering;
    if (isStreamed(response)) {
      call.lifetime.endWith(response.body);
      return adapter.toStreamResult?.(response, event);
    }
    call.answered();
    if (call.work !== undefined) await call.lifetime.settled();
    const losses = adapter.losses?.(response, event);
    if (losses !== undefined) starter.logger().warn(losses);
    return adapter.toResult(response, event);
  } finally {
    starter.calls.end();
  }
}

/** Handles one event, from its arrival to the response, which may be there synchronously. */
export function answer(call: Call): PromiseOrValue<AnyResponse> {
  const answering = arrive(call);
  if (call.departed !== undefined) return call.departed;
  return mayBeLate(call) ? answerInTime(answering, call, graceOutside) : answering;
}

/** Milliseconds after the last moment that operations inside of plugins around the request have to make partial answers. */
const graceInside: Milliseconds = 10;
/** Milliseconds after the last moment that a call has: plugins around the request get the answer only when the operations have ended. */
const graceOutside: Milliseconds = 20;

/**
 * Reads the event, answers health checks, and starts the server. Then responds, inside the plugins that wrap requests. Never rejects: what
 * fails is refused.
 */
async function arrive(call: Call): Promise<AnyResponse> {
  let response: AnyResponse;
  try {
    const { starter, adapter } = call;
    call.request = adapter.toRequest(call.event);
    if (isHealthCheck(call.request)) response = healthResponse(starter.calls.isClosed ? 'fail' : 'pass');
    else {
      const starting = starter.server(call);
      call.settings = (starting instanceof Promise ? await starting : starting).http;
      if (starting instanceof Promise) call.lifetime.optionsAreKnown();
      const { doors, operation } = call.settings;
      if (operation.stages === undefined && doors === undefined) {
        const responding = respond(call as ArrivedCall);
        response = call.responded ?? (await responding);
      } else {
        for (const find of doors ?? []) call.door ??= find(call.request);
        // A preflight has no credentials, which a plugin may require.
        const isAnswered = call.settings.cors !== undefined && isPreflight(call.request);
        response = await respondInStages(call as ArrivedCall, isAnswered ? undefined : operation.stages);
      }
    }
  } catch (failure) {
    response = await refuse(failure, call);
  }
  try {
    const departing = depart(call, response);
    return (call.departed = departing instanceof Promise ? await departing : departing);
  } catch (failure) {
    return refuse(failure, call);
  }
}

/** From the HTTP request to the response, through its door. Throws what refuses it. */
async function respond(call: ArrivedCall): Promise<AnyResponse> {
  const { settings, request } = call;
  const isGraphQL = call.door === undefined;
  const door = (call.door ?? graphqlDoor) as Door<unknown>;
  const seen = isGraphQL ? call : call.view;
  const ruling = door.rules(seen);
  const rules: OwnRules | HTTPResponse = ruling instanceof Promise ? await ruling : ruling;
  if ('status' in rules) return rules;
  const body = isGraphQL ? unread : bodyOf(call, rules);
  if (request.method === 'OPTIONS') {
    // `depart` adds the CORS fields of a preflight.
    const headers = new HeaderMap({ allow: [...rules.methods, 'OPTIONS'].join(', '), ...rules.announced });
    return (call.responded = { status: 204, headers, body: null });
  }
  assertAllowed(rules, settings, request);
  if (!isGraphQL && request.queryString.length > settings.maxBodyBytes)
    throw queryStringTooLong(settings.maxBodyBytes, request.queryString.length);
  const reading = door.read(seen, body);
  const asked = reading instanceof Promise ? await reading : reading;
  if ('status' in asked) return asked;
  call.mayHaveRun = true;
  if ('requests' in asked) {
    const { requests } = asked;
    const create = isGraphQL ? createOperation : createOperationOfPlugin;
    const operations = requests.map((one, batchIndex) => create(call, one, { operations: requests.length, batchIndex }));
    const outcomes = await Promise.all(operations.map((operation) => operate(call, operation)));
    return asked.writeAll(outcomes, seen);
  }
  const operation = isGraphQL ? createOperation(call, asked.request, asked) : createOperationOfPlugin(call, asked.request, asked);
  const running = operate(call, operation);
  const outcome = running instanceof Promise ? await running : running;
  return (call.responded = asked.write(outcome, seen));
}

/** The door for GraphQL reads bodies itself, to save promises. */
const unread = undefined as never;

/** The body for a plugin's door, whose CORS fields, too, depend on its rules. */
function bodyOf(call: ArrivedCall, { cors, methods, maxBodyBytes = Infinity }: DoorRules): RequestBody {
  const { settings, request } = call;
  const shared = cors ?? settings.cors;
  call.cors = shared && { ...shared, methods };
  return bodyReader(request.body, { ...settings, maxBodyBytes: Math.min(maxBodyBytes, settings.maxBodyBytes) });
}

/**
 * True for a health check: the path ends with `/health`, or the user agent is that of an AWS load balancer, which cannot send the headers
 * that CSRF prevention requires. No other code reads the path.
 */
function isHealthCheck({ method, path, queryString, headers }: HTTPRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (/\/health\/?$/.test(path)) return true;
  return queryString === '' && (headers.get('user-agent')?.startsWith('ELB-HealthChecker/') ?? false);
}

/** The answer to a health check, in the format of the Internet draft "Health Check Response Format for HTTP APIs". */
function healthResponse(status: 'pass' | 'fail'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}

/** Runs one operation inside the plugins that wrap operations. */
function operate(call: ArrivedCall, operation: Operation): PromiseOrValue<OperationOutcome> {
  const { explain, operation: settings } = call.settings;
  return settings.stages === undefined && explain === undefined ? runOperation(operation) : operateInStage(call, operation);
}

async function operateInStage(call: ArrivedCall, operation: Operation): Promise<OperationOutcome> {
  const { explain, operation: settings } = call.settings;
  const { stages } = settings;
  const run = async (): Promise<OperationOutcome> => explain?.({ call, operation, run: runOperation }) ?? runOperation(operation);
  if (stages?.sourceCall !== undefined) operation.watchCall = stages.sourceCall(operation.seen!);
  if (stages?.operation === undefined) return run();
  // If a plugin fails, so does the operation.
  const fail: Wrapped<OperationCall, OperationOutcome>['fail'] = async (thrown, inner, running) => {
    void closeStream(running).catch(() => {});
    const { result, errors, ...refused } = refusedOutcome(settings, thrown);
    return { ...refused, ...inner, result, errors, head: operation.head, stream: undefined };
  };
  return stages.operation(operation.seen!, { run, invocation: operation.invocation, fail });
}

/** The way out of every response, refusals too, after all plugins: `etag`, encoding, size, and the header fields that all have. */
function depart(call: Call, given: AnyResponse): PromiseOrValue<AnyResponse> {
  const { request, encode } = call;
  // A mutation, and most queries, are sent by POST.
  const mayBeStored = request !== undefined && request.method !== 'POST' && !isStreamed(given) && !('defaultCacheControl' in given);
  const response = mayBeStored ? revalidate(request, given) : given;
  call.encode = undefined;
  if (encode === undefined || isStreamed(response) || response.body === null || request!.method === 'HEAD') return fit(call, response);
  const encoding = orRefuse(call, async () => normalizeHead(await encode(response), call.starter.logger()));
  return encoding.then((encoded) => fit(call, encoded));
}

/** Refuses a response that is too large for the platform, and adds the common header fields unless plugins have seen them. */
function fit(call: Call, response: AnyResponse): PromiseOrValue<AnyResponse> {
  const { adapter, settings, starter } = call;
  const excess =
    settings === undefined || typeof response.body !== 'string'
      ? undefined
      : excessOf({ platform: adapter, maxBytes: settings.maxResultBytes }, response.body);
  if (excess === undefined) return call.isFinished ? response : addCommonHeaders(call, response);
  // Logs the error, too, because a plugin may have created the response.
  const error = resultTooLarge(excess.bytes, excess.capacity);
  starter.logger().warn(error.message);
  return refuse(error, call).then((refused) => addCommonHeaders(call, refused));
}

/** Adds `cache-control` and CORS, and removes the body for HEAD. */
function addCommonHeaders(call: Call, response: AnyResponse): PromiseOrValue<AnyResponse> {
  const { request, settings, starter } = call;
  const { headers } = response;
  if (request === undefined) return response;
  const hasLifetime = headers.get('cache-control') !== null || headers.get('expires') !== null;
  if (!hasLifetime && !('defaultCacheControl' in response)) headers.set('cache-control', uncacheable);
  const finished = request.method === 'HEAD' ? { ...response, body: null } : response;
  const cors = call.cors ?? (settings === undefined ? starter.prepared?.http.cors : settings.cors);
  if (cors === undefined) return finished;
  const adding = addCORSHeaders({ cors, request, headers, logger: starter.logger() });
  return adding instanceof Promise ? adding.then(() => finished) : finished;
}

/**
 * True if something other than the operations may wait beyond the deadline: operations end in time by themselves. A web `Request` usually
 * has no deadline. Until the server has started, its options, which may set a deadline, are not known.
 */
function mayBeLate(call: Call): boolean {
  const { settings, request } = call;
  if (settings === undefined) return true;
  if (settings.waitsInOperationsOnly && request?.body.kind !== 'stream') return false;
  return call.deadlineLeft() !== undefined;
}

/** Waits for a response until the last moment. The start of the server, a request body or a hook may hang. */
function answerInTime(responding: Promise<AnyResponse>, call: Call, extraTime: Milliseconds): Promise<AnyResponse> {
  return new OperationLife(call, 'deadline').untilLate(responding, async () => {
    const response = await waitAtMost(extraTime, responding);
    return response === 'late' ? tooLate(call) : response;
  });
}

/** Adds only the common headers that are available synchronously: the origin function of `cors` may be what hangs. */
function tooLate(call: Call): AnyResponse {
  call.starter.logger().warn('The deadline passed before there was an answer.');
  // Operations may be running, also those that a plugin around the request has started.
  const mayHaveRun = call.mayHaveRun || call.settings?.operation.stages?.request !== undefined;
  const error = mayHaveRun ? unfinishedAtDeadline() : deadlineExceeded();
  const response = toErrorResponse(call, error);
  const finished = addCommonHeaders(call, response);
  return finished instanceof Promise ? response : finished;
}

/** Runs `respond` inside the plugins that wrap requests, which also see refusals and late answers. */
async function respondInStages(call: ArrivedCall, stages: Stages | undefined): Promise<AnyResponse> {
  const seen = (call.view = requestCall(call));
  const logger = call.starter.logger();
  if (call.adapter.decodesBase64 === true) call.encode = stages?.encode?.(seen);
  const stage = stages?.request;
  const { door } = call;
  const run = async (): Promise<AnyResponse> => (door === undefined ? respond(call) : answerOf(door, await respond(call), logger));
  if (stage === undefined) return run();
  let finished: HeaderMap | undefined;
  // A refusal if it fails, and with the common header fields, because whether caches may store an answer depends on them.
  const finish = async (running: Promise<AnyResponse>): Promise<AnyResponse> => {
    const finishing = orRefuse(call, async () => addCommonHeaders(call, await orRefuse(call, () => running)));
    const response = await (mayBeLate(call) ? answerInTime(finishing, call, graceInside) : finishing);
    finished = response.headers;
    return response;
  };
  const response = await stage(seen, {
    run: (view) => {
      call.view = view;
      return finish(run());
    },
    invocation: new OperationLife(call, 'deadline'),
    fail: (thrown, _inner, running) => {
      void closeBody(running).catch(() => {});
      if (endOf(thrown) === 'deadline') logger.warn('A plugin around the request had not ended at the deadline.');
      return finish(Promise.reject(thrown as Error));
    },
    pass: (same, view?: RequestCall) => view ?? same,
  });
  const normalized = normalizeHead(response, logger);
  // A plugin that has replaced the fields gets them again.
  call.isFinished = normalized.headers === finished;
  return normalized;
}

/** Returns the response, or the refusal of what was thrown in its place. */
async function orRefuse<T extends AnyResponse>(call: Call, respondTo: () => PromiseOrValue<T>): Promise<T | HTTPResponse> {
  try {
    return await respondTo();
  } catch (failure) {
    call.isFinished = false;
    return refuse(failure, call);
  }
}

/** One HTTP request as plugins see it. */
function requestCall(call: ArrivedCall): RequestCall {
  const { adapter, request, settings, door = graphqlDoor } = call;
  const { cache, logger } = settings.operation;
  const { name, route, parameters } = door as Pick<Door, 'name' | 'route' | 'parameters'>;
  const invocation = invocationOf(call);
  return {
    request,
    door: name,
    route,
    get doorParameters() {
      return parameters?.slice();
    },
    platform: adapter.name,
    invocation,
    cache,
    logger,
    facts: new Map(),
    accepts: (mediaType) => accepts(request, mediaType),
    createContext: async () => createContext(createOperation(call, {})),
    runOperation: async (given) => operate(call, createOperationOfPlugin(call, given)),
    statusOf: (outcome) => statusOf(outcome, settings.httpStatusProfile, 'application/json'),
    headersOf: (outcome) => takeHead(outcome).headers,
    get clientAddress() {
      return clientAddress(invocation, request.headers);
    },
  };
}

// A plugin that fails after the operation does not leave its stream open, unless it has put something else in its place.

async function closeBody(running: Promise<AnyResponse> | undefined): Promise<void> {
  const response = await running;
  if (response !== undefined && isStreamed(response)) await response.body.return();
}

async function closeStream(running: Promise<OperationOutcome> | undefined): Promise<void> {
  await (await running)?.stream?.return();
}

/** Takes an event of any of its platforms, or a web `Request`, and returns the result that the platform expects. */
export interface UntypedHandler {
  // At most two declared parameters: AWS Lambda's runtime rejects a handler with three, the old form with a callback.
  (event: unknown, context?: unknown): Promise<unknown>;
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Creates a handler. Throws if the options or the schema are invalid. */
export function createHandlerFor(platforms: Platforms, options: unknown): UntypedHandler {
  // The user's type parameters only connect options with each other; the server does not need them.
  return createObserved((source) => createUnobservedHandler(platforms, source), options as OptionsSource<ServerOptions>);
}

/** Creates a handler for `/v3`, whose options the tools do not know. */
export function createUnobservedHandler(platforms: Platforms, source: OptionsSource<ServerOptions>): UntypedHandler {
  const starter = new Starter(source);
  const serving: Serving = { ...platforms, starter };
  const handler = (event: unknown, context?: unknown): Promise<unknown> => serve(serving, { event, context, env: undefined });
  // Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
  const fetch = (request: Request, env?: unknown, context?: unknown): Promise<Response> =>
    serve(serving, { event: request, context: context ?? env, env }) as Promise<Response>;
  return Object.assign(handler, { fetch, close: createClose(starter) });
}

import { context, metrics, SpanKind, SpanStatusCode, trace, propagation, ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api';
import type { Context, MeterProvider, Span, Tracer, TracerProvider, TextMapGetter } from '@opentelemetry/api';
import type { GraphQLError } from 'graphql';
import { assertKnownOptions, now, originalOf } from '../../shared/index.ts';
import type { BudgetReport, RunDecision } from '../../shared/index.ts';

import { documentHash, errorHashOf } from '../../server/for-extensions.ts';
import type { OperationCall, OperationOutcome, PayloadOutcome, RequestCall, ServerPlugin } from '../../server/index.ts';
import { Meters } from './meters.ts';
import { followCall, recordWithMessages, recordWithoutMessages } from './spans.ts';
import type { SpanSettings } from './spans.ts';
import { packageVersion } from './version.ts';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** Makes the tracer. Default: the global provider of the registered SDK. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Makes the meter. Default: the global provider. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Put the text of the document into `graphql.document`. Its literals may be personal data. Default: false */
  readonly document?: boolean | undefined;
  /** Record the messages of errors. They quote variables and literals, which may be personal data. Default: false */
  readonly errorMessages?: boolean | undefined;
  /**
   * Sends the recorded spans, for example `() => provider.forceFlush()`. Called after every request and every stream, in the platform's
   * `waitUntil`, so that nothing waits for the next call in a frozen process. Default: nothing is sent.
   */
  readonly flush?: (() => Promise<unknown>) | undefined;
}

const known: Readonly<Record<keyof OpenTelemetryOptions, true>> = {
  tracerProvider: true,
  meterProvider: true,
  document: true,
  errorMessages: true,
  flush: true,
};

/**
 * Spans and metrics of every operation and of the calls of its data sources, through `@opentelemetry/api`. Names and
 * attributes are those of OpenTelemetry's semantic conventions for GraphQL (in development, 1.38) where there are any.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [openTelemetry({ flush: () => provider.forceFlush() })] });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): ServerPlugin {
  assertKnownOptions(options, known, { of: 'openTelemetry' });
  const { flush } = options;
  const name = 'graphql-functions';
  const tracer = (options.tracerProvider ?? trace).getTracer(name, packageVersion);
  const meters = new Meters((options.meterProvider ?? metrics).getMeter(name, packageVersion));
  const settings: SpanSettings = { tracer, recordErrors: options.errorMessages === true ? recordWithMessages : recordWithoutMessages };
  return {
    onlyWatches: true,
    request: (call, next) => traceRequest({ tracer, call, flush }, next),
    operation: (call, next) => traceOperation({ ...settings, meters, call, options }, next),
    payload: ({ facts }, next) => tracePayload(facts.get(tracedOperation) as TracedOperation | undefined, next),
    sourceCall: (call) => followCall({ ...settings, meters, operation: contextOf(call.operation) }, call),
  };
}

interface RequestTracing {
  readonly tracer: Tracer;
  readonly call: RequestCall;
  readonly flush: OpenTelemetryOptions['flush'];
}

type Response = Awaited<ReturnType<NonNullable<ServerPlugin['request']>>>;

async function traceRequest({ tracer, call, flush }: RequestTracing, next: () => Promise<Response>): Promise<Response> {
  const startTime = Date.now();
  const response = await next();
  if (response.status >= 400 && call.facts.get(tracedOperation) !== true) {
    const { kind, parent } = placeOf(call);
    const attributes = {
      'http.request.method': call.request.method,
      'http.response.status_code': response.status,
      'error.type': String(response.status),
    };
    const span = tracer.startSpan('GraphQL Request', { kind, startTime, attributes }, parent);
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
  // A streamed response is followed by its operation.
  if (flush !== undefined && !isStreamed(response.body)) call.invocation.waitUntil(settled(flush));
  return response;
}

/** A `flush` that throws synchronously must not fail the request. A rejected promise in `waitUntil` is logged. */
async function settled(flush: () => Promise<unknown>): Promise<void> {
  await flush();
}

/** The kind and the parent of an operation's span. Without an active span, the request enters this process here. */
function placeOf(call: RequestCall): { readonly kind: SpanKind; readonly parent: Context } {
  return trace.getActiveSpan() === undefined
    ? { kind: SpanKind.SERVER, parent: parentOf(call) }
    : { kind: SpanKind.INTERNAL, parent: withWatchedBaggage(context.active(), call) };
}

interface Tracing extends SpanSettings {
  readonly meters: Meters;
  readonly call: OperationCall;
  readonly options: OpenTelemetryOptions;
}

async function traceOperation(tracing: Tracing, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
  const { tracer, recordErrors, call } = tracing;
  const server = trace.getActiveSpan();
  const { kind, parent } = placeOf(call.call);
  call.call.facts.set(tracedOperation, true);
  const span = tracer.startSpan('GraphQL Operation', { kind }, parent);
  const active = trace.setSpan(parent, span);
  const traced: TracedOperation = { active };
  call.facts.set(tracedOperation, traced);
  const start = now();
  try {
    const outcome = await context.with(active, next);
    describe(tracing, { span, server }, outcome);
    followTo(tracing, { span, start, traced }, outcome);
    return outcome;
  } catch (error) {
    recordErrors(span, [error]);
    span.end();
    throw error;
  }
}

/** The fact of an operation in progress; of a request that reached one, true. */
const tracedOperation = Symbol('openTelemetry');

interface TracedOperation {
  readonly active: Context;
  /** Follows the payloads of a stream. Undefined until there is one. */
  onErrors?: (errors: readonly GraphQLError[]) => void;
  onEnd?: () => void;
}

/** Returns the active context, or that of the operation if asynchronous calls have none, as on Workers without nodejs_compat. */
function contextOf({ facts }: OperationCall): Context {
  const active = context.active();
  if (trace.getSpan(active) !== undefined) return active;
  return (facts.get(tracedOperation) as TracedOperation | undefined)?.active ?? active;
}

async function tracePayload(
  traced: TracedOperation | undefined,
  next: () => Promise<PayloadOutcome | undefined>,
): Promise<PayloadOutcome | undefined> {
  if (traced === undefined) return next();
  const payload = await context.with(traced.active, next);
  if (payload === undefined) traced.onEnd?.();
  else if (payload.errors.length > 0) traced.onErrors?.(payload.errors);
  return payload;
}

/** Ends the span with the outcome, or with its stream. */
function followTo(
  { meters, recordErrors, call, options: { flush } }: Tracing,
  { span, start, traced }: { readonly span: Span; readonly start: number; readonly traced: TracedOperation },
  outcome: OperationOutcome,
): void {
  let [first] = outcome.errors;
  const hashes = new Set<string>();
  setErrorHashes(span, hashes, outcome.errors);
  meters.errors(outcome, outcome.errors);
  const end = (): void => {
    meters.operation(outcome, (now() - start) / 1000, first);
    span.end();
  };
  if (outcome.stream === undefined) {
    end();
    return;
  }
  traced.onErrors = (errors) => {
    first ??= errors[0];
    meters.errors(outcome, errors);
    recordErrors(span, errors);
    setErrorHashes(span, hashes, errors);
  };
  traced.onEnd = () => {
    end();
    if (flush !== undefined) call.call.invocation.waitUntil(settled(flush));
  };
}

/** Sets the attribute to the hashes of all unexpected errors so far, up to ten. */
function setErrorHashes(span: Span, hashes: Set<string>, errors: readonly GraphQLError[]): void {
  for (const hash of errors.map(errorHashOf)) if (hash !== undefined && hashes.size < 10) hashes.add(hash);
  if (hashes.size > 0) span.setAttribute('graphql_functions.error.hash', [...hashes]);
}

function describe(
  { recordErrors, call, options }: Tracing,
  { span, server }: { readonly span: Span; readonly server: Span | undefined },
  { operation, source, errors, onError }: OperationOutcome,
): void {
  recordErrors(span, errors);
  if (operation === undefined || source === undefined) return;
  span.updateName(operation.operation);
  const attributes = {
    'graphql.operation.type': operation.operation,
    ...(operation.name && { 'graphql.operation.name': operation.name.value }),
  };
  // The span of the platform's or a framework's instrumentation has only a method and a path.
  server?.setAttributes(attributes);
  if (!span.isRecording()) return;
  const idempotency = call.facts.get('idempotency') as RunDecision | undefined;
  const budget = call.facts.get('budget') as BudgetReport | undefined;
  span.setAttributes({
    ...attributes,
    ...(onError && { 'graphql_functions.on_error': onError }),
    ...(idempotency && { 'graphql_functions.idempotency': idempotency }),
    ...(budget && {
      'graphql_functions.budget.policy': budget.policy,
      'graphql_functions.budget.capacity': budget.capacity,
      'graphql_functions.budget.cost': budget.cost,
    }),
    ...(budget?.left !== undefined && { 'graphql_functions.budget.left': budget.left }),
    'graphql.document.hash': documentHash(source),
    ...(options.document === true && { 'graphql.document': source }),
  });
}

function isStreamed(body: unknown): boolean {
  return typeof body === 'object' && body !== null;
}

/**
 * The context of a request without an active span: the caller's, by the registered propagator (`traceparent`, W3C Trace Context), or that
 * of AWS X-Ray, which Lambda puts into the environment for each call.
 */
function parentOf(call: RequestCall): Context {
  // The fields of propagators name no user, but baggage may.
  const { request } = originalOf(call);
  const sent = withWatchedBaggage(propagation.extract(context.active(), request.headers, fields), call);
  if (trace.getSpanContext(sent) !== undefined) return sent;
  const traced = request.headers.get('x-amzn-trace-id') ?? environmentTrace();
  return (traced?.includes('Parent=') && parseXRay(traced)) || sent;
}

/** A read of the baggage counts as a read of its header, so that `edge` keeps the answer private. */
function withWatchedBaggage(sent: Context, { request }: RequestCall): Context {
  const baggage = propagation.getBaggage(sent);
  if (baggage === undefined) return sent;
  const watched = new Proxy(baggage, {
    get(target, member) {
      request.headers.has('baggage');
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return propagation.setBaggage(sent, watched);
}

const fields: TextMapGetter<RequestCall['request']['headers']> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** Reads the variable of X-Ray. Deno throws if the environment may not be read. */
function environmentTrace(): string | undefined {
  try {
    return globalThis.process?.env['_X_AMZN_TRACE_ID'];
  } catch {
    return undefined;
  }
}

/** `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1` (AWS X-Ray, Tracing header). */
function parseXRay(header: string): Context | undefined {
  const root = /Root=1-([\da-f]{8})-([\da-f]{24})/i.exec(header);
  const parent = /Parent=([\da-f]{16})/i.exec(header);
  if (root === null || parent === null) return undefined;
  const traceFlags = header.includes('Sampled=1') ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceId = `${root[1]}${root[2]}`.toLowerCase();
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parent[1]!.toLowerCase(), traceFlags, isRemote: true });
}

import { context, metrics, SpanKind, SpanStatusCode, trace, propagation } from '@opentelemetry/api';
import type { Attributes, Context, MeterProvider, Span, TracerProvider, TextMapGetter } from '@opentelemetry/api';

import { aFunction, assertEntries, boolean, hasMethods, originalOf } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { OperationCall, OperationOutcome, PayloadOutcome, RequestCall, ServerPlugin } from '../../server/index.ts';
import { OperationRecord } from '../operation-record/index.ts';
import { Meters } from './meters.ts';
import { followCall, recordWithMessages, recordWithoutMessages } from './spans.ts';
import type { Telemetry } from './spans.ts';
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

const expectations: Readonly<Record<keyof OpenTelemetryOptions, Expectation>> = {
  tracerProvider: { words: 'an object with getTracer', holds: (value) => hasMethods(value, 'getTracer') },
  meterProvider: { words: 'an object with getMeter', holds: (value) => hasMethods(value, 'getMeter') },
  document: boolean,
  errorMessages: boolean,
  flush: aFunction,
};

/**
 * Spans and metrics of every operation and of the calls of its data sources, through `@opentelemetry/api`. Names and
 * attributes are those of OpenTelemetry's semantic conventions for GraphQL (in development, 1.38) where there are any.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [openTelemetry({ flush: () => provider.forceFlush() })] });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): ServerPlugin {
  assertEntries('', options, expectations, 'openTelemetry');
  const { flush } = options;
  const name = 'graphql-functions';
  const tracer = (options.tracerProvider ?? trace).getTracer(name, packageVersion);
  const meters = new Meters((options.meterProvider ?? metrics).getMeter(name, packageVersion));
  const recordErrors = options.errorMessages === true ? recordWithMessages : recordWithoutMessages;
  const telemetry: Settings = { tracer, meters, recordErrors, flush, withDocument: options.document === true };
  return {
    onlyWatches: true,
    request: (call, next) => traceRequest(telemetry, call, next),
    operation: (call, next) => traceOperation(telemetry, call, next),
    payload: tracePayload,
    sourceCall: (call) => followCall(telemetry, contextOf(call.operation), call),
  };
}

interface Settings extends Telemetry {
  readonly flush: OpenTelemetryOptions['flush'];
  readonly withDocument: boolean;
}

type Response = Awaited<ReturnType<NonNullable<ServerPlugin['request']>>>;

/** Requests that reach no operation have a span of their own. */
async function traceRequest({ tracer, flush }: Settings, call: RequestCall, next: () => Promise<Response>): Promise<Response> {
  const startTime = Date.now();
  const response = await next();
  if (response.status >= 400 && call.facts.get(ownFact) !== true) {
    const attributes = {
      ...attributesOf(call),
      'http.request.method': call.request.method,
      'http.response.status_code': response.status,
      'error.type': String(response.status),
    };
    const name = call.door === 'graphql' ? 'GraphQL Request' : nameAt(call, 'request');
    const span = tracer.startSpan(name, { kind: kindOf(), startTime, attributes }, parentOf(call));
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
  // A streamed response is followed by its operation.
  if (typeof response.body === 'string' || response.body === null) waitForFlush(flush, call);
  return response;
}

/** A `flush` that throws synchronously must not fail the request. A rejected promise in `waitUntil` is logged. */
function waitForFlush(flush: OpenTelemetryOptions['flush'], { invocation }: RequestCall): void {
  if (flush !== undefined) invocation.waitUntil(Promise.resolve().then(flush));
}

/** A request without an active span enters this process here, so its span is a server span. */
function kindOf(): SpanKind {
  return trace.getActiveSpan() === undefined ? SpanKind.SERVER : SpanKind.INTERNAL;
}

async function traceOperation(telemetry: Settings, call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
  const { tracer, recordErrors, meters, flush } = telemetry;
  const server = trace.getActiveSpan();
  const parent = parentOf(call.call);
  // A resolver may read any part of the baggage, so `edge` keeps the answer private.
  if (propagation.getBaggage(parent) !== undefined) call.call.request.headers.has('baggage');
  call.call.facts.set(ownFact, true);
  const span = tracer.startSpan('GraphQL Operation', { kind: kindOf() }, parent);
  const active = trace.setSpan(parent, span);
  const record = OperationRecord.of(call);
  const end = (): void => {
    recordErrors(span, record.errors);
    if (record.hashes.size > 0) span.setAttribute('graphql_functions.error.hash', [...record.hashes.keys()].slice(0, 10));
    meters.operation(record);
    span.end();
  };
  const endStream = (): void => {
    end();
    waitForFlush(flush, call.call);
  };
  call.facts.set(ownFact, { active, endStream } satisfies TracedOperation);
  const outcome = await context.with(active, next);
  record.add(outcome);
  describe(record, call.call, { span, server }, telemetry.withDocument);
  if (outcome.stream === undefined) end();
  return outcome;
}

/** Key of two facts. Of an operation: the context of its span while it runs. Of a request: true once it has reached an operation. */
const ownFact = Symbol('openTelemetry');

interface TracedOperation {
  readonly active: Context;
  readonly endStream: () => void;
}

/** Returns the active context, or that of the operation if asynchronous calls have none, as on Workers without nodejs_compat. */
function contextOf({ facts }: OperationCall): Context {
  const active = context.active();
  return trace.getSpan(active) === undefined ? ((facts.get(ownFact) as TracedOperation | undefined)?.active ?? active) : active;
}

async function tracePayload(call: OperationCall, next: () => Promise<PayloadOutcome | undefined>): Promise<PayloadOutcome | undefined> {
  const traced = call.facts.get(ownFact) as TracedOperation | undefined;
  if (traced === undefined) return next();
  const payload = await context.with(traced.active, next);
  if (payload === undefined) traced.endStream();
  else OperationRecord.of(call).add(payload);
  return payload;
}

/** The name of a span: one of few, so neither a path nor the name of an operation is in it. */
function nameAt({ door, route, request }: RequestCall, type: string): string {
  if (route !== undefined) return `${request.method} ${route}`;
  return door === 'graphql' ? type : `${door} ${type}`;
}

function attributesOf({ door, route }: RequestCall): Attributes {
  return { ...(door !== 'graphql' && { 'graphql_functions.door': door }), ...(route !== undefined && { 'http.route': route }) };
}

interface Spans {
  readonly span: Span;
  /** The span of the platform's or a framework's instrumentation, which has only a method and a path. */
  readonly server: Span | undefined;
}

function describe(record: OperationRecord, call: RequestCall, { span, server }: Spans, withDocument: boolean): void {
  const { name, type, hash, onError, idempotency, budget } = record.describe();
  if (type === undefined || hash === undefined) return;
  span.updateName(nameAt(call, type));
  const attributes = {
    ...attributesOf(call),
    'graphql.operation.type': type,
    ...(name !== undefined && { 'graphql.operation.name': name }),
  };
  server?.setAttributes(attributes);
  const ofBudget = Object.entries(budget ?? {}).filter(([, value]) => value !== undefined);
  span.setAttributes({
    ...attributes,
    ...(onError && { 'graphql_functions.on_error': onError }),
    ...(idempotency && { 'graphql_functions.idempotency': idempotency }),
    ...Object.fromEntries(ofBudget.map(([key, value]) => [`graphql_functions.budget.${key}`, value])),
    'graphql.document.hash': hash,
    ...(withDocument && { 'graphql.document': record.outcome!.source }),
  });
}

/** The active context, if it has a span; else the caller's, by the registered propagator: `traceparent` by default (W3C Trace Context). */
function parentOf(call: RequestCall): Context {
  if (trace.getActiveSpan() !== undefined) return context.active();
  // The fields of propagators name no user.
  return propagation.extract(context.active(), originalOf(call).request.headers, fields);
}

const fields: TextMapGetter<RequestCall['request']['headers']> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

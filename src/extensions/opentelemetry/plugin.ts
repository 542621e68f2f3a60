import { context, metrics, SpanKind, trace, propagation, ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api';
import type { Context, MeterProvider, Span, Tracer, TracerProvider, TextMapGetter } from '@opentelemetry/api';

import type { OperationOutcome } from '../../operation/types.ts';
import type { GraphQLRequestContext, OperationCall, RequestCall, ServerPlugin } from '../../operation/plugin.ts';
import { now } from '../reporting.ts';
import { documentHash } from '../document-hash.ts';
import { followStream } from '../follow-stream.ts';
import { Meters } from './meters.ts';
import { followCall, recordErrors, stageListener } from './spans.ts';

/** The stages (parse, validate, execute) that get spans of their own: those that took over 1 ms, all, or none. */
export type StageSpans = 'slow' | 'all' | 'none';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /** Makes the tracer. Default: the global provider, that of the SDK that is registered. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Makes the meter. Default: the global provider. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Put the text of the document into `graphql.document`. Literals in it may be somebody's data. Default: false */
  readonly document?: boolean | undefined;
  /** Default: "slow" */
  readonly stages?: StageSpans | undefined;
  /**
   * Sends what has been recorded, for example `() => provider.forceFlush()`. Called behind every request and every stream, and
   * handed to the platform's `waitUntil`: nothing waits for the next call in a frozen process. Default: nothing is sent.
   */
  readonly flush?: (() => Promise<unknown>) | undefined;
}

/**
 * Spans and metrics of every operation and of the calls of its data sources, through `@opentelemetry/api`. Names and
 * attributes are those of OpenTelemetry's semantic conventions for GraphQL (in development, 1.38) where there are any.
 *
 * @example
 * export default createHandler({ typeDefs, resolvers, plugins: [openTelemetry({ flush: () => provider.forceFlush() })] });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): ServerPlugin {
  const { flush, stages = 'slow' } = options;
  const name = 'graphql-functions';
  const tracer = (options.tracerProvider ?? trace).getTracer(name);
  const meters = new Meters((options.meterProvider ?? metrics).getMeter(name));
  return {
    ...(flush !== undefined && { aroundRequest: flushingBehind(flush) }),
    aroundOperation: (call, next) => traceOperation({ tracer, meters, call, options }, next),
    dataSourceCallDidStart: (call) => followCall({ tracer, meters, operation: contextOf(call.operation.response) }, call),
    ...(stages !== 'none' && {
      requestDidStart: ({ response }: GraphQLRequestContext) => {
        const operation = contextOf(response.http);
        // The stages of an operation that is not sampled are not measured.
        return trace.getSpan(operation)?.isRecording() === true ? stageListener(tracer, stages, operation) : undefined;
      },
    }),
  };
}

function flushingBehind(flush: () => Promise<unknown>): NonNullable<ServerPlugin['aroundRequest']> {
  return async ({ invocation }, next) => {
    const response = await next();
    // A streamed response is followed by its operation.
    if (!isStreamed(response.body)) invocation.waitUntil(flush());
    return response;
  };
}

interface Tracing {
  readonly tracer: Tracer;
  readonly meters: Meters;
  readonly call: OperationCall;
  readonly options: OpenTelemetryOptions;
}

async function traceOperation(tracing: Tracing, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
  const { tracer, call } = tracing;
  const server = trace.getActiveSpan();
  const parent = server === undefined ? parentOf(call.http) : context.active();
  // Without an active span of this process, the request enters it here.
  const kind = server === undefined ? SpanKind.SERVER : SpanKind.INTERNAL;
  const span = tracer.startSpan('GraphQL Operation', { kind }, parent);
  const active = trace.setSpan(parent, span);
  contexts.set(call.response, active);
  const start = now();
  try {
    const outcome = await context.with(active, next);
    describe(tracing, { span, server }, outcome);
    return followTo(tracing, { span, start, active }, outcome);
  } catch (error) {
    recordErrors(span, [error]);
    span.end();
    throw error;
  }
}

/** Of operations under way, by the response that they share with their hooks. */
const contexts = new WeakMap<OperationCall['response'], Context>();

/** The active context; where asynchronous calls carry none, as on Workers without nodejs_compat, that of the operation. */
function contextOf(response: OperationCall['response']): Context {
  const active = context.active();
  return trace.getSpan(active) === undefined ? (contexts.get(response) ?? active) : active;
}

/** Ends the span with the outcome, or with its stream. */
function followTo(
  { meters, call, options: { flush } }: Tracing,
  { span, start, active }: { readonly span: Span; readonly start: number; readonly active: Context },
  outcome: OperationOutcome,
): OperationOutcome {
  let [first] = outcome.errors;
  meters.errors(outcome, outcome.errors);
  const end = (): void => {
    meters.operation(outcome, (now() - start) / 1000, first);
    span.end();
  };
  if (outcome.stream === undefined) {
    end();
    return outcome;
  }
  const stream = followStream(outcome.stream, {
    around: (next) => context.with(active, next),
    onErrors: (errors) => {
      first ??= errors[0];
      meters.errors(outcome, errors);
      recordErrors(span, errors);
    },
    onEnd: () => {
      end();
      if (flush !== undefined) call.http.invocation.waitUntil(flush());
    },
  });
  return { ...outcome, stream };
}

function describe(
  { options }: Tracing,
  { span, server }: { readonly span: Span; readonly server: Span | undefined },
  { operation, source, errors }: OperationOutcome,
): void {
  recordErrors(span, errors);
  if (operation === undefined || source === undefined) return;
  span.updateName(operation.operation);
  const attributes = {
    'graphql.operation.type': operation.operation,
    ...(operation.name && { 'graphql.operation.name': operation.name.value }),
  };
  // The span of the platform's or a framework's instrumentation knows only a method and one path.
  server?.setAttributes(attributes);
  if (!span.isRecording()) return;
  span.setAttributes({
    ...attributes,
    'graphql.document.hash': documentHash(source),
    ...(options.document === true && { 'graphql.document': source }),
  });
}

function isStreamed(body: unknown): boolean {
  return typeof body === 'object' && body !== null;
}

/**
 * The context of a request for which no span is active: the caller's by the registered propagator (`traceparent`, W3C Trace
 * Context), else that of AWS X-Ray, which Lambda puts into the environment for each call.
 */
function parentOf({ request }: RequestCall): Context {
  const sent = propagation.extract(context.active(), request.headers, fields);
  if (trace.getSpanContext(sent) !== undefined) return sent;
  const traced = request.headers.get('x-amzn-trace-id') ?? environmentTrace();
  return (traced?.includes('Parent=') && parseXRay(traced)) || sent;
}

const fields: TextMapGetter<RequestCall['request']['headers']> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** Deno throws where it was not allowed to read the environment. */
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

import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';

import type { DataSourceCall, DataSourceCallListener, GraphQLRequestListener } from '../../operation/plugin.ts';
import { CallOutcome, now } from '../reporting.ts';
import { codeOf } from './meters.ts';
import type { Meters } from './meters.ts';

/** Milliseconds from which a stage is slow. */
const slow = 1;

/** Spans for parsing, validating and executing, made when a stage has ended: most of them are too short to be worth one. */
export function stageListener(tracer: Tracer, stages: 'slow' | 'all', operation: Context): GraphQLRequestListener {
  const measure = (name: string) => (): ((failure?: unknown) => void) => {
    // `Date.now` says when a stage began; the other clock, which never goes back, how long it took.
    const startTime = Date.now();
    const start = now();
    return (failure) => {
      const milliseconds = now() - start;
      if (stages === 'slow' && milliseconds <= slow) return;
      const span = tracer.startSpan(
        name,
        { startTime, attributes: { 'graphql.processing.type': name.slice('graphql.'.length) } },
        operation,
      );
      if (failure !== undefined) recordErrors(span, Array.isArray(failure) ? failure : [failure]);
      span.end(startTime + milliseconds);
    };
  };
  return {
    parsingDidStart: measure('graphql.parse'),
    validationDidStart: measure('graphql.validate'),
    executionDidStart: measure('graphql.execute'),
  };
}

/** Where a call is reported, and the context of its operation. */
interface CallTelemetry {
  readonly tracer: Tracer;
  readonly meters: Meters;
  readonly operation: Context;
}

/** One span for one call, below that of its operation. What a `fetch` instrumentation adds hangs below it. */
export function followCall({ tracer, meters, operation }: CallTelemetry, { dataSource, request }: DataSourceCall): DataSourceCallListener {
  const source = dataSource.constructor.name;
  const span = tracer.startSpan(
    `${source} ${request.method}`,
    { kind: SpanKind.INTERNAL, attributes: { 'graphql_functions.data_source': source, 'http.request.method': request.method } },
    operation,
  );
  const call = new CallOutcome(request);
  let status: number | undefined;
  return {
    joined: () => call.joined(),
    sent: () => call.sent(),
    aroundSend: (send) => context.with(trace.setSpan(operation, span), send),
    answered: (code) => {
      status = code;
    },
    ended: (error) => {
      const outcome = call.answeredBy;
      if (span.isRecording()) {
        span.setAttribute('graphql_functions.cache.outcome', outcome);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (call.tries > 1) span.setAttribute('http.request.resend_count', call.tries - 1);
        if (error !== undefined) recordErrors(span, [error]);
      }
      meters.call(source, outcome);
      span.end();
    },
  };
}

/** The most errors of one operation that are recorded. */
const maxRecorded = 10;

/** Records errors as they were thrown, also where clients get a masked one. */
export function recordErrors(span: Span, errors: readonly unknown[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const causes = errors.slice(0, maxRecorded).map(causeOf);
  for (const cause of causes) span.recordException(cause);
  span.setAttribute('error.type', codeOf(first));
  span.setStatus({ code: SpanStatusCode.ERROR, message: causes[0]!.message });
}

function causeOf(error: unknown): Error {
  const { originalError } = error as { originalError?: unknown };
  if (originalError instanceof Error) return originalError;
  return error instanceof Error ? error : new Error(String(error));
}

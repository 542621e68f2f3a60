import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';

import type { DataSourceCall, DataSourceCallListener } from '../../server/index.ts';
import { codeOf } from '../operation-record/index.ts';
import type { Meters } from './meters.ts';

/** The tracer and the meters that report calls and operations. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly meters: Meters;
  readonly recordErrors: RecordErrors;
}

/** A span for one call: the child of the span in the context of its operation, and the parent of the spans that an instrumentation of `fetch` creates. */
export function followCall(
  { tracer, meters, recordErrors }: Telemetry,
  operation: Context,
  { dataSource, request }: DataSourceCall,
): DataSourceCallListener {
  const source = dataSource.constructor.name;
  const attributes = { 'graphql_functions.data_source': source, 'http.request.method': request.method };
  const span = tracer.startSpan(`${source} ${request.method}`, { kind: SpanKind.INTERNAL, attributes }, operation);
  let status: number | undefined;
  let tries = 0;
  return {
    sent: () => void tries++,
    aroundSend: (send) => context.with(trace.setSpan(operation, span), send),
    answered: (code) => void (status = code),
    ended: (error) => {
      const outcome = request.outcome ?? 'none';
      if (span.isRecording()) {
        span.setAttribute('graphql_functions.cache.outcome', outcome);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (tries > 1) span.setAttribute('http.request.resend_count', tries - 1);
        if (error !== undefined) recordErrors(span, [error]);
      }
      meters.call(source, outcome);
      span.end();
    },
  };
}

interface Exception {
  readonly name: string;
  readonly message?: string;
  readonly stack?: string;
}

/** Marks a span as failed. Masked errors are recorded as well. */
export type RecordErrors = (span: Span, errors: readonly unknown[]) => void;

/** Records the class and the stack of each error. Messages quote variables and literals, which may be personal data. */
export const recordWithoutMessages: RecordErrors = (span, errors) => record(span, errors, withoutMessage);

/** Records the errors as they were thrown. */
export const recordWithMessages: RecordErrors = (span, errors) => record(span, errors, (error) => error);

function record(span: Span, errors: readonly unknown[], toException: (error: Error) => Exception): void {
  const [first] = errors;
  if (first === undefined) return;
  const exceptions = errors.map((error) => toException(causeOf(error)));
  for (const exception of exceptions) span.recordException(exception);
  const code = codeOf(first);
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: exceptions[0]!.message ?? code });
}

function withoutMessage({ name, message, stack = '' }: Error): Exception {
  const frames = /(?:\n\s+at [^\n]+)+$/.exec(stack.replace(message, ''));
  return { name, ...(frames !== null && { stack: name + frames[0] }) };
}

function causeOf(error: unknown): Error {
  const { originalError } = error as { originalError?: unknown };
  if (originalError instanceof Error) return originalError;
  return error instanceof Error ? error : new Error(String(error));
}

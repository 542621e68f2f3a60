import type { Context, Tracer } from '@opentelemetry/api';

import type { GraphQLRequestListener } from '../../operation/plugin.ts';
import { now } from '../clock.ts';
import { recordErrors } from './errors.ts';

/** Milliseconds from which a stage is slow. */
const slow = 1;

/** Spans for parsing, validating and executing, made when a stage has ended: most of them are too short to be worth one. */
export function stageListener(tracer: Tracer, stages: 'slow' | 'all', operation: Context): GraphQLRequestListener {
  const measure = (name: string) => (): ((failure?: unknown) => void) => {
    // The clock of the day tells when, the other one how long: it is not set back.
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

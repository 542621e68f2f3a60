import { GraphQLError } from 'graphql';

import type { OperationOutcome, ServerPlugin } from '../../server/index.ts';
import { assertEntries, assertSynchronous, isGraphQLError, isRecord } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import { ExecutionTrace } from './trace.ts';
import { encodeTrace } from './trace-format.ts';

/** Options of {@link inlineTraces}. */
export interface InlineTraceOptions {
  /**
   * The parts of errors that traces contain. `masked`: their paths and locations. `unmodified`: also their messages and extensions as they were thrown,
   * which clients may not see. `transform`: those of the error that it returns for each; null leaves an error out. Default: masked.
   */
  readonly includeErrors?:
    | { readonly masked: true }
    | { readonly unmodified: true }
    | { readonly transform: (error: GraphQLError) => GraphQLError | null };
}

/** The value of the option `traces` of `subgraph`. */
export interface InlineTraces {
  readonly plugin: ServerPlugin;
}

/**
 * Makes the value of the option `traces` of `subgraph`: answers have `extensions.ftv1`, a trace of their resolvers, if the router asks for
 * it by the header `apollo-federation-include-trace: ftv1`. Other requests cost nothing more. Throws a TypeError for wrong options.
 */
export function inlineTraces(options: InlineTraceOptions = {}): InlineTraces {
  assertEntries('', options, expectations, 'inlineTraces');
  const shownError = errorFormOf(options.includeErrors ?? { masked: true });
  const ownFact = Symbol('inlineTraces');
  return {
    plugin: {
      onlyWatches: true,
      async operation({ call, facts }, next) {
        if (call.request.headers.get('apollo-federation-include-trace') !== 'ftv1') return next();
        const trace = new ExecutionTrace();
        facts.set(ownFact, trace);
        const outcome = await next();
        // Routers read traces in single answers alone.
        if (outcome.stream !== undefined || trace.isTooLarge) return outcome;
        return { ...outcome, result: withTrace(outcome, trace, shownError) };
      },
      async execution({ facts }, next) {
        const trace = facts.get(ownFact) as ExecutionTrace | undefined;
        return next(trace && { observer: { field: (field, resolve) => trace.observe(field, resolve) } });
      },
    },
  };
}

const expectations: Readonly<Record<keyof InlineTraceOptions, Expectation>> = {
  includeErrors: {
    words: '{ masked: true }, { unmodified: true } or { transform: a function }',
    holds: (value) =>
      isRecord(value) && (value['masked'] === true || value['unmodified'] === true || typeof value['transform'] === 'function'),
  },
};

type ShownError = (error: GraphQLError) => GraphQLError | null;

function errorFormOf(includeErrors: NonNullable<InlineTraceOptions['includeErrors']>): ShownError {
  if ('masked' in includeErrors) return masked;
  if ('unmodified' in includeErrors) return (error) => error;
  const { transform } = includeErrors;
  return (error) => {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(error) as object) as GraphQLError, error, { message: error.message });
    const shown = assertSynchronous(transform(copy), 'transform of inlineTraces');
    return shown === null || isGraphQLError(shown) ? shown : masked();
  };
}

function masked(): GraphQLError {
  return new GraphQLError('<masked>', { extensions: { maskedBy: 'graphql-functions' } });
}

function withTrace({ result, errors }: OperationOutcome, trace: ExecutionTrace, shownError: ShownError): OperationOutcome['result'] {
  trace.addBatchedFields(result.data);
  for (const error of errors) {
    // Another subgraph, from which this error comes, has it in its own trace.
    if (error.extensions['serviceName'] !== undefined) continue;
    const shown = shownError(error);
    if (shown === null) continue;
    const { locations, path } = error;
    const { message, extensions } = shown;
    const hasExtensions = Object.keys(extensions).length > 0;
    const json = JSON.stringify({ message, locations, path, ...(hasExtensions && { extensions }) });
    trace.addError(path, { message, locations: locations ?? [], json });
    if (trace.isTooLarge) return result;
  }
  return { ...result, extensions: { ...result.extensions, ftv1: encodeTrace(trace) } };
}

import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { isPromiseLike, listenedChannel, traceMixed } from '../shared/index.ts';
import type { PromiseOrValue } from '../shared/index.ts';
import { isAsyncIterable } from './run/shapes/async-lists.ts';
import { locate, misfit, toRootError } from './run/errors.ts';
import { inspect } from './run/inspect.ts';
import { startField } from './run/field-run.ts';
import { argumentValues } from './plan/arguments.ts';
import type { PlannedField } from './plan/planned-field.ts';
import { prepareExecution } from './execute.ts';
import type { PlannedExecution } from './execute.ts';
import type { Run } from './run/run.ts';
import { executeContext } from './run/trace-execution.ts';

/** The events of a subscription, or the errors for which it cannot start. */
export type SourceStream = AsyncIterable<unknown> | ExecutionResult;

/** Creates the source stream of a subscription (GraphQL specification, section 6.2.3.1). Never throws or rejects. */
export function createSourceStream(execution: PlannedExecution): PromiseOrValue<SourceStream> {
  const channel = listenedChannel('subscribe');
  return channel === undefined ? create(execution) : traceMixed(channel, executeContext(execution), () => create(execution));
}

function create(execution: PlannedExecution): PromiseOrValue<SourceStream> {
  try {
    const { plan, run, errors } = execution.prepared ?? prepareExecution(execution);
    if (errors !== undefined) return { errors };
    const [field] = plan.selectionFor(run.coerced).fields;
    if (field === undefined) throw new GraphQLError('The subscription has no field that the schema defines.', { nodes: plan.operation });
    return subscribe(run, field);
  } catch (error) {
    return { errors: [toRootError(error)] };
  }
}

function subscribe(run: Run, field: PlannedField): PromiseOrValue<SourceStream> {
  const fieldRun = startField(run, field, undefined);
  const fail = (error: unknown): ExecutionResult => ({ errors: [locate(error, fieldRun)] });
  try {
    const values = argumentValues(field, run);
    const { rootValue } = run.settings;
    const resolve = field.definition.subscribe ?? propertyOf(field.fieldName);
    const events: unknown = resolve(rootValue, values, run.contextValue, fieldRun.info);
    return isPromiseLike(events) ? Promise.resolve(events).then(assertEvents).catch(fail) : assertEvents(events);
  } catch (error) {
    return fail(error);
  }
}

/** graphql-js's default resolver. */
function propertyOf(name: string): (source: unknown, ...others: unknown[]) => unknown {
  return (source, ...others) => {
    const property = (source as Record<string, unknown> | null | undefined)?.[name];
    return typeof property === 'function' ? Reflect.apply(property, source, others) : property;
  };
}

function assertEvents(events: unknown): AsyncIterable<unknown> {
  if (events instanceof Error) throw events;
  if (typeof events === 'object' && events !== null && isAsyncIterable(events)) return events;
  throw misfit(`Subscription field must return Async Iterable. Received: ${inspect(events)}.`);
}

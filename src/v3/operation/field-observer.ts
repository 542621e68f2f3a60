import { joinObservers } from '../../executor/index.ts';
import type { ExecutionObserver, ObservedCall } from '../../executor/index.ts';
import { isPromiseLike, toPromise } from '../../shared/index.ts';
import { OperationHints } from '../plugins/cache-control.ts';
import type { GraphQLFieldResolverParams, GraphQLRequestExecutionListener, GraphQLRequestListenerDidResolveField } from '../types.ts';

/** Calls `willResolveField` of the listeners. Undefined when none has it. */
export function fieldObserverOf(
  listeners: readonly GraphQLRequestExecutionListener[],
  context: GraphQLFieldResolverParams['context'],
): ExecutionObserver | undefined {
  const watching = listeners.filter(({ willResolveField }) => typeof willResolveField === 'function');
  return joinObservers(
    watching.map((listener): ExecutionObserver => {
      // Other plugins may read `info.cacheControl` of each field.
      const hints = watching.length === 1 && listener instanceof OperationHints && !listener.needsPaths() ? listener : undefined;
      if (hints !== undefined) return { field: (call, resolve) => (isOfSchema(call) && hints.willCall(call), resolve()) };
      return {
        field: (call, resolve) => {
          if (!isOfSchema(call)) return resolve();
          const { source, args, info } = call;
          const ended = listener.willResolveField!({ source, args, context, info });
          return ended ? resolveThenCall(resolve, ended) : resolve();
        },
      };
    }),
  );
}

/** False for `__typename` and the fields of introspection. */
function isOfSchema({ definition, parentType }: ObservedCall): boolean {
  return !definition.name.startsWith('__') && !parentType.name.startsWith('__');
}

/** Resolves a field, and calls back with its value, the value of a promise, or the values of a list of promises. */
function resolveThenCall(resolve: () => unknown, ended: GraphQLRequestListenerDidResolveField): unknown {
  try {
    const value = resolve();
    // Each `then` of a lazy thenable runs its query again, so the executor gets the promise that is awaited here.
    const result = Array.isArray(value) && value.some(isPromiseLike) ? value.map(toPromise) : toPromise(value);
    const waiting = Array.isArray(result) && result !== value ? Promise.all(result) : result;
    if (waiting instanceof Promise)
      waiting.then(
        (settled) => ended(null, settled),
        (error: unknown) => ended(error as Error),
      );
    else ended(null, result);
    return result;
  } catch (error) {
    ended(error as Error);
    throw error;
  }
}

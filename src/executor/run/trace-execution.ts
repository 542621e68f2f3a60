import { responsePathAsArray } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { traceMixed } from '../../shared/index.ts';
import type { TracingChannel } from '../../shared/index.ts';
import type { FieldObserver, ObservedCall } from './observer.ts';
import type { Path } from '../plan/path.ts';

/** The members of an execution that events contain. */
interface TracedExecution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/** The context object of the channels `execute` and `subscribe`. */
export function executeContext({ schema, document, operation, variableValues: rawVariableValues }: TracedExecution): object {
  return { schema, document, rawVariableValues, operationName: operation.name?.value, operationType: operation.operation };
}

/** Publishes the events of resolvers on the channel `resolve`. */
export class ResolverEvents implements FieldObserver {
  readonly #channel: TracingChannel;
  /** The parent of the last field, and the prefix of its fields' paths. */
  #parent: Path | undefined = undefined;
  #prefix = '';

  constructor(channel: TracingChannel) {
    this.#channel = channel;
  }

  field({ definition, parentType, path, args, parents }: ObservedCall, resolve: () => unknown): unknown {
    const { prev, key } = path;
    if (prev !== this.#parent) {
      this.#parent = prev;
      this.#prefix = prev === undefined ? '' : `${responsePathAsArray(prev).join('.')}.`;
    }
    // graphql-js has a getter for the path. As part of a literal it takes 1.4 us, three times as long as a field; this string takes 0.03.
    const context = {
      fieldName: definition.name,
      alias: key,
      parentType: parentType.name,
      fieldType: definition.type.toString(),
      args,
      isDefaultResolver: definition.resolve === undefined,
      fieldPath: this.#prefix + key,
      ...(parents !== undefined && { parents }),
    };
    return traceMixed(this.#channel, context, resolve);
  }
}

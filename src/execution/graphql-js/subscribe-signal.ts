import { defaultFieldResolver } from 'graphql';
import type { ExecutionArgs, GraphQLFieldResolver, OperationDefinitionNode } from 'graphql';

import type { ExecutionInvocation } from '../../message/invocation.ts';
import { OwnInputs } from './own-inputs.ts';
import { isGraphQL17 } from './version.ts';
import { withOwnOperation } from './execute-with-deadline.ts';
import { wrapResolvers } from './wrap-resolvers.ts';
import type { Around } from './wrap-resolvers.ts';

/**
 * Gives the resolvers of source streams the operation's signal, as `info.getAbortSignal()`, and input values of their own. Not by the
 * argument that graphql 17 has for a signal: with that it lets go of a source that is promised when the signal fires, and nobody would
 * end it.
 */
export function withSignal(args: ExecutionArgs, invocation: ExecutionInvocation): ExecutionArgs {
  wrapResolvers(args.schema, args.document, signalling);
  const subscription = { invocation, inputs: new OwnInputs() };
  const document = withOwnOperation(args.document, args.operationName, (operation) => subscriptions.set(operation, subscription));
  return { ...args, document, subscribeFieldResolver: signalled(defaultFieldResolver) };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const subscriptions = new WeakMap<OperationDefinitionNode, { readonly invocation: ExecutionInvocation; readonly inputs: OwnInputs }>();
const signalling: Around = { subscribe: (original) => signalled(original as Resolver) };

function signalled(subscribe: Resolver): Resolver {
  return (source, values, contextValue, info) => {
    const own = subscriptions.get(info.operation);
    if (own !== undefined) {
      own.inputs.own(values, info);
      // graphql 16 has none.
      if (isGraphQL17) Reflect.set(info, 'getAbortSignal', () => own.invocation.signal);
    }
    return subscribe(source, values, contextValue, info);
  };
}

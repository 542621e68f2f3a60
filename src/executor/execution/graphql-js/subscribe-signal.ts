import { defaultFieldResolver } from 'graphql';
import type { ExecutionArgs, GraphQLFieldResolver, OperationDefinitionNode } from 'graphql';

import type { ExecutionInvocation } from '../../../shared/index.ts';
import { CopiedInputs } from '../plan/copied-inputs.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { withCopiedOperation } from './execute-with-deadline.ts';
import { wrapResolvers } from './wrap-resolvers.ts';
import type { Around } from './wrap-resolvers.ts';

/**
 * Gives the resolvers of source streams the operation's signal (`info.getAbortSignal()`) and copies of input values. Not through
 * graphql 17's argument for a signal: with it a promised source would never be closed when the signal fires.
 */
export function withSignal(args: ExecutionArgs, invocation: ExecutionInvocation): ExecutionArgs {
  wrapResolvers(args.schema, args.document, signaling);
  const subscription = { invocation, inputs: new CopiedInputs() };
  const document = withCopiedOperation(args.document, args.operationName, (operation) => subscriptions.set(operation, subscription));
  return { ...args, document, subscribeFieldResolver: withOperationSignal(defaultFieldResolver) };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const subscriptions = new WeakMap<OperationDefinitionNode, { readonly invocation: ExecutionInvocation; readonly inputs: CopiedInputs }>();
const signaling: Around = { subscribe: (original) => withOperationSignal(original as Resolver) };

function withOperationSignal(subscribe: Resolver): Resolver {
  return (source, values, contextValue, info) => {
    const subscription = subscriptions.get(info.operation);
    if (subscription !== undefined) {
      subscription.inputs.copy(values, info);
      if (isGraphQL17) Reflect.set(info, 'getAbortSignal', () => subscription.invocation.signal);
    }
    return subscribe(source, values, contextValue, info);
  };
}

import { defaultFieldResolver } from 'graphql';
import type { ExecutionArgs, GraphQLFieldResolver, OperationDefinitionNode } from 'graphql';

import type { ExecutionInvocation } from '../../message/invocation.ts';
import { isGraphQL17 } from './version.ts';
import { withOwnOperation } from './execute-with-deadline.ts';
import { wrapResolvers } from './wrap-resolvers.ts';
import type { Around } from './wrap-resolvers.ts';

/**
 * Gives the resolvers of source streams the operation's signal, as `info.getAbortSignal()`. Not by the argument that
 * graphql 17 has for it: with that it lets go of a source that is promised when the signal fires, and nobody would end it.
 */
export function withSignal(args: ExecutionArgs, invocation: ExecutionInvocation): ExecutionArgs {
  if (!isGraphQL17) return args;
  wrapResolvers(args.schema, args.document, signalling);
  const document = withOwnOperation(args.document, args.operationName, (operation) => invocations.set(operation, invocation));
  return { ...args, document, subscribeFieldResolver: signalled(defaultFieldResolver) };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const invocations = new WeakMap<OperationDefinitionNode, ExecutionInvocation>();
const signalling: Around = { subscribe: (original) => signalled(original as Resolver) };

function signalled(subscribe: Resolver): Resolver {
  return (source, values, contextValue, info) => {
    const invocation = invocations.get(info.operation);
    if (invocation !== undefined) Reflect.set(info, 'getAbortSignal', () => invocation.signal);
    return subscribe(source, values, contextValue, info);
  };
}

import { defaultFieldResolver } from 'graphql';
import type { ExecutionArgs, GraphQLFieldResolver, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { isGraphQL17 } from './installed.ts';
import { withOwnOperation } from './racing.ts';
import type { ExecutionLife } from '../run.ts';

/**
 * Gives the resolvers of source streams the operation's signal, as `info.getAbortSignal()`. Not by the argument that
 * graphql 17 has for it: with that it lets go of a source that is promised when the signal fires, and nobody would end it.
 */
export function withSignal(args: ExecutionArgs, life: ExecutionLife): ExecutionArgs {
  if (!isGraphQL17) return args;
  giveSignal(args.schema);
  const document = withOwnOperation(args.document, args.operationName, (operation) => lives.set(operation, life));
  return { ...args, document, subscribeFieldResolver: signalled(defaultFieldResolver) };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const lives = new WeakMap<OperationDefinitionNode, ExecutionLife>();
const known = new WeakSet<GraphQLSchema>();

/** In the schema itself, for the reason that resolvers race there: see raceResolvers. */
function giveSignal(schema: GraphQLSchema): void {
  if (known.has(schema)) return;
  known.add(schema);
  // A frozen field stays as it is: its resolver has the signal of `context`.
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {}))
    if (field.subscribe !== undefined) Reflect.set(field, 'subscribe', signalled(field.subscribe));
}

function signalled(subscribe: Resolver): Resolver {
  return (source, values, contextValue, info) => {
    const life = lives.get(info.operation);
    if (life !== undefined) Reflect.set(info, 'getAbortSignal', () => life.signal);
    return subscribe(source, values, contextValue, info);
  };
}

import type { GraphQLAbstractType, GraphQLField, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { assertSynchronous } from '../../shared/index.ts';
import type { Path } from '../plan/path.ts';

/** A call of a resolver. Default resolvers and `__typename` are called, too. */
export interface ObservedCall {
  /** The field in the schema. Its `resolve` is undefined for a default resolver. */
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  /** From the field to the root of the response. Without the indexes of lists for a batched resolver. */
  readonly path: Path;
  /** The parent object. The list of parents for a batched resolver. */
  readonly source: unknown;
  /** The arguments. Do not change them: the resolver gets the same object. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Number of parents of a batched resolver. Undefined for all others. */
  readonly parents: number | undefined;
  /** The last argument of the resolver. It is created at the first access, because that takes longer than most resolvers. */
  readonly info: GraphQLResolveInfo;
}

/** A call of a `resolveType` or an `isTypeOf`. */
export interface ObservedTypeCall {
  /** The type that has the function: an abstract type or an object type. */
  readonly type: GraphQLAbstractType | GraphQLObjectType;
  readonly value: unknown;
  /** The `info` of the field. Its path has no index for an item of a list. */
  readonly info: GraphQLResolveInfo;
}

/** Observes the resolvers of one execution. All functions are synchronous, and an error that they throw is the field's. */
export interface ExecutionObserver {
  /** Called with each `info` before a function of the schema gets it. May add properties. */
  info?(info: GraphQLResolveInfo): void;
  /** Called in place of each resolver. Must call `resolve` once and return its result. A run with this observer uses no generated code. */
  field?(call: ObservedCall, resolve: () => unknown): unknown;
  /** Called in place of each `resolveType` and `isTypeOf`, like `field`. The default `resolveType` of graphql-js counts as one call. */
  type?(call: ObservedTypeCall, resolve: () => unknown): unknown;
}

/** An observer of every call. */
export interface FieldObserver extends ExecutionObserver {
  field(call: ObservedCall, resolve: () => unknown): unknown;
}

export function observesFields(observer: ExecutionObserver | undefined): observer is FieldObserver {
  return observer?.field !== undefined;
}

/** Several observers as one, the first of which is the outermost. */
export function joinObservers(given: readonly (ExecutionObserver | undefined)[]): ExecutionObserver | undefined {
  const observers = given.filter((observer) => observer !== undefined);
  if (observers.length < 2) return observers[0];
  const ofInfo = observers.filter(({ info }) => info !== undefined);
  return {
    ...(ofInfo.length > 0 && {
      info: (info) => {
        for (const observer of ofInfo) assertSynchronous(observer.info!(info), 'info of an observer');
      },
    }),
    ...nested(observers, 'field'),
    ...nested(observers, 'type'),
  };
}

function nested(observers: readonly ExecutionObserver[], name: 'field' | 'type'): ExecutionObserver {
  const having = observers.filter((observer) => observer[name] !== undefined);
  if (having.length === 0) return {};
  type Around = (call: unknown, resolve: () => unknown) => unknown;
  return {
    [name]: (call: unknown, resolve: () => unknown) =>
      having.reduceRight((next, observer) => () => (observer[name] as Around)(call, next), resolve)(),
  };
}

import { defaultFieldResolver, Kind } from 'graphql';
import type {
  DirectiveNode,
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLResolveInfo,
  OperationDefinitionNode,
} from 'graphql';

import { noPropagation } from '../plan/plan.ts';
import { handleRejections } from '../promises.ts';
import { DeadlineGuard } from './deadline-guard.ts';
import type { Bounds } from './deadline-guard.ts';
import { wrapResolvers } from './wrap-resolvers.ts';
import type { Around, SchemaFunction } from './wrap-resolvers.ts';

/**
 * Lets graphql-js execute, with a partial result when the execution is canceled: fields that are still pending fail. graphql-js's
 * AbortSignal would discard the whole result.
 */
export function executeWithDeadline(
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
  args: ExecutionArgs,
  bounds: Bounds,
): ExecutionResult | Promise<ExecutionResult> {
  const guard = guardExecution(args, { ...bounds, isWhole: true });
  const result = execute(guard.args);
  const check = (whole: ExecutionResult): ExecutionResult => {
    const error = guard.overflow();
    return error === undefined ? guard.halted(whole) : { errors: [error] };
  };
  return result instanceof Promise ? result.finally(guard.end).then(check) : check(result);
}

/** A running execution. */
export interface GuardedExecution {
  readonly args: ExecutionArgs;
  readonly end: () => void;
  /** The error that replaces a response that is too large. */
  readonly overflow: () => GraphQLError | undefined;
  /** The result if errors halt: its first error alone. Otherwise unchanged. */
  readonly halted: (result: ExecutionResult) => ExecutionResult;
}

/** The same for an execution with several results: the caller must call `end`. */
export function guardExecution(args: ExecutionArgs, bounds: Bounds): GuardedExecution {
  wrapResolvers(args.schema, args.document, guarding);
  handleRejections(args.rootValue);
  const guard = new DeadlineGuard(bounds);
  // A copy of the operation's node identifies the execution: resolvers get nothing else that is not shared.
  const document = withCopiedOperation(args.document, args.operationName, (operation) => {
    Reflect.set(operation, 'directives', withPropagation(operation.directives, bounds.errorHandling?.propagates));
    guards.set(operation, guard);
  });
  return {
    args: { ...args, document, fieldResolver: withGuard(args.fieldResolver ?? defaultFieldResolver, 3) },
    end: () => guard.end(),
    overflow: () => guard.overflow,
    halted: (result) => guard.halted(result),
  };
}

/** The directives of an operation, with or without graphql 17's against propagation. Undefined: as the document says. */
function withPropagation(
  directives: readonly DirectiveNode[] | undefined,
  propagates: boolean | undefined,
): readonly DirectiveNode[] | undefined {
  if (propagates === undefined) return directives;
  const others = directives?.filter(({ name }) => name.value !== noPropagation) ?? [];
  return propagates ? others : [...others, { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: noPropagation } }];
}

const guards = new WeakMap<OperationDefinitionNode, DeadlineGuard>();

/** Copies the operation of a document, to identify one execution. */
export function withCopiedOperation(
  document: DocumentNode,
  name: string | null | undefined,
  take: (operation: OperationDefinitionNode) => void,
): DocumentNode {
  const definitions = document.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.name?.value !== (name ?? undefined)) return definition;
    const copy = { ...definition };
    take(copy);
    return copy;
  });
  return { ...document, definitions };
}

/** `info` is the fourth argument of a resolver, and the third of `resolveType` and `isTypeOf`. */
type InfoPlace = 2 | 3;

const guarding: Around = {
  resolve: (original) => withGuard(original, 3),
  resolveType: (original) => withGuard(original, 2),
  isTypeOf: (original) => withGuard(original, 2),
};

/** Wraps a function: after a cancellation of its execution it fails, and so do its pending promises. */
function withGuard(original: SchemaFunction, place: InfoPlace): () => unknown {
  return function guarded(this: unknown, ...values: unknown[]): unknown {
    const info = values[place] as GraphQLResolveInfo;
    const call = (): unknown => Reflect.apply(original, this, values);
    const guard = guards.get(info.operation);
    if (guard === undefined) return call();
    if (place === 2) return guard.run(info, call, undefined);
    guard.inputs.copy(values[1] as Record<string, unknown>, info);
    return guard.run(info, call, info.returnType);
  };
}

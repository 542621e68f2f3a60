import { defaultFieldResolver, isAbstractType, isObjectType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { isAsyncIterable } from './async-lists.ts';
import { isGraphQL17 } from './installed.ts';
import { abandon, isThenable, toPromise } from './promises.ts';
import type { ExecutionLife } from './run.ts';

/**
 * Lets graphql-js execute, so that its answer is there when the time is up. What it still waits for then fails, field by
 * field, and the rest is answered. Its own way to end an execution, an AbortSignal, answers nothing at all.
 */
export function executeRacing(
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
  args: ExecutionArgs,
  life: ExecutionLife,
): ExecutionResult | Promise<ExecutionResult> {
  const race = startRace(args, life);
  const result = execute(race.args);
  return result instanceof Promise ? result.finally(race.end) : result;
}

/** The same for an execution that goes on after its first result: it has to say when it has ended, or its life does. */
export function startRace(args: ExecutionArgs, life: ExecutionLife): { readonly args: ExecutionArgs; readonly end: () => void } {
  raceResolvers(args.schema, args.document);
  const race = new Race(life);
  // Resolvers see the operation's node, and nothing else that belongs to one execution alone: this one does.
  const document = withOwnOperation(args.document, args.operationName, (operation) => races.set(operation, race));
  return { args: { ...args, document, fieldResolver: racing(args.fieldResolver ?? defaultFieldResolver) }, end: () => race.end() };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const races = new WeakMap<OperationDefinitionNode, Race>();

function withOwnOperation(
  document: DocumentNode,
  name: string | null | undefined,
  take: (operation: OperationDefinitionNode) => void,
): DocumentNode {
  const definitions = document.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.name?.value !== (name ?? undefined)) return definition;
    const own = { ...definition };
    take(own);
    return own;
  });
  return { ...document, definitions };
}

/** Documents whose resolvers race already, by schema. */
const prepared = new WeakMap<GraphQLSchema, WeakSet<DocumentNode>>();

/**
 * Puts a racing resolver in the place of every one that the document may call. In the schema itself, for a copy of it would
 * have other types than those that resolvers know. Everywhere else these resolvers do what those did.
 */
function raceResolvers(schema: GraphQLSchema, document: DocumentNode): void {
  const known = prepared.get(schema) ?? new WeakSet();
  prepared.set(schema, known);
  if (known.has(document)) return;
  known.add(document);
  const typeInfo = new TypeInfo(schema);
  const Field = ({ name }: { readonly name: { readonly value: string } }): void => {
    const parent = typeInfo.getParentType();
    const types = isAbstractType(parent) ? schema.getPossibleTypes(parent) : isObjectType(parent) ? [parent] : [];
    for (const type of types) makeRace(type.getFields()[name.value]);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Field }));
}

function makeRace(field: GraphQLField<unknown, unknown> | undefined): void {
  if (field?.resolve === undefined || racingResolvers.has(field.resolve)) return;
  const resolver = racing(field.resolve);
  // False for a schema that is frozen: it is then not answered by halves.
  if (Reflect.set(field, 'resolve', resolver)) racingResolvers.add(resolver);
}

const racingResolvers = new WeakSet<Resolver>();

/** The same resolver, but in an execution that may end before its time nothing is begun after that, and nothing waited for. */
function racing(resolve: Resolver): Resolver {
  return (source, args, contextValue, info) => {
    const race = races.get(info.operation);
    return race === undefined ? resolve(source, args, contextValue, info) : race.run(info, () => resolve(source, args, contextValue, info));
  };
}

/** The resolvers of one execution against its time. */
class Race {
  readonly #life: ExecutionLife;
  readonly #waiting = new Set<(reason: Error) => void>();
  #reason: Error | undefined = undefined;
  #stop: (() => void) | undefined = undefined;

  constructor(life: ExecutionLife) {
    this.#life = life;
  }

  run(info: GraphQLResolveInfo, resolve: () => unknown): unknown {
    if (this.#reason !== undefined) throw this.#reason;
    // The signal of the operation, in place of one that fires after every execution.
    if (isGraphQL17) Reflect.set(info, 'getAbortSignal', () => this.#life.signal);
    return this.#watch(resolve());
  }

  end(): void {
    this.#stop?.();
  }

  /** A value of which graphql-js may have to wait for something: that may then fail. */
  #watch(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (isThenable(value)) return this.#wait(value).then((settled) => this.#watch(settled));
    if (Array.isArray(value)) return value.some(isThenable) ? value.map((item) => this.#watch(item)) : value;
    return isGraphQL17 && isAsyncIterable(value) ? this.#watchItems(value) : value;
  }

  #watchItems(items: AsyncIterable<unknown>): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = items[Symbol.asyncIterator]();
        const close = (): void => abandon(iterator.return?.());
        return {
          next: () => this.#wait(iterator.next(), close) as Promise<IteratorResult<unknown>>,
          return: () => {
            close();
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    };
  }

  #wait(value: PromiseLike<unknown>, giveUp?: () => void): Promise<unknown> {
    this.#stop ??= this.#life.onTimeUp((reason) => this.#timeUp(reason));
    return new Promise((resolve, reject) => {
      const late = (reason: Error): void => {
        giveUp?.();
        reject(reason);
      };
      const done = (): boolean => this.#waiting.delete(late);
      if (this.#reason === undefined) this.#waiting.add(late);
      else late(this.#reason);
      toPromise(value).then(resolve, reject).finally(done);
    });
  }

  #timeUp(reason: Error): void {
    this.#reason = reason;
    for (const late of this.#waiting) late(reason);
    this.#waiting.clear();
  }
}

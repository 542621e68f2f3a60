import { getNullableType, GraphQLID, GraphQLString, isLeafType } from 'graphql';
import type { GraphQLField, GraphQLScalarType } from 'graphql';

import type { IdentifiedSelection, MadeObject, ObjectIdentity, ObjectLog, ObjectNaming, ObjectRun } from '../../executor/index.ts';
import { isPromiseLike } from '../../shared/index.ts';
import type { AnsweredObjects, AnsweredRun, ObjectListing } from '../../server/index.ts';

/**
 * Lists the objects of answers: returned by a plugin's `executionWillStart` as `objects`, it gives the outcome of the operation its list,
 * `outcome.objects`. One serves any number of operations.
 *
 * `naming` names an object by its type and the value that a resolver has returned for it. Default: each is named by its field `id`.
 */
export function listObjects(naming?: ObjectNaming): ObjectListing {
  return { naming, begin: () => new ObjectList(naming) };
}

/** Objects that are listed one by one. */
const maxObjects = 10_000;

/**
 * The objects in an answer: each with its name, or its id, which is read in addition to the selected fields and is not in the answer. An
 * id or a name that fails counts as missing and does not change the answer.
 */
export class ObjectList implements AnsweredObjects, ObjectLog {
  /** Undefined: objects are named by their field `id`. */
  readonly naming: ObjectNaming | undefined;
  /** True when the execution has come to its end. */
  isComplete = false;
  /** The error of the first name that failed. */
  failure: unknown;
  readonly runs: ListedRun[] = [];
  readonly called: Set<string> = new Set<string>();
  onLate: (() => void) | undefined;

  constructor(naming?: ObjectNaming) {
    this.naming = naming;
  }

  /** Names of their types. */
  get types(): ReadonlySet<string> {
    return new Set(this.runs.map(({ typename }) => typename));
  }

  get isWhole(): boolean {
    let count = 0;
    for (const { noted } of this.runs) count += noted;
    return count <= maxObjects;
  }

  runOf(selection: IdentifiedSelection): ListedRun {
    const identity = (selection.identity ??= identityOf(selection));
    const last = this.runs.at(-1);
    if (last?.isOf(identity)) return last;
    const run = new ListedRun(identity, this);
    this.runs.push(run);
    return run;
  }

  each(visit: (typename: string, id: string | undefined) => boolean | void): void {
    let left = maxObjects;
    for (const run of this.runs)
      for (let at = 0; at < run.count; at++) {
        if (left-- === 0) return;
        if (visit(run.typename, run.nameAt(at)) === false) return;
      }
  }
}

/** Objects of one selection, as they were made. */
class ListedRun implements ObjectRun, AnsweredRun {
  /** Shared by all calls that run the selection, so plugins, which receive the list, must not reach it. */
  readonly #identity: ObjectIdentity;
  noted = 0;
  /** The name or id of each, or the object of the response, which will have its id. */
  readonly #values: unknown[] = [];
  readonly #log: Pick<ObjectList, 'naming' | 'failure'>;

  constructor(identity: ObjectIdentity, log: Pick<ObjectList, 'naming' | 'failure'>) {
    this.#identity = identity;
    this.#log = log;
  }

  isOf(identity: ObjectIdentity): boolean {
    return this.#identity === identity;
  }

  get typename(): string {
    return this.#identity.typename;
  }

  get count(): number {
    return this.#values.length;
  }

  nameAt(at: number): string | undefined {
    const key = this.#log.naming === undefined ? this.#identity.key : undefined;
    const value = this.#values[at];
    return textOf(key === undefined ? value : (value as Record<string, unknown>)[key]);
  }

  note(result: unknown, object: MadeObject): void {
    if (++this.noted > maxObjects) return;
    const { naming } = this.#log;
    if (naming === undefined) this.#values.push(this.#identity.key === undefined ? readId(this.#identity, object) : result);
    else this.#values.push(this.#named(naming, object));
  }

  /** Called at once, because the source may change before the end of the execution. */
  #named(naming: ObjectNaming, { source }: MadeObject): unknown {
    try {
      return naming(this.#identity.typename, source);
    } catch (error) {
      this.#log.failure ??= error;
      return undefined;
    }
  }
}

function identityOf({ type, fields }: IdentifiedSelection): ObjectIdentity {
  const field = type.getFields()['id'];
  // With arguments there may be several.
  const definition = field !== undefined && field.args.length === 0 ? field : undefined;
  const key = definition && fields.find(({ fieldName }) => fieldName === 'id')?.responseName;
  const leaf = definition && getNullableType(definition.type);
  return { typename: type.name, key, definition, isText: leaf === GraphQLID || leaf === GraphQLString, isAsynchronous: false };
}

/** Undefined: it has no id, or the id is asynchronous. */
function readId(identity: ObjectIdentity, object: MadeObject): unknown {
  const { definition } = identity;
  if (definition === undefined || identity.isAsynchronous) return undefined;
  try {
    const value = object.read(definition);
    if (typeof value === 'string' && identity.isText) return value;
    if (!isPromiseLike(value)) return completeId(definition, value);
    identity.isAsynchronous = true;
    value.then(undefined, () => undefined);
    return undefined;
  } catch {
    return undefined;
  }
}

/** As in a response: other answers and mutations name the same object by that. */
function completeId({ type }: GraphQLField<unknown, unknown>, value: unknown): unknown {
  const leaf = getNullableType(type);
  if (value === null || value === undefined || typeof value === 'function' || value instanceof Error) return undefined;
  if (!isLeafType(leaf)) return undefined;
  // graphql 17 renamed the function.
  const coerceOutput = 'coerceOutputValue' in leaf ? 'coerceOutputValue' : 'serialize';
  return (leaf as GraphQLScalarType)[coerceOutput](value);
}

function textOf(id: unknown): string | undefined {
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : undefined;
}

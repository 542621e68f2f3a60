import { getNullableType, GraphQLID, GraphQLString, isLeafType } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';

import { coerceOutput } from './graphql-js/version.ts';
import { isThenable } from './promises.ts';

/** How objects of one selection are told apart. Worked out with the first of them. */
export interface ObjectIdentity {
  readonly typename: string;
  /** The name under which the response has their id. Undefined: it has none. */
  readonly key: string | undefined;
  /** Their field `id`. Undefined: they have none, or none that can be had without asking. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Its resolver has returned a promise: it is not asked again. */
  isAsynchronous: boolean;
}

/** A selection, as far as it takes to name its objects. */
export interface IdentifiedSelection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly { readonly fieldName: string; readonly responseName: string }[];
  identity: ObjectIdentity | undefined;
}

/** An object of which the response is made. */
export interface MadeObject {
  readonly source: unknown;
  /** Set by the user, where no field has a resolver of its own. */
  readonly hasFieldResolver: boolean;
  /** The result of the resolver of its field `id`. */
  resolveId(definition: GraphQLField<unknown, unknown>): unknown;
}

/** Objects that are listed one by one. */
const maxObjects = 10_000;

/**
 * The objects that an answer was made of: each with its id, which is read beside what the client has asked for, and is not in the
 * answer. Nothing of it can change the answer: an id that fails is none.
 */
export class ObjectLog {
  readonly types: Set<string> = new Set();
  /** True when the execution has come to its end. */
  isComplete = false;
  #isWhole = true;
  readonly #identities: ObjectIdentity[] = [];
  /** The id of each, or the object of the response that has it: it may not be there yet. */
  readonly #values: unknown[] = [];
  #last: ObjectIdentity | undefined = undefined;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Notes an object when its fields have been run. */
  note(selection: IdentifiedSelection, result: unknown, object: MadeObject): void {
    const identity = (selection.identity ??= identityOf(selection));
    if (identity !== this.#last) {
      this.#last = identity;
      this.types.add(identity.typename);
    }
    if (this.#identities.length === maxObjects) {
      this.#isWhole = false;
      return;
    }
    this.#identities.push(identity);
    this.#values.push(identity.key === undefined ? readId(identity, object) : result);
  }

  each(visit: (typename: string, id: string | undefined) => boolean | void): void {
    for (let at = 0; at < this.#identities.length; at++) {
      const { typename, key } = this.#identities[at]!;
      const value = this.#values[at];
      if (visit(typename, textOf(key === undefined ? value : (value as Record<string, unknown>)[key])) === false) return;
    }
  }
}

function identityOf({ type, fields }: IdentifiedSelection): ObjectIdentity {
  const definition = type.getFields()['id'];
  // With arguments there may be several.
  if (definition === undefined || definition.args.length > 0)
    return { typename: type.name, key: undefined, definition: undefined, isAsynchronous: false };
  const key = fields.find(({ fieldName }) => fieldName === 'id')?.responseName;
  return { typename: type.name, key, definition, isAsynchronous: false };
}

/** Undefined: it cannot be had at once. */
function readId(identity: ObjectIdentity, object: MadeObject): unknown {
  const { definition } = identity;
  if (definition === undefined || identity.isAsynchronous) return undefined;
  try {
    const value =
      definition.resolve !== undefined || object.hasFieldResolver
        ? object.resolveId(definition)
        : (object.source as { readonly id?: unknown }).id;
    if (!isThenable(value)) return completeId(definition, value);
    identity.isAsynchronous = true;
    value.then(undefined, () => undefined);
    return undefined;
  } catch {
    return undefined;
  }
}

/** As the response would have it: another answer, or a mutation, names the same object by that. */
function completeId({ type }: GraphQLField<unknown, unknown>, value: unknown): unknown {
  const leaf = getNullableType(type);
  if (typeof value === 'string' && (leaf === GraphQLID || leaf === GraphQLString)) return value;
  if (value === null || value === undefined || typeof value === 'function' || value instanceof Error) return undefined;
  return isLeafType(leaf) ? leaf[coerceOutput](value) : undefined;
}

function textOf(id: unknown): string | undefined {
  return typeof id === 'string' ? id : typeof id === 'number' ? String(id) : undefined;
}

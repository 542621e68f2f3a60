import { getArgumentValues, isInputObjectType, isListType, isNonNullType, Kind } from 'graphql';
import type {
  GraphQLInputField,
  GraphQLInputFieldMap,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLLeafType,
  ValueNode,
} from 'graphql';

import { notPlain, plainKinds, plainValue } from '../complete/leaf.ts';
import { isGraphQL17 } from '../graphql-js/version.ts';
import { hasDefault, ownValue } from './own-defaults.ts';

/**
 * How input of one type is coerced, worked out once for the type.
 *
 * Why: graphql-js asks at each level of each value what kind of type it has before it, which was 5.7 of the 17 us of a mutation
 * with a nested input object. Here there is only a yes, with the value that graphql-js gives. Anything else is undefined: then
 * graphql-js looks at all variables itself, and finds the words for what is wrong.
 */
export interface InputCoercion {
  readonly nonNull: boolean;
  /** Which values of a built-in scalar stay as they are: see leaf.ts. */
  readonly plain: number;
  /** Coerces what is neither plain, nor null, nor undefined. */
  readonly coerce: (value: unknown) => unknown;
}

/** Coerces a value that was given: null where it is null. Undefined: graphql-js decides. */
export function coerceGiven({ nonNull, plain, coerce }: InputCoercion, value: unknown): unknown {
  if (value === null || value === undefined) return nonNull ? undefined : null;
  const same = plainValue(plain, value);
  return same === undefined ? coerce(value) : same;
}

/** How input of this type is coerced. */
export function inputCoercionOf(type: GraphQLInputType): InputCoercion {
  const nonNull = isNonNullType(type);
  const nullable = nonNull ? type.ofType : type;
  if (isListType(nullable)) return { nonNull, plain: notPlain, coerce: listCoercer(nullable.ofType) };
  if (isInputObjectType(nullable)) return { nonNull, plain: notPlain, coerce: objectCoercer(nullable) };
  return { nonNull, plain: plainInputOf(nullable), coerce: leafCoercer(nullable) };
}

/** graphql 17 renamed the function that a leaf type coerces values with. */
const coerceLeaf = (isGraphQL17 ? 'coerceInputValue' : 'parseValue') as 'parseValue';

/** The built-in scalars, each with the function it had when it came: one that was replaced since is called. */
const builtIn = new Map<GraphQLLeafType, unknown>([...plainKinds.keys()].map((type) => [type, type[coerceLeaf]]));

function plainInputOf(type: GraphQLLeafType): number {
  return builtIn.get(type) === type[coerceLeaf] ? plainKinds.get(type)! : notPlain;
}

function leafCoercer(type: GraphQLLeafType): InputCoercion['coerce'] {
  return (value) => {
    try {
      return type[coerceLeaf](value);
    } catch {
      return undefined;
    }
  };
}

function listCoercer(type: GraphQLInputType): InputCoercion['coerce'] {
  const item = inputCoercionOf(type);
  return (value) => {
    if (!Array.isArray(value)) return isIterable(value) ? undefined : listOfOne(item, value);
    const list: unknown[] = [];
    // By index, which meets the holes, too.
    for (let at = 0; at < value.length; at++) {
      const coerced = coerceGiven(item, value[at]);
      if (coerced === undefined) return undefined;
      list.push(coerced);
    }
    return list;
  };
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function listOfOne(item: InputCoercion, value: unknown): unknown[] | undefined {
  const coerced = coerceGiven(item, value);
  return coerced === undefined ? undefined : [coerced];
}

/** One for each type, which may have itself for a field. */
const objectCoercers = new WeakMap<GraphQLInputObjectType, InputCoercion['coerce']>();

function objectCoercer(type: GraphQLInputObjectType): InputCoercion['coerce'] {
  let coerce = objectCoercers.get(type);
  if (coerce === undefined) {
    const coercer = new ObjectCoercer(type);
    coerce = (value) => coercer.coerce(value);
    objectCoercers.set(type, coerce);
  }
  return coerce;
}

class ObjectCoercer {
  readonly #type: GraphQLInputObjectType;
  // Prepared when the first value comes, for the types of fields need not be complete before.
  #known: GraphQLInputFieldMap | undefined = undefined;
  #fields: readonly PreparedField[] = [];

  constructor(type: GraphQLInputObjectType) {
    this.#type = type;
  }

  coerce(value: unknown): unknown {
    if (!isOrdinary(value)) return undefined;
    if (this.#known !== this.#type.getFields()) this.#prepare();
    const coerced = emptyInput();
    let known = 0;
    let kept = 0;
    let last: unknown;
    for (let at = 0; at < this.#fields.length; at++) {
      const field = this.#fields[at]!;
      if (!field.isCurrent()) return this.#forget();
      const given = value[field.name];
      if (given !== undefined) known++;
      else if (field.isOptional) continue;
      last = field.coerce(given);
      if (last === undefined) return undefined;
      coerced[field.name] = last;
      kept++;
    }
    const keys = countKeys(value);
    if (keys !== known) return undefined;
    return this.#type.isOneOf && (keys !== 1 || kept !== 1 || last === null) ? undefined : coerced;
  }

  #prepare(): void {
    this.#known = this.#type.getFields();
    this.#fields = Object.values(this.#known).map((field) => new PreparedField(field));
  }

  /** The schema has changed: graphql-js coerces this value, and the next finds the fields as they are now. */
  #forget(): unknown {
    this.#known = undefined;
    return undefined;
  }
}

/** With as many keys as there are known ones, there is none that the type does not know. */
function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count++;
  return count;
}

/** A value that comes from JSON. Then a field that is read is the value's own, unless every object has something of that name. */
function isOrdinary(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** graphql 17 gives input objects without prototype, 16 ordinary ones. Resolvers can tell. */
function emptyInput(): Record<string, unknown> {
  return isGraphQL17 ? (Object.create(null) as Record<string, unknown>) : {};
}

/** graphql 17 knows a default as `default`, and in the older form as `defaultValue`. */
type DefaultInput = { readonly literal?: ValueNode; readonly value?: unknown } | undefined;

class PreparedField {
  readonly name: string;
  /** Left out where nothing is given. */
  readonly isOptional: boolean;
  readonly #field: GraphQLInputField;
  readonly #type: GraphQLInputType;
  readonly #coercion: InputCoercion;
  readonly #default: DefaultInput;
  readonly #defaultValue: unknown;
  /** Every object has something of that name: whether a value has it, too, graphql-js decides. */
  readonly #isAmbiguous: boolean;
  /** The default, if it is nothing that a resolver could change. */
  #constant: unknown = undefined;

  constructor(field: GraphQLInputField) {
    this.name = field.name;
    this.#field = field;
    this.#type = field.type;
    this.#coercion = inputCoercionOf(field.type);
    this.#default = defaultOf(field);
    this.#defaultValue = field.defaultValue;
    this.#isAmbiguous = field.name in Object.prototype;
    this.isOptional = !this.#coercion.nonNull && !hasDefault(field);
  }

  /** True when the schema still has it as it was prepared. */
  isCurrent(): boolean {
    const field = this.#field;
    if (field.type !== this.#type || field.defaultValue !== this.#defaultValue || defaultOf(field) !== this.#default) return false;
    return !this.#isAmbiguous;
  }

  /** Undefined: graphql-js decides. */
  coerce(given: unknown): unknown {
    if (given !== undefined) return coerceGiven(this.#coercion, given);
    return this.#constant === undefined ? this.#makeDefault() : this.#constant;
  }

  /** An object or a list is made anew each time. graphql-js hands out the same one, into which a resolver can write. */
  #makeDefault(): unknown {
    if (this.#default === undefined) return ownValue(this.#type, this.#defaultValue);
    const { name } = this;
    try {
      // As that of an argument: so graphql-js knows nothing of the values that it has made before.
      const args = [{ name, type: this.#type, default: this.#default }];
      const made = getArgumentValues({ args } as never, { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } })[name];
      if (typeof made === 'object' && made !== null) return ownValue(this.#type, made);
      return (this.#constant = made);
    } catch {
      return undefined;
    }
  }
}

function defaultOf(field: GraphQLInputField): DefaultInput {
  return isGraphQL17 ? (field as { readonly default?: DefaultInput }).default : undefined;
}

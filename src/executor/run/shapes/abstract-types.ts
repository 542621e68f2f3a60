import { defaultTypeResolver, isObjectType } from 'graphql';
import type { GraphQLAbstractType, GraphQLNamedType, GraphQLObjectType } from 'graphql';

import { misfit } from '../errors.ts';
import { inspect } from '../inspect.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { ObjectShape, observeType } from './objects.ts';
import { PromisedType } from '../pending.ts';
import { Shape } from '../../plan/planned-field.ts';
import type { FieldRun, Position } from '../../plan/planned-field.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** Interfaces and unions: the type depends on the object. */
export class AbstractShape extends Shape {
  readonly #type: GraphQLAbstractType;
  /** The types that objects have had, by name. */
  readonly #objects = new Map<string, ObjectShape>();

  constructor(type: GraphQLAbstractType, nonNull: boolean) {
    super(nonNull);
    this.#type = type;
  }

  complete(position: Position, value: unknown): unknown {
    const answer = this.#resolveType(position.fieldRun, value);
    const objects = this.#objects.get(answer as string);
    return objects === undefined ? this.#completeAs(position, answer, value) : objects.complete(position, value);
  }

  #completeAs(position: Position, answer: unknown, value: unknown): unknown {
    const proceed = (name: unknown): unknown => this.#objectsOf(position.fieldRun, name, value).complete(position, value);
    return isPromiseLike(answer) ? new PromisedType(position, value, answer, proceed) : proceed(answer);
  }

  /** The type name of an object, a promise of it, or an invalid value. */
  #resolveType(fieldRun: FieldRun, value: unknown): unknown {
    if (this.#type.resolveType === undefined) {
      // Does the same as the default resolver, but without creating `info`.
      const typename = typeof value === 'object' ? (value as { __typename?: unknown }).__typename : undefined;
      if (typeof typename === 'string') return typename;
    }
    return callTypeResolver(this.#type, fieldRun, value);
  }

  /** The shape of a resolved type name. Throws if it is not a possible type. */
  #objectsOf(fieldRun: FieldRun, name: unknown, value: unknown): ObjectShape {
    if (typeof name !== 'string') throw noTypeName(fieldRun, this.#type.name, { name, value });
    let objects = this.#objects.get(name);
    if (objects === undefined) {
      objects = new ObjectShape(assertPossibleType(fieldRun, this.#type, name), false, this.#objects.size > 0);
      this.#objects.set(name, objects);
    }
    return objects;
  }
}

function callTypeResolver(type: GraphQLAbstractType, fieldRun: FieldRun, value: unknown): unknown {
  return observeType(fieldRun, { type, value }, (info) =>
    (type.resolveType ?? defaultTypeResolver)(value, fieldRun.run.contextValue, info, type),
  );
}

/** The possible type of this name. The messages are graphql-js's. */
function assertPossibleType({ run }: FieldRun, abstractType: GraphQLAbstractType, name: string): GraphQLObjectType {
  const type = run.settings.schema.getType(name);
  if (isObjectType(type) && run.settings.schema.isSubType(abstractType, type)) return type;
  throw misfit(wrongTypeMessage(abstractType.name, name, type));
}

function wrongTypeMessage(abstract: string, name: string, type: GraphQLNamedType | null | undefined): string {
  if (type === null || type === undefined)
    return `Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`;
  if (!isObjectType(type)) return `Abstract type "${abstract}" was resolved to a non-object type "${name}".`;
  return `Runtime Object type "${type.name}" is not a possible type for "${abstract}".`;
}

function noTypeName({ field }: FieldRun, abstract: string, { name, value }: { readonly name: unknown; readonly value: unknown }): Error {
  const { parentType, fieldName } = field;
  const problem = `Abstract type "${abstract}" must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    const remedy = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return misfit(`${problem}. ${remedy}`);
  }
  if (!isGraphQL17 && isObjectType(name)) {
    return misfit(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  const received = `${problem} with value ${inspect(value)}, received "${inspect(name)}"`;
  return misfit(isGraphQL17 ? `${received}, which is not a valid Object type name.` : `${received}.`);
}

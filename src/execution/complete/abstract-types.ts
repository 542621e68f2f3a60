import { defaultTypeResolver, GraphQLError, isObjectType } from 'graphql';
import type { GraphQLAbstractType, GraphQLNamedType, GraphQLObjectType } from 'graphql';

import { inspect } from './errors.ts';
import { isGraphQL17 } from '../graphql-js/version.ts';
import { notPlain } from './leaf.ts';
import { completeChecked } from './objects.ts';
import { placed, PromisedType } from '../pending.ts';
import { executeObject } from './rows.ts';
import type { FieldRun, Path, Position, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';

/** Interfaces and unions: the object says which type it has. */
export class AbstractShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #type: GraphQLAbstractType;
  #known: Map<string, GraphQLObjectType> | undefined = undefined;

  constructor(type: GraphQLAbstractType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#type = type;
  }

  complete(fieldRun: FieldRun, value: unknown, path: Path): unknown {
    const answer = this.#resolveType(fieldRun, value);
    if (isThenable(answer)) return this.#completeLater({ fieldRun, shape: this, path }, value, answer);
    const type = this.#objectType(fieldRun, answer, value);
    if (typeof type.isTypeOf === 'function') return completeChecked({ fieldRun, shape: this, path }, type, value);
    // The usual case, without objects for what may have to wait.
    return placed(executeObject(fieldRun.run, fieldRun.field.selectionFor(type), value, path), fieldRun, this, path);
  }

  #completeLater(position: Position, value: unknown, answer: PromiseLike<unknown>): PromisedType {
    const proceed = (name: unknown): unknown => completeChecked(position, this.#objectType(position.fieldRun, name, value), value);
    return new PromisedType(position, value, answer, proceed);
  }

  #resolveType(fieldRun: FieldRun, value: unknown): unknown {
    const { run } = fieldRun;
    const resolveType = this.#type.resolveType ?? run.settings.typeResolver;
    if (resolveType === undefined) {
      // The first thing the default resolver would look at; it needs no `info` for it.
      const typename = typeof value === 'object' ? (value as { __typename?: unknown }).__typename : undefined;
      if (typeof typename === 'string') return typename;
    }
    return (resolveType ?? defaultTypeResolver)(value, run.contextValue, fieldRun.info, this.#type);
  }

  #objectType(fieldRun: FieldRun, name: unknown, value: unknown): GraphQLObjectType {
    const known = this.#known?.get(name as string);
    if (known !== undefined) return known;
    if (typeof name !== 'string') throw noTypeName(fieldRun, this.#type.name, { name, value });
    const type = assertPossibleType(fieldRun, this.#type, name);
    (this.#known ??= new Map()).set(type.name, type);
    return type;
  }
}

/** The object type of that name, if the abstract type may have it. The messages are graphql-js's. */
function assertPossibleType({ run, field }: FieldRun, abstractType: GraphQLAbstractType, name: string): GraphQLObjectType {
  const type = run.settings.schema.getType(name);
  if (isObjectType(type) && run.settings.schema.isSubType(abstractType, type)) return type;
  throw new GraphQLError(wrongTypeMessage(abstractType.name, name, type), { nodes: run.nodesOf(field) });
}

function wrongTypeMessage(abstract: string, name: string, type: GraphQLNamedType | null | undefined): string {
  if (type === null || type === undefined)
    return `Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`;
  if (!isObjectType(type)) return `Abstract type "${abstract}" was resolved to a non-object type "${name}".`;
  return `Runtime Object type "${type.name}" is not a possible type for "${abstract}".`;
}

function noTypeName(
  { run, field }: FieldRun,
  abstract: string,
  { name, value }: { readonly name: unknown; readonly value: unknown },
): GraphQLError {
  const { parentType, fieldName } = field;
  const problem = `Abstract type "${abstract}" must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    const remedy = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return new GraphQLError(`${problem}. ${remedy}`, { nodes: run.nodesOf(field) });
  }
  if (!isGraphQL17 && isObjectType(name)) {
    return new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  const received = `${problem} with value ${inspect(value)}, received "${inspect(name)}"`;
  return new GraphQLError(isGraphQL17 ? `${received}, which is not a valid Object type name.` : `${received}.`);
}

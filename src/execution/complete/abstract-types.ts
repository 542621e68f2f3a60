import { defaultTypeResolver, GraphQLError, isObjectType } from 'graphql';
import type { GraphQLAbstractType, GraphQLObjectType } from 'graphql';

import { inspect } from '../inspect.ts';
import { isGraphQL17 } from '../graphql-js/installed.ts';
import { notPlain } from './leaf.ts';
import { completeChecked } from './objects.ts';
import { fieldPathOf } from '../path.ts';
import type { Path } from '../path.ts';
import { PromisedType } from '../pending.ts';
import type { PlannedField, Shape } from '../plan/planned-field.ts';
import { isThenable } from '../promises.ts';
import { resolveInfo } from '../resolve-info.ts';
import type { Run } from '../run.ts';

/** Interfaces and unions: the object says which type it has. */
export class AbstractShape implements Shape {
  readonly nonNull: boolean;
  readonly plain: number = notPlain;
  readonly #type: GraphQLAbstractType;
  readonly #known = new Map<string, GraphQLObjectType>();

  constructor(type: GraphQLAbstractType, nonNull: boolean) {
    this.nonNull = nonNull;
    this.#type = type;
  }

  complete(run: Run, field: PlannedField, value: unknown, path: Path): unknown {
    const answer = this.#resolveType(run, field, value, path);
    const proceed = (name: unknown): unknown => {
      const type = this.#objectType(run, field, name, value);
      return completeChecked(run, field, { shape: this, type, path }, value);
    };
    return isThenable(answer) ? new PromisedType(run, field, this, path, answer, proceed) : proceed(answer);
  }

  #resolveType(run: Run, field: PlannedField, value: unknown, path: Path): unknown {
    const resolveType = this.#type.resolveType ?? run.typeResolver;
    if (resolveType === undefined) {
      // The first thing the default resolver would look at; it needs no `info` for it.
      const typename = typeof value === 'object' ? (value as { __typename?: unknown }).__typename : undefined;
      if (typeof typename === 'string') return typename;
    }
    return (resolveType ?? defaultTypeResolver)(value, run.contextValue, resolveInfo(run, field, fieldPathOf(path)), this.#type);
  }

  #objectType(run: Run, field: PlannedField, name: unknown, value: unknown): GraphQLObjectType {
    const known = this.#known.get(name as string);
    if (known !== undefined) return known;
    const type = assertPossibleType(run, field, this.#type, name, value);
    this.#known.set(type.name, type);
    return type;
  }
}

/** The object type of that name, if the abstract type may have it. The messages are graphql-js's. */
function assertPossibleType(
  run: Run,
  field: PlannedField,
  abstractType: GraphQLAbstractType,
  name: unknown,
  value: unknown,
): GraphQLObjectType {
  const abstract = abstractType.name;
  const { nodes } = field;
  if (typeof name !== 'string') throw noTypeName(field, abstract, name, value);
  const type = run.schema.getType(name);
  if (type === null || type === undefined) {
    throw new GraphQLError(`Abstract type "${abstract}" was resolved to a type "${name}" that does not exist inside the schema.`, {
      nodes,
    });
  }
  if (!isObjectType(type)) throw new GraphQLError(`Abstract type "${abstract}" was resolved to a non-object type "${name}".`, { nodes });
  if (!run.schema.isSubType(abstractType, type))
    throw new GraphQLError(`Runtime Object type "${type.name}" is not a possible type for "${abstract}".`, { nodes });
  return type;
}

function noTypeName({ parentType, fieldName, nodes }: PlannedField, abstract: string, name: unknown, value: unknown): GraphQLError {
  const problem = `Abstract type "${abstract}" must resolve to an Object type at runtime for field "${parentType.name}.${fieldName}"`;
  if (name === null || name === undefined) {
    const remedy = `Either the "${abstract}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
    return new GraphQLError(`${problem}. ${remedy}`, { nodes });
  }
  if (!isGraphQL17 && isObjectType(name)) {
    return new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  const received = `${problem} with value ${inspect(value)}, received "${inspect(name)}"`;
  return new GraphQLError(isGraphQL17 ? `${received}, which is not a valid Object type name.` : `${received}.`);
}

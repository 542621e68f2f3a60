import { getNamedType, GraphQLError, isAbstractType, isObjectType } from 'graphql';
import type { FieldNode, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import { selectionsOf } from './plan/plan.ts';
import type { SelectedObject } from './plan/plan.ts';
import { coercedOf } from './run/run.ts';
import { getOrCreate } from '../shared/index.ts';

/** The members of `info` that {@link selectedFields} reads. */
export type SelectionInfo = Pick<
  GraphQLResolveInfo,
  'fieldName' | 'fieldNodes' | 'fragments' | 'parentType' | 'returnType' | 'schema' | 'variableValues'
>;

export interface SelectedFieldsOptions {
  /** The name of a possible type, for a field that returns an interface or a union. Default: all possible types. */
  readonly type?: string;
}

/**
 * The selections of one execution, and the characters that its sets of names may still have: many nested resolvers may each ask for a set.
 */
interface OfExecution {
  readonly collect: ReturnType<typeof selectionsOf>;
  /** The sets by field, and by the option `type`. */
  readonly known: Map<readonly FieldNode[], Map<string | undefined, ReadonlySet<string>>>;
  left: number;
}

const maxCharacters = 2_000_000;

/** The selections of each execution, by the object of its variables. */
const executions = new WeakMap<object, OfExecution>();

/**
 * The fields that the client asks for below the field of a resolver, so that it loads nothing else. They have the names of the schema, not
 * aliases, and those of objects in them are dotted: `author`, `author.name`. `__typename` is left out. Fragments, variables, `@skip` and
 * `@include` are applied (GraphQL specification, section 6.3.2, CollectFields); what `@defer` delivers later is included. For an interface
 * or a union, the set has the fields of all possible types.
 *
 * The result is computed once for each field of an execution, not for each object. Do not change it. Throws a TypeError if `type` is no
 * possible type of the field, and an error of the client if all sets of an execution have more than two million characters.
 *
 * @example
 * ```ts
 * const resolvers = {
 *   Query: {
 *     books: (_, args, { dataSources }, info) => dataSources.books.list(selectedFields(info)),
 *   },
 * };
 * ```
 */
export function selectedFields(info: SelectionInfo, { type }: SelectedFieldsOptions = {}): ReadonlySet<string> {
  const { schema, fragments, variableValues, fieldNodes } = info;
  const execution = getOrCreate(executions, variableValues, () => ({
    collect: selectionsOf({ schema, fragments, variables: coercedOf(variableValues) }),
    known: new Map(),
    left: maxCharacters,
  }));
  const ofField = getOrCreate(execution.known, fieldNodes, () => new Map<string | undefined, ReadonlySet<string>>());
  return getOrCreate(ofField, type, () => fieldsOf(info, type, execution));
}

function fieldsOf(info: SelectionInfo, type: string | undefined, execution: OfExecution): ReadonlySet<string> {
  const { parentType, fieldName, returnType, fieldNodes, schema } = info;
  const fields = new Set<string>();
  /** Objects of several types are read together: a field counts as selected if it is selected for one of the types. */
  const add = (selections: Iterable<SelectedObject>, prefix: string): void => {
    const below = new Map<string, Set<SelectedObject>>();
    for (const selection of selections) {
      for (const field of selection.fields) {
        if (field.fieldName.startsWith('__')) continue;
        const known = getOrCreate(below, field.fieldName, () => new Set());
        for (const one of possibleTypes(field.definition.type)) known.add(execution.collect(one, field.nodes));
      }
    }
    for (const [name, ofName] of below) {
      const path = prefix + name;
      execution.left -= path.length;
      if (execution.left < 0) throw tooManyFields();
      fields.add(path);
      add(ofName, `${path}.`);
    }
  };
  const possibleTypes = (output: GraphQLOutputType): readonly GraphQLObjectType[] => {
    const named = getNamedType(output);
    if (isObjectType(named)) return [named];
    return isAbstractType(named) ? schema.getPossibleTypes(named) : [];
  };
  const possible = possibleTypes(returnType);
  const types = type === undefined ? possible : possible.filter(({ name }) => name === type);
  if (type !== undefined && types.length === 0) {
    const names = possible.map(({ name }) => name).join(', ') || 'no object';
    throw new TypeError(
      `Expected the type of selectedFields to be one that ${parentType.name}.${fieldName} returns (${names}), got ${type}.`,
    );
  }
  add(
    types.map((one) => execution.collect(one, fieldNodes)),
    '',
  );
  return fields;
}

function tooManyFields(): GraphQLError {
  return new GraphQLError('The operation selects too many fields, too deep.', { extensions: { code: 'BAD_USER_INPUT' } });
}

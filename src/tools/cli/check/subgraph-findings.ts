import { readFileSync } from 'node:fs';

import { getNamedType, GraphQLError, Kind, NoUnusedFragmentsRule, parse, print, specifiedRules, validate } from 'graphql';
import type { ConstDirectiveNode, FieldDefinitionNode, GraphQLSchema, TypeNode, ValueNode } from 'graphql';

import { sourcesOf } from '../../../executor/schema/index.ts';
import { localNamesOf } from '../../../extensions/subgraph/index.ts';
import type { ServerOptions } from '../../../server/index.ts';
import type { FoundPlace } from '../project/source-search.ts';
import type { Finding } from './parse-tolerantly.ts';

/** A use of `@key`, `@requires` or `@provides`, and the type whose fields it names. */
interface FieldSet {
  readonly directive: ConstDirectiveNode;
  readonly type: string;
}

/** Finds fields that a subgraph names in `@key`, `@requires` and `@provides` and does not have: composition would refuse them later. */
export function findInFieldSets(typeDefs: unknown, schema: GraphQLSchema): Finding[] {
  if (schema.getType('_Service') === undefined) return [];
  const sources = sourcesOf(typeDefs);
  const names = localNamesOf(sources);
  return sources.flatMap((source) => {
    const text = typeof source === 'string' ? source : print(source);
    return fieldSetsIn(text, names).flatMap(({ directive, type }) => {
      const fields = directive.arguments?.find(({ name }) => name.value === 'fields')?.value;
      if (fields === undefined) return [];
      const problem = problemOf(fields, type, schema);
      if (problem === undefined) return [];
      const message = `@${directive.name.value}(fields: ${print(fields)}) names fields of "${type}". ${problem}`;
      return [{ message, sdl: { text, offset: fields.loc!.start } }];
    });
  });
}

function fieldSetsIn(text: string, names: ReadonlyMap<string, string>): FieldSet[] {
  const found: FieldSet[] = [];
  const add = (directives: readonly ConstDirectiveNode[] | undefined, name: string, type: string): void => {
    for (const directive of directives ?? []) if (`@${directive.name.value}` === names.get(name)) found.push({ directive, type });
  };
  for (const definition of parse(text).definitions) {
    if (!('name' in definition) || !/^(?:Object|Interface)Type/.test(definition.kind)) continue;
    const type = definition.name!.value;
    const { directives, fields = [] } = definition as {
      readonly directives?: readonly ConstDirectiveNode[];
      readonly fields?: readonly FieldDefinitionNode[];
    };
    add(directives, '@key', type);
    for (const field of fields) {
      add(field.directives, '@requires', type);
      add(field.directives, '@provides', namedTypeOf(field.type));
    }
  }
  return found;
}

function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}

/** What is wrong with a field set. Undefined: nothing. */
function problemOf(fields: ValueNode, typeName: string, schema: GraphQLSchema): string | undefined {
  if (fields.kind !== Kind.STRING) return 'Write them in one string, such as "id name".';
  const type = schema.getType(typeName);
  if (type === undefined || !('getFields' in getNamedType(type)!)) return undefined;
  try {
    const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);
    return validate(schema, parse(`fragment Fields on ${typeName} { ${fields.value} }`), rules)[0]?.message;
  } catch (error) {
    return error instanceof GraphQLError ? error.message : undefined;
  }
}

/** A notice about a subgraph that anyone may call, unless a comment in its file that names the router says who checks. */
export function noticeOfOpenSubgraph({ plugins = [] }: ServerOptions, call: FoundPlace | undefined): readonly string[] {
  const plugin = plugins.find((one) => 'inVersion3' in one);
  if (plugin === undefined || plugin.aroundRequest !== undefined) return [];
  if (call !== undefined && /(?:\/\/|\/\*|^\s*\*).*\brouter\b/im.test(readFileSync(call.file, 'utf8'))) return [];
  return [
    'Anyone who can reach this subgraph may read any entity by its key. Set routerSecret in subgraph(), or say in a comment who keeps others than the router out.',
  ];
}

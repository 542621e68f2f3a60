import * as graphql from 'graphql';
import type { ArgumentNode, GraphQLArgument, GraphQLResolveInfo, NameNode, ValueNode } from 'graphql';

/** True with graphql-js 17 or later, false with 16. */
export const isGraphQL17: boolean = assertVersion() >= 17;

/** Returns the major version. Throws for versions without the limits on validation that this package relies on. */
function assertVersion(): number {
  const { major, minor } = graphql.versionInfo;
  if ((major === 16 && minor >= 15) || major > 16) return major;
  throw new Error(
    `graphql-functions needs graphql 16.15 or newer, and this process has loaded graphql ${graphql.version}. ` +
      'Run `npm install graphql@^16.15.0`; `npm ls graphql` lists the packages that need another version.',
  );
}

// Some of those versions lack these names. Named imports would fail before the message above.

export const getArgumentValues: typeof graphql.getArgumentValues = graphql.getArgumentValues;
export const getVariableValues: typeof graphql.getVariableValues = graphql.getVariableValues;
export const GraphQLOneOfDirective: typeof graphql.GraphQLOneOfDirective = graphql.GraphQLOneOfDirective;
export const GraphQLSpecifiedByDirective: typeof graphql.GraphQLSpecifiedByDirective = graphql.GraphQLSpecifiedByDirective;
export const NoSchemaIntrospectionCustomRule: typeof graphql.NoSchemaIntrospectionCustomRule = graphql.NoSchemaIntrospectionCustomRule;

// The functions of leaf types for results, variables and literals, which graphql 17 renamed.
export const coerceOutput = (isGraphQL17 ? 'coerceOutputValue' : 'serialize') as 'coerceOutputValue';
export const coerceInput = (isGraphQL17 ? 'coerceInputValue' : 'parseValue') as 'parseValue';
export const coerceLiteral = (isGraphQL17 ? 'coerceInputLiteral' : 'parseLiteral') as 'parseLiteral';

/** Returns the value that graphql-js computes for an argument with this type or this default. Returns undefined if the value is invalid. */
export function coerceWithGraphQLJS(input: object, value?: ValueNode, variableValues?: GraphQLResolveInfo['variableValues']): unknown {
  const name: NameNode = { kind: graphql.Kind.NAME, value: 'value' };
  const given: ArgumentNode[] = value === undefined ? [] : [{ kind: graphql.Kind.ARGUMENT, name, value }];
  const args = [{ ...input, name: name.value } as GraphQLArgument];
  try {
    return getArgumentValues({ args } as never, { kind: graphql.Kind.FIELD, name, arguments: given }, variableValues)[name.value];
  } catch {
    return undefined;
  }
}

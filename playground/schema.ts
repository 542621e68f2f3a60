import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { GraphQLField, GraphQLNamedType, GraphQLSchema, IntrospectionQuery } from 'graphql';

/** The endpoint's schema, and its text to compare it with later ones. Undefined if the server does not answer introspection. */
export async function loadSchema(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly text: string; readonly schema: GraphQLSchema } | undefined> {
  try {
    const body = JSON.stringify({ query: getIntrospectionQuery(), operationName: 'IntrospectionQuery' });
    const response = await fetch(endpoint, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });
    const text = await response.text();
    const { data } = JSON.parse(text) as { data?: IntrospectionQuery };
    return data === undefined || data === null ? undefined : { text, schema: buildClientSchema(data) };
  } catch {
    return undefined;
  }
}

const introduction = `# Ctrl-Enter (⌘-Enter) runs it.
# Ctrl-Space suggests fields.
# The explorer, at the left, adds them.
`;

/** The first operation: a field without required arguments, or one with variables for them. */
export function firstOperation(schema: GraphQLSchema | undefined): string {
  const fields = Object.values(schema?.getQueryType()?.getFields() ?? {});
  const field =
    fields.find((one) => !needsArguments(one) && isCompositeType(getNamedType(one.type))) ??
    fields.find((one) => !needsArguments(one)) ??
    fields[0];
  if (field === undefined) return `${introduction}\n{\n  __typename\n}\n`;
  const required = field.args.filter(isRequiredArgument);
  const variables = required.length === 0 ? '' : `query (${required.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')}) `;
  const given = required.length === 0 ? '' : `(${required.map(({ name }) => `${name}: $${name}`).join(', ')})`;
  return `${introduction}\n${variables}{\n  ${field.name}${given}${selection(getNamedType(field.type), '  ')}\n}\n`;
}

/** At most five leaf fields of a type. */
function selection(type: GraphQLNamedType, indent: string): string {
  if (!isCompositeType(type)) return '';
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const leaves = fields.filter((one) => !needsArguments(one) && !isCompositeType(getNamedType(one.type))).slice(0, 5);
  const names = leaves.length === 0 ? ['__typename'] : leaves.map(({ name }) => name);
  return ` {\n${names.map((name) => `${indent}  ${name}\n`).join('')}${indent}}`;
}

function needsArguments({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(isRequiredArgument);
}

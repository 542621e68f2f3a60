import { GraphQLError, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import type { ASTNode, GraphQLSchema } from 'graphql';

/** The validation error itself, or one with another message if it has a name of the schema that the document does not have. */
export function withoutSchemaNames(error: GraphQLError, schema: GraphQLSchema, source: string): GraphQLError {
  const names = namesOf(schema);
  const sent = new Set(wordsIn(source));
  const isHarmless = wordsIn(error.message).every((word) => sent.has(word) || !names.has(word));
  if (isHarmless) return error;
  const { nodes, source: text, positions, extensions } = error;
  return new GraphQLError(generalMessage(nodes?.[0]), { nodes: nodes ?? null, source: text, positions, extensions });
}

/** A message with only the client's names: it says what is invalid, but not why. */
export function generalMessage(node: ASTNode | undefined): string {
  if (node === undefined) return 'The document is not valid.';
  if (node.kind === 'VariableDefinition') return `Variable "$${node.variable.name.value}" is not valid, or has an invalid value.`;
  if (node.kind.endsWith('Value')) return 'The value is not valid here.';
  // For example "Fragment spread".
  const kind = node.kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const name = 'name' in node ? node.name?.value : undefined;
  return `${kind}${name === undefined ? '' : ` "${name}"`} is not valid here.`;
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[_a-z]\w*/gi) ?? [];
}

const known = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** All names of a schema, also those of types that no operation has used yet. */
function namesOf(schema: GraphQLSchema): ReadonlySet<string> {
  let names = known.get(schema);
  if (names === undefined) known.set(schema, (names = collectNames(schema)));
  return names;
}

function collectNames(schema: GraphQLSchema): ReadonlySet<string> {
  const names = new Set<string>();
  const addArguments = (args: readonly { readonly name: string }[]): void => args.forEach(({ name }) => names.add(name));
  for (const directive of schema.getDirectives()) {
    names.add(directive.name);
    addArguments(directive.args);
  }
  for (const type of Object.values(schema.getTypeMap())) {
    names.add(type.name);
    if (isEnumType(type)) addArguments(type.getValues());
    if (isInputObjectType(type)) addArguments(Object.values(type.getFields()));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      names.add(field.name);
      addArguments(field.args);
    }
  }
  return names;
}

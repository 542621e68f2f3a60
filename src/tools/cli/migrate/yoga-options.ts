import type { Node } from './references.ts';
import type { ResolvedValue } from './yoga-schema.ts';
import { indentOf, problem, propertyNamed, textOf } from './written-code.ts';
import type { Problem } from './written-code.ts';

/** The translation of an option: its text, undefined for none, or `left` when it is unknown. */
type Written = { readonly text: string | undefined } | 'left';

const none: Written = { text: undefined };
const isText = ({ type, value }: Node): boolean => type === 'Literal' && typeof value === 'string';
const isEmpty = ({ type, elements }: Node): boolean => type === 'ArrayExpression' && elements.length === 0;

/** Options whose text changes. `typeDefs`, `resolvers` and `context` are handled elsewhere. */
const options: Readonly<Record<string, (value: Node, text: string) => Written>> = {
  graphqlEndpoint: (value) => (isText(value) ? none : 'left'),
  maskedErrors: ({ value }) => (value === true ? none : value === false ? { text: 'maskErrors: false' } : 'left'),
  graphiql: ({ value }) => (value === true ? none : value === false ? { text: 'landingPage: false' } : 'left'),
  // In Yoga, this is the page for paths other than the endpoint.
  landingPage: ({ value }) => (typeof value === 'boolean' ? none : 'left'),
  logging: ({ value }) => (value === true ? none : 'left'),
  multipart: ({ value }) => (value === false ? none : 'left'),
  plugins: (value) => (isEmpty(value) ? none : 'left'),
  // Yoga's recipe for Next.js passes that class.
  fetchAPI: ({ type, properties }) =>
    type === 'ObjectExpression' && properties.length > 0 && properties.every(({ key }: Node) => key?.name === 'Response') ? none : 'left',
  healthCheckEndpoint: (value) => (isText(value) && /\/health\/?$/.test(value.value) ? none : 'left'),
  batching: batching,
  cors: cors,
};

/** What to write in place of options that cannot be translated. */
const remedies: Readonly<Record<string, string>> = {
  plugins: 'See docs/plugins.md for hooks that do the same, and the table of docs/migration-servers.md for options that replace plugins',
  cors: 'Write origin as a list, and credentials as true or false',
  maskedErrors: 'Write formatError: see docs/errors.md',
  logging: 'Write logger',
};

function batching(value: Node, text: string): Written {
  const isLimit = value.type === 'ObjectExpression' && value.properties.length === 1 && value.properties[0].key?.name === 'limit';
  return typeof value.value === 'boolean' || isLimit ? { text: `allowBatchedHttpRequests: ${textOf(text, value)}` } : 'left';
}

/** The names are those of the `cors` package; Yoga's defaults must be written out. */
function cors(value: Node, text: string): Written {
  if (value.value === false) return none;
  if (value.type !== 'ObjectExpression') return 'left';
  const entries: [string, Node][] = value.properties.map((property: Node) => [property.key?.name, property.value]);
  const found = Object.fromEntries(entries);
  const isKnown = entries.every(([name]) => /^(?:origin|methods|allowedHeaders|exposedHeaders|credentials|maxAge)$/.test(name));
  const { origin, credentials } = found;
  const origins: Node[] = origin?.type === 'ArrayExpression' ? origin.elements : [origin];
  const isNamed = origins.length > 0 && origins.every((one) => one?.type === 'Literal' && isText(one));
  const mayBeAnybody = origins.some((one) => /\*|^null$/.test(one?.value));
  if (!isKnown || !isNamed || typeof credentials?.value !== 'boolean' || (credentials.value === true && mayBeAnybody)) return 'left';
  return { text: `cors: ${textOf(text, value)}` };
}

/** The options that cannot be translated. */
export function problemsOfOptions(node: Node, schema: ResolvedValue | undefined): Problem[] {
  if (node?.type !== 'ObjectExpression') return problem(node, 'its options are not an object literal');
  if (schema === undefined)
    return problem(
      node,
      'its schema is not written as createSchema({ typeDefs, resolvers }). Pass it as createHandler({ schema }), and make context return what resolvers read',
    );
  const inSchema = schema.isHere
    ? schema.node.properties.flatMap((property: Node) =>
        property.type === 'Property' && !property.computed && /^(?:typeDefs|resolvers)$/.test(property.key.name)
          ? []
          : problem(property, 'createSchema receives more than typeDefs and resolvers'),
      )
    : [];
  const others = node.properties.flatMap((property: Node) => {
    const { key, value, type, computed } = property;
    if (type !== 'Property' || computed) return problem(property, 'its options are not a plain object literal');
    if (key.name === 'schema' || key.name === 'context') return [];
    const isKnown = Object.hasOwn(options, key.name) && options[key.name]!(value, '') !== 'left';
    const name: string = key.name ?? key.value;
    const remedy = Object.hasOwn(remedies, name) ? `. ${remedies[name]}` : '';
    return isKnown ? [] : problem(property, `the value of ${name} has a different meaning in createHandler, or none${remedy}`);
  });
  return [...inSchema, ...others];
}

/** The translated options, one per line. `context` precedes the resolvers, so that TypeScript infers its type first. */
export function writtenOptions(
  text: string,
  node: Node,
  { schema, contextText }: { readonly schema: ResolvedValue; readonly contextText: (value: Node) => string },
): string {
  const indent = indentOf(text, node);
  const lines: string[] = [];
  const has = new Set(node.properties.map(({ key }: Node) => key.name));
  for (const { key, value } of node.properties) {
    if (key.name === 'context') lines.push(`context: ${contextText(value)}`);
    const written = Object.hasOwn(options, key.name) ? options[key.name]!(value, text) : 'left';
    if (written !== 'left' && written.text !== undefined) lines.push(written.text);
  }
  // Yoga allows all origins and introspection, and rejects batches.
  if (!has.has('cors')) lines.push("cors: { origin: '*' }");
  lines.push('introspection: true');
  if (!has.has('batching')) lines.push('allowBatchedHttpRequests: false');
  if (schema.isHere) lines.push(...schema.node.properties.map((property: Node) => outdented(text, property, indent)));
  else lines.push(textOf(text, propertyNamed(node, 'schema')));
  return `{\n${lines.map((line) => `${indent}${line},\n`).join('')}}`;
}

/** Removes one level of indentation, except inside template literals. */
function outdented(text: string, node: Node, indent: string): string {
  const written = textOf(text, node);
  return written.includes('`') ? written : written.replaceAll(`\n${indent}${indent}`, `\n${indent}`);
}

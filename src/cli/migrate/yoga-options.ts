import type { Node } from './references.ts';
import type { Problem } from './modern.ts';

/** How an option is written here: its text, undefined for none, or `left` when it cannot be told. */
type Written = { readonly text: string | undefined } | 'left';

const none: Written = { text: undefined };
const isText = ({ type, value }: Node): boolean => type === 'Literal' && typeof value === 'string';
const isEmpty = ({ type, elements }: Node): boolean => type === 'ArrayExpression' && elements.length === 0;

/** Options whose text is another here. `typeDefs`, `resolvers` and `context` are written elsewhere. */
const options: Readonly<Record<string, (value: Node, text: string) => Written>> = {
  graphqlEndpoint: (value) => (isText(value) ? none : 'left'),
  maskedErrors: ({ value }) => (value === true ? none : value === false ? { text: 'maskErrors: false' } : 'left'),
  graphiql: ({ value }) => (value === true ? none : value === false ? { text: 'landingPage: false' } : 'left'),
  // There it is the page of paths that are not the endpoint.
  landingPage: ({ value }) => (typeof value === 'boolean' ? none : 'left'),
  logging: ({ value }) => (value === true ? none : 'left'),
  multipart: ({ value }) => (value === false ? none : 'left'),
  plugins: (value) => (isEmpty(value) ? none : 'left'),
  healthCheckEndpoint: (value) => (isText(value) && /\/health\/?$/.test(value.value) ? none : 'left'),
  batching: batching,
  cors: cors,
};

function batching(value: Node, text: string): Written {
  const isLimit = value.type === 'ObjectExpression' && value.properties.length === 1 && value.properties[0].key?.name === 'limit';
  return typeof value.value === 'boolean' || isLimit ? { text: `allowBatchedHttpRequests: ${text.slice(value.start, value.end)}` } : 'left';
}

/** The names are those of the `cors` package; what Yoga takes for granted beside them must be written out. */
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
  return { text: `cors: ${text.slice(value.start, value.end)}` };
}

/** The argument of `createSchema`, when it is called there. */
export function schemaOf(node: Node): Node | undefined {
  const value = node.properties.find(({ key }: Node) => key?.name === 'schema')?.value;
  const [schema] = value?.callee?.name === 'createSchema' ? value.arguments : [];
  return schema?.type === 'ObjectExpression' ? schema : undefined;
}

/** The options that cannot be written here. */
export function problemsOfOptions(node: Node): Problem[] {
  const schema = schemaOf(node);
  if (schema === undefined) return [{ node, why: 'its schema is not written as createSchema({ typeDefs, resolvers })' }];
  const inSchema = schema.properties.flatMap((property: Node) =>
    property.type === 'Property' && !property.computed && /^(?:typeDefs|resolvers)$/.test(property.key.name)
      ? []
      : [{ node: property, why: 'createSchema gets more than typeDefs and resolvers' }],
  );
  const others = node.properties.flatMap((property: Node) => {
    const { key, value, type, computed } = property;
    if (type !== 'Property' || computed) return [{ node: property, why: 'its options are not all written out' }];
    if (key.name === 'schema' || key.name === 'context') return [];
    const isKnown = Object.hasOwn(options, key.name) && options[key.name]!(value, '') !== 'left';
    return isKnown ? [] : [{ node: property, why: `what it says in ${key.name ?? key.value} means something else there, or nothing` }];
  });
  return [...inSchema, ...others];
}

/** The options as they are written here, one in a line. `context` stands above the resolvers, so that its types reach them. */
export function writtenOptions(text: string, node: Node, contextText: (value: Node) => string): string {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text.slice(node.start, node.end)) ?? [];
  const lines: string[] = [];
  const has = new Set(node.properties.map(({ key }: Node) => key.name));
  for (const { key, value } of node.properties) {
    if (key.name === 'context') lines.push(`context: ${contextText(value)}`);
    const written = Object.hasOwn(options, key.name) ? options[key.name]!(value, text) : 'left';
    if (written !== 'left' && written.text !== undefined) lines.push(written.text);
  }
  // Yoga lets every origin in, and answers introspection.
  if (!has.has('cors')) lines.push("cors: { origin: '*' }");
  lines.push('introspection: true', ...schemaOf(node)!.properties.map((property: Node) => outdented(text, property, indent)));
  return `{\n${lines.map((line) => `${indent}${line},\n`).join('')}}`;
}

/** Text of a deeper level, moved out by one; text between backticks stays unchanged. */
function outdented(text: string, { start, end }: Node, indent: string): string {
  const written = text.slice(start, end);
  return written.includes('`') ? written : written.replaceAll(`\n${indent}${indent}`, `\n${indent}`);
}

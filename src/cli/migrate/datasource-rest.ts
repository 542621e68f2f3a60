import { referencesIn, walk } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, lineOf } from './rewrite.ts';
import type { Edit, Finding, Rewritten } from './rewrite.ts';

/** Names of @apollo/datasource-rest 4 to 6, and what they are called here. */
const names: Readonly<Record<string, string>> = {
  RESTDataSource: 'RESTDataSource',
  AugmentedRequest: 'DataSourceRequest',
  CacheOptions: 'CacheOptions',
};
const withoutBody = ['get', 'delete'];
const withBody = ['post', 'put', 'patch'];

/** The changes to a class, or the reasons why it is left alone. */
interface Changes {
  readonly edits: Edit[];
  readonly problems: { readonly node: Node; readonly why: string }[];
}

/**
 * Writes the data sources of @apollo/datasource-rest 4 to 6 with this package's class: parameters and body are arguments of
 * their own, and `willSendRequest` gets the request alone. A file in which anything is in the way keeps all of its own.
 */
export function modernizeDataSources(text: string, program: Node): Rewritten | undefined {
  const reference = referencesIn(program).find(({ module }) => module === '@apollo/datasource-rest');
  if (reference === undefined) return undefined;
  const changes: Changes = { edits: [], problems: [] };
  changeImport(text, reference, changes);
  walk(program, (node) => {
    if (String(node.type).startsWith('Class') && node.superClass?.name === 'RESTDataSource') changeClass(text, node, changes);
  });
  if (changes.problems.length === 0) return { text: applyEdits(text, changes.edits), findings: [], modules: ['graphql-functions'] };
  const findings: Finding[] = changes.problems.map(({ node, why }) => ({
    line: lineOf(text, node.start),
    message: `The data source is left as it is: ${why}.`,
  }));
  return { text, findings, modules: [] };
}

function changeImport(
  text: string,
  { statement, kind, names: imported, literal, declaration }: ModuleReference,
  { edits, problems }: Changes,
): void {
  const unknown = imported.filter(({ imported: name }) => !Object.hasOwn(names, name));
  if (statement === undefined || unknown.length > 0) {
    problems.push({ node: literal, why: `it uses ${unknown[0]?.imported ?? 'all'} of @apollo/datasource-rest` });
    return;
  }
  const quote = text[literal.start]!;
  const between = kind === 'require' ? ': ' : ' as ';
  const list = imported.map(({ imported: name, local, isType }) => {
    const here = names[name]!;
    return `${isType ? 'type ' : ''}${here === local ? here : here + between + local}`;
  });
  const module = `${quote}graphql-functions${quote}`;
  const written =
    kind === 'require' ? `${declaration} { ${list.join(', ')} } = require(${module})` : `import { ${list.join(', ')} } from ${module}`;
  edits.push({ ...statement, text: written + (text[statement.end - 1] === ';' ? ';' : '') });
}

/** Methods that have another signature here, or none. */
const overridden =
  /^(?:constructor|resolveURL|cacheKeyFor|cacheOptionsFor|throwIfResponseIsError|requestDeduplicationPolicyFor|didReceiveResponse|didEncounterError|errorFromResponse|shouldJSONSerializeBody|parseBody|catchCacheWritePromiseErrors)$/;

function changeClass(text: string, { body }: Node, changes: Changes): void {
  for (const member of body.body) {
    const name = member.key?.name;
    if (overridden.test(name)) changes.problems.push({ node: member, why: `it has ${name}, whose signature is another here` });
    else if (name === 'willSendRequest') changeWillSendRequest(text, member.value, changes);
  }
  walk(body, (node) => {
    const { callee } = node.type === 'CallExpression' ? node : { callee: undefined };
    if (callee?.type === 'MemberExpression' && callee.object.type === 'ThisExpression')
      changeCall(text, { node, method: callee.property.name }, changes);
  });
}

function changeCall(text: string, { node, method }: { node: Node; method: string }, { edits, problems }: Changes): void {
  const { arguments: args } = node;
  const key = withoutBody.includes(method) ? 'params' : withBody.includes(method) ? 'body' : undefined;
  if (method === 'fetch' || method === 'head') problems.push({ node: args[0], why: `it calls ${method}, which is not here` });
  const [, init] = args;
  if (key === undefined || init === undefined) return;
  const isWritten =
    init.type === 'ObjectExpression' && init.properties.every(({ type, computed }: Node) => type === 'Property' && !computed);
  if (!isWritten) {
    problems.push({ node: init, why: `what it gives to ${method} is not written out` });
    return;
  }
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  const own = init.properties.find((property: Node) => property.key.name === key);
  const rest = init.properties.filter((property: Node) => property !== own).map(textOf);
  const first = own === undefined ? 'undefined' : textOf(own.value);
  edits.push({ start: init.start, end: init.end, text: rest.length === 0 ? first : `${first}, { ${rest.join(', ')} }` });
}

/** `(path, request)` → `(request)`, and header fields that are set on the object by `set`. */
function changeWillSendRequest(text: string, { params, body }: Node, { edits, problems }: Changes): void {
  const [path, request] = params;
  const target = request?.name as unknown;
  let usesPath = false;
  walk(body, (node) => {
    if (node.type === 'Identifier' && node.name === path?.name) usesPath = true;
  });
  if (typeof target !== 'string' || usesPath) {
    problems.push({ node: path ?? body, why: 'its willSendRequest reads the path' });
    return;
  }
  edits.push({ start: path.start, end: request.start, text: '' });
  const isHeaders = (node: Node): boolean =>
    node?.type === 'MemberExpression' && node.object.name === target && node.property.name === 'headers';
  const changed = new Set<Node>();
  walk(body, (node) => {
    const { left, right, operator } = node.type === 'AssignmentExpression' ? node : { left: undefined, right: undefined, operator: '' };
    if (left?.type === 'MemberExpression' && isHeaders(left.object) && operator === '=') {
      const name = left.computed ? text.slice(left.property.start, left.property.end) : `'${left.property.name}'`;
      const value = text.slice(right.start, right.end);
      edits.push({ start: node.start, end: node.end, text: `${target}.headers.set(${name}, ${value})` });
      changed.add(left.object);
    } else if (isHeaders(node) && !changed.has(node))
      problems.push({ node, why: 'its willSendRequest does more to header fields than to set them' });
  });
}

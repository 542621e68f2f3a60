import { nodesIn, referencesIn } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, importText, nameText } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';
import { left, propertyNamed, textOf, usesOf } from './written-code.ts';
import type { Problem } from './written-code.ts';

/** Names of @apollo/datasource-rest 4 to 6, and their new names. */
const names: Readonly<Record<string, string>> = {
  RESTDataSource: 'RESTDataSource',
  AugmentedRequest: 'DataSourceRequest',
  CacheOptions: 'CacheOptions',
};
const withoutBody = ['get', 'delete'];
const withBody = ['post', 'put', 'patch'];

/** The changes to a file, or the reasons not to change it. */
interface Changes {
  readonly edits: Edit[];
  readonly problems: Problem[];
}

/**
 * Rewrites data sources of @apollo/datasource-rest 4 to 6 with this package's class: parameters and body become separate arguments,
 * and `willSendRequest` takes only the request. A file with any problem is left unchanged.
 */
export function modernizeDataSources(text: string, program: Node): Rewritten | undefined {
  const reference = referencesIn(program).find(({ module }) => module === '@apollo/datasource-rest');
  if (reference === undefined) return undefined;
  const changes: Changes = { edits: [], problems: [] };
  changeImport(text, reference, changes);
  for (const node of nodesIn(program))
    if (String(node.type).startsWith('Class') && node.superClass?.name === 'RESTDataSource') changeClass(text, node, changes);
  if (changes.problems.length > 0) return left(text, changes.problems, 'Data source left unchanged');
  return { text: applyEdits(text, changes.edits), findings: [], modules: ['graphql-functions'] };
}

function changeImport(text: string, reference: ModuleReference, { edits, problems }: Changes): void {
  const { statement, names: imported, literal } = reference;
  const unknown = imported.find(({ imported: name }) => !Object.hasOwn(names, name));
  if (statement === undefined || unknown !== undefined) {
    problems.push({ node: literal, why: `it uses ${unknown?.imported ?? 'all'} of @apollo/datasource-rest` });
    return;
  }
  const list = imported.map((name) => nameText({ ...name, imported: names[name.imported]! }));
  edits.push({ ...statement, text: importText(text, reference, list, 'graphql-functions') });
}

/** Methods that have another signature here, or none. */
const overridden =
  /^(?:constructor|resolveURL|cacheKeyFor|cacheOptionsFor|throwIfResponseIsError|requestDeduplicationPolicyFor|didReceiveResponse|didEncounterError|errorFromResponse|shouldJSONSerializeBody|parseBody|catchCacheWritePromiseErrors)$/;

function changeClass(text: string, { body }: Node, changes: Changes): void {
  for (const member of body.body) {
    const name = member.key?.name;
    if (overridden.test(name)) changes.problems.push({ node: member, why: `its ${name} has a different signature here` });
    else if (name === 'willSendRequest') changeWillSendRequest(text, member.value, changes);
  }
  for (const node of nodesIn(body, 'CallExpression'))
    if (node.callee.type === 'MemberExpression' && node.callee.object.type === 'ThisExpression') changeCall(text, node, changes);
}

function changeCall(text: string, { callee, arguments: args }: Node, { edits, problems }: Changes): void {
  const method = callee.property.name;
  const key = withoutBody.includes(method) ? 'params' : withBody.includes(method) ? 'body' : undefined;
  if (method === 'fetch' || method === 'head') problems.push({ node: args[0], why: `it calls ${method}, which does not exist here` });
  const [, init] = args;
  if (key === undefined || init === undefined) return;
  const isWritten =
    init.type === 'ObjectExpression' && init.properties.every(({ type, computed }: Node) => type === 'Property' && !computed);
  if (!isWritten) {
    problems.push({ node: init, why: `the options of ${method} are not an object literal` });
    return;
  }
  const argument = propertyNamed(init, key);
  const rest = init.properties.filter((property: Node) => property !== argument).map((property: Node) => textOf(text, property));
  const first = argument === undefined ? 'undefined' : textOf(text, argument.value);
  edits.push({ start: init.start, end: init.end, text: rest.length === 0 ? first : `${first}, { ${rest.join(', ')} }` });
}

/** `(path, request)` → `(request)`, and assignments to header fields → `set`. */
function changeWillSendRequest(text: string, { params, body }: Node, { edits, problems }: Changes): void {
  const [path, request] = params;
  const target = request?.name as unknown;
  if (typeof target !== 'string' || usesOf(body, path?.name).length > 0) {
    problems.push({ node: path ?? body, why: 'its willSendRequest reads the path' });
    return;
  }
  edits.push({ start: path.start, end: request.start, text: '' });
  const isHeaders = (node: Node): boolean =>
    node?.type === 'MemberExpression' && node.object.name === target && node.property.name === 'headers';
  const changed = new Set<Node>();
  for (const { type, left: field, right, operator, start, end } of nodesIn(body)) {
    if (type !== 'AssignmentExpression' || operator !== '=' || field.type !== 'MemberExpression' || !isHeaders(field.object)) continue;
    const name = field.computed ? textOf(text, field.property) : `'${field.property.name}'`;
    edits.push({ start, end, text: `${target}.headers.set(${name}, ${textOf(text, right)})` });
    changed.add(field.object);
  }
  for (const node of nodesIn(body, 'MemberExpression'))
    if (isHeaders(node) && !changed.has(node)) problems.push({ node, why: 'its willSendRequest does more with headers than set them' });
}

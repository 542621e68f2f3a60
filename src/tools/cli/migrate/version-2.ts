import type { Manifests } from './manifests.ts';
import { nodesIn } from './references.ts';
import type { Node } from './references.ts';
import { applyEdits, lineOf } from './rewrite.ts';
import type { Edit, Finding, Rewritten } from './rewrite.ts';
import type { SourceFile } from './source-files.ts';

/** Servers whose createHandler sent no CORS headers in version 2, and allows all origins in version 3. */
const withoutCORSInVersion2 = ['apollo-server-lambda', 'apollo-server-cloud-functions'];

/** Servers whose createHandler sent none in any version. */
const withoutCORS = ['apollo-server-micro', '@saeris/apollo-server-vercel'];

/** True when a file belongs to a project with a server whose createHandler sent no CORS headers by default. */
export function sentNoCORS(manifests: Manifests, file: string): boolean {
  return (
    withoutCORSInVersion2.some((name) => manifests.hasMajor(name, 2, file)) ||
    withoutCORS.some((name) => manifests.rangeOf(name, file) !== undefined)
  );
}

/** Adds `cors: {}` to each `server.createHandler()`: OPTIONS is answered with 204, and no response has CORS headers. */
export function keepCORSOff({ text, program }: SourceFile): Rewritten {
  const edits: Edit[] = [];
  const findings: Finding[] = [];
  for (const node of nodesIn(program, 'CallExpression')) {
    const { callee, arguments: args } = node;
    if (callee.type !== 'MemberExpression' || callee.property.name !== 'createHandler' || args.length > 1) continue;
    const [options] = args;
    const cors = options?.type === 'ObjectExpression' ? propertyNamed(options, 'cors')?.value : undefined;
    if (options === undefined) edits.push({ start: node.end - 1, end: node.end - 1, text: '{ cors: {} }' });
    else if (options.type !== 'ObjectExpression' || options.properties.some(({ type }: Node) => type !== 'Property'))
      findings.push({
        line: lineOf(text, node.start),
        message:
          'Without the option cors, this server sent no CORS headers, but the new one allows every origin: write cors: {} to send none.',
      });
    // Version 2 treated true and false as an empty object.
    else if (typeof cors?.value === 'boolean') edits.push({ start: cors.start, end: cors.end, text: '{}' });
    else if (cors === undefined && propertyNamed(options, 'expressGetMiddlewareOptions') === undefined)
      edits.push({ start: options.start + 1, end: options.start + 1, text: options.properties.length > 0 ? ' cors: {},' : ' cors: {} ' });
  }
  return { text: applyEdits(text, edits), findings, modules: [] };
}

/** Finds options `uploads` in a project whose schema defines the scalar Upload. */
export function findUploads({ text, program }: SourceFile): Finding[] {
  return nodesIn(program, 'Property')
    .filter(({ computed, key, value }) => !computed && key.name === 'uploads' && value.value !== false)
    .map(({ start }) => ({
      line: lineOf(text, start),
      message: 'The schema uses the scalar Upload, which this package does not have: see docs/uploads.md for signed URLs.',
    }));
}

/** True when schema text uses the scalar. */
export function usesUpload(text: string): boolean {
  return /\bscalar\s+Upload\b|:\s*\[?Upload\b/.test(text);
}

/** The property of an object literal with a name. */
function propertyNamed(object: Node, name: string): Node | undefined {
  return object.properties.find(({ key }: Node) => key?.name === name);
}

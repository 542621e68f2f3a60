import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface CompilerOptions {
  readonly allowImportingTsExtensions?: boolean;
  readonly rewriteRelativeImportExtensions?: boolean;
  readonly verbatimModuleSyntax?: boolean;
  readonly types?: readonly string[];
}

/**
 * Lists settings that a project's tsconfig.json lacks: without them TypeScript rejects functions written as in the documentation.
 * `tsc --init` omits most of them. Undefined when nothing is missing, the file does not exist, or it extends another.
 */
export async function tsconfigNotice(directory: string): Promise<string | undefined> {
  const config = await readJSON(join(directory, 'tsconfig.json'));
  if (config === undefined || 'extends' in config) return undefined;
  const options = (config['compilerOptions'] ?? {}) as CompilerOptions;
  const missing: string[] = [];
  if (options.allowImportingTsExtensions !== true && options.rewriteRelativeImportExtensions !== true)
    missing.push('"allowImportingTsExtensions": true and "noEmit": true, for imports like \'../graphql/schema.ts\'');
  if (options.types?.length === 0) missing.push('"types": ["node"], for process and other globals of Node.js (npm i -D @types/node)');
  const { type } = (await readJSON(join(directory, 'package.json'))) ?? {};
  if (options.verbatimModuleSyntax === true && type !== 'module')
    missing.push('"type": "module" in package.json, for import and export (npm pkg set type=module)');
  return missing.length === 0
    ? undefined
    : `tsconfig.json is missing settings for tsc and your editor:\n${missing.map((one) => `  ${one}`).join('\n')}`;
}

/** Reads JSON with comments and trailing commas, as tsc does. Undefined if the file is missing or invalid. */
async function readJSON(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const plain = text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (match) => (match.startsWith('"') ? match : ''));
    return JSON.parse(plain.replaceAll(/,(?=\s*[}\]])/g, '')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

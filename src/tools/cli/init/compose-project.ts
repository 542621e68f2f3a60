import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isPlainObject } from '../../../shared/index.ts';
import { collectDocuments } from '../documents/collect-documents.ts';
import { addTo, idsModule, manifestPath } from '../documents/documents-folder.ts';
import { packageRoot, readPackageVersion } from '../requirements.ts';

/** The platforms that `init` knows, by the names of their folders in templates/platforms/. */
export const initPlatforms = {
  netlify: 'Netlify',
  lambda: 'AWS Lambda, deployed with SAM',
  workers: 'Cloudflare Workers',
  nextjs: 'Next.js, on Vercel or elsewhere',
  node: 'a Node.js server',
  hono: 'a Hono app on Node.js',
  deno: 'Deno',
} as const;

export type InitPlatform = keyof typeof initPlatforms;

/** The choices for a new project. */
export interface ProjectChoices {
  readonly platform: InitPlatform;
  /** True: GraphQL Code Generator makes the types of resolvers. */
  readonly codegen: boolean;
  readonly tests: boolean;
  readonly api: InitAPI;
}

/** Who calls the API: clients with trusted documents only, clients with any operation, or the router of a federation. */
export type InitAPI = 'trusted' | 'open' | 'subgraph';

/** The texts of files, by their paths in the project. */
export type ProjectFiles = ReadonlyMap<string, string>;

// The package contains the templates as they are in the sources.
const templates = fileURLToPath(new URL('src/tools/cli/init/templates/', packageRoot));

/** The name in the templates. The project's name replaces it. */
const placeholder = 'my-graphql-api';

/**
 * Composes a project from folders of templates/: the platform's folder, then those that platforms share. If several have the same
 * file, JSON objects are merged, and other texts are joined.
 */
export async function composeProject(choices: ProjectChoices, folderName: string): Promise<ProjectFiles> {
  const files = new Map<string, string>();
  for (const template of templatesFor(choices)) {
    for (const [path, text] of await readTemplate(template)) {
      const earlier = files.get(path);
      files.set(path, earlier === undefined ? text : combine(path, earlier, text));
    }
  }
  const manifest = JSON.parse(files.get('package.json')!) as Manifest;
  const name = toPackageName(folderName, manifest);
  files.set('package.json', toJSON(await completeManifest(manifest)));
  const documents = choices.api === 'trusted' ? documentsOf(files) : [];
  return new Map([...files, ...documents].map(([path, text]) => [path, text.replaceAll(placeholder, name)]));
}

function templatesFor({ platform, codegen, tests, api }: ProjectChoices): string[] {
  const isSubgraph = api === 'subgraph';
  const parts = [
    'shared',
    ...(isSubgraph ? [] : ['schema', codegen ? 'codegen' : 'resolvers']),
    ...(tests ? ['tests', `${api}-tests`] : []),
    api,
    ...(isSubgraph && withSecretSettings.has(platform) ? [`subgraph-${platform}`] : []),
  ];
  return [`platforms/${platform}`, ...parts.map((part) => `parts/${part}`)];
}

/** The platforms whose settings in the project give the function the secret of the router. */
const withSecretSettings: ReadonlySet<InitPlatform> = new Set(['lambda', 'workers']);

/** The files that `npm run documents` would write. */
function documentsOf(files: ProjectFiles): [path: string, text: string][] {
  const operations = [...files].filter(([path]) => path.startsWith('operations/')).map(([path, text]) => ({ path, text }));
  const collected = collectDocuments(operations);
  return [[manifestPath('documents'), addTo(undefined, collected)], idsModule('documents', collected)];
}

async function readTemplate(name: string): Promise<[path: string, text: string][]> {
  const folder = join(templates, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.toSorted().map(async (file) => [toProjectPath(relative(folder, file)), await readFile(file, 'utf8')]));
}

/** The templates have no file named .gitignore, because npm would not publish what it lists. */
function toProjectPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path.replaceAll('\\', '/');
}

function combine(path: string, earlier: string, later: string): string {
  return /\.jsonc?$/.test(path) ? toJSON(merge(parseJSON(earlier), parseJSON(later))) : earlier + later;
}

/** Files named .jsonc have commas after the last member. Those of the templates have no comments. */
function parseJSON(text: string): JSONObject {
  return JSON.parse(text.replaceAll(/,(?=\s*\})/g, '')) as JSONObject;
}

/** Scripts that npm runs before another one: a project runs those of all its parts. */
const isBefore = /^pre[a-z]+$/;

type JSONObject = Readonly<Record<string, unknown>>;

/** The first object's keys come first, and its values win, except that scripts like "prebuild" run one after the other. */
function merge(first: JSONObject, second: JSONObject): JSONObject {
  const merged: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const existing = merged[key];
    if (existing === undefined) merged[key] = value;
    else if (isPlainObject(existing) && isPlainObject(value)) merged[key] = merge(existing, value);
    else if (isBefore.test(key)) merged[key] = `${String(existing)} && ${String(value)}`;
  }
  return merged;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Writes package.json with the version of this package, and dependencies in npm's order. */
async function completeManifest({ dependencies, devDependencies, ...rest }: Manifest): Promise<Manifest> {
  const withVersion = { ...dependencies, 'graphql-functions': `^${await readPackageVersion()}` };
  return { ...rest, dependencies: sortByKey(withVersion), devDependencies: sortByKey(devDependencies) };
}

function sortByKey(versions: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function toJSON(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A name that npm and Cloudflare accept. npm installs no package into a project of the same name. */
function toPackageName(folderName: string, { dependencies, devDependencies }: Manifest): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-|-$/g, '');
  if (name === '') return placeholder;
  return name in dependencies || name in devDependencies ? `${name}-api` : name;
}

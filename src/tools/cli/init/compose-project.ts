import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  readonly api: InitAPI;
}

/** Who calls the API: clients with trusted documents only, clients with any operation, or the router of a federation. */
export type InitAPI = 'trusted' | 'open' | 'subgraph';

/** The texts of files, by their paths in the project. */
export type ProjectFiles = ReadonlyMap<string, string>;

// The package contains the templates as they are in the sources.
const templates = fileURLToPath(new URL('src/tools/cli/init/templates/', packageRoot));

/** The map of the pages, for agents that work on the project: the file of this package. */
const agentsFile = 'AGENTS.md';

/** The name in the templates. The project's name replaces it. */
const placeholder = 'my-graphql-api';

/**
 * A new project: the files of `shared/`, of `servers/` for a server that reads `.env`, and of the platform, then those that an open API or a subgraph replaces or adds. In all files,
 * the name and the version of this package are filled in.
 */
export async function composeProject({ platform, api }: ProjectChoices, folderName: string): Promise<ProjectFiles> {
  const isServer = ['node', 'hono', 'deno'].includes(platform);
  const common = await readTemplates('shared', ...(isServer ? ['servers'] : []), `platforms/${platform}`);
  const files = new Map(
    api === 'trusted' ? common : [...common.flatMap(withoutDocuments), ...(await readTemplates(...overlays(api, platform)))],
  );
  const name = toPackageName(folderName, JSON.parse(files.get('package.json')!) as Manifest);
  const version = await readPackageVersion();
  const complete = (text: string): string =>
    text.replaceAll(placeholder, name).replace('"graphql-functions": "*"', `"graphql-functions": "^${version}"`);
  files.set(agentsFile, await readFile(new URL(agentsFile, packageRoot), 'utf8'));
  return new Map(Array.from(files, ([path, text]) => [path, complete(text)]));
}

function overlays(api: 'open' | 'subgraph', platform: InitPlatform): string[] {
  // The settings of these platforms give the function the secret of the router.
  return api === 'subgraph' && (platform === 'lambda' || platform === 'workers') ? [api, `subgraph-${platform}`] : [api];
}

/** A file of a project without trusted documents: every line about them has the word, and every line about REST has that. */
function withoutDocuments([path, text]: TemplateFile): TemplateFile[] {
  if (/^(?:documents|operations)\//.test(path)) return [];
  return [[path, text.replaceAll(/^.*\b(?:documents|rest)\b.*\n/gm, '')]];
}

type TemplateFile = [path: string, text: string];

async function readTemplates(...names: readonly string[]): Promise<TemplateFile[]> {
  return (await Promise.all(names.map(readTemplate))).flat();
}

async function readTemplate(name: string): Promise<TemplateFile[]> {
  const folder = join(templates, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.toSorted().map(async (file) => [toProjectPath(relative(folder, file)), await readFile(file, 'utf8')]));
}

/** The templates have no file named .gitignore, because npm would not publish the files that it lists. */
function toProjectPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path.replaceAll('\\', '/');
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
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

import { packageOf } from './modules.ts';

/** Packages that only the version-3 generation needs. */
const ofVersion3 = [
  'apollo-server',
  'apollo-server-azure-functions',
  'apollo-server-cloud-functions',
  'apollo-server-express',
  'apollo-server-lambda',
  'apollo-server-micro',
  '@saeris/apollo-server-vercel',
  'apollo-server-core',
  'apollo-server-errors',
  'apollo-server-testing',
  'apollo-server-types',
  'apollo-server-plugin-base',
  'apollo-server-caching',
  'apollo-server-env',
  'apollo-datasource',
  'apollo-datasource-rest',
  '@apollo/utils.keyvaluecache',
  '@apollo/utils.keyvadapter',
];

type Versions = Record<string, string>;

/** The changes to package.json after the files of a project have changed. */
export interface PackageChange {
  /** Modules that files name now. */
  readonly modules: readonly string[];
  /** Packages that some file still names. */
  readonly stillUsed: readonly string[];
  /** Packages of later generations that no file names any more. */
  readonly replaced: readonly string[];
  /** The version of this package. */
  readonly version: string;
}

/** The text of package.json as it is to be. Dependencies keep their order, a new one stands where the alphabet has it. */
export function rewritePackage(text: string, { modules, stillUsed, replaced, version }: PackageChange): string {
  const manifest = JSON.parse(text) as { dependencies?: Versions; devDependencies?: Versions };
  const listed = [manifest.dependencies, manifest.devDependencies].filter((one) => one !== undefined);
  const isUsed = modules.some((module) => packageOf(module) === 'graphql-functions');
  const isListed = listed.some((versions) => ofVersion3.some((name) => name in versions));
  if (!isUsed && !isListed) return text;
  const unused = [...ofVersion3.filter((name) => !stillUsed.includes(name)), ...replaced];
  for (const versions of listed) for (const name of unused) delete versions[name];
  const dependencies = (manifest.dependencies ??= {});
  for (const module of modules)
    add(dependencies, [packageOf(module), packageOf(module) === 'graphql-functions' ? `^${version}` : '*'], listed);
  raiseGraphQL(manifest.dependencies, manifest.devDependencies);
  manifest.dependencies = Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  return JSON.stringify(manifest, null, indent) + (text.endsWith('\n') ? '\n' : '');
}

function add(dependencies: Versions, [name, range]: readonly [name: string, range: string], listed: readonly Versions[]): void {
  if (!listed.some((versions) => name in versions)) dependencies[name] = range;
}

/** Validation is bounded from 16.15 on. */
function raiseGraphQL(dependencies: Versions, development: Versions = {}): void {
  const holder = 'graphql' in development ? development : dependencies;
  const [, major = '0', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(holder['graphql'] ?? '') ?? [];
  if (Number(major) < 16 || (Number(major) === 16 && Number(minor) < 15)) holder['graphql'] = '^16.15.0';
}

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A Netlify project outside this repository: the example, and the probe as a function of each generation. */
export async function createProject(): Promise<Folder> {
  const folder = await createFolder();
  await cp(join(root, 'functions'), join(folder.path, 'functions'), { recursive: true });
  await cp(join(root, 'test/support/real/functions/probe.ts'), join(folder.path, 'functions/probes/probe.ts'));
  for (const [name, text] of Object.entries(probes)) await folder.write(`functions/${name}.ts`, text);
  await folder.write('netlify.toml', '[functions]\ndirectory = "functions"\nnode_bundler = "esbuild"\n');
  await folder.write('package.json', JSON.stringify({ name: 'site', private: true, type: 'module' }));
  await folder.write('public/index.html', '<!doctype html><title>site</title>');
  await installCopy('graphql-functions', folder.path);
  await installCopy('graphql', folder.path);
  return folder;
}

const probes = {
  v1: `import { createHandler } from 'graphql-functions';\nimport { probe } from './probes/probe.ts';\nexport const handler = createHandler(probe);\n`,
  v2: `import { createHandler } from 'graphql-functions';\nimport { probe } from './probes/probe.ts';\nexport default createHandler(probe);\n`,
  narrow: `import { createHandler } from 'graphql-functions/netlify';\nimport { probe } from './probes/probe.ts';\nexport default createHandler(probe);\n`,
};

/** Copies a package and its dependencies. They are not links, because the bundler copies files of node_modules into the artifact. */
async function installCopy(name: string, project: string): Promise<void> {
  const target = join(project, 'node_modules', name);
  const source = name === 'graphql-functions' ? root : join(root, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  if (name === 'graphql-functions') {
    for (const part of ['package.json', 'dist']) await cp(join(source, part), join(target, part), { recursive: true });
  } else {
    await cp(source, target, { recursive: true });
  }
  const { dependencies = {} } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  // The packages in this project's node_modules are already present.
  for (const dependency of Object.keys(dependencies))
    if (!existsSync(join(target, 'node_modules', dependency))) await installCopy(dependency, project);
}

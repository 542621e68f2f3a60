import { cp, mkdir, readFile } from 'node:fs/promises';
import { before, describe } from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { json, post } from '../../support/plain-http.ts';
import { suiteContext } from '../../support/suite-context.ts';
import { sendTo } from '../answers.ts';
import { createFolder } from '../bundle.ts';
import { needs, partNamed, pathInPart } from '../parts.ts';
import { startProgram } from '../program.ts';
import { startCatalogue, testSharing } from '../stores/sharing.ts';
import type { Ask, SharedShop } from '../stores/sharing.ts';
import { installCopy } from './project.ts';

const root = new URL('../../../', import.meta.url);

/** A project with the shop and the class from the documentation. */
const files = { 'lib/shop.ts': 'test/real/stores/shop.ts', 'lib/netlify-blobs.ts': 'test/datasources/cache/recipes/netlify-blobs.ts' };

const shopFunction = `
import { getStore } from '@netlify/blobs';
import { createHandler } from 'graphql-functions/netlify';
import { NetlifyBlobsCache } from '../lib/netlify-blobs.ts';
import { shopOver } from '../lib/shop.ts';
const cache = new NetlifyBlobsCache(() => getStore({ name: 'graphql-cache', consistency: 'strong' }));
export default createHandler(shopOver(cache, process.env.SHOP_CATALOGUE));
`;

describe(
  'Netlify Blobs between the calls of a function, in netlify functions:serve --offline',
  { ...needs('netlify-cli', '@netlify/blobs'), timeout: 180_000 },
  () => {
    const suite = suiteContext();
    let shop: SharedShop;

    before(async () => {
      const project = await createFolder();
      suite.after(() => project.remove());
      for (const [target, source] of Object.entries(files)) {
        const text = await readFile(new URL(source, root), 'utf8');
        const ofPackage = text
          .replaceAll(/'(?:\.\.\/)+src\/entries\/([^'/]+)\.ts'/g, "'graphql-functions/$1'")
          .replaceAll('functions/index', 'functions');
        await project.write(target, ofPackage);
      }
      await project.write('functions/shop.ts', shopFunction);
      await project.write('netlify.toml', '[functions]\ndirectory = "functions"\nnode_bundler = "esbuild"\n');
      await project.write('package.json', JSON.stringify({ name: 'site', private: true, type: 'module' }));
      await cp(`${partNamed('@netlify/blobs').folder}/node_modules`, `${project.path}/node_modules`, { recursive: true });
      for (const name of ['graphql-functions', 'graphql']) await installCopy(name, project.path);

      const [catalogue, port] = [await startCatalogue(suite), await freePort()];
      await mkdir(`${project.path}/home`);
      const env = { PATH: process.env['PATH'], HOME: `${project.path}/home`, SHOP_CATALOGUE: `${catalogue.url}/` };
      const command = [pathInPart('netlify-cli', 'netlify-cli/bin/run.js'), 'functions:serve', '--offline', '--port', String(port)];
      const program = startProgram(process.execPath, command, { cwd: project.path, env });
      suite.after(() => program.end());
      await program.printed(/server ready/);

      const url = `http://127.0.0.1:${port}/.netlify/functions/shop`;
      // netlify builds the function when it is first called.
      await fetch(`${url}/health`);
      // A single function, because another one would have another path and separate responses.
      const ask: Ask = async (body) => json(await sendTo(url, post(body)));
      shop = { processes: [ask, ask], catalogue };
    });

    testSharing(async () => shop);
  },
);

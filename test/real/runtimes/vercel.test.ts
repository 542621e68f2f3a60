import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { json, post } from '../../support/plain-http.ts';
import { sendTo } from '../../support/real/answers.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/real/program.ts';
import type { Program } from '../../support/real/program.ts';

// `vercel dev` starts the server of @vercel/node for a function. Its adapter converts Node's requests to Requests.
describe('@vercel/node', needs('@vercel/node'), () => {
  let folder: Folder;
  let program: Program;
  let url: string;

  before(async () => {
    folder = await createFolder();
    await bundle('test/support/real/functions/fetch.ts', `${folder.path}/api/graphql.mjs`, 'lambda-esm');
    const { PATH, HOME } = process.env;
    program = startProgram(process.execPath, [pathInPart('@vercel/node', '@vercel/node/dist/dev-server.mjs')], {
      cwd: folder.path,
      env: { PATH, HOME, VERCEL_DEV_ENTRYPOINT: 'api/graphql.mjs' },
    });
    const [, port] = await program.printed(/Dev server listening:[^}]*port: (\d+)/);
    url = `http://127.0.0.1:${port}/api/graphql`;
  });
  after(async () => {
    await program?.end();
    await folder.remove();
  });

  test('an operation is answered', async () => {
    assert.deepEqual(json(await sendTo(url, post({ query: '{ hello }' }))), { data: { hello: 'Hello, world!' } });
  });

  test('a body over the limit is 413, and the process continues', async () => {
    for (let nth = 0; nth < 3; nth++) {
      const response = await sendTo(url, post({ query: `{ hello }${' '.repeat(2 * 1024 * 1024)}` }));

      assert.equal(response.status, 413);
    }

    assert.deepEqual(json(await sendTo(url, post({ query: '{ hello(name: "you") }' }))), { data: { hello: 'Hello, you!' } });
  });
});

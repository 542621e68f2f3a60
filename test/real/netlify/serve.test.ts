import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { get, json, post } from '../../support/plain-http.ts';
import { sendTo, testAnswers } from '../../support/real/answers.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { needs, pathInPart } from '../../support/real/parts.ts';
import { startProgram } from '../../support/program.ts';
import type { Program } from '../../support/program.ts';
import { testMadeProject } from '../../support/real/reader/made-project.ts';
import { createProject } from './project.ts';

const functions = ['v1', 'v2', 'narrow'];

describe('netlify functions:serve --offline', needs('netlify-cli'), () => {
  let project: Folder;
  let program: Program;
  let site: string;

  before(async () => {
    project = await createProject();
    const port = await freePort();
    site = `http://127.0.0.1:${port}`;
    program = await serveFunctions(project.path, port);
    // netlify builds each function on its first call, which was once answered 500 during the build. So the tests do not make this call.
    for (const name of functions) await fetch(`${site}/.netlify/functions/${name}/health`);
  });
  after(async () => {
    await program?.end();
    await project.remove();
  });

  for (const name of functions) {
    describe(`${name}.ts`, () => testAnswers((request) => sendTo(`${site}/.netlify/functions/${name}`, request)));
  }

  test('the example reads from its catalogue', async () => {
    const query = '{ book(id: "emma") { title author { name } reviews { stars } } }';
    const response = await sendTo(`${site}/.netlify/functions/graphql`, post({ query }));

    const { book } = json(response).data;
    assert.deepEqual([book.title, book.author.name], ['Emma', 'Jane Austen']);
  });

  test('the header fields of cacheable and uncacheable responses pass', async () => {
    const fieldsOf = async (query: string): Promise<unknown[]> => {
      const { status, headers } = await sendTo(`${site}/.netlify/functions/graphql`, get({ query }));
      const names = ['cache-control', 'netlify-cdn-cache-control', 'netlify-vary', 'netlify-cache-tag'];
      return [status, ...names.map((name) => headers.get(name))];
    };

    const fields = [await fieldsOf('{ author(id: "austen") { id } }'), await fieldsOf('{ book(id: "emma") { reviews { stars } } }')];

    assert.deepEqual(fields, [
      [200, 'public, max-age=0, must-revalidate', 'public, durable, max-age=300', 'header=accept', 't:Author,q:author,e:Author:austen'],
      [200, 'private, no-store', undefined, 'header=accept', undefined],
    ]);
  });
});

testMadeProject('netlify', 'netlify-cli', 'aws-lambda-ric');

async function serveFunctions(project: string, port: number): Promise<Program> {
  // A temporary home directory: the command line stores settings there.
  await mkdir(`${project}/home`);
  const { PATH } = process.env;
  const env = { PATH, HOME: `${project}/home`, CATALOGUE_URL: `http://127.0.0.1:${port}/.netlify/functions/catalogue/` };
  const command = [pathInPart('netlify-cli', 'netlify-cli/bin/run.js'), 'functions:serve', '--offline', '--port', String(port)];
  const program = startProgram(process.execPath, command, { cwd: project, env });
  await program.printed(/server ready/);
  return program;
}

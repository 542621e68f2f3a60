import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, mock, test } from 'node:test';
import { promisify } from 'node:util';

import { needs, pathInPart } from '../parts.ts';
import { ask, writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

describe('the recipes of docs/databases-sql.md and docs/databases-dynamodb.md', needs('recipes'), () => {
  let project: RecipeProject;
  const load = createRequire(pathInPart('recipes', '.package-lock.json'));

  before(async () => {
    project = await writeRecipes(['docs/databases-sql.md', 'docs/databases-dynamodb.md'], 'recipes');
    // The generator needs no SQL engine; this setting keeps it from downloading one.
    const environment = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
    const prisma = pathInPart('recipes', 'prisma/build/index.js');
    await promisify(execFile)(process.execPath, [prisma, 'generate'], { cwd: project.folder, env: environment });
  });
  after(() => project.remove());

  test('compile, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  test('Drizzle over node:sqlite: rows are written, read and removed only by their owner', async () => {
    const ada = await notesOf('ada');
    const bob = await notesOf('bob');

    assert.deepEqual(await ada.add('Buy a loom.'), { id: 1, owner: 'ada', text: 'Buy a loom.' });
    assert.deepEqual(await ada.mine(), [{ id: 1, owner: 'ada', text: 'Buy a loom.' }]);
    assert.deepEqual(await bob.mine(), []);
    assert.equal(await bob.remove(1), false);
    assert.equal(await ada.remove(1), true);
  });

  test('Drizzle: the comments of all notes are one statement', async () => {
    const source = await notesOf('eve');
    const ids: number[] = [];
    for (const text of ['first', 'second', 'third']) ids.push((await source.add(text)).id);
    const { database, comments } = (await project.import('lib/tables.ts')) as { database: any; comments: unknown };
    await database.insert(comments).values([
      { note: ids[2], text: 'to the third' },
      { note: ids[0], text: 'to the first' },
      { note: ids[2], text: 'again' },
    ]);
    const statements = mock.method(DatabaseSync.prototype, 'prepare');

    const lists: { text: string }[][] = await source.commentsOf(ids);

    assert.deepEqual(
      lists.map((rows) => rows.map(({ text }) => text)),
      [['to the first'], [], ['to the third', 'again']],
    );
    assert.equal(statements.mock.callCount(), 1);
    statements.mock.restore();
  });

  async function notesOf(user: string): Promise<any> {
    const { Notes } = (await project.import('lib/notes.ts')) as { Notes: new () => any };
    const source = new Notes();
    source.initialize({ context: { user }, cache: undefined });
    return source;
  }

  test('Prisma: a list and its authors are two statements', async () => {
    const file = join(project.folder, 'test.db');
    const database = new DatabaseSync(file);
    database.exec(`
      CREATE TABLE Author (id TEXT PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE Book (id TEXT PRIMARY KEY, title TEXT NOT NULL, authorId TEXT NOT NULL REFERENCES Author (id));
      INSERT INTO Author VALUES ('austen', 'Jane Austen'), ('shelley', 'Mary Shelley');
      INSERT INTO Book VALUES ('emma', 'Emma', 'austen'), ('persuasion', 'Persuasion', 'austen'), ('frankenstein', 'Frankenstein', 'shelley');
    `);
    database.close();
    process.env['DATABASE_URL'] = `file:${file}`;
    const { default: handler } = await project.import('functions/library.ts');
    const { prisma } = (await project.import('lib/prisma.ts')) as { prisma: any };
    const execute = mock.method(prisma._engine, 'request');

    assert.deepEqual(await ask(handler, '{ books { title author { name } } }'), {
      data: {
        books: [
          { title: 'Emma', author: { name: 'Jane Austen' } },
          { title: 'Frankenstein', author: { name: 'Mary Shelley' } },
          { title: 'Persuasion', author: { name: 'Jane Austen' } },
        ],
      },
    });
    assert.equal(execute.mock.callCount(), 2);
    await prisma.$disconnect();
  });

  test('DynamoDB: a page is one Query and one BatchGetItem', async () => {
    const requests: string[] = [];
    const server = (load('dynalite') as (options: object) => Server)({ createTableMs: 0 });
    server.on('request', ({ headers }) => requests.push(String(headers['x-amz-target']).replace(/^.*\./, ''))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    await fillTables(load);
    const { default: handler } = await project.import('functions/shop.ts');
    requests.length = 0;

    assert.deepEqual(await ask(handler, '{ orders(first: 2) { number product { name } } }'), {
      data: {
        orders: [
          { number: 1, product: { name: 'Loom' } },
          { number: 2, product: { name: 'Loom' } },
        ],
      },
    });
    assert.deepEqual(requests, ['Query', 'BatchGetItem']);
    assert.deepEqual(await ask(handler, '{ orders(after: 2) { number product { name } } }'), {
      data: { orders: [{ number: 3, product: null }] },
    });
    assert.deepEqual(await ask(handler, '{ orders { number } }', { 'x-user': 'bob' }), { data: { orders: [] } });
    server.closeAllConnections();
    server.close();
  });
});

interface Client {
  send(command: unknown): Promise<unknown>;
}

/** The tables of the page's shop, with three orders of the user ada. */
async function fillTables(load: NodeJS.Require): Promise<void> {
  const { DynamoDBClient, CreateTableCommand, waitUntilTableExists } = load('@aws-sdk/client-dynamodb');
  const { DynamoDBDocumentClient, PutCommand } = load('@aws-sdk/lib-dynamodb');
  const client: Client = new DynamoDBClient({});
  const attribute = (AttributeName: string, AttributeType: string): object => ({ AttributeName, AttributeType });
  const key = (AttributeName: string, KeyType: string): object => ({ AttributeName, KeyType });
  const create = async (TableName: string, AttributeDefinitions: object[], KeySchema: object[]): Promise<void> => {
    await client.send(new CreateTableCommand({ TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' }));
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 }, { TableName });
  };
  await create('products', [attribute('id', 'S')], [key('id', 'HASH')]);
  await create('orders', [attribute('customer', 'S'), attribute('number', 'N')], [key('customer', 'HASH'), key('number', 'RANGE')]);
  const items: Client = DynamoDBDocumentClient.from(client);
  await items.send(new PutCommand({ TableName: 'products', Item: { id: 'loom', name: 'Loom' } }));
  for (const [number, product] of ['loom', 'loom', 'gone'].entries())
    await items.send(new PutCommand({ TableName: 'orders', Item: { customer: 'ada', number: number + 1, product } }));
}

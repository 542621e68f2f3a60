import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { needs } from '../parts.ts';
import { ask, serveFetch, writeRecipes } from './project.ts';
import type { RecipeProject } from './project.ts';

const SECRET = 'wJalrXUtnFEMI';
const MUTATION = (type: string): string => `mutation { createUpload(type: "${type}") { key url fields { name value } } }`;

describe('the uploads of docs/uploads.md, against a storage server that makes the checks of S3', needs('recipes'), () => {
  let project: RecipeProject;
  let storage: Storage;

  before(async () => {
    project = await writeRecipes('docs/uploads.md', 'recipes');
    storage = await startStorage();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_S3: storage.url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: SECRET,
      PICTURES_BUCKET: 'pictures',
    });
  });
  after(async () => {
    storage.close();
    await project.remove();
  });

  async function createUpload(type = 'image/png'): Promise<Upload> {
    const { default: handler } = await project.import('functions/pictures.ts');
    const answer = (await ask(handler, MUTATION(type))) as { data: { createUpload: Upload } };
    return answer.data.createUpload;
  }
  async function upload(form: Upload, file: Blob): Promise<void> {
    const { upload: send } = (await project.import('lib/upload.ts')) as { upload: (form: Upload, file: Blob) => Promise<void> };
    return send(form, file);
  }

  test('compile, strictly', async () => {
    assert.equal(await project.compile(), '');
  });

  test('a file that meets the conditions is stored under the key of the mutation', async () => {
    const form = await createUpload();

    await upload(form, new Blob(['a picture'], { type: 'image/png' }));

    assert.match(form.key, /^pictures\/ada\/[\w-]{36}$/);
    assert.equal(storage.files.get(form.key), 'a picture');
  });

  test('a file that is too large, and a modified form, are refused', async () => {
    const form = await createUpload();

    await assert.rejects(upload(form, new Blob([new Uint8Array(5 * 1024 * 1024 + 1)])), /400 EntityTooLarge/);
    const changed = form.fields.map((field) => (field.name === 'key' ? { ...field, value: 'pictures/bob/portrait' } : field));
    await assert.rejects(upload({ ...form, fields: changed }, new Blob(['x'])), /403 AccessDenied/);
  });

  test('a media type that is not an image is refused by the mutation', async () => {
    const { default: handler } = await project.import('functions/pictures.ts');

    const { errors } = (await ask(handler, MUTATION('text/html'))) as { errors: { message: string }[] };

    assert.equal(errors[0]?.message, 'Expected one of image/jpeg, image/png, image/webp, got "text/html".');
  });
});

interface Upload {
  readonly key: string;
  readonly url: string;
  readonly fields: readonly { name: string; value: string }[];
}

interface Storage {
  readonly url: string;
  readonly files: Map<string, string>;
  close(): void;
}

/** Checks the POST of a browser as S3 documents it: signature, expiry, and every condition of the policy. */
async function startStorage(): Promise<Storage> {
  const files = new Map<string, string>();
  const server = await serveFetch(async (request) => {
    const form = await request.formData();
    const file = form.get('file') as File;
    const refusal = refusalOf(form, file);
    if (refusal !== undefined) return new Response(refusal[1], { status: refusal[0] });
    files.set(String(form.get('key')), await file.text());
    return new Response(null, { status: 204 });
  });
  return { ...server, files };
}

function refusalOf(form: FormData, file: File): [number, string] | undefined {
  const policy = String(form.get('Policy'));
  const scope = String(form.get('X-Amz-Credential')).split('/').slice(1);
  let key: Buffer | string = `AWS4${SECRET}`;
  for (const step of scope) key = createHmac('sha256', key).update(step).digest();
  if (createHmac('sha256', key).update(policy).digest('hex') !== form.get('X-Amz-Signature')) return [403, 'SignatureDoesNotMatch'];
  const { expiration, conditions } = JSON.parse(Buffer.from(policy, 'base64').toString()) as Policy;
  if (Date.parse(expiration) < Date.now()) return [403, 'AccessDenied'];
  for (const condition of conditions) {
    if (!Array.isArray(condition)) {
      if (Object.entries(condition).some(([name, value]) => form.get(name) !== value)) return [403, 'AccessDenied'];
    } else if (condition[0] === 'eq') {
      if (form.get(String(condition[1]).slice(1)) !== condition[2]) return [403, 'AccessDenied'];
    } else if (file.size < Number(condition[1]) || file.size > Number(condition[2])) return [400, 'EntityTooLarge'];
  }
  return undefined;
}

interface Policy {
  readonly expiration: string;
  readonly conditions: readonly (Record<string, string> | readonly [string, string | number, string | number])[];
}

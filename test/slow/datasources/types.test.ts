import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RESTDataSource } from '../../../src/entries/datasource.ts';
import { complaintsAbout } from '../../support/run-typescript.ts';
import type { CacheOptions, DataSourceRequest } from '../../../src/entries/datasource.ts';

interface Context {
  readonly token: string;
}
interface Book {
  readonly title: string;
}

/** A data source as users write it. The test is that it compiles. */
class Books extends RESTDataSource<Context> {
  async wrong(): Promise<void> {
    // @ts-expect-error: the first argument is a path
    await this.get(1);
    // @ts-expect-error: a timeout is a number of milliseconds
    await this.get('x', {}, { timeout: 'soon' });
    // @ts-expect-error: the result is a Book
    const book: number = await this.get<Book>('x');
    assert.ok(book);
    // @ts-expect-error: the context has no such property
    assert.ok(this.context.other);
  }

  protected override async willSendRequest(request: DataSourceRequest): Promise<void> {
    request.headers.set('authorization', this.context.token);
    request.params.set('api_key', 'k');
    // @ts-expect-error: a hook cannot change the method of a call
    request.method = 'POST';
  }
  protected override cacheOptionsFor(response: Response, request: DataSourceRequest): CacheOptions | undefined {
    return response.ok && request.method === 'GET' ? { ttl: 60 } : undefined;
  }
  protected override async didReceiveResponse<TResult>(response: Response, request: DataSourceRequest): Promise<TResult> {
    return super.didReceiveResponse<TResult>(response, request);
  }
}

it('a subclass that overrides generic members compiles, with httpFetch in both forms', () => {
  const httpFetch = async (request: Request): Promise<Response> => fetch(request);

  assert.ok(new Books(httpFetch));
  assert.ok(new Books({ httpFetch }));
  assert.ok(new Books(fetch));
});

interface Filter {
  readonly author: string;
  readonly first?: number | undefined;
}

/** The test is that the compiler accepts the valid calls and refuses the others. */
export class Typed extends RESTDataSource {
  async calls(filter: Filter, loose: object, record: Record<string, string>): Promise<void> {
    await this.get('x', filter);
    await this.get('x', loose);
    await this.get('x', record);
    await this.get('x', new URLSearchParams('a=1'));
    await this.get('x', new Map([['a', 1]]));
    await this.get('x', [['a', 1]]);
    await this.get('x', { author: { id: 1 }, tags: ['a'], headers: 'all', params: [1, 2] });
    // @ts-expect-error: header fields belong in the third argument
    await this.get('x', { headers: { authorization: 'token' } });
    // @ts-expect-error: the second argument contains the parameters themselves
    await this.get('x', { params: { page: 1 }, headers: { authorization: 'token' } });
    // @ts-expect-error: header fields belong in the third argument of delete too
    await this.delete('x', { headers: { authorization: 'token' } });
    // @ts-expect-error: options belong in the third argument of head too
    await this.head('x', { cacheOptions: { ttl: 1 } });

    const { body, response } = await this.fetch<Book>('x', { method: 'POST', params: { a: 1 }, body: {}, invalidates: ['y'] });
    const title: string = body.title;
    const total: string | null = response.headers.get('x-total');
    // @ts-expect-error: there is no such method
    await this.fetch('x', { method: 'STEAL' });
    const { status }: { status: number } = await this.head('x');
    assert.ok([title, total, status]);
  }
}

it('the type error of get(path, { params, headers }) names the right argument', async (t) => {
  const calls = ["get('x', { params: { a: 1 } })", "get('x', { headers: { a: 'b' } })", "delete('x', { headers: new Headers() })"];
  const methods = calls.map((call, at) => `m${at}() { return this.${call}; }`);

  const messages = await complaintsAbout(
    t,
    `import { RESTDataSource } from '../../src/entries/index.ts';\nexport class A extends RESTDataSource {\n${methods.join('\n')}\n}`,
  );

  assert.deepEqual(
    messages.map((message) => /calls\.ts\((\d+),[^]*OptionsAreTheThirdArgument/.exec(message)?.[1]),
    ['3', '4', '5'],
  );
});

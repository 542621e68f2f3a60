import type { ServerOptions } from 'graphql-functions';
import { BudgetBucket, budget, durableObjectStore } from 'graphql-functions/budget';
import type { DurableObjectBinding } from 'graphql-functions/budget';
import { createHandler } from 'graphql-functions/fetch';
import { landingPage } from 'graphql-functions/landing-page';

import { options } from '../graphql/options.ts';

/** The bindings of wrangler.jsonc, and its variables and secrets. */
interface Env {
  readonly POINTS: DurableObjectBinding;
}

// The class of the Durable Objects of POINTS.
export { BudgetBucket };

// Wrangler replaces this expression with "development" or "production", because Workers have no NODE_ENV. The deployed worker has
// no playground.
const playground =
  process.env.NODE_ENV === 'development' ? [landingPage({ playground: () => import('graphql-functions/playground') })] : [];

const { plugins = [] }: ServerOptions = options;

// Workers pass bindings with the call, so the options are made at the first request.
const { fetch } = createHandler(({ env }: { readonly env: Env }) => {
  // An address has 1,000 points, and gets back 10 a second. Give users an identity of their own.
  const plan = { capacity: 1000, refillPerSecond: 10 };
  const store = durableObjectStore(env.POINTS);
  const points = budget({ store, whenStoreFails: 'allow', identity: () => undefined, ...plan, anonymous: plan });
  return { ...options, nodeEnv: process.env.NODE_ENV, plugins: [...plugins, ...playground, points] };
});

// The export is an object, because Workers treat an exported function as a class.
export default { fetch };

/**
 * The playground: GraphiQL on the endpoint that served the page. scripts/playground.ts bundles it; browsers run it.
 *
 * Nobody configures it and no request shapes it: what it needs to know it takes from the address of its own page, and
 * of that not the query string, so that a link can open the playground but fill in nothing.
 */
import { createGraphiQLFetcher, createLocalStorage } from '@graphiql/toolkit';
import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import type { GraphiQLProps } from 'graphiql';
import 'graphiql/style.css';
import { getOperationAST, parse } from 'graphql';
import { createElement, Fragment } from 'react';
import { createRoot } from 'react-dom/client';

import { ExplainButton } from './explain-button.ts';
import { subscribe } from './subscribe.ts';

declare global {
  interface Window {
    /** The text of worker.ts, bundled. The page that carries this script sets it. */
    playgroundWorker: string;
  }
}

// A blob is the one place that a worker can come from when there is one response for everything.
const workerURL = URL.createObjectURL(new Blob([window.playgroundWorker], { type: 'text/javascript' }));
window.MonacoEnvironment = { getWorker: (_, label) => new Worker(workerURL, { name: label }) };

// Not the path alone: "//evil.example/", which reaches us as a path, would be an address of another host to fetch.
const endpoint = location.origin + location.pathname;

/** Sent with every request, and read anew for each. */
const headers: Record<string, string> = {
  // GraphiQL reads parts in the current format; whole answers come for all that has none.
  accept: 'application/graphql-response+json, application/json, multipart/mixed;incrementalSpec=v0.2',
  // No page of another site can send this without a preflight: it passes any setting of csrfPrevention.
  'vendor-require-preflight': 'playground',
};

function explain(isOn: boolean): void {
  if (isOn) headers['graphql-functions-explain'] = '1';
  else delete headers['graphql-functions-explain'];
}

const toolbar = createElement(GraphiQL.Toolbar, {
  children: ({ prettify, merge, copy }) =>
    createElement(Fragment, null, prettify, merge, copy, createElement(ExplainButton, { onSwitch: explain })),
});

const answer = createGraphiQLFetcher({ url: endpoint, headers });

const fetcher: Fetcher = (parameters, options) => {
  if (!isSubscription(parameters)) return answer(parameters, options);
  return subscribe({ url: endpoint, headers: { ...headers, ...options?.headers }, parameters });
};

/** Not by GraphiQL's own document: it lags behind what is written. */
function isSubscription({ query, operationName }: FetcherParams): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription';
  } catch {
    // The server says what is wrong with it.
    return false;
  }
}

const properties: GraphiQLProps = {
  fetcher,
  // Functions of one site share an origin, and must not share their tabs.
  storage: createLocalStorage({ namespace: `playground:${location.pathname}` }),
  defaultQuery: `# Ctrl-Enter (⌘-Enter) runs the operation.
# Ctrl-Space shows what can be written.
# The book at the left is the schema.

{
  __typename
}
`,
};
const playground = createElement(GraphiQL, properties, toolbar);

const place = document.querySelector('#playground');
if (place !== null) createRoot(place).render(playground);

// One process of the shop, with its cache in Netlify Blobs. An environment variable names the folder of @netlify/blobs.
import { serve } from '../../../../src/entries/node.ts';
import { NetlifyBlobsCache } from '../../../../docs/examples/caching/netlify-blobs.ts';
import type { BlobStore } from '../../../../docs/examples/caching/netlify-blobs.ts';
import { shopOver } from '../shop.ts';

const { BLOBS_MODULE = '', CATALOGUE = '' } = process.env;
const { getStore } = (await import(BLOBS_MODULE)) as { getStore(options: object): BlobStore };

const cache = new NetlifyBlobsCache(() => getStore({ name: 'graphql-cache', consistency: 'strong' }));
const { url } = await serve(shopOver(cache, CATALOGUE), { port: 0 });
console.log(`Ready at ${url}`);

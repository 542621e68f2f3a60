import type { LandingPage } from '../../server/index.ts';
import { createNonce, headers as pageHeaders } from './page-headers.ts';

/** A page that lists the tools of `mcp()`, calls one, and shows both messages. */
export function inspectorPage(name: string): LandingPage & { readonly html: string } {
  const nonce = createNonce();
  const title = `Tools of ${name}`.replaceAll(/[<>&"]/g, '');
  const headers = {
    ...pageHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'`,
  };
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style nonce="${nonce}">
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  textarea { box-sizing: border-box; width: 100%; min-height: 5rem }
  textarea, pre { font: 13px/1.5 ui-monospace, monospace }
  pre { overflow: auto; padding: .75rem; border: 1px solid #8886; border-radius: 6px }
</style>
<h1>${title}</h1>
<main></main>
<script nonce="${nonce}">
${script}
</script>
`;
  return { html, headers };
}

/** Runs in the browser. Everything is inserted as text. */
const script = `
const main = document.querySelector('main');
const add = (parent, name, text = '') => Object.assign(parent.appendChild(document.createElement(name)), { textContent: text });
const shown = (value) => JSON.stringify(value, null, 2);
const label = add(main, 'label', ' Explain calls');
const explain = Object.assign(document.createElement('input'), { type: 'checkbox' });
label.prepend(explain);
let id = 0;
async function send(method, params) {
  const message = { jsonrpc: '2.0', id: ++id, method, params };
  const headers = { 'content-type': 'application/json', ...(explain.checked && { 'graphql-functions-explain': '1' }) };
  const response = await fetch('', { method: 'POST', headers, body: JSON.stringify(message) });
  const text = await response.text();
  try { return [message, JSON.parse(text)]; } catch { return [message, response.status + ' ' + text]; }
}
function sample({ type, properties = {}, default: value, enum: names }) {
  if (value !== undefined) return value;
  if (names) return names[0];
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'object') return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sample(schema)]));
  return { string: '', integer: 0, number: 0, boolean: false, array: [] }[kind] ?? null;
}
function show({ name, title, description, inputSchema, outputSchema }) {
  const details = add(main, 'details');
  add(details, 'summary', name + (title ? ' · ' + title : ''));
  add(details, 'p', description);
  const given = add(details, 'textarea', shown(sample(inputSchema)));
  given.setAttribute('aria-label', 'Arguments of ' + name);
  const button = add(details, 'button', 'Call ' + name);
  const output = add(details, 'div');
  button.onclick = async () => {
    output.textContent = '';
    try {
      for (const part of await send('tools/call', { name, arguments: JSON.parse(given.value) })) add(output, 'pre', shown(part));
    } catch (error) {
      add(output, 'pre', String(error));
    }
  };
  add(add(details, 'details'), 'summary', 'Schemas').parentNode.append(...[inputSchema, outputSchema].map((schema) => add(details, 'pre', shown(schema))));
}
send('tools/list', {}).then(([, answer]) => (answer.result ? answer.result.tools.forEach(show) : add(main, 'pre', shown(answer))));
`;

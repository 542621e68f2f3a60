import type { LandingPage } from '../../server/index.ts';
import { createNonce, head, headers as pageHeaders } from './page-headers.ts';

/** A page that lists the tools of `mcp()`, calls one, and shows both messages. */
export function inspectorPage(name: string): LandingPage & { readonly html: string } {
  const nonce = createNonce();
  const title = `Tools of ${name}`.replaceAll(/[<>&"]/g, '');
  const headers = {
    ...pageHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
  const html = `${head}
<title>${title}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p><code id="endpoint"></code></p>
<p><a id="playground" href=".">Playground of this endpoint</a></p>
<details id="clients"><summary>Connect a client</summary></details>
<label class="explain"><input type="checkbox" id="explain"> Explain calls</label>
<div id="tools"></div>
</main>
<script nonce="${nonce}">
${script}
</script>
</body>
</html>
`;
  return { html, headers };
}

/** The colors are those of the playground, light and dark. */
const style = `
:root { color-scheme: light dark; --text: #3b4b68; --muted: #5c6a87; --back: #fff; --panel: #eff1f5; --link: #c80587; --button: #c80587; --error: #c8102e }
@media (prefers-color-scheme: dark) { :root { --text: #b7c2d7; --muted: #9aa6bd; --back: #212a3b; --panel: #2d3647; --link: #ff75a8; --button: #c2185b; --error: #ff8a93 } }
body { font: 16px/1.5 Roboto, system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 60em; margin: 0 auto; padding: 2em 1em }
h1 { font-size: 1.5em; font-weight: 500 }
a { color: var(--link) }
summary { cursor: pointer }
.tool, #clients { background: var(--panel); border-radius: 8px; padding: 12px 16px; margin: 8px 0; overflow-wrap: anywhere }
.tool > summary { font-weight: 500 }
pre, textarea, input, select, code { font: 14px/1.5 'Fira Code', ui-monospace, monospace }
pre { background: var(--back); border-radius: 8px; padding: 12px; overflow-x: auto; margin: 8px 0 }
fieldset { border: 0; padding: 0; margin: 8px 0; display: grid; gap: 8px }
fieldset label { display: grid; gap: 2px }
fieldset input:not([type=checkbox]), fieldset select, textarea { box-sizing: border-box; width: 100%; padding: 6px 8px; color: inherit; background: var(--back); border: 1px solid var(--muted); border-radius: 4px }
fieldset input[type=checkbox] { justify-self: start }
textarea { min-height: 5em }
button { font: inherit; cursor: pointer; color: #fff; background: var(--button); border: 0; border-radius: 6px; padding: 6px 14px; margin: 4px 8px 4px 0 }
.row { display: flex; gap: 8px; align-items: start } .row pre { flex: 1; min-width: 0 }
.note, small { color: var(--muted) }
.error { color: var(--error) }
`;

/** Runs in the browser. Everything is inserted as text. */
const script = `
const endpoint = location.origin + location.pathname.replace(/\\/$/, '');
const place = (id) => document.getElementById(id);
const add = (parent, name, text = '', members = {}) => Object.assign(parent.appendChild(document.createElement(name)), { textContent: text }, members);
const shown = (value) => JSON.stringify(value, null, 2);
place('endpoint').textContent = endpoint;
// The path of the tools follows that of the endpoint.
place('playground').href = endpoint.replace(/\\/[^/]*$/, '') || '/';
const named = document.title.replace(/^Tools of /, '').replace(/[^\\w-]+/g, '-').toLowerCase();
const server = { url: endpoint };
for (const [client, text] of [
  ['Claude Code', 'claude mcp add --transport http ' + named + ' ' + endpoint],
  ['Cursor: .cursor/mcp.json', shown({ mcpServers: { [named]: server } })],
  ['VS Code: .vscode/mcp.json', shown({ servers: { [named]: { type: 'http', ...server } } })],
]) {
  add(place('clients'), 'p', client);
  const row = add(place('clients'), 'div', '', { className: 'row' });
  add(row, 'pre', text, { tabIndex: 0 });
  const button = add(row, 'button', 'Copy', { ariaLabel: 'Copy the line for ' + client.split(':')[0] });
  button.onclick = () => navigator.clipboard.writeText(text).then(() => (button.textContent = 'Copied'), () => (button.textContent = 'Refused'));
}
let id = 0;
async function send(method, params) {
  const message = { jsonrpc: '2.0', id: ++id, method, params };
  const headers = { 'content-type': 'application/json', ...(place('explain').checked && { 'graphql-functions-explain': '1' }) };
  const response = await fetch('', { method: 'POST', headers, body: JSON.stringify(message) });
  const text = await response.text();
  try { return [message, JSON.parse(text)]; } catch { return [message, response.status + ' ' + text]; }
}
const kindOf = ({ type }) => (Array.isArray(type) ? type.find((one) => one !== 'null') : type);
function sample({ properties = {}, default: value, enum: names, ...schema }) {
  if (value !== undefined) return value;
  if (names) return names[0];
  const kind = kindOf(schema);
  if (kind === 'object') return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]));
  return { string: '', integer: 0, number: 0, boolean: false, array: [] }[kind] ?? null;
}
// One input of the form: returns a function that reads it. Undefined: the argument is left out.
function field(parent, name, schema, isRequired) {
  const kind = schema.enum ? 'enum' : kindOf(schema);
  const caption = name + (isRequired ? '' : ' (optional)');
  const label = add(parent, 'label', caption);
  if (schema.description) add(label, 'small', schema.description);
  // A label that contains a select would be read with all of its options.
  const named = { ariaLabel: caption, ariaDescription: schema.description ?? null };
  const given = schema.default === undefined ? '' : schema.default;
  if (kind === 'enum') {
    const select = add(label, 'select', '', named);
    for (const one of [...(isRequired ? [] : ['']), ...schema.enum.filter((value) => value !== null)]) add(select, 'option', String(one), { value: one });
    select.value = given === '' && isRequired ? schema.enum[0] : given;
    return () => (select.value === '' ? undefined : select.value);
  }
  if (kind === 'boolean') {
    const box = add(label, 'input', '', { ...named, type: 'checkbox', checked: given === true });
    let isTouched = isRequired || given !== '';
    box.onchange = () => (isTouched = true);
    return () => (isTouched ? box.checked : undefined);
  }
  if (kind === 'string' || kind === 'integer' || kind === 'number') {
    const isNumber = kind !== 'string';
    const input = add(label, 'input', '', { ...named, type: isNumber ? 'number' : 'text', step: kind === 'integer' ? 1 : 'any', value: String(given ?? '') });
    return () => (input.value === '' && (isNumber || !isRequired) ? undefined : isNumber ? Number(input.value) : input.value);
  }
  // Objects, lists and custom scalars are written as JSON.
  const text = add(label, 'textarea', isRequired ? shown(schema.default ?? sample(schema)) : given === '' ? '' : shown(given), named);
  return () => (text.value.trim() === '' ? undefined : JSON.parse(text.value));
}
function show({ name, title, description, inputSchema, outputSchema }) {
  const details = add(place('tools'), 'details', '', { className: 'tool' });
  add(details, 'summary', name + (title ? ' · ' + title : ''));
  add(details, 'p', description);
  const form = add(details, 'form');
  const fields = add(form, 'fieldset');
  const { properties = {}, required = [] } = inputSchema;
  const readers = Object.entries(properties).map(([key, schema]) => [key, field(fields, key, schema, required.includes(key))]);
  add(form, 'button', 'Call ' + name);
  const output = add(details, 'div', '', { className: 'messages', ariaLive: 'polite' });
  form.onsubmit = async (event) => {
    event.preventDefault();
    output.textContent = '';
    try {
      const given = Object.fromEntries(readers.map(([key, read]) => [key, read()]).filter(([, value]) => value !== undefined));
      for (const part of await send('tools/call', { name, arguments: given })) add(output, 'pre', typeof part === 'string' ? part : shown(part), { tabIndex: 0 });
    } catch (error) {
      add(output, 'p', 'The call failed: ' + error.message, { className: 'error' });
    }
  };
  const schemas = add(details, 'details');
  add(schemas, 'summary', 'Schemas');
  for (const schema of [inputSchema, outputSchema]) if (schema) add(schemas, 'pre', shown(schema), { tabIndex: 0 });
}
send('tools/list', {}).then(
  ([, answer]) => (answer.result ? answer.result.tools.forEach(show) : add(place('tools'), 'pre', typeof answer === 'string' ? answer : shown(answer))),
  (error) => add(place('tools'), 'p', 'There was no answer: ' + error.message, { className: 'error' }),
);
`;

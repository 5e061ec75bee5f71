// The page's policy forbids what the script would otherwise try: to compile code.
globalThis.__zod_globalConfig = { jitless: true };
const [text] = await Promise.all([
  fetch('openapi.json').then((response) => response.text()),
  import('./scalar.js'),
]);
const { components, paths } = JSON.parse(text);
const [scheme] = Object.keys(components.securitySchemes);
const { IdempotencyKey } = components.parameters;
// Unlike `randomUUID` it is there without HTTPS too.
const newKey = () => crypto.getRandomValues(new BigUint64Array(2)).join('-');
/** The key that the page shows and sends: one until the request that had its effect is closed. */
let key = newKey();
let isUsed = false;

/** The document with the key, and a token in its samples. */
const contentFor = (token) => {
  const content = JSON.parse(text.replaceAll(IdempotencyKey.example, key));
  for (const operation of Object.values(content.paths).flatMap(Object.values)) {
    // Requests carry what is required, and a key. An example of any other parameter would be sent
    // as well, such as the cursor of a list that does not exist here.
    for (const parameter of operation.parameters) if (!parameter.required) delete parameter.example;
    for (const sample of operation['x-codeSamples']) {
      sample.source = sample.source.replaceAll('<ACCESS_TOKEN>', token);
    }
  }
  // A name alone would look like a button, and a version would age on README's pictures.
  delete content.info.contact;
  delete content.info.version;
  return content;
};

const configurationFor = (token) => ({
  content: contentFor(token),
  authentication: {
    preferredSecurityScheme: scheme,
    securitySchemes: { [scheme]: { 'x-scalar-secret-token': token } },
  },
  onResponseReceived: ({ request, response }) => {
    isUsed ||= response.ok && request.method === 'POST';
    // On a narrow page the response is below the request. It is filled in after this.
    const show = () => {
      const section = document.querySelector('section[aria-label="Response"]');
      section?.scrollIntoView();
      // Only a header shows that a response is a replay.
      if (!response.headers.has('Idempotent-Replayed')) return;
      const buttons = [...section.querySelectorAll('button[aria-expanded="false"]')];
      buttons.find(({ textContent }) => textContent.includes('Response Headers'))?.click();
    };
    setTimeout(show, 100);
  },
  theme: 'none',
  defaultOpenAllTags: true,
  // No feature that calls another server or advertises a product.
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
});

const tokens = document.getElementById('token');
const reference = globalThis.Scalar.createApiReference(
  '#reference',
  configurationFor(tokens.value),
);
const showAnew = () => reference.updateConfiguration(configurationFor(tokens.value));
tokens.addEventListener('change', showAnew);

// Repairs of Scalar's markup for screen readers and for the keyboard.
const repairs = {
  '[class*="copy-button"]:not([aria-label])': { ariaLabel: 'Copy', ariaControlsElements: null },
  '.cm-content:not([aria-label])': { ariaLabel: 'Body' },
  '.cm-scroller[tabindex="-1"], ul.endpoints:not([tabindex])': { tabIndex: 0 },
  '.markdown :is(table, pre > code):not([tabindex])': { tabIndex: 0 },
  'button[role="none"]': { role: null },
  '.code-input-lite__editor[role="combobox"]': { role: 'textbox' },
  '[role="combobox"]:not([aria-expanded])': { ariaExpanded: 'true' },
  '[role="combobox"]:not([aria-label])': { ariaLabel: 'Search' },
  // A group of a menu whose heading is left out.
  '[role="listbox"] > div:not([role])': { role: 'presentation', ariaLabelledByElements: null },
  // Landmarks of which the page has several with one name.
  'header:not([aria-label])': { ariaLabel: 'Reference' },
  'main:not([aria-label])': { ariaLabel: 'Test request' },
  '.scalar-card[role="region"], section.contents:not([role])': { role: 'group' },
  'section[aria-label^="Notifications"]:not([role])': { role: 'status' },
};

// Scalar has no skip links, and some forty Tab stops lie between an operation's heading and its
// button.
const skips = document.getElementById('skips');
let wanted = '';
const openWanted = () => {
  const buttons = wanted ? [...document.querySelectorAll('.show-api-client-button')] : [];
  const button = buttons.find(({ textContent }) => textContent.includes(wanted));
  if (!button) return;
  wanted = '';
  button.click();
};
const skipTo = (method, path, summary) => {
  const skip = document.createElement('button');
  skip.textContent = `Test: ${summary}`;
  skip.addEventListener('click', () => {
    wanted = `(${method} ${path})`;
    // An operation is rendered once the page comes to it.
    document.querySelector(`a[href$="/${method.toUpperCase()}${path}"]`).click();
    openWanted();
  });
  return skip;
};
for (const [path, methods] of Object.entries(paths)) {
  for (const [method, { summary }] of Object.entries(methods)) {
    skips.append(skipTo(method, path, summary));
  }
}

// What has opened the client gets the focus back.
let opener;
addEventListener('focusin', ({ target }) => {
  if (!target.closest('[role="dialog"]')) opener = target;
});

const update = () => {
  openWanted();
  for (const [selector, repair] of Object.entries(repairs)) {
    for (const found of document.querySelectorAll(selector)) Object.assign(found, repair);
  }
  const page = document.querySelector('.references-rendered');
  const client = document.querySelector('.scalar-app-layout');
  const isCovered = client?.checkVisibility({ visibilityProperty: true }) ?? false;
  if (!page || page.inert === isCovered) return;
  page.inert = isCovered;
  skips.inert = isCovered;
  if (isCovered) return;
  opener?.focus({ preventScroll: true });
  if (!isUsed) return;
  key = newKey();
  isUsed = false;
  showAnew();
};
new MutationObserver(update).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['class', 'style'],
});
// The client fades out.
addEventListener('transitionend', update);

// The page's policy forbids what the script would otherwise try: to compile code.
globalThis.__zod_globalConfig = { jitless: true };
const [contract] = await Promise.all([
  fetch('openapi.json').then((response) => response.json()),
  import('./scalar.js'),
]);
const { components, paths, servers } = contract;

// Samples and requests carry what is required, and a key. An example of any other parameter would be
// sent as well, such as the cursor of a list that does not exist here.
for (const { parameters = [] } of Object.values(paths).flatMap(Object.values)) {
  for (const parameter of parameters) if (!parameter.required) delete parameter.example;
}
// Unlike `randomUUID` it is there without HTTPS too.
const newKey = () => crypto.getRandomValues(new BigUint64Array(2)).join('-');
const { IdempotencyKey } = components.parameters;
IdempotencyKey.example = newKey();

globalThis.Scalar.createApiReference('#reference', {
  content: contract,
  // The API allows no other origin to call it.
  hideTestRequestButton: new URL(servers[0].url, location.href).origin !== location.origin,
  // Each request is an intent of its own unless somebody enters a key.
  onBeforeRequest: ({ requestBuilder: { headers } }) => {
    const name = IdempotencyKey.name;
    if (headers.get(name) === IdempotencyKey.example) headers.set(name, newKey());
  },
  authentication: { preferredSecurityScheme: Object.keys(components.securitySchemes)[0] },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  theme: 'none',
  defaultOpenAllTags: true,
  // Nothing that calls out, and nothing that is for sale.
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
});

// What Scalar's markup keeps from who does not see the page, or has no pointer.
const repairs = {
  '[class*="copy-button"]:not([aria-label])': { ariaLabel: 'Copy', ariaControlsElements: null },
  '.cm-content:not([aria-label])': { ariaLabel: 'Body' },
  '.cm-scroller[tabindex="-1"], ul.endpoints:not([tabindex])': { tabIndex: 0 },
  'button[role="none"]': { role: null },
  '.code-input-lite__editor[role="combobox"]': { role: 'textbox' },
  // Landmarks of which the page has several with one name.
  'header:not([aria-label])': { ariaLabel: 'Reference' },
  'main:not([aria-label])': { ariaLabel: 'Test request' },
  '.scalar-card[role="region"], section.contents:not([role])': { role: 'group' },
  'section[aria-label^="Notifications"]:not([role])': { role: 'status' },
};
new MutationObserver(() => {
  for (const [selector, repair] of Object.entries(repairs)) {
    for (const found of document.querySelectorAll(selector)) Object.assign(found, repair);
  }
  const page = document.querySelector('.references-rendered');
  const client = document.querySelector('.scalar-app-layout');
  const isCovered = client?.checkVisibility({ visibilityProperty: true }) ?? false;
  if (page && page.inert !== isCovered) page.inert = isCovered;
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ['class', 'style'] });

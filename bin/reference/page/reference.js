// The page's policy forbids what the script would otherwise try: to compile code.
globalThis.__zod_globalConfig = { jitless: true };
const [text] = await Promise.all([
  fetch('openapi.json').then((response) => response.text()),
  import('./scalar.js'),
]);
const { components } = JSON.parse(text);
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

// A used key is replaced when its request is closed.
const renewKey = () => {
  const client = document.querySelector('.scalar-app-layout');
  if (!isUsed || client?.checkVisibility({ visibilityProperty: true })) return;
  key = newKey();
  isUsed = false;
  showAnew();
};
new MutationObserver(renewKey).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['class', 'style'],
});
// The client fades out.
addEventListener('transitionend', renewKey);

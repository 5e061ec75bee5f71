const dark = matchMedia('(prefers-color-scheme: dark)');
// The viewer knows its dark colours by this class alone.
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const views = [...document.querySelectorAll('[data-shows]')];
const show = (view) => {
  document.body.dataset.view = view;
  for (const button of views) {
    button.setAttribute('aria-pressed', String(button.dataset.shows === view));
  }
};
for (const button of views) button.addEventListener('click', () => show(button.dataset.shows));

for (const link of document.querySelectorAll('[data-operation]')) {
  link.addEventListener('click', () => {
    show('reference');
    const operation = document.querySelector(`[id$="-${link.dataset.operation}"]`);
    const control = operation?.querySelector('.opblock-summary-control');
    if (control?.getAttribute('aria-expanded') === 'false') control.click();
    operation?.scrollIntoView({ block: 'start' });
    control?.focus({ preventScroll: true });
  });
}

const load = async (path) => (await fetch(path)).json();

const viewer = document.getElementById('viewer');
try {
  const [contract, { token }] = await Promise.all([load('/openapi.json'), load('/demo.json')]);
  const [scheme] = Object.keys(contract.components.securitySchemes);
  const reference = globalThis.SwaggerUIBundle({
    spec: contract,
    domNode: viewer,
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    syntaxHighlight: { theme: 'nord' },
    tryItOutEnabled: true,
    // Otherwise a document that is not on localhost is sent to the viewer's makers for a badge.
    validatorUrl: 'none',
    onComplete: () => reference.preauthorizeApiKey(scheme, token),
  });
} catch {
  viewer.innerHTML =
    '<p class="empty">The reference cannot be loaded. Is the local run still there? Start it with <code>npm start</code> and load this page again.</p>';
}

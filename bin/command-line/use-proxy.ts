import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

// Imported for its effect, before the first client of AWS is made: what this process requests goes
// the way that the CDK's requests go, through the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY,
// and with the certificates of AWS_CA_BUNDLE. The SDK makes agents of its own, in each client and
// in each provider of credentials: a request handler of ours would not reach that of SSO.

/** The first of these variables that is set, in lower or upper case, as the CDK reads them. */
const variable = (...names: readonly string[]): string | undefined =>
  names.flatMap((name) => process.env[name] || process.env[name.toUpperCase()] || [])[0];

const proxyFor = (protocol: 'http' | 'https'): string | undefined => {
  const own = [`npm_config_${protocol}_proxy`, `${protocol}_proxy`];
  const proxy = variable(...own, 'npm_config_proxy', 'all_proxy') ?? '';
  const url = proxy.includes('://') ? proxy : `${protocol}://${proxy}`;
  // Node.js has no other protocols for a proxy.
  return proxy && /^https?:/.test(url) ? url : undefined;
};

const proxyEnv = {
  http_proxy: proxyFor('http'),
  https_proxy: proxyFor('https'),
  // The CDK takes blanks between them too.
  no_proxy: variable('npm_config_no_proxy', 'no_proxy')?.replaceAll(/\s+/g, ','),
};

/** A class of agents whose connections go through the proxy of the shell. */
const proxied = <Agent extends typeof http.Agent>(Agent: Agent): Agent =>
  new Proxy(Agent, {
    construct: (target, [options], newTarget) =>
      Reflect.construct(target, [{ proxyEnv, ...options }], newTarget),
  });

http.Agent = proxied(http.Agent);
https.Agent = proxied(https.Agent);
syncBuiltinESMExports();
// Of `fetch`.
http.setGlobalProxyFromEnv(proxyEnv);

const bundle = variable('aws_ca_bundle', 'requests_ca_bundle');
if (bundle && existsSync(bundle)) {
  tls.setDefaultCACertificates([...tls.getCACertificates(), readFileSync(bundle, 'utf8')]);
}

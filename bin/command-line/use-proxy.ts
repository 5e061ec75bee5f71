import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

// Imported for its effect, before the first client of AWS is made: what this process requests goes
// the way that the CDK's requests go, through the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and
// with the certificates of AWS_CA_BUNDLE. The SDK makes agents of its own, in each client and in
// each provider of credentials: a request handler of ours would not reach that of SSO.

/** A class of agents whose connections go through the proxy of the shell. */
const proxied = <Agent extends typeof http.Agent>(Agent: Agent): Agent =>
  new Proxy(Agent, {
    construct: (target, [options], newTarget) =>
      Reflect.construct(target, [{ proxyEnv: process.env, ...options }], newTarget),
  });

http.Agent = proxied(http.Agent);
https.Agent = proxied(https.Agent);
syncBuiltinESMExports();
// Of `fetch`.
http.setGlobalProxyFromEnv();

const { AWS_CA_BUNDLE } = process.env;
if (AWS_CA_BUNDLE && existsSync(AWS_CA_BUNDLE)) {
  const bundle = readFileSync(AWS_CA_BUNDLE, 'utf8');
  tls.setDefaultCACertificates([...tls.getCACertificates(), bundle]);
}

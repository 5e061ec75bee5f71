const label = 'l'.repeat(63);
const domainOf = (length: number, labels: number) =>
  `${`${label}.`.repeat(labels)}${'l'.repeat(length - 64 * labels - 5)}.test`;

/** Domains as RFC 1123, section 2.1, and IDNA (RFC 5890) allow them, in lower case. */
export const domains = [
  'company.example',
  'mail.company.example',
  '0-9.company.example',
  'xn--e1afmkfd.xn--p1ai',
  'xn--fiq228c.xn--fiqs8s',
  'company.museum',
  `${label}.example`,
  `company.xn--${'l'.repeat(59)}`,
  domainOf(252, 3),
];

/** What is no domain, or a longer one than DNS takes. */
export const noDomains = [
  '',
  'localhost',
  '.company.example',
  'company.example.',
  'company..example',
  '-company.example',
  'company-.example',
  'com_pany.example',
  'пример.рф',
  '192.0.2.1',
  '[192.0.2.1]',
  'company.e',
  'company.123',
  'company.xn--',
  'company.xn--p1ai-',
  `${label}l.example`,
  `company.xn--${'l'.repeat(60)}`,
  domainOf(254, 3),
  'company.example\n',
];

/** Addresses that RFC 5321 allows, without quotes. */
export const addresses = [
  ...domains.map((domain) => `a@${domain}`),
  'johnson&co@company.example',
  'x=y@company.example',
  "o'neil+offers/2026@company.example",
  "!#$%&'*+-/=?^_`{|}~@company.example",
  'a.b-c_d.e@company.example',
  '-@company.example',
  'Amara@Company.EXAMPLE',
  'amara@XN--E1AFMKFD.XN--P1AI',
  `${'x'.repeat(64)}@company.example`,
  `${'x'.repeat(64)}@${domainOf(189, 2)}`,
];

/** What is no address. */
export const noAddresses = [
  ...noDomains.map((domain) => `a@${domain}`),
  'a',
  '@company.example',
  '.a@company.example',
  'a.@company.example',
  'a..b@company.example',
  'a b@company.example',
  'a@b@company.example',
  'a,b@company.example',
  'a:b@company.example',
  'a(b)@company.example',
  '"a b"@company.example',
  'Amara <a@company.example>',
  'ä@company.example',
  `${'x'.repeat(65)}@company.example`,
  `${'x'.repeat(64)}@${domainOf(190, 2)}`,
  `a@${domainOf(253, 3)}`,
  'a@company.example\r\nBcc: b@company.example',
  'a@company.example\n',
];

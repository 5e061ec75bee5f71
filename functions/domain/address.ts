import * as z from 'zod/mini';

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const topLevel = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])';
const domain = `(?:${label}\\.)+${topLevel}`;
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const address = `^${atom}(?:\\.${atom})*@${domain}$`;

/** A domain of RFC 1123, section 2.1, in lower case; an international one in Punycode. */
export const Domain = z.string().check(z.regex(new RegExp(`^(?=.{1,253}$)${domain}$`)));

/**
 * An address of RFC 5321 whose local part is a dot-string, with the limits of its section 4.5.3.1.
 * SES accepts only ASCII in the local part, and an international domain only in Punycode
 * (Amazon SES API v2, "Destination").
 */
export const EmailAddress = z
  .email({
    pattern: new RegExp(`(?=^.{1,64}@)${address}`, 'i'),
    error: 'Must be an email address.',
  })
  .check(
    z.maxLength(254, 'Must be at most 254 characters.'),
    // JSON Schema has no flags, and some of its validators no lookahead.
    z.meta({
      pattern: address.replaceAll('a-z', 'A-Za-z').replace('xn', '[Xx][Nn]'),
      not: { pattern: '^[^@]{65}' },
    }),
  );

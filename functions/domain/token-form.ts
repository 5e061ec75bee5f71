/** By which people and secret scanners recognise an access token. */
export const tokenPrefix = 'wfp_';

/** What a token acts for: a live workspace, or a sandbox's. */
export type TokenMode = 'live' | 'test';

/** 256 random bits in base64url. */
export const tokenSecretLength = 43;

export const tokenText = (mode: TokenMode, secret: string) => `${tokenPrefix}${mode}_${secret}`;

/** Matches the text of an access token, without anchors. */
export const tokenPattern = `${tokenPrefix}(live|test)_[0-9A-Za-z_-]{${tokenSecretLength}}`;

// Versions with known holes, of packages that stand in pnpm-lock.yaml or could come into it. Add a line when an advisory is published
// for something we or our users run; the id is that of GitHub's advisory database or of the CVE list.

/**
 * @typedef {object} KnownHole
 * @property {string} name The package.
 * @property {readonly string[]} fixedIn The first good version of each release line, oldest first. A line that is not named has none.
 * @property {string} advisory
 * @property {string} hole
 */

/** @type {readonly KnownHole[]} */
export const knownHoles = [
  {
    name: 'bcrypt',
    fixedIn: ['5.0.0'],
    advisory: 'CVE-2020-7689',
    hole: 'passwords are cut at a NUL, and long ones wrap around',
  },
  {
    name: 'body-parser',
    fixedIn: ['1.20.6', '2.3.0'],
    advisory: 'GHSA-v422-hmwv-36x6',
    hole: 'a limit that cannot be read is no limit',
  },
  {
    name: 'cookie',
    fixedIn: ['0.7.0'],
    advisory: 'GHSA-pxg6-pf52-xh8x',
    hole: 'names, paths and domains smuggle attributes in',
  },
  {
    name: 'express',
    fixedIn: ['4.20.0', '5.0.0'],
    advisory: 'GHSA-qw6h-vgh9-j6wx',
    hole: 'redirects write what they are given into HTML',
  },
  {
    name: 'form-data',
    fixedIn: ['4.0.4'],
    advisory: 'GHSA-fjxv-7rqg-78g4',
    hole: 'boundaries can be guessed',
  },
  {
    name: 'jsonwebtoken',
    fixedIn: ['9.0.0'],
    advisory: 'GHSA-qwph-4952-7xr6',
    hole: 'without a key and algorithms, unsigned tokens are good',
  },
  {
    name: 'jws',
    fixedIn: ['4.0.1'],
    advisory: 'GHSA-869p-cjfg-cm3x',
    hole: 'HMAC signatures are made and checked with an empty secret',
  },
  {
    name: 'knex',
    fixedIn: ['2.4.0'],
    advisory: 'GHSA-4jv9-3563-23j3',
    hole: 'on MySQL an object as a value replaces the condition',
  },
  {
    name: 'mysql2',
    fixedIn: ['3.22.0'],
    advisory: 'GHSA-3f6p-5ww8-9rcr',
    hole: 'a server can ask for the password in the clear',
  },
  {
    name: 'mysql2',
    fixedIn: ['3.23.1'],
    advisory: 'GHSA-rgwj-5xj2-c3m3',
    hole: 'compressed packets are unpacked to any size',
  },
  {
    name: 'path-to-regexp',
    fixedIn: ['0.1.13', '8.4.0'],
    advisory: 'GHSA-37ch-88jc-xwx2, GHSA-j3q9-mxjg-w52f',
    hole: 'some routes become expressions that backtrack for ever',
  },
  {
    name: 'proxy-addr',
    fixedIn: ['2.0.8'],
    advisory: 'GHSA-jqcg-44mw-7w3h',
    hole: 'a mapped subnet with an IPv4 prefix trusts every address, and X-Forwarded-For of anybody is believed',
  },
  {
    name: 'qs',
    fixedIn: ['6.14.2'],
    advisory: 'GHSA-w7fw-mjwx-w883',
    hole: 'commas make lists of any length',
  },
  {
    name: 'qs',
    fixedIn: ['6.16.0'],
    advisory: 'GHSA-x5fp-wj9c-mxmx, GHSA-4mjr-xmp4-gh2g',
    hole: 'commas in brackets make lists of any length, and stringify throws at a crafted object',
  },
  {
    name: 'redis',
    fixedIn: ['3.1.1'],
    advisory: 'CVE-2021-29469',
    hole: 'a monitor backtracks for ever at a crafted reply',
  },
  {
    name: 'send',
    fixedIn: ['0.19.0'],
    advisory: 'CVE-2024-43799',
    hole: 'redirects write what they are given into HTML',
  },
  {
    name: 'serve-static',
    fixedIn: ['1.16.0'],
    advisory: 'CVE-2024-43800',
    hole: 'redirects write what they are given into HTML',
  },
]

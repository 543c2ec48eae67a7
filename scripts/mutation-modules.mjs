// The modules of `npm run mutation`: the sources that it mutates, and the tests that must detect the mutants. Everything else depends on the
// first five modules, and on `keys`.

/**
 * @typedef {object} MutationModule
 * @property {string} name The argument of the command.
 * @property {readonly string[]} mutate Patterns of sources. A pattern with `!` excludes sources.
 * @property {readonly string[]} tests Patterns of test files.
 */

const core = (...paths) => paths.map((path) => path.replace(/^(!?)/, '$1packages/core/src/'))
const coreTests = (...paths) => paths.map((path) => `packages/core/test/${path}`)
const express = (...paths) => paths.map((path) => path.replace(/^(!?)/, '$1packages/express/src/'))
const expressTests = (...paths) => paths.map((path) => `packages/express/test/${path}`)

/** @type {readonly MutationModule[]} */
export const mutationModules = [
  {
    name: 'verifier',
    mutate: core('access-token/*.ts', 'operations/issue-tokens.ts'),
    tests: coreTests(
      'access-token/*.test.ts',
      'keys/{set-keys,signer,signatures,key-rotation}.test.ts',
      'operations/{authenticate,issue-tokens}.test.ts',
    ),
  },
  {
    name: 'rotation',
    mutate: core('session/*.ts', 'operations/{refresh,replaced-token,refresh-watch,open-session}.ts'),
    tests: coreTests(
      'session/*.test.ts',
      'operations/{refresh,refresh-keys,repeats,repeat-counter,clock-watch,limit-sessions,races,stale-swaps,interleavings,storage-failures,authenticate}.test.ts',
      'events/events.test.ts',
    ),
  },
  {
    name: 'revocation',
    mutate: core('operations/{revoke,end-session,sessions,maintenance}.ts'),
    tests: coreTests(
      'operations/{revoke,revoke-issued-before,issuers,sessions,purge,purge-regularly,races,stale-swaps,interleavings,storage-failures}.test.ts',
      'events/events.test.ts',
      'checked/{checked-storage,deadline}.test.ts',
    ),
  },
  {
    name: 'guard',
    mutate: [
      ...core('operations/authorize.ts', 'wire/request.ts'),
      ...express('{guard,guarded-requests,node-http}.ts'),
    ],
    tests: [
      ...coreTests('operations/authorize.test.ts'),
      ...expressTests(
        '{guard,step-up,verify-request,get-auth,wrong-use,mounts,cookies,bearer-header,me,rate-limits,error-handling,error-handlers}.test.ts',
        '{rejection-headers,slow-bodies,client-abort,disconnected-logins,shared-connections,require-password}.test.ts',
        '{request-bodies,body-parameters,form-bodies,broken-bodies,body-limit}.test.ts',
      ),
    ],
  },
  {
    name: 'lookups',
    mutate: core('checked/*.ts'),
    tests: coreTests('checked/*.test.ts', 'operations/{authorize,issuers,storage-failures}.test.ts'),
  },
  {
    name: 'keys',
    mutate: core('keys/*.ts'),
    tests: coreTests(
      'keys/!(rotation-under-traffic).test.ts',
      'options/resolve-options.test.ts',
      'access-token/edge-tokens.test.ts',
    ),
  },
  {
    name: 'passwords',
    mutate: ['packages/passwords/src/**/*.ts'],
    tests: ['packages/passwords/test/**/*.test.ts', ...coreTests('options/resolve-options.test.ts')],
  },
  {
    name: 'limits',
    mutate: core('limits/*.ts', 'network.ts'),
    tests: [
      ...coreTests('limits/*.test.ts', 'network.test.ts', 'options/*.test.ts', 'operations/require-password.test.ts'),
      ...expressTests('rate-limits.test.ts'),
    ],
  },
  {
    name: 'operations',
    mutate: core(
      'operations/*.ts',
      '!operations/issue-tokens.ts',
      '!operations/{refresh,replaced-token,refresh-watch,open-session}.ts',
      '!operations/{revoke,end-session,sessions,maintenance,authorize}.ts',
      'token-service.ts',
      'system.ts',
    ),
    tests: [
      ...coreTests('system.test.ts', 'operations/*.test.ts', 'access-token/*.test.ts'),
      ...expressTests('{close,rate-limits}.test.ts'),
    ],
  },
  {
    name: 'options',
    mutate: core(
      'options/*.ts',
      'option-checks.ts',
      'errors/*.ts',
      'ports/*.ts',
      '!ports/{own-sessions,checked-users,storage-status}.ts',
    ),
    tests: coreTests(
      'closest-name.test.ts',
      'options/*.test.ts',
      'errors/*.test.ts',
      'checked/*.test.ts',
      'operations/*.test.ts',
    ),
  },
  {
    name: 'wire',
    mutate: core('wire/*.ts', '!wire/request.ts'),
    tests: [
      ...coreTests('wire/*.test.ts'),
      ...expressTests(
        '{token,refresh,cookies,step-up,validate,revoke,me,jwks,routing,http-surface,errors,error-handling,disconnected-logins}.test.ts',
        '{request-bodies,body-parameters,form-bodies,broken-bodies,body-limit}.test.ts',
      ),
    ],
  },
  {
    name: 'express',
    mutate: express('*.ts', '!{guard,guarded-requests,node-http}.ts'),
    tests: expressTests(
      '{options,client-address,cookies,wrong-use,routing,http-surface,errors,error-handling,error-handlers,rejection-headers,failures,proxy-warning}.test.ts',
      '{request-bodies,read-body-bytes,broken-bodies,body-limit,slow-bodies,client-abort,disconnected-logins}.test.ts',
      '{token,guard,get-auth,verify,require-password,sessions,jwks,close,mounts}.test.ts',
    ),
  },
]

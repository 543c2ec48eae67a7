import { createAuth0Server } from './servers/auth0.js'
import { createJsonServer } from './servers/json.js'
import { createJwtAuthServer } from './servers/jwt-auth.js'
import { createSuperTokensServer } from './servers/supertokens.js'
import type { TabClient } from './tab-client.js'

const axiosAuthRefresh = { packages: ['axios-auth-refresh', 'axios'], page: 'axios-auth-refresh' }

/** The clients that the bench opens in eight tabs. */
export const tabClients: readonly TabClient[] = [
  {
    title: '**@jwt-auth/client**',
    packages: ['@jwt-auth/client'],
    page: 'jwt-auth',
    createServer: createJwtAuthServer,
  },
  {
    title: '**@jwt-auth/client** without Web Locks',
    packages: ['@jwt-auth/client'],
    page: 'jwt-auth',
    createServer: createJwtAuthServer,
    hasLocks: false,
  },
  {
    title: 'supertokens-website',
    packages: ['supertokens-website'],
    page: 'supertokens-website',
    createServer: createSuperTokensServer,
  },
  {
    title: '@auth0/auth0-spa-js',
    packages: ['@auth0/auth0-spa-js'],
    page: 'auth0-spa-js',
    createServer: createAuth0Server,
  },
  { title: 'axios-auth-refresh', ...axiosAuthRefresh, createServer: createJsonServer },
  { title: 'axios-auth-refresh, server: **jwt-auth**', ...axiosAuthRefresh, createServer: createJwtAuthServer },
]

import { Auth0Client } from '@auth0/auth0-spa-js'
import { expose, origin } from './tab-page.js'

// Tabs share refresh tokens only through `localStorage`.
const auth0 = new Auth0Client({
  domain: origin,
  clientId: 'bench',
  useRefreshTokens: true,
  cacheLocation: 'localstorage',
})

expose({
  // The login through a redirect ends with a request to the same route.
  logIn: (username) =>
    auth0.loginWithCustomTokenExchange({ subject_token: username, subject_token_type: 'urn:bench:user', audience: '' }),
  request: async () => {
    const token = await auth0.getTokenSilently()
    return (await fetch(`${origin}/reports`, { headers: { Authorization: `Bearer ${token}` } })).status
  },
})

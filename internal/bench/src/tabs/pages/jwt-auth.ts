import { createAuthClient, localStorageTokenStore } from '@jwt-auth/client'
import { expose, origin } from './tab-page.js'

const auth = createAuthClient({ baseUrl: `${origin}/jwt-auth/v1`, tokenStore: localStorageTokenStore() })

expose({
  logIn: (username, password) => auth.login({ username, password }),
  request: async () => (await auth.fetch('/reports')).status,
})

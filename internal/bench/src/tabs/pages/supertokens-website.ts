import SuperTokens from 'supertokens-website'
import { expose, origin } from './tab-page.js'

// Replaces `fetch`.
SuperTokens.init({ apiDomain: origin })

expose({
  logIn: () => fetch(`${origin}/auth/signin`, { method: 'POST' }),
  request: async () => (await fetch(`${origin}/reports`)).status,
})

import { auth, baseUrl, copyRefreshToken, keys, request, transport } from './auth.js'
import { find, onClick } from './dom.js'

/** Shows the key of the current session. */
export const showKey = () => {
  const thumbprint = keys.getThumbprint()
  find('thumbprint').textContent = thumbprint ?? 'none: this browser cannot keep a key'
  find('key-where').textContent =
    transport === 'cookie' ? 'A script cannot copy the refresh token either: the token is in an HttpOnly cookie.' : ''
  find('copy-token').hidden = transport === 'cookie' || thumbprint === undefined
  find('theft').hidden = true
}

/** Connects the elements of the section. */
export const startKey = () =>
  onClick(find('copy-token'), async () => {
    // Refreshes if needed, so that the copy is the current token.
    await auth.getAccessToken()
    const body = JSON.stringify({ refresh_token: copyRefreshToken() })
    const headers = { 'Content-Type': 'application/json' }
    const theft = await fetch(`${baseUrl}/token/refresh`, { method: 'POST', headers, body })
    const refusal = JSON.stringify(await theft.json(), null, 2)
    const { status } = await request('api/reports')
    find('theft-result').textContent = `POST token/refresh with the copy → ${theft.status}
${refusal}

GET api/reports as the owner → ${status}
The session continues.`
    find('theft-command').textContent = `curl -X POST ${baseUrl}/token/refresh \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`
    find('theft').hidden = false
  })

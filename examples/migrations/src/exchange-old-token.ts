import type { AuthClient } from '@jwt-auth/client'

/**
 * Exchanges the token that the old page has kept, for example in `localStorage`. Call it when the new page starts, before the page
 * asks for a login.
 */
export const exchangeOldToken = async (
  auth: AuthClient,
  url: string,
  storage: { getItem(name: string): string | null; removeItem(name: string): void },
): Promise<void> => {
  const token = storage.getItem('token')
  if (token === null) return
  const response = await fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (response.ok) await auth.loginWithResponse(response)
  // After any other failure, the token stays for the next start of the page.
  if (response.ok || Object(body).code === 'jwt_auth_invalid_token') storage.removeItem('token')
}

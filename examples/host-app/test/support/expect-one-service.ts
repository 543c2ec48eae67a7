import { expect } from 'vitest'
import { demo, jane } from './demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  tokenRevoked,
  validToken,
} from './expected-responses.js'
import {
  logIn,
  type Reachable,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
  requestValidation,
} from './flows.js'

/** Expects two processes on one database to be one service: a short story of two users. */
export const expectOneService = async (one: Reachable, other: Reachable): Promise<void> => {
  const [first, second, ofJane] = [await logIn(one), await logIn(other), await logIn(other, jane)]

  expect(await requestReports(other, first.token)).toStrictEqual(reportsFor(demo))
  expect(await requestRevocation(one, first.token)).toStrictEqual(tokenRevoked)
  expect(await requestReports(other, first.token)).toStrictEqual(invalidToken)
  expect(await requestRefresh(other, first.refreshToken)).toStrictEqual(invalidRefreshToken)
  expect(await requestRevocation(other, first.token)).toStrictEqual(alreadyRevoked)

  const pairs = await Promise.all([refresh(one, second.refreshToken), refresh(other, second.refreshToken)])
  expect(pairs[1].refreshToken).toBe(pairs[0].refreshToken)
  expect(pairs[1].token).not.toBe(pairs[0].token)
  for (const { token } of pairs) {
    expect(await requestValidation(one, token)).toStrictEqual(validToken)
    expect(await requestValidation(other, token)).toStrictEqual(validToken)
  }

  // One of two concurrent password changes wins, and ends the sessions of before.
  const passwords = ['the first new passphrase', 'the second new passphrase']
  const changes = await Promise.all(
    [one, other].map(({ send }, place) =>
      send('PUT', '/api/account/password', {
        token: pairs[0].token,
        json: { current_password: demo.password, new_password: passwords[place] },
      }),
    ),
  )
  // The later one fails at the guard when its session has ended by then.
  expect(changes.map(({ status }) => (status === 401 ? 403 : status)).toSorted()).toStrictEqual([200, 403])
  const changed = { ...demo, password: passwords[changes.findIndex(({ status }) => status === 200)] ?? '' }
  expect(await requestReports(other, pairs[0].token)).toStrictEqual(invalidToken)
  expect(await requestToken(other)).toStrictEqual(loginFailed)
  const login = await requestToken(other, changed)
  expect(login).toStrictEqual(authenticated(demo, readTokens(login)))

  const deletion = { token: ofJane.token, json: { password: jane.password } }
  expect(await other.send('DELETE', '/api/account', deletion)).toStrictEqual(noContent)
  expect(await requestReports(one, ofJane.token)).toStrictEqual(invalidToken)
  expect(await requestToken(one, jane)).toStrictEqual(loginFailed)
}

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { breakableStorage } from './support/breakable-storage.js'
import { byName } from './support/by-name.js'
import { startOfTime } from './support/clock.js'
import { expectLetIn, expectRefused } from './support/doors.js'
import { badSignature, type ContractAnswer, expiredToken, invalidToken } from './support/expected-answers.js'
import { openSession, refresh, requestRefresh, requestRevocation, type Tokens } from './support/flows.js'
import { decodeToken, forgeToken, otherSecret, testSecret } from './support/forge-token.js'
import { express5Framework } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'

const startSecond = startOfTime / 1000

interface BadToken {
  readonly name: string
  readonly make: (genuine: string) => string
  readonly expected: ContractAnswer
}

const swapPayload = (token: string, claims: object): string => {
  const [header, , signature] = token.split('.')
  const { claims: genuine } = decodeToken(token)
  return [header, Buffer.from(JSON.stringify({ ...genuine, ...claims })).toString('base64url'), signature].join('.')
}

/** Tokens that prove nothing, whatever storage says. */
const badTokens: readonly BadToken[] = [
  { name: 'is no token', make: () => 'abc', expected: invalidToken() },
  { name: 'has two parts', make: (genuine) => genuine.split('.').slice(0, 2).join('.'), expected: invalidToken() },
  { name: 'has four parts', make: (genuine) => `${genuine}.AAAA`, expected: invalidToken() },
  { name: 'has padding', make: (genuine) => `${genuine}=`, expected: invalidToken() },
  { name: 'has no signature', make: (genuine) => genuine.replace(/[^.]*$/, ''), expected: invalidToken() },
  { name: 'has other claims', make: (genuine) => swapPayload(genuine, { sub: '8' }), expected: badSignature },
  {
    name: 'is signed with another secret',
    make: (genuine) => forgeToken(genuine, { secret: otherSecret }),
    expected: badSignature,
  },
  {
    name: 'names another key',
    make: (genuine) => forgeToken(genuine, { header: { kid: 'another' } }),
    expected: badSignature,
  },
  {
    name: 'names another algorithm',
    make: (genuine) => forgeToken(genuine, { header: { alg: 'HS512' }, hash: 'sha512' }),
    expected: badSignature,
  },
  {
    name: 'names the algorithm none',
    make: (genuine) => forgeToken(genuine, { header: { alg: 'none' } }),
    expected: badSignature,
  },
  {
    name: 'has another typ',
    make: (genuine) => forgeToken(genuine, { header: { typ: 'JWT' } }),
    expected: invalidToken(),
  },
  {
    name: 'has a further header member',
    make: (genuine) => forgeToken(genuine, { header: { crit: ['exp'] } }),
    expected: invalidToken(),
  },
  {
    name: 'has expired',
    make: (genuine) => forgeToken(genuine, { claims: { exp: startSecond } }),
    expected: expiredToken,
  },
  {
    name: 'has expired and is signed with another secret',
    make: (genuine) => forgeToken(genuine, { claims: { exp: startSecond }, secret: otherSecret }),
    expected: badSignature,
  },
  {
    name: 'has another issuer',
    make: (genuine) => forgeToken(genuine, { claims: { iss: 'https://attacker.example' } }),
    expected: invalidToken(),
  },
  {
    name: 'has an audience nobody asked for',
    make: (genuine) => forgeToken(genuine, { claims: { aud: 'reports' } }),
    expected: invalidToken(),
  },
  {
    name: 'has no exp',
    make: (genuine) => forgeToken(genuine, { claims: { exp: undefined } }),
    expected: invalidToken(),
  },
  {
    name: 'begins to be good in 61 s',
    make: (genuine) => forgeToken(genuine, { claims: { nbf: startSecond + 61 } }),
    expected: invalidToken(),
  },
  {
    name: 'was issued 61 s from now',
    make: (genuine) => forgeToken(genuine, { claims: { iat: startSecond + 61 } }),
    expected: invalidToken(),
  },
  {
    name: 'has a sub that is not its data.user.id',
    make: (genuine) => forgeToken(genuine, { claims: { sub: '8' } }),
    expected: invalidToken(),
  },
]

/** Genuine tokens of which storage says that they are no longer good, or never were. */
const deadTokens: readonly {
  readonly name: string
  readonly kill: (host: TestHost, tokens: Tokens) => Promise<string>
}[] = [
  {
    name: 'its session is unknown',
    kill: async (_host, { token }) => forgeToken(token, { claims: { sid: randomBytes(16).toString('base64url') } }),
  },
  {
    name: "its session is another user's",
    kill: async (_host, { token }) => forgeToken(token, { claims: { sub: '8', data: { user: { id: 8 } } } }),
  },
  {
    name: 'the user id has another JSON type',
    kill: async (_host, { token }) => forgeToken(token, { claims: { data: { user: { id: '7' } } } }),
  },
  {
    name: 'it was revoked',
    kill: async (host, { token }) => {
      await requestRevocation(host, token)
      return token
    },
  },
  {
    name: 'another token of its session was revoked',
    kill: async (host, { token, refreshToken }) => {
      await requestRevocation(host, (await refresh(host, refreshToken)).token)
      return token
    },
  },
  {
    name: 'its session was ended by a replay',
    kill: async (host, { token, refreshToken }) => {
      await refresh(host, refreshToken)
      host.clock.advanceSeconds(31)
      await requestRefresh(host, refreshToken)
      return token
    },
  },
  {
    name: 'the host revoked its session',
    kill: async (host, { token }) => {
      const [session] = await host.auth.sessions.list(7)
      await host.auth.sessions.revoke({ userId: 7, sessionId: session?.id ?? '' })
      return token
    },
  },
  {
    name: 'the host revoked all sessions of the user',
    kill: async (host, { token }) => {
      await host.auth.sessions.revokeAll(7)
      return token
    },
  },
]

describe('validate, me and the guard', () => {
  it('let a good token in', async () => {
    const host = await startHost(express5Framework)

    await expectLetIn(host, (await openSession(host)).token)
  })

  it('let a token in that begins to be good in 60 s', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)

    await expectLetIn(host, forgeToken(token, { claims: { nbf: startSecond + 60, iat: startSecond + 60 } }))
  })

  it.each(byName(badTokens))(
    'answer 401 to a token that %s, and ask storage nothing',
    async (_, { make, expected }) => {
      const host = await startHost(express5Framework)
      const { token } = await openSession(host)
      host.storage.calls.length = 0

      await expectRefused(host, make(token), expected)
      expect(host.storage.calls).toStrictEqual([])
    },
  )

  it.each(byName(deadTokens))('answer 401 to a genuine token at once when %s', async (_, { kill }) => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    await expectLetIn(host, tokens.token)

    await expectRefused(host, await kill(host, tokens), invalidToken())
  })

  it('refuse a token on every instance once one instance revoked it', async () => {
    const storage = breakableStorage()
    const [one, other] = [
      await startHost(express5Framework, { storage }),
      await startHost(express5Framework, { storage }),
    ]
    const { token } = await openSession(one)
    await expectLetIn(other, token)
    await requestRevocation(one, token)

    await expectRefused(other, token, invalidToken())
  })

  it('refuse a token whose audience is not the one the host names', async () => {
    const storage = breakableStorage()
    const reports = await startHost(express5Framework, { storage, options: { audience: 'reports' } })
    const photos = await startHost(express5Framework, { storage, options: { audience: 'photos' } })
    const { token } = await openSession(reports)

    await expectLetIn(reports, token)
    await expectRefused(photos, token, invalidToken())
  })

  it('refuse a token of a secret that is no longer listed', async () => {
    const storage = breakableStorage()
    const before = await startHost(express5Framework, { storage, options: { secret: otherSecret } })
    const after = await startHost(express5Framework, { storage, options: { secret: testSecret } })

    await expectRefused(after, (await openSession(before)).token, badSignature)
  })

  it.each(
    byName([
      { name: 'idle', options: { sessionIdleTimeoutSeconds: 10 } },
      { name: 'absolute', options: { sessionAbsoluteTimeoutSeconds: 10 } },
    ]),
  )('refuse a token past the %s end of its session, whatever the clock tolerance', async (_, { options }) => {
    const host = await startHost(express5Framework, { options: { ...options, clockToleranceSeconds: 60 } })
    const { token } = await openSession(host)
    host.clock.advanceSeconds(10)

    await expectRefused(host, token, invalidToken())
  })
})

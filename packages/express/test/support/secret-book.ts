import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { parseJson, readMember } from '@jwt-auth/test-support/read-json'

/** The secrets that were used, each with a name. */
export interface SecretBook {
  /** Secrets that must appear nowhere. */
  readonly secrets: Map<string, string | Buffer>
  /** Secrets that may appear only in the response that issues them. */
  readonly tokens: Map<string, string | Buffer>
  /** Wraps a storage and records the hashes that it receives. */
  readonly noteHashes: (storage: SessionStorage) => SessionStorage
  /** Records the tokens of a response, whole and in their secret parts. */
  readonly noteTokens: (text: string) => void
}

export const createSecretBook = (known: Readonly<Record<string, string | Buffer>>): SecretBook => {
  const secrets = new Map<string, string | Buffer>(Object.entries(known))
  const tokens = new Map<string, string | Buffer>()

  const noteHash = (name: string, hash: string): void => {
    secrets.set(`${name} ${secrets.size}`, hash)
    secrets.set(`the bytes of ${name} ${secrets.size}`, Buffer.from(hash, 'base64url'))
  }
  const noteVerifiers = ({
    verifierHash,
    recentVerifiers,
  }: Pick<SessionRecord, 'verifierHash' | 'recentVerifiers'>) => {
    noteHash('a verifier hash', verifierHash)
    for (const recent of recentVerifiers) {
      noteHash('a replaced verifier hash', recent.verifierHash)
      noteHash('a salt', recent.salt)
    }
  }

  return {
    secrets,
    tokens,
    noteHashes: (storage) => ({
      ...storage,
      create: (session, options) => {
        noteHash('a selector hash', session.selectorHash)
        noteVerifiers(session)
        return storage.create(session, options)
      },
      rotate: (rotation, options) => {
        noteVerifiers(rotation)
        return storage.rotate(rotation, options)
      },
    }),
    noteTokens: (text) => {
      const body = parseJson(text)
      const [accessToken, refreshToken] = [readMember(body, 'token'), readMember(body, 'refresh_token')]
      if (typeof accessToken === 'string') {
        tokens.set(`access token ${tokens.size}`, accessToken)
        tokens.set(`a signature ${tokens.size}`, accessToken.split('.')[2] ?? '')
      }
      if (typeof refreshToken === 'string') {
        const bytes = Buffer.from(refreshToken.replace('jwtauth_rt_', ''), 'base64url')
        tokens.set(`refresh token ${tokens.size}`, refreshToken)
        tokens.set(`a selector ${tokens.size}`, bytes.subarray(0, 16))
        tokens.set(`a verifier ${tokens.size}`, bytes.subarray(16))
      }
    },
  }
}

import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { parseJson, readMember } from './read-json.js'

/** The secrets that were in use, each under a name of its own. */
export interface SecretBook {
  /** What must appear nowhere. */
  readonly secrets: Map<string, string | Buffer>
  /** What must appear nowhere but in the one answer that hands it out. */
  readonly tokens: Map<string, string | Buffer>
  /** Passes everything on to a storage and notes the hashes it is given. */
  readonly noteHashes: (storage: SessionStorage) => SessionStorage
  /** Notes the tokens that an answer hands out, whole and in the parts that make them secret. */
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

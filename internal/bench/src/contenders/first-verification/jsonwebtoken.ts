import { createSecretKey } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { refuses } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

/** The limit while jsonwebtoken checks the signature. */
export const contender: OperationContender = {
  title: 'jsonwebtoken, KeyObject',
  open: async ({ secret, issuer, audience, tokens }) => {
    const key = createSecretKey(secret, 'utf8')
    const verify = (token: string): unknown =>
      jsonwebtoken.verify(token, key, { algorithms: ['HS256'], issuer, audience })
    return {
      check: async () => {
        verify(tokens[0] ?? '')
        refuses(() => verify(`${tokens[0]?.slice(0, -10)}AAAAAAAAAA`))
      },
      run: (_client, turn) => verify(tokens[turn % tokens.length] ?? ''),
    }
  },
}

import { createSecretKey } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { requireThrow } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

/** The least that a verifier with jsonwebtoken must do. */
export const contender: OperationContender = {
  title: 'jsonwebtoken, KeyObject',
  open: async ({ secret, issuer, audience, tokens }) => {
    const key = createSecretKey(secret, 'utf8')
    const verify = (token: string): unknown =>
      jsonwebtoken.verify(token, key, { algorithms: ['HS256'], issuer, audience })
    return {
      check: async () => {
        verify(tokens[0] ?? '')
        requireThrow(() => verify(`${tokens[0]?.slice(0, -10)}AAAAAAAAAA`))
      },
      run: (_client, turn) => verify(tokens[turn % tokens.length] ?? ''),
    }
  },
}

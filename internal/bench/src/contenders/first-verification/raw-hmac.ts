import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { requireThrow } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

/** The least that any verifier must do: the HMAC, without JSON. */
export const contender: OperationContender = {
  title: 'the HMAC alone',
  open: async ({ secret, tokens }) => {
    const key = createSecretKey(secret, 'utf8')
    const verify = (token: string): void => {
      const dot = token.lastIndexOf('.')
      const mac = createHmac('sha256', key).update(token.slice(0, dot)).digest()
      if (!timingSafeEqual(mac, Buffer.from(token.slice(dot + 1), 'base64url'))) throw new Error('refused')
    }
    return {
      check: async () => {
        verify(tokens[0] ?? '')
        requireThrow(() => verify(`${tokens[0]?.slice(0, -10)}AAAAAAAAAA`))
      },
      run: (_client, turn) => verify(tokens[turn % tokens.length] ?? ''),
    }
  },
}

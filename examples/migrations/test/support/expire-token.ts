import jwt from 'jsonwebtoken'
import type { OldHeaders, World } from './start-migration.js'

/** Signs the claims of an old token again, with an `exp` that has passed. */
export const expireToken = async ({ Authorization = '' }: OldHeaders, { oldSecret }: World): Promise<OldHeaders> => {
  const claims = jwt.decode(Authorization.replace('Bearer ', ''), { json: true })
  const expired = { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }
  return { Authorization: `Bearer ${jwt.sign(expired, oldSecret)}` }
}

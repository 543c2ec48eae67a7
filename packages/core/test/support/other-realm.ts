import { runInNewContext } from 'node:vm'

/** Returns bytes as jsdom creates them: their class is not the `Uint8Array` of this realm. */
export const toOtherRealm = (bytes: Uint8Array): unknown =>
  runInNewContext('Uint8Array.from(list)', { list: [...bytes] })

import { invalidOption } from '../option-checks.js'
import type { RingKey } from './key.js'

/** A key, and its position in the options. */
export interface NamedKey extends RingKey {
  /** Such as `keys[0]`, for messages. */
  readonly name: string
}

/**
 * Checks the keys of one ring.
 *
 * @throws TypeError for secrets next to key pairs, for a repeated key, and for a published private
 *   key
 */
export const checkRingKeys = (keys: readonly NamedKey[]): void => {
  refuseMixed(keys)
  const names = new Map<string, string>()
  for (const { name, kid } of keys) {
    // Ids are derived from the key alone, so that one key under two algorithms is found too (RFC
    // 8725, section 3.1).
    const earlier = names.get(kid)
    if (earlier !== undefined) {
      throw invalidOption(name, `repeats \`${earlier}\``, 'list each key once, under one algorithm.')
    }
    names.set(kid, name)
    if (publishedKids.has(kid)) {
      const problem = 'is an example from a standard or a website, with which anyone can sign'
      throw invalidOption(name, problem, 'generate your own key.')
    }
  }
}

const isSecret = ({ publicJwk }: NamedKey): boolean => publicJwk === undefined

// docs/design/keys.md.
const refuseMixed = (keys: readonly NamedKey[]): void => {
  const secret = keys.find(isSecret)
  const pair = keys.find((key) => !isSecret(key))
  if (secret === undefined || pair === undefined) return
  throw invalidOption(
    pair.name,
    `is a key pair, but \`${secret.name}\` is a secret`,
    'use one kind; when the kind changes, access tokens become invalid, and clients continue with their refresh tokens.',
  )
}

// The ids of keys whose private half is printed in a standard or on a website.
const publishedKids: ReadonlySet<string> = new Set([
  'IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8', // RFC 7515, appendix A.2
  'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U', // RFC 7515, appendix A.3
  'u5YUSjQ2-2chBi51NSk3t3g7IM4o2KYcnPqPtCNGd3U', // RFC 7515, appendix A.4
  'xtIsOV1FqKH77AI_A3jdTg5QfdabzqI-LNpYTPi0IgI', // RFC 7516, appendix A.1
  '_K0fXS8wlsT7Tn3vvZrs9qdKUIqi5AxQ5EVk41xi_BM', // RFC 7516, appendix A.2
  'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', // RFC 7517, appendix A
  'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s', // RFC 7517, appendix A.2, P-256
  'D8R4-FeTJfzuDUy8bZ0c4hcwpul-Q11gCPs3mw6-R9Q', // RFC 7517, appendix C.1
  '_GK0r6GCoJt9zcssg9lay4obIxgCq05ntiRymRHADSU', // RFC 7518, appendix C, Alice
  'Vy57XrArUrW0NbpI12tEzDHABxMwrTh6HHXRenSpnCo', // RFC 7518, appendix C, Bob
  'dHri3SADZkrush5HU_50AoRhcKFryN-PI6jPBtPL55M', // RFC 7520, section 3.2
  '9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI', // RFC 7520, section 3.4
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', // RFC 8037, appendix A.1
  '3YZxBJ12jO3n_mXt_q-j_Z-TFP1vt-NiI3OCf-fEnHQ', // RFC 8410, section 10.3
  'oGDmHqCJ7yzMkWEkrlZVHkvrHIyQwtlDmeq5ForUHeY', // jwt.io, RSA
  '19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8', // jwt.io, P-256
  'iTqXXI0zbAnJCKDaobfhkM1f-6rMSpTfyZMRp_2tKI8', // jwt.io, P-384
  'xZDfZpry4P9vZPZyG2fNBRj-7Lz5omVdm7tHoCgSNfY', // jwt.io, P-521
])

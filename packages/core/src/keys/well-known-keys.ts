// Keys whose private half is printed in a standard or on a website, by the id they have here: what is pasted from an example
// and forgotten.
const wellKnownKids: ReadonlySet<string> = new Set([
  'eWEcC7PFs1IE5tUM', // RFC 7515, appendix A.1
  'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U', // RFC 7515, appendix A.3
  'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s', // RFC 7517, appendix A.2, P-256
  'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', // RFC 7517, appendix A
  'dHri3SADZkrush5HU_50AoRhcKFryN-PI6jPBtPL55M', // RFC 7520, section 3.2
  '9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI', // RFC 7520, section 3.4
  'IuRV3_BAQlM0G9bk', // RFC 7520, section 3.5
  'oGDmHqCJ7yzMkWEkrlZVHkvrHIyQwtlDmeq5ForUHeY', // jwt.io, RSA
  '19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8', // jwt.io, P-256
  'iTqXXI0zbAnJCKDaobfhkM1f-6rMSpTfyZMRp_2tKI8', // jwt.io, P-384
  'xZDfZpry4P9vZPZyG2fNBRj-7Lz5omVdm7tHoCgSNfY', // jwt.io, P-521
])

/** Whether the key with this id is one that anybody can sign with. */
export const isWellKnownKey = (kid: string): boolean => wellKnownKids.has(kid)

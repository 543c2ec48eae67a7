/**
 * Decodes base64 without padding. Returns `undefined` for any other text, and where the last character has unused bits that are
 * not zero (RFC 4648, section 3.5).
 */
export const decodeBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replaceAll('=', '') === text ? bytes : undefined
}

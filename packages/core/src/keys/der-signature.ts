const sequence = 0x30
const integer = 0x02

/**
 * Converts an ECDSA signature in DER (RFC 3279, section 2.2.3) to the format of JWS: R and S side by side, each of half the given length
 * (RFC 7518, section 3.4). Returns `undefined` for anything else.
 */
export const fromDerSignature = (der: Buffer, signatureBytes: number): Buffer | undefined => {
  const body = readElement(der, sequence)
  const first = body && readElement(body.content, integer)
  const second = first && readElement(first.rest, integer)
  if (body === undefined || first === undefined || second === undefined) return undefined
  if (body.rest.length > 0 || second.rest.length > 0) return undefined
  const parts = [first, second].map(({ content }) => toFixedLength(content, signatureBytes / 2))
  const signature = Buffer.concat(parts)
  return signature.length === signatureBytes ? signature : undefined
}

/** Reads one element of up to 255 bytes, which the signatures of all curves have (X.690, section 8.1.3). */
const readElement = (bytes: Buffer, tag: number): { readonly content: Buffer; readonly rest: Buffer } | undefined => {
  const isLong = bytes[1] === 0x81
  const start = isLong ? 3 : 2
  const length = bytes[start - 1]
  if (bytes[0] !== tag || length === undefined || (!isLong && length > 0x7f)) return undefined
  const end = start + length
  return end > bytes.length ? undefined : { content: bytes.subarray(start, end), rest: bytes.subarray(end) }
}

/** Removes the sign byte of an integer, or restores its leading zeros. */
const toFixedLength = (number: Buffer, length: number): Buffer => {
  const magnitude = number[0] === 0 ? number.subarray(1) : number
  return Buffer.concat([Buffer.alloc(Math.max(0, length - magnitude.length)), magnitude])
}

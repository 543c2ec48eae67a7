/** What to store about the device of a login, for the user's list of sessions. */
export interface Device {
  /** The `User-Agent` header. Cut to 512 UTF-16 code units. @default null */
  readonly userAgent?: string | null | undefined
  /** The client's address. Cut to 64 UTF-16 code units. @default null */
  readonly ipAddress?: string | null | undefined
  /** Your own name for the session. Cut to 255 UTF-16 code units. @default null */
  readonly label?: string | null | undefined
}

/** Where a request came from, as far as the option `device` tells; text that a client may have written. */
export type Place = Pick<StoredDevice, 'userAgent' | 'ipAddress'>

/** A device as it is stored: bounded, well-formed text or `null`. */
export interface StoredDevice {
  /** The user agent, at most 512 UTF-16 code units. `null` if it is unknown. */
  readonly userAgent: string | null
  /** The address, at most 64 UTF-16 code units. `null` if it is unknown. */
  readonly ipAddress: string | null
  /** The application's name for the session, at most 255 UTF-16 code units. `null` if it has none. */
  readonly label: string | null
}

const longest = { userAgent: 512, ipAddress: 64, label: 255 } as const

/** Cuts what a client may have sent to what every store can hold. */
export const toStoredDevice = (device: Device): StoredDevice => ({
  userAgent: toStoredText(device.userAgent, longest.userAgent),
  ipAddress: toStoredText(device.ipAddress, longest.ipAddress),
  label: toStoredText(device.label, longest.label),
})

// PostgreSQL stores no NUL, and no database an unpaired surrogate, which the cut may leave.
const toStoredText = (text: string | null | undefined, longestLength: number): string | null =>
  text === undefined || text === null || text === ''
    ? null
    : text.replaceAll('\0', '').slice(0, longestLength).toWellFormed()

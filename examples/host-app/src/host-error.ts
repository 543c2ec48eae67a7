/** A failure of the host's own routes, in the same shape as the SDK's. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

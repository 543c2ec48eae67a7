import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private key and a certificate that the key has signed, for the hosts of a test. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Creates a certificate with openssl. Browsers must be told to accept it. */
export const createCertificate = (): Certificate => {
  const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-certificate-'))
  try {
    const keyFile = join(folder, 'key.pem')
    const certFile = join(folder, 'cert.pem')
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    const args = ['req', ...kind, '-subj', '/CN=example.test', '-keyout', keyFile, '-out', certFile]
    const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error('openssl created no certificate.', { cause: error ?? stderr })
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

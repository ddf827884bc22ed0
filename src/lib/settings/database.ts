import type { settingsOf } from '../settings.ts'
import { checkNodeTls } from './safety.ts'

export type DatabaseSettings = {
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  databaseSignerUrl: string | undefined
  /** False when the operator accepts a database without a checked certificate. */
  requiresDatabaseTls: boolean
}

export function readDatabase(
  environment: 'sandbox' | 'production',
  settings: ReturnType<typeof settingsOf>,
): DatabaseSettings {
  const { url, oneOf } = settings
  checkNodeTls(environment, settings)
  const protocols = ['postgres:', 'postgresql:']
  return {
    databaseUrl: url('DATABASE_URL', protocols, 'postgres://svc@localhost:5432/svc'),
    databaseOwnerUrl: url('DATABASE_OWNER_URL', protocols, 'postgres://owner@localhost:5432/svc'),
    databaseSignerUrl: url('DATABASE_SIGNER_URL', protocols, 'postgres://signer@localhost:5432/svc'),
    requiresDatabaseTls: oneOf('SVC_DATABASE_TLS', ['required', 'off'] as const, 'required') === 'required',
  }
}

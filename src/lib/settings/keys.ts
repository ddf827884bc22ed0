import type { settingsOf } from '../settings.ts'
import { isZeroKey } from './safety.ts'

type Complain = ReturnType<typeof settingsOf>['complain']

export type KeySettings = {
  masterKey: string | undefined
  masterKeyFile: string | undefined
  /** Keys that may still wrap data during a rotation of the master key. */
  previousMasterKeys: string[]
  /** The key of the signer. Every other process refuses to start with it. */
  signerKey: string | undefined
  signerKeyFile: string | undefined
}

type Keys = KeySettings & { environment: 'sandbox' | 'production' }

/** Marks keys that a sandbox created for itself. Production never accepts one. */
export const sandboxKeyPrefix = 'svc_sandbox_key_'

export const exampleKey = '$(openssl rand -base64 32)'

function is32Bytes(text: string): boolean {
  return Buffer.from(text.replace(sandboxKeyPrefix, ''), 'base64').length === 32
}

export function readKeys({ text, list }: ReturnType<typeof settingsOf>): KeySettings {
  return {
    masterKey: text('SVC_MASTER_KEY'),
    masterKeyFile: text('SVC_MASTER_KEY_FILE'),
    previousMasterKeys: list(
      'SVC_PREVIOUS_MASTER_KEYS',
      [],
      is32Bytes,
      `${exampleKey},${exampleKey}`,
      '32 bytes in base64',
    ),
    signerKey: text('SVC_SIGNER_KEY'),
    signerKeyFile: text('SVC_SIGNER_KEY_FILE'),
  }
}

export function checkMasterKey(config: Keys, complain: Complain): void {
  const { masterKey, masterKeyFile, environment } = config
  if (masterKey !== undefined && masterKeyFile !== undefined) {
    complain('SVC_MASTER_KEY_FILE', 'must not be set together with SVC_MASTER_KEY', '/run/secrets/svc-master-key')
  }
  if (environment === 'production' && config.previousMasterKeys.some((key) => key.startsWith(sandboxKeyPrefix))) {
    complain('SVC_PREVIOUS_MASTER_KEYS', 'must not hold a key that a sandbox created', exampleKey)
  }
  if (masterKey === undefined) return
  if (environment === 'production' && masterKey.startsWith(sandboxKeyPrefix)) {
    complain('SVC_MASTER_KEY', 'must not be a key that a sandbox created', exampleKey)
  } else if (!is32Bytes(masterKey)) {
    complain('SVC_MASTER_KEY', 'must be 32 random bytes in base64', exampleKey)
  } else if (isZeroKey(masterKey, sandboxKeyPrefix)) {
    complain('SVC_MASTER_KEY', 'must be random: all of its bytes are zero', exampleKey)
  }
}

export function checkSignerKey({ signerKey, signerKeyFile, masterKey, environment }: Keys, complain: Complain): void {
  if (signerKey === undefined) return
  if (signerKeyFile !== undefined) {
    complain('SVC_SIGNER_KEY_FILE', 'must not be set together with SVC_SIGNER_KEY', '/run/secrets/svc-signer-key')
  }
  if (environment === 'production' && signerKey.startsWith(sandboxKeyPrefix)) {
    complain('SVC_SIGNER_KEY', 'must not be a key that a sandbox created', exampleKey)
  } else if (!is32Bytes(signerKey)) {
    complain('SVC_SIGNER_KEY', 'must be 32 random bytes in base64', exampleKey)
  } else if (isZeroKey(signerKey, sandboxKeyPrefix)) {
    complain('SVC_SIGNER_KEY', 'must be random: all of its bytes are zero', exampleKey)
  } else if (signerKey === masterKey) {
    complain('SVC_SIGNER_KEY', 'must differ from the master key, which every process has', exampleKey)
  }
}

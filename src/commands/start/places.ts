import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
import type { Certificate } from '../../lib/settings/server.ts'
import { loadMasterKeys } from '../secrets.ts'
import { requireFolder } from './data-folder.ts'
import { explainUnreadable } from './explain.ts'

/**
 * Refuses to start when a file that a setting names cannot be read, or a folder cannot be written to. Called before
 * anything else starts: later, a background job would fail again and again, or the first upload.
 */
export async function requirePlaces(config: Config, log: Logger, role: 'dev' | 'serve' | 'worker'): Promise<void> {
  const { masterKeyFile, tls, bankFiles, blobFolder, dataFolder } = config
  // A pipe tells its key once: the process itself reads it.
  if (masterKeyFile !== undefined && !(await isPipe(masterKeyFile))) await loadMasterKeys(config)
  if (tls && role !== 'worker') await requireCertificate(tls)
  // A start checks the data folder as a whole.
  const isApart = (folder: string) => path.relative(dataFolder, folder).startsWith('..')
  if (isApart(blobFolder)) {
    await requireFolder(blobFolder, nameOf('SVC_BLOB_DIR', blobFolder), 0o700).catch((error: Error) => {
      if (role === 'dev' || !isTroubleOfDisk(error.cause)) throw error
      log.warn({ err: error }, 'documents cannot be stored for now')
    })
  }
  // The folders of real banks may be away for a while: workers report that, and wait.
  if (role === 'dev' && bankFiles?.hasSandboxBank && isApart(bankFiles.folder))
    await requireFolder(bankFiles.folder, nameOf('SVC_BANK_DIR', bankFiles.folder), 0o700)
}

/** A full or absent disk stops uploads alone: payouts go on, and a worker frees the space of erased documents. */
function isTroubleOfDisk(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE'].includes((cause as NodeJS.ErrnoException).code ?? '')
}

async function isPipe(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found?.isFIFO() ?? false
}

function nameOf(setting: string, folder: string): string {
  return `The folder of ${setting} (${folder})`
}

/** The server reads both files again when it listens, and OpenSSL names neither the file nor the setting. */
async function requireCertificate({ certificateFile, keyFile }: Certificate): Promise<void> {
  const [ofCertificate, ofKey] = [`SVC_TLS_CERT (${certificateFile})`, `SVC_TLS_KEY (${keyFile})`]
  const cert = await requireFile(ofCertificate, certificateFile)
  const key = await requireFile(ofKey, keyFile)
  const chain = 'the certificate of this server as PEM text, then those of its authorities'
  requirePair({ cert }, `${ofCertificate} is damaged. Write into it ${chain}.`)
  requirePair(
    { key },
    `${ofKey} is damaged. Write into it the private key of the certificate as PEM text, unencrypted.`,
  )
  requirePair({ cert, key }, `${ofKey} is not the key of ${ofCertificate}. Name the two files of one certificate.`)
}

function requirePair(files: { cert?: Buffer; key?: Buffer }, problem: string): void {
  try {
    createSecureContext(files)
  } catch (error) {
    throw new Error(problem, { cause: error })
  }
}

async function requireFile(name: string, file: string): Promise<Buffer> {
  return readFile(file).catch((error: Error) => {
    throw explainUnreadable(error, name, file)
  })
}

import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config.ts'
import type { Logger } from '../../http/log.ts'
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
  if (tls && role !== 'worker') {
    await requireFile('SVC_TLS_CERT', tls.certificateFile)
    await requireFile('SVC_TLS_KEY', tls.keyFile)
  }
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

async function requireFile(setting: string, file: string): Promise<void> {
  await readFile(file).catch((error: Error) => {
    throw explainUnreadable(error, `${setting} (${file})`, file)
  })
}

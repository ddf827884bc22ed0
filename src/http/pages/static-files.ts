import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { acceptsEncoding, type Encoding, encodings } from '../bodies/kept-answer.ts'
import type { PageAnswer, PageRequest } from './page.ts'

export type StaticFiles = {
  /** The address of each entry file by its source name, such as `app.js`. */
  entries: Readonly<Record<string, string>>
  read(name: string, request: PageRequest): Promise<PageAnswer | undefined>
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.bcmap': 'application/octet-stream',
  '.pfb': 'application/octet-stream',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

const endings: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

/** A script in a worker obeys the policy of its own answer. */
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'"

/**
 * Serves files whose names hold a hash of their content, so that browsers keep them for good. `scripts/web.mjs` builds
 * them and writes their folder into a pointer file. Undefined when they were never built.
 */
export function openStaticFiles(pointer: string): StaticFiles | undefined {
  const built = readPointer(pointer)
  if (!built) return undefined
  const folder = path.join(path.dirname(pointer), built.folder)
  const names = new Set(readdirSync(folder))
  // A file never changes, so each is read once.
  const held = new Map<string, Promise<Buffer>>()
  const readOnce = (name: string): Promise<Buffer> => {
    const bytes = held.get(name) ?? readFile(path.join(folder, name))
    held.set(name, bytes)
    bytes.catch(() => held.delete(name))
    return bytes
  }
  return {
    entries: built.entries,
    read: async (name, { headers }) => {
      const mediaType = mediaTypes[path.extname(name)]
      if (mediaType === undefined || !names.has(name)) return undefined
      const encoding = chooseEncoding(String(headers['accept-encoding'] ?? ''), name, names)
      const body = await readOnce(encoding ? name + endings[encoding] : name)
      return {
        status: 200,
        body,
        headers: {
          'content-type': mediaType,
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': policy,
          'cross-origin-resource-policy': 'same-origin',
          vary: 'accept-encoding',
          ...(encoding ? { 'content-encoding': encoding } : {}),
        },
      }
    },
  }
}

function readPointer(pointer: string): { folder: string; entries: Record<string, string> } | undefined {
  try {
    return JSON.parse(readFileSync(pointer, 'utf8')) as { folder: string; entries: Record<string, string> }
  } catch {
    return undefined
  }
}

function chooseEncoding(accepted: string, name: string, names: ReadonlySet<string>): Encoding | undefined {
  return encodings.find((each) => acceptsEncoding(accepted, each) && names.has(name + endings[each]))
}

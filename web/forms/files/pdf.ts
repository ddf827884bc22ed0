import type { PDFDocumentProxy } from 'pdfjs-dist'
import pdfUrl from 'pdfjs-dist/build/pdf.min.mjs?url'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { texts } from '../texts/words.ts'
import type { Drawable } from './encode.ts'
import { CannotUse, pagesPerPicture } from './limits.ts'
import { CannotLoad, load, loadScript } from './load.ts'

type Pdfjs = typeof import('pdfjs-dist')

const urlsOf = (found: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(found).map(([path, url]) => [path.split('/').at(-1) ?? '', String(url)]))

/** Files that some PDFs need: decoders of scanned pages, tables of Asian characters, and fonts that are not embedded. */
const parts: Record<string, string> = urlsOf({
  ...import.meta.glob('../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
  ...import.meta.glob('../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
  ...import.meta.glob('../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
})

async function fetchPart(url: string): Promise<Uint8Array> {
  const response = await fetch(new URL(url, import.meta.url))
  if (!response.ok) throw new CannotLoad(`the form has no file ${url}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** 200 dots per inch; a PDF counts 72 points per inch. */
const scale = 200 / 72

export type PdfPages = { from: number; to: number; of: number }

/** Draws pages of a small PDF, such as an electronic statement, into one picture: as many as stay readable. */
export async function drawPdf(file: Blob, from: number): Promise<{ picture: Drawable; pages: PdfPages }> {
  const pdfjs = (await loadScript(pdfUrl)) as Pdfjs
  // pdf.js never recovers from a worker that did not load, so the browser has its file before.
  await load(() => fetchPart(workerUrl))
  pdfjs.GlobalWorkerOptions.workerSrc = new URL(workerUrl, import.meta.url).href
  const data = new Uint8Array(await file.arrayBuffer())
  const missing: unknown[] = []
  /** Loads the files of pdf.js by the names that our build gave them. */
  class PartFactory {
    async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
      return fetchPart(parts[filename] ?? filename).catch((error: unknown) => {
        missing.push(error)
        throw error
      })
    }
  }
  try {
    const folders = { cMapUrl: './', standardFontDataUrl: './', wasmUrl: './' }
    const loading = { data, disableFontFace: true, useSystemFonts: false, useWorkerFetch: false, ...folders }
    const pdf = await pdfjs.getDocument({ ...loading, BinaryDataFactory: PartFactory }).promise
    const to = Math.min(pdf.numPages, from + pagesPerPicture - 1)
    const drawn: HTMLCanvasElement[] = []
    for (let at = from; at <= to; at++) drawn.push(await drawPage(await pdf.getPage(at)))
    const picture = joinPages(drawn)
    // pdf.js draws a page without what it lacks.
    if (missing.length > 0) throw new CannotLoad('a part of pdf.js did not load', { cause: missing[0] })
    if (isBlank(picture)) throw new CannotUse(texts.files.blank)
    return { picture, pages: { from, to, of: pdf.numPages } }
  } catch (error) {
    if (error instanceof CannotUse || error instanceof CannotLoad) throw error
    if (missing.length > 0) throw new CannotLoad('a part of pdf.js did not load', { cause: error })
    throw new CannotUse(texts.files.unreadable)
  }
}

/** Tells whether a drawing shows nothing: a page that the browser could not draw is white. */
function isBlank({ source, width, height }: Drawable): boolean {
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width / 8)
  canvas.height = Math.ceil(height / 8)
  const context = canvas.getContext('2d')
  context?.drawImage(source, 0, 0, canvas.width, canvas.height)
  const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
  return pixels.every((value) => value > 245)
}

async function drawPage(page: Awaited<ReturnType<PDFDocumentProxy['getPage']>>): Promise<HTMLCanvasElement> {
  const viewport = page.getViewport({ scale })
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(viewport.width)
  canvas.height = Math.round(viewport.height)
  await page.render({ canvas, viewport }).promise
  return canvas
}

/** Puts two pages side by side, and the next two below them. */
function joinPages(pages: readonly HTMLCanvasElement[]): Drawable {
  const width = Math.max(...pages.map((page) => page.width))
  const height = Math.max(...pages.map((page) => page.height))
  const canvas = document.createElement('canvas')
  canvas.width = width * Math.min(2, pages.length)
  canvas.height = height * Math.ceil(pages.length / 2)
  const context = canvas.getContext('2d')
  if (!context) throw new CannotUse(texts.files.unreadable)
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const [at, page] of pages.entries()) context.drawImage(page, (at % 2) * width, Math.floor(at / 2) * height)
  return { source: canvas, width: canvas.width, height: canvas.height }
}

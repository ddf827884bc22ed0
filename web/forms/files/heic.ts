// libheif is under the LGPL: the browser loads its file as it is published, apart from our own code.
import libheifUrl from 'libheif-js/libheif-wasm/libheif-bundle.mjs?url'
import { texts } from '../texts/words.ts'
import type { Drawable } from './encode.ts'
import { CannotUse } from './limits.ts'
import { load, loadScript } from './load.ts'

type HeifImage = {
  get_width(): number
  get_height(): number
  display(target: ImageData, done: (shown: ImageData | null) => void): void
}
type Libheif = { HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] } }

let loading: Promise<Libheif> | undefined

/** Decodes a HEIC photo, as iPhones make them, where the browser cannot. */
export async function decodeHeic(file: Blob): Promise<Drawable> {
  loading ??= load(async () => start((await loadScript(libheifUrl)) as { default: Start }))
  const { HeifDecoder } = await loading.catch((error: unknown) => {
    // The connection was lost: the next attempt loads it again.
    loading = undefined
    throw error
  })
  const [image] = new HeifDecoder().decode(new Uint8Array(await file.arrayBuffer()))
  if (!image) throw new CannotUse(texts.files.unreadable)
  const [width, height] = [image.get_width(), image.get_height()]
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) throw new CannotUse(texts.files.unreadable)
  const pixels = context.createImageData(width, height)
  const shown = await new Promise<ImageData | null>((resolve) => image.display(pixels, resolve))
  if (!shown) throw new CannotUse(texts.files.unreadable)
  context.putImageData(shown, 0, 0)
  return { source: canvas, width, height }
}

type Start = () => Libheif | Promise<Libheif>

async function start({ default: create }: { default: Start }): Promise<Libheif> {
  const library = await create()
  const { ready } = library as Libheif & { ready?: Promise<unknown> }
  await ready
  return library
}

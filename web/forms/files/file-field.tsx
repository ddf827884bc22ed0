import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import type { ControlProps } from '../fields/inputs.tsx'
import { ApiError } from '../model/api.ts'
import type { PendingFiles } from '../model/pending-files.ts'
import { nameOf, texts } from '../texts/words.ts'
import { CannotUse } from './limits.ts'
import { Look } from './look.tsx'
import { type PreparedFile, prepareFile } from './prepare.ts'
import { type UploadProgress, uploadFile } from './upload.ts'

type Stage =
  | { at: 'idle' }
  | { at: 'preparing' }
  | { at: 'looking'; prepared: PreparedFile; chosen: File; url: string }
  | ({ at: 'uploading' } & UploadProgress)
  | { at: 'failed'; message: string; prepared?: PreparedFile }

type Props = ControlProps & { name: ComponentChildren; around: ComponentChildren }

/** Asks for a file: by a button, by dropping it, or with the camera. Shows it before it is sent. */
export function FileField({ path, id, label, describedBy, isInvalid, name, around }: Props) {
  const { store } = useForm()
  const [stage, setStage] = useState<Stage>({ at: 'idle' })
  const [preview, setPreview] = useState<string>()
  const [isOver, setOver] = useState(false)
  const file = store.state.files[path]
  usePending(store.files, path, stage, preview)
  const isIdle = stage.at === 'idle' || stage.at === 'failed'

  const send = async (prepared: PreparedFile) => {
    setStage({ at: 'uploading', share: 0, isRetrying: false })
    const show = (progress: UploadProgress) => setStage({ at: 'uploading', ...progress })
    try {
      store.accept(await store.files.upload(path, (signal) => sendFile(store, path, prepared.blob, show, signal)))
      setPreview(prepared.isPicture ? URL.createObjectURL(prepared.blob) : undefined)
      setStage({ at: 'idle' })
    } catch (error) {
      setStage({ at: 'failed', message: messageOf(error, label), prepared })
    }
  }
  const take = async (chosen: File | undefined, fromPage = 1) => {
    if (!chosen) return
    setStage({ at: 'preparing' })
    try {
      const prepared = await prepareFile(chosen, fromPage)
      if (!prepared.isPicture) await send(prepared)
      else setStage({ at: 'looking', prepared, chosen, url: URL.createObjectURL(prepared.blob) })
    } catch (error) {
      setStage({ at: 'failed', message: error instanceof CannotUse ? error.message : texts.files.unreadable })
    }
  }
  const remove = async () => {
    store.set(path, undefined)
    await store.flush()
    setPreview(undefined)
    setStage({ at: 'idle' })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (isIdle || stage.at === 'looking') void take(event.dataTransfer?.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const area = useKeptFocus(stage.at, file !== undefined)
  return (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={describedBy} aria-invalid={isInvalid || undefined}>
      <legend>{name}</legend>
      {around}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same for keyboards */}
      <div
        class={`drop${isOver ? ' over' : ''}`}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        ref={area}
      >
        <StageView stage={stage} label={label} onUse={send} onCancel={() => setStage({ at: 'idle' })} onPages={take} />
        {stage.at === 'idle' && file && <Uploaded label={label} isNew={file.isNew} preview={preview} />}
        {isIdle && <Buttons id={id} label={label} hasFile={file !== undefined} onTake={take} onRemove={remove} />}
      </div>
    </fieldset>
  )
}

type Store = ReturnType<typeof useForm>['store']

/** Sends a file after the answers that are not saved yet: one of them may set what kind of document it belongs to. */
async function sendFile(
  store: Store,
  path: string,
  file: Blob,
  show: (progress: UploadProgress) => void,
  signal: AbortSignal,
) {
  ensureTypeOf(store, path)
  const before = store.movesElsewhere
  await store.flush()
  if (store.movesElsewhere !== before) throw new CannotUse(texts.changedElsewhere)
  return uploadFile({ field: path, moves: store.state.moves }, file, show, signal)
}

/** Tells the form which picture waits for its look, and ends what is pending with the page. */
function usePending(files: PendingFiles, path: string, stage: Stage, preview: string | undefined): void {
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview])
  useEffect(() => {
    if (stage.at !== 'looking') return
    files.looked.add(path)
    return () => {
      files.looked.delete(path)
      URL.revokeObjectURL(stage.url)
    }
  }, [stage])
  useEffect(() => () => files.stop(path), [])
}

/** Keeps the focus in the field when the button that had it goes away: the next button takes it. */
function useKeptFocus(stage: Stage['at'], hasFile: boolean) {
  const area = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  hadFocus.current ||= area.current?.contains(document.activeElement) ?? false
  useEffect(() => {
    if (!hadFocus.current || stage === 'preparing' || stage === 'uploading') return
    hadFocus.current = false
    if (document.activeElement === document.body) area.current?.querySelector<HTMLElement>('button')?.focus()
  }, [stage, hasFile])
  return area
}

/** Sets what kind of document a file belongs to, before its first answer. */
function ensureTypeOf(store: Store, path: string): void {
  const document = path.slice(0, -(nameOf(path).length + 1))
  const isProof = nameOf(path) === 'proofOfAddressImage'
  if (document.includes('.documents[')) store.ensureType(document, isProof ? 'PROOF_OF_ADDRESS' : 'GOVERNMENT_ID')
}

function messageOf(error: unknown, label: string): string {
  if (error instanceof CannotUse) return error.message
  if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return texts.files.failed
  const [detail] = error.details
  return detail ? `${label} ${detail.message}` : error.message
}

type ButtonsProps = { id: string; label: string; hasFile: boolean; onTake(file?: File): void; onRemove(): void }

function Buttons({ id, label, hasFile, onTake, onRemove }: ButtonsProps) {
  const chooser = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const take = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement
    onTake(input.files?.[0])
    input.value = ''
  }
  const accept = 'image/*,.heic,.heif,application/pdf'
  return (
    <div class="buttons">
      <input
        ref={chooser}
        class="sr"
        type="file"
        id={`${id}-file`}
        tabIndex={-1}
        aria-label={label}
        accept={accept}
        onChange={take}
      />
      <input
        ref={camera}
        class="sr"
        type="file"
        id={`${id}-camera`}
        tabIndex={-1}
        aria-label={`${texts.files.camera}: ${label}`}
        accept="image/*"
        capture="environment"
        onChange={take}
      />
      <button type="button" class="secondary" onClick={() => chooser.current?.click()}>
        {hasFile ? texts.files.replace : texts.files.add}
        <span class="sr"> – {label}</span>
      </button>
      <button type="button" class="secondary only-touch" onClick={() => camera.current?.click()}>
        {texts.files.camera}
        <span class="sr"> – {label}</span>
      </button>
      {hasFile && (
        <button type="button" class="link" onClick={onRemove}>
          {texts.files.remove}
          <span class="sr"> – {label}</span>
        </button>
      )}
      {!hasFile && <span class="quiet only-mouse">{texts.files.drop}</span>}
      {!hasFile && <p class="hint">{texts.files.rules}</p>}
    </div>
  )
}

function Uploaded({ label, isNew, preview }: { label: string; isNew: boolean; preview: string | undefined }) {
  return (
    <div class="uploaded">
      {preview ? <img src={preview} alt={texts.files.alt(label)} /> : <span class="paper" aria-hidden="true" />}
      <p class="given">
        <span class="tick" aria-hidden="true" />
        {isNew ? texts.files.done : texts.files.given}
      </p>
    </div>
  )
}

type StageProps = {
  stage: Stage
  label: string
  onUse(prepared: PreparedFile): void
  onCancel(): void
  onPages(chosen: File, from: number): void
}

function StageView({ stage, label, onUse, onCancel, onPages }: StageProps) {
  return (
    <>
      {stage.at === 'uploading' && <Progress {...stage} label={label} />}
      <div role="status">
        {stage.at === 'preparing' && <p>{texts.files.preparing}</p>}
        {stage.at === 'uploading' && stage.isRetrying && <p class="quiet">{texts.files.retrying}</p>}
        {stage.at === 'failed' && (
          <p class="problem">
            {stage.message}{' '}
            {stage.prepared && (
              <button type="button" class="link" onClick={() => stage.prepared && onUse(stage.prepared)}>
                {texts.files.tryAgain}
              </button>
            )}
          </p>
        )}
      </div>
      {stage.at === 'looking' && (
        <Look
          {...stage}
          label={label}
          onUse={onUse}
          onCancel={onCancel}
          onPages={(from) => onPages(stage.chosen, from)}
        />
      )}
    </>
  )
}

/** Is no live region: a screen reader would read every percent. */
function Progress({ share, isRetrying, label }: UploadProgress & { label: string }) {
  const words = share < 1 ? texts.files.uploading(Math.round(share * 100)) : texts.files.checking
  return (
    <>
      <progress max={1} value={share} aria-label={label} />
      {!isRetrying && <p class="quiet">{words}</p>}
    </>
  )
}

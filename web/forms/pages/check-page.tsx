import { useEffect, useRef, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { optionsOf } from '../fields/kinds.ts'
import { api } from '../model/api.ts'
import { labelOf, nameOfPerson } from '../model/labels.ts'
import { read } from '../model/paths.ts'
import { finish } from '../model/pending-files.ts'
import { problemsAt, problemsBeside, type ShownProblem } from '../model/problems.ts'
import { sayRefusal } from '../model/refusals.ts'
import { progressOf, type Step, stepsOf } from '../model/steps.ts'
import type { Catalog, FormState } from '../model/types.ts'
import { formatDate, formatList } from '../texts/format.ts'
import { nameOf, suggestionOf, textAt, texts } from '../texts/words.ts'
import { Heading, Layout, SaveNote, StuckAlert } from './layout.tsx'

type Go = (id: string, place?: string) => void

const isBlocking = ({ mayStay, isRefused }: ShownProblem) => !mayStay || isRefused

/** All answers on one page, with a way to change each topic, and the button that submits them. */
export function CheckPage({ onGo }: { onGo: Go }) {
  const { store, catalog } = useForm()
  const { state } = store
  const [isBusy, setBusy] = useState(false)
  const [presses, setPresses] = useState(0)
  const [failure, setFailure] = useState('')
  const [attempts, setAttempts] = useState(0)
  const steps = stepsOf(state, catalog)
  const topics = steps.filter(({ fields }) => fields.length > 0)
  const fields = steps.flatMap((step) => step.fields)
  const findOpen = () => {
    const waiting = store.files.waiting()
    // The files of people are told with the pages of these people.
    return topics.map((step) => ({
      step,
      problems: problemsAt(store.state, step.fields, step.kind === 'people' ? undefined : waiting),
    }))
  }
  const open = findOpen()
  const beside = problemsBeside(state, fields)
  const submit = async () => {
    setPresses((count) => count + 1)
    if (isBusy) return
    setBusy(true)
    setFailure('')
    const isWhole = await finish(store, fields)
    setBusy(false)
    setAttempts(attempts + 1)
    if (!isWhole || store.saveStatus !== 'saved' || store.isEnded) return
    const isBlocked = findOpen().some(({ problems }) => problems.some(isBlocking))
    if (isBlocked || problemsBeside(store.state, fields).length > 0) return
    setBusy(true)
    try {
      store.accept(await api.submit(store.state.revision))
    } catch (error) {
      setFailure(sayRefusal(error, store.state.values))
    }
    setBusy(false)
  }
  const check = steps.find(({ kind }) => kind === 'check')
  const progress = check && progressOf(steps, check)
  const [title, hint] = texts.steps.check
  const goBack = () => onGo(topics.filter(({ person }) => person === undefined).at(-1)?.id ?? '')
  return (
    <Layout progress={progress}>
      <button type="button" class="link back" onClick={goBack}>
        <span class="arrow" aria-hidden="true" />
        {texts.back}
      </button>
      {(attempts > 0 || failure) && (
        <Problems attempts={attempts} open={open} beside={beside} failure={failure} values={state.values} onGo={onGo} />
      )}
      <Heading title={title} above={progress && texts.step(progress.at, progress.of)} of="check" />
      <p class="lead">{hint}</p>
      {open.map(({ step, problems }) => (
        <Answers key={step.id} step={step} state={state} catalog={catalog} problems={problems} onGo={onGo} />
      ))}
      <p class="declare">{texts.check.declare}</p>
      <StuckAlert attempts={presses} />
      <div class="actions">
        <button type="button" aria-disabled={isBusy} onClick={() => void submit()}>
          {isBusy ? texts.check.submitting : texts.check.submit}
        </button>
        <SaveNote />
      </div>
    </Layout>
  )
}

type Open = { step: Step; problems: ShownProblem[] }

type ProblemsProps = { attempts: number; open: Open[]; beside: string[]; failure: string; values: unknown; onGo: Go }

/** Lists what is missing, each with a way to its field. Takes the focus after each attempt to submit. */
function Problems({ attempts, open, beside, failure, values, onGo }: ProblemsProps) {
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => summary.current?.focus(), [attempts, failure])
  const listed = open.filter(({ problems }) => problems.some(isBlocking))
  if (listed.length + beside.length === 0 && failure === '') return null
  return (
    <div class="summary" role="alert" tabIndex={-1} ref={summary}>
      <h2>{texts.errorTitle}</h2>
      {failure && <p>{failure}</p>}
      {listed.length > 0 && <p>{texts.check.problems}</p>}
      <ul>
        {listed.flatMap(({ step, problems }) =>
          problems.map(({ place, text }) => (
            <li key={place}>
              <a
                href={`#/${step.id}`}
                onClick={(event) => {
                  event.preventDefault()
                  onGo(step.id, place)
                }}
              >
                {step.person === undefined ? text : texts.about(nameOfPerson(values, step.person), text)}
              </a>
            </li>
          )),
        )}
        {beside.map((text) => (
          <li key={text}>
            {text.replace(/\.$/, '')}. {texts.check.beside}
          </li>
        ))}
      </ul>
    </div>
  )
}

type AnswersProps = { step: Step; state: FormState; catalog: Catalog; problems: ShownProblem[]; onGo: Go }

function Answers({ step, state, catalog, problems, onGo }: AnswersProps) {
  if (step.kind === 'people') return null
  const [topic = ''] = textAt<readonly string[]>(texts.steps, step.topic) ?? []
  const title = step.person === undefined ? topic : texts.people.page(nameOfPerson(state.values, step.person), topic)
  const fields = step.fields.filter((path) => path !== 'kybData.businessDocuments')
  return (
    <section class="answers">
      <div class="answers-head">
        <h2>{title}</h2>
        <button type="button" class="link" onClick={() => onGo(step.id)}>
          {texts.change}
          <span class="sr"> {title}</span>
        </button>
      </div>
      <dl>
        {fields.map((path) => (
          <div key={path}>
            <dt>{labelOf(path, state.values)}</dt>
            <dd>
              <bdi>{answerOf(path, state, catalog)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {problems.map(({ place, text, mayStay }) => (
        <p key={place} class={mayStay ? 'note' : 'problem'}>
          {text}
        </p>
      ))}
    </section>
  )
}

/** An answer in words. */
function answerOf(path: string, { values, given, files }: FormState, catalog: Catalog) {
  if (files[path]) return texts.check.fileGiven
  const value = read(values, path)
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    return given.includes(path) ? texts.given : <span class="quiet">{texts.notGiven}</span>
  }
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (/Date$|^dateOf/.test(nameOf(path))) return formatDate(String(value))
  const options = optionsOf(path, catalog, values) ?? []
  const say = (code: unknown) => options.find(([known]) => known === code)?.[1] ?? String(code)
  if (catalog.suggestions[nameOf(path)]) return suggestionOf(String(value))
  return Array.isArray(value) ? formatList(value.map(say)) : say(value)
}

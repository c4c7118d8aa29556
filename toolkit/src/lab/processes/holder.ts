/**
 * A process that runs a subject and does what the lab says: ask for the lock, work in the section, release. It is the
 * one that gets killed and stopped. It ends with the process that started it.
 *
 * Arguments: the history file and the holder's letter. The subject's URL comes as a message, so that no list of
 * processes shows a password.
 *
 * @module
 */
import { HistoryWriter } from '../history.ts';
import type { Commands, Message, Request, Verb } from '../holder-protocol.ts';
import { hideSecretsOf } from '../secrets.ts';
import type { SubjectSession } from '../subject.ts';
import { describeCommand } from '../subjects/command.ts';
import { checkSession } from '../subjects/contract.ts';
import { loadSubject, messageOf } from '../subjects/load-subject.ts';
import { Acquisitions } from '../workloads/acquisitions.ts';
import { Crowd } from '../workloads/crowd.ts';
import { ResourceClient } from '../workloads/resource-client.ts';
import { Section } from '../workloads/section.ts';

const [historyFile = '', by = ''] = process.argv.slice(2);
const history = new HistoryWriter(historyFile, by);
let hideSecrets = (text: string): string => text;
let session: SubjectSession | undefined;
let resource: ResourceClient | undefined;
let acquisitions: Acquisitions | undefined;
let section: Section | undefined;
let crowd: Crowd | undefined;

const verbs: { [V in Verb]: (asks: Commands[V]['asks']) => Promise<Commands[V]['gives']> } = {
  async describe({ subject }) {
    if (typeof subject !== 'string') return await describeCommand(subject.command);
    const { name, server = 'redis' } = await loadSubject(subject);
    return { name, server };
  },
  async open({ subject, url, resourcePort }) {
    hideSecrets = hideSecretsOf(url);
    resource = await ResourceClient.connect(resourcePort);
    const loaded = await loadSubject(subject);
    session = checkSession(await loaded.open({ url }));
    acquisitions = new Acquisitions({ session, history, hideSecrets, onError: trouble });
    return { guarantee: session.guarantee ?? null };
  },
  acquire: (asks) => opened().acquire(asks),
  contend: (asks) => opened().contend(asks),
  async enter({ computeMs, heeds = false }) {
    const held = opened().held();
    if (!resource) throw new Error('The resource is not open.');
    // Often the one look at the lease before the work begins; what comes after it is past that check.
    if (!held.ask()) return { entered: false };
    tell({ steps: 0 }); // of this section
    const onStep = (steps: number): void => tell({ steps });
    section = new Section({ held, resource, history, computeMs, heeds, onStep, onError: trouble });
    return { entered: true };
  },
  async dwell({ forMs }) {
    await entered().dwell(forMs);
    return null;
  },
  async finish() {
    return { steps: await entered().finish() };
  },
  async observe({ limitMs }) {
    return { believes: await opened().held().believesFor(limitMs) };
  },
  async release() {
    return { error: await opened().release() };
  },
  // Requests come in their order, and each begins when it comes.
  'has-begun': async () => null,
  async gather(asks) {
    hideSecrets = hideSecretsOf(asks.url);
    resource ??= await ResourceClient.connect(asks.resourcePort);
    crowd = new Crowd({ history, resource, hideSecrets, onError: trouble });
    await crowd.gather(await loadSubject(asks.subject), asks);
    return null;
  },
  async 'line-up'(asks) {
    await gathered().lineUp(asks);
    return null;
  },
  served: () => gathered().served(),
  async close() {
    acquisitions?.stop();
    await crowd?.close();
    await session?.close();
    resource?.close();
    return null;
  },
};

function opened(): Acquisitions {
  if (!acquisitions) throw new Error('The subject is not open.');
  return acquisitions;
}

function entered(): Section {
  if (!section) throw new Error('The holder is in no section.');
  return section;
}

function gathered(): Crowd {
  if (!crowd) throw new Error('Nobody is gathered.');
  return crowd;
}

function tell(message: Message): void {
  if (process.connected) process.send?.(message);
}

/** The subject has broken the contract or thrown where nobody waits for it: the run is void, and says why. */
function trouble(error: unknown): void {
  history.write({ f: 'trouble', type: 'event', error: hideSecrets(`${by}: ${messageOf(error)}`) });
}

process.on('disconnect', () => process.exit());
// It may have happened before anybody listened.
if (!process.connected) process.exit();
process.on('uncaughtException', (error) => {
  trouble(error);
  process.exit(70);
});
process.on('message', (request: Request) => {
  // The request's verb and what it asks belong together; the table is typed so, which TypeScript cannot follow here.
  const answer = verbs[request.verb] as (asks: unknown) => Promise<unknown>;
  Promise.resolve()
    .then(() => answer(request.asks))
    .then(
      (gives) => tell({ id: request.id, gives }),
      (error: unknown) => tell({ id: request.id, error: hideSecrets(messageOf(error)) }),
    );
});
tell({ steps: 0 });

/** Tools about the caller's own notes: all that tools write. What an agent found out can be read in its next conversation. */
import {
  MACHINE_OWNER,
  NOTE_NAME_MAX,
  NOTE_TEXT_MAX,
  NOTES_MAX,
  notesOf,
  writeNote,
} from '../../../platform/notes.ts';
import type { PlatformStore } from '../../../platform/store.ts';
import { isLoopbackClient } from '../../../requests/address.ts';
import { ApiError, badRequest } from '../../../requests/errors.ts';
import { customersOf } from '../../routes/keys.ts';
import { cleanText } from '../clean-text.ts';
import { flag, type ToolContext, tool } from '../tool.ts';

const integer = { type: 'integer' };

export const noteTools = [
  tool({
    name: 'write_note',
    title: 'Write a note',
    about: `Keeps a short text of your own under a name until it is written over or deleted. Only your key reads it; at most ${NOTES_MAX}.`,
    routes: [],
    writes: true,
    params: {
      name: { kind: 'text', about: 'Name', required: true, maxLength: NOTE_NAME_MAX },
      text: { kind: 'text', about: `At most ${NOTE_TEXT_MAX} characters` },
      delete: flag('Deletes the note'),
    },
    excludes: { delete: ['text'] },
    answer: { properties: { note: {}, state: {}, notes: integer } },
    run: async ({ name: sentName, text: sentText, delete: isDeleted }, context) => {
      const { owner, store, keys } = ownerOf(context);
      const [name, text] = [
        cleanText(String(sentName)).trim(),
        isDeleted ? '' : cleanText(String(sentText ?? ''), Number.POSITIVE_INFINITY).trim(),
      ];
      if (name === '') throw badRequest('The name is empty');
      if (text === '' && !isDeleted) throw badRequest('There is no text', 'Send text, or delete: true');
      if (text.length > NOTE_TEXT_MAX)
        throw badRequest('The text is too long', `At most ${NOTE_TEXT_MAX} characters: write several notes`);
      const note = { owner, name, text, at: context.service.now() };
      const { kind, notes } = await writeNote(store, note, (transaction) => {
        if (owner !== MACHINE_OWNER && !keys.worksIn(transaction, owner)) throw ownKey();
      });
      if (kind === 'full')
        throw new ApiError('conflict', `There are ${NOTES_MAX} notes already`, {
          hint: 'write_note with delete: true deletes one',
        });
      return { note: name, state: kind, notes };
    },
  }),
  tool({
    name: 'get_notes',
    title: 'Your notes',
    about: 'The notes that you wrote with write_note, by name: all, or those with words in them.',
    routes: [],
    params: {
      query: { kind: 'text', about: 'Only those with this in name or text', maxLength: 100 },
      limit: { kind: 'int', about: 'Notes', default: 20, min: 1, max: NOTES_MAX },
      offset: { kind: 'int', about: 'Notes that are skipped', default: 0, min: 0 },
    },
    answer: { properties: { total: integer, notes: { type: 'array' } } },
    run: ({ query, limit, offset }, context) => {
      const { owner, store } = ownerOf(context);
      const words = String(query ?? '').toLowerCase();
      const found = notesOf(store, owner).filter(({ name, text }) =>
        `${name}\n${text}`.toLowerCase().includes(words),
      );
      const from = offset as number;
      const notes = found
        .slice(from, from + (limit as number))
        .map(({ name, text, at }) => ({ name, text, time: at }));
      return { total: found.length, notes };
    },
  }),
];

/** Whose notes they are. @throws ApiError 401 for who has none, 503 where none are kept */
function ownerOf({ identity, service }: ToolContext): {
  readonly owner: string;
  readonly store: PlatformStore;
  readonly keys: ReturnType<typeof customersOf>['keys'];
} {
  const { keys, store } = customersOf(service);
  const { key, ip } = identity;
  // The key that pages share is everybody's.
  if (key && keys.byId(key.id)?.kind !== 'browser') return { owner: key.id, store: store!, keys };
  if (key || service.admission.mode !== 'open' || !isLoopbackClient(ip)) throw ownKey();
  return { owner: MACHINE_OWNER, store: store!, keys };
}

const ownKey = () =>
  new ApiError('unauthorized', 'Notes belong to an API key of your own', { hint: 'Send it as X-Api-Key' });

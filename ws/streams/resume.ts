/**
 * Resuming after a reconnect: `?from_seq=` names the last frame that the client has, `session` the run of the service that it
 * is of. What came since follows frame by frame, after
 *
 *     {type: "resumed", fromSeq, seq, session, missed}     the frames after fromSeq, `missed` of them
 *     {type: "gap", fromSeq, seq, session}                 they are no longer kept, or are more than `limits.queueBytes`:
 *                                                          the first frame follows, as without it
 *
 * Frames are kept per channel (channel.ts: limits.ringFrames and ringBytes), and for a while after its last member has
 * left. Without a session the numbers are taken for those of this run.
 */
import type { Channel } from '../channel.ts';
import type { Client } from '../client.ts';
import type { FrameRow } from '../stream.ts';

export const resumeParams = {
  from_seq: {
    in: 'query',
    kind: 'int',
    min: 0,
    about:
      'After a reconnect: seq of the last frame received. The frames since follow, or a gap is reported.',
  },
  session: {
    in: 'query',
    kind: 'text',
    maxLength: 64,
    about: 'With from_seq: the session that the frame was of; of another one there is always a gap.',
  },
} as const;

export const RESUME_FRAMES: readonly FrameRow[] = [
  {
    name: 'resumed',
    fields: ['type', 'fromSeq', 'seq', 'session', 'missed'],
    about: 'With from_seq, in place of the first frame: the missed frames follow.',
  },
  {
    name: 'gap',
    fields: ['type', 'fromSeq', 'seq', 'session'],
    about:
      'With from_seq, where frames since are no longer kept, or are more than limits.queueBytes: before the first frame.',
  },
];

export interface Resume {
  readonly from_seq: number | undefined;
  readonly session: string | undefined;
}

export const NO_RESUME: Resume = { from_seq: undefined, session: undefined };

/**
 * Sends what the client missed. @param session of this run
 * @returns false: it needs the first frame, as it did not ask for another or there is a gap
 */
export function resumed(
  connection: Client,
  channel: Channel,
  { from_seq: fromSeq, session: theirs }: Resume,
  session: string,
): boolean {
  if (fromSeq === undefined) return false;
  const missed = theirs === undefined || theirs === session ? channel.since(fromSeq) : undefined;
  const { seq } = channel;
  if (!missed) {
    connection.reply({ type: 'gap', fromSeq, seq, session });
    return false;
  }
  connection.reply({ type: 'resumed', fromSeq, seq, session, missed: missed.length });
  for (const frame of missed) connection.send(frame);
  return true;
}
